import { z } from 'zod';
import { errorBodySchema } from './errors';
import { utf8Length } from './items';
import { contractInputSchema, progressViewSchema, bulkProgressContractSchema } from './progress';
import { idSchema, upTo } from './text';

const item = upTo(500).min(1);
const reason = upTo(500);
/** A failure counts only with its reason (specification T5). */
const why = reason.regex(/\S/, 'must say why the item failed');
/** The maximum number of entries of one kind in one `record`. */
const MAX_ENTRIES = 1_000;

/** The maximum size of the expected items. A run carries all of them over, so that it can name the missing ones. */
const MAX_EXPECTED_BYTES = 65_536;
const expectedItems = z
  .array(item)
  .max(10_000)
  .refine((items) => utf8Length(JSON.stringify(items)) <= MAX_EXPECTED_BYTES, {
    error: `takes at most ${MAX_EXPECTED_BYTES} bytes; give expected_total for more`,
  });

/** The input of a task run: any repetitive task, with an optional contract (specification T1). */
export const taskRunInputSchema = z.strictObject({
  goal: upTo(500).min(1),
  session_id: idSchema(150).optional(),
  /**
   * The run expires if nothing was recorded for this long. Default: 3600 with a session, because the run holds its
   * slot, else never.
   */
  idle_timeout_seconds: z.number().int().min(1).max(31_536_000).optional(),
  contract: contractInputSchema
    .extend({
      expected_items: expectedItems.optional().describe('The items that must have an outcome'),
    })
    .optional(),
});
export type TaskRunInput = z.infer<typeof taskRunInputSchema>;

/**
 * The progress since the last `record`. A repeated record changes nothing, and neither does
 * `stop_condition_satisfied: false`.
 */
export const recordRequestSchema = z.strictObject({
  completed: z.array(item).max(MAX_ENTRIES).optional(),
  failed: z
    .array(
      z.strictObject({
        item: item.describe('The item'),
        reason: why.describe('Why it failed'),
        retryable: z.boolean().optional().describe('Whether it may be tried again'),
      }),
    )
    .max(MAX_ENTRIES)
    .optional(),
  skipped: z
    .array(
      z.strictObject({ item: item.describe('The item'), reason: reason.describe('Why it was left out') }),
    )
    .max(MAX_ENTRIES)
    .optional(),
  cursor: upTo(2_000).optional(),
  stop_condition_satisfied: z.boolean().optional(),
});
export type RecordRequest = z.infer<typeof recordRequestSchema>;

export const taskRunRequestSchema = z.strictObject({ items: z.boolean().optional() });
export type TaskRunRequest = z.infer<typeof taskRunRequestSchema>;

export const taskRunStateSchema = z.enum(['running', 'completed', 'cancelled', 'expired', 'rejected']);
export type TaskRunState = z.infer<typeof taskRunStateSchema>;

/** The status of a task run. */
export const taskRunStatusSchema = progressViewSchema.extend({
  task_run_id: z.string(),
  goal: z.string(),
  session_id: z.string().optional(),
  /** The time at which the run expires, unless progress is recorded before. */
  expires_at: z.iso.datetime().optional(),
  state: taskRunStateSchema,
  error: errorBodySchema.optional(),
  forced: z.object({ by: z.string().optional(), reason: z.string(), at: z.iso.datetime() }).optional(),
});
export type TaskRunStatus = z.infer<typeof taskRunStatusSchema>;

export const contractIdSchema = idSchema(150);

/** The input of a progress contract without a run: an id, and the fields of a task run's contract. */
export const standaloneContractInputSchema = taskRunInputSchema.shape.contract.unwrap().extend({
  contract_id: contractIdSchema,
  scope: bulkProgressContractSchema.shape.scope.optional(),
});
export type StandaloneContractInput = z.infer<typeof standaloneContractInputSchema>;

const forcedSchema = z.strictObject({ by: z.string().optional(), reason: z.string(), at: z.iso.datetime() });

/** A progress contract in its file. `completed_at`, in milliseconds since the epoch, closes it. */
export const standaloneContractSchema = bulkProgressContractSchema.extend({
  contract_id: contractIdSchema,
  completed_at: z.number().optional(),
  forced: forcedSchema.optional(),
});
export type StandaloneContract = z.infer<typeof standaloneContractSchema>;

/** The status of a progress contract. */
export interface StandaloneStatus extends z.infer<typeof progressViewSchema> {
  contract_id: string;
  scope: StandaloneContract['scope'];
  state: 'open' | 'completed';
  forced?: StandaloneContract['forced'];
}
