import { z } from 'zod';
import { holdsNul, idSchema, upTo } from './text';

/** The maximum length of a suggestion. Longer values are left out. */
export const MAX_SUGGESTION_LENGTH = 500;
export const MAX_SUGGESTIONS = 50;
/** The timeout of the tool. Milliseconds. */
export const SUGGESTION_MS = 5_000;

const typed = upTo(MAX_SUGGESTION_LENGTH).refine((text) => !holdsNul(text), 'holds a NUL character');

/** The argument of the workflow `suggestions`. */
export const suggestionRequestSchema = z.strictObject({
  domain: idSchema(150),
  /** A parameter of one of the domain's actions. */
  parameter: idSchema(150),
  /** The beginning that the user has typed. */
  beginning: typed.default(''),
  /** The parameters that the user has filled in. */
  params: z
    .record(z.string().max(150), typed)
    .refine((params) => Object.keys(params).length <= 20, 'holds more than 20 parameters')
    .default({}),
});
export type SuggestionRequest = z.input<typeof suggestionRequestSchema>;
