import { z } from 'zod';
import { errorBodySchema } from './errors';
import type { Json } from './macro';
import { idSchema } from './text';

/**
 * `awaiting_answer`: an `ask` waits for a person. `pausing`: a step is still running. `rejected`: refused before
 * anything ran; see `error`. `cancelled`: stopped; only an open transaction was undone.
 */
export const macroStateSchema = z.enum([
  'running',
  'awaiting_answer',
  'pausing',
  'paused',
  'completed',
  'failed',
  'cancelled',
  'rejected',
]);
export type MacroState = z.infer<typeof macroStateSchema>;

/** The result of the workflow `macro`. `variables` are those of the outermost macro at its end. */
export interface MacroResult {
  run_id: string;
  state: MacroState;
  variables: Record<string, Json>;
  error?: z.infer<typeof errorBodySchema>;
}

const traceStepSchema = z.object({
  /** From 1, in the order in which the steps began. */
  number: z.number().int(),
  /** The macro that contains the step. */
  macro: z.string(),
  /** The place in the file of that macro: `steps[2].then[0]`. */
  path: z.string(),
  /** The rounds of the loops around it, from 0, the outermost first. */
  iterations: z.array(z.number().int()).optional(),
  type: z.string(),
  /** The command, macro or variable of the step. */
  what: z.string(),
  is_async: z.boolean().optional(),
  state: z.enum(['running', 'completed', 'failed', 'cancelled']),
  started_at: z.iso.datetime(),
  /** The duration by the workflow's clock. */
  duration_ms: z.number().optional(),
  error: errorBodySchema.optional(),
  tokens: z.object({ input: z.number(), output: z.number() }).optional(),
});
export type TraceStep = z.infer<typeof traceStepSchema>;

/** An `ask` that waits for a person. */
const questionSchema = z.object({
  /** The number of its step in the trace. */
  number: z.number().int(),
  prompt: z.string(),
  /** The JSON Schema of the answer. Without one the answer is a text. */
  output_schema: z.record(z.string(), z.json()).optional(),
  asked_at: z.iso.datetime(),
});
export type MacroQuestion = z.infer<typeof questionSchema>;

/** Update `answer`. */
export const answerRequestSchema = z.strictObject({
  answer: z.json(),
  /** The number of the question, if several are open. */
  question: z.number().int().min(1).optional(),
  by: idSchema(150).optional(),
});
export type AnswerRequest = z.infer<typeof answerRequestSchema>;

/** Query `trace`: the status of a macro, with its latest steps. */
export const macroTraceSchema = z.object({
  run_id: z.string(),
  macro: z.string(),
  session_id: z.string().optional(),
  state: macroStateSchema,
  error: errorBodySchema.optional(),
  /** The questions that wait for a person, in the order in which they were asked. */
  questions: z.array(questionSchema).optional(),
  /** The bulk operations that the macro started in its session and that have not ended. */
  operations: z.array(z.string()).optional(),
  steps: z.array(traceStepSchema),
  steps_total: z.number().int(),
  steps_truncated: z.boolean().optional(),
  /** Tool calls, asks and fetches so far. They count towards `calls_limit`. */
  calls: z.number().int(),
  calls_limit: z.number().int(),
  tokens: z.object({ input: z.number(), output: z.number() }),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type MacroTrace = z.infer<typeof macroTraceSchema>;

/** The answer of an update: the trace without its steps. */
export type MacroTurn = Omit<MacroTrace, 'steps' | 'steps_truncated'>;
