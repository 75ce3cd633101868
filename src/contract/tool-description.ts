import { z } from 'zod';
import { TOOL_CALLERS } from './tools';

export const TOOL_TRAITS = ['read_only', 'changing', 'idempotent', 'transactional'] as const;
export type ToolTrait = (typeof TOOL_TRAITS)[number];

const jsonSchema = z.record(z.string(), z.unknown());

/** What a tool is, for people, models and system prompts: what `batchgate tools` prints. */
export const toolDescriptionSchema = z.object({
  name: z.string(),
  description: z.string(),
  category: z.string(),
  fallback: z.string().optional(),
  read_only: z.boolean(),
  idempotent: z.boolean(),
  transactional: z.boolean(),
  /** Who may call it. */
  callers: z.array(z.enum(TOOL_CALLERS)),
  /** JSON Schema of the arguments. */
  args: jsonSchema,
  /** JSON Schema of the result, where it is promised. */
  output: jsonSchema.optional(),
});
export type ToolDescription = z.infer<typeof toolDescriptionSchema>;
