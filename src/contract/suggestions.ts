import { z } from 'zod';
import { holdsNul, idSchema, upTo } from './text';

/** A value that is longer completes nothing that a person types. */
export const MAX_SUGGESTION_LENGTH = 500;
export const MAX_SUGGESTIONS = 50;
/** How long the tool may take to answer. Milliseconds. */
export const SUGGESTION_MS = 5_000;

const typed = upTo(MAX_SUGGESTION_LENGTH).refine((text) => !holdsNul(text), 'holds a NUL character');

/** The argument of the workflow `suggestions`. */
export const suggestionRequestSchema = z.strictObject({
  domain: idSchema(150),
  /** A parameter of one of its actions. */
  parameter: idSchema(150),
  /** What the user has typed of it. */
  beginning: typed.default(''),
  /** Parameters that the user has given already. */
  params: z
    .record(z.string().max(150), typed)
    .refine((params) => Object.keys(params).length <= 20, 'holds more than 20 parameters')
    .default({}),
});
export type SuggestionRequest = z.input<typeof suggestionRequestSchema>;
