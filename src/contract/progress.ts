import { z } from 'zod';
import { idSchema, textSchema } from './text';

const policySchema = z.enum(['block', 'allow', 'allow_with_reason']);
/** Whether failed or skipped items block completion, allow it, or allow it if each has a reason. */
export type ItemPolicy = z.infer<typeof policySchema>;

const count = z.number().int().min(0);

/** The reason of a failed entry whose item may have been changed. */
export const IN_DOUBT_REASON = 'in_doubt';

/** The conditions for completion in the input of a bulk operation. */
export const contractInputSchema = z.strictObject({
  expected_total: count.optional().describe('How many items must have an outcome'),
  min_completed: count.optional().describe('How many items must be completed'),
  stop_condition: textSchema(500)
    .optional()
    .describe('Needed only if the total is unknown: it must then be marked satisfied'),
  item_key: idSchema(150).optional().describe('What identifies an item; default id'),
  failed_policy: policySchema.optional().describe('Whether failed items allow completion'),
  skipped_policy: policySchema.optional().describe('Whether skipped items allow completion'),
});

/**
 * The progress of a repetitive task (specification T1 and T6). Times are milliseconds since the epoch. `truncation`
 * counts the entries that were cut from the stored lists; the counts stay exact.
 */
export const bulkProgressContractSchema = z.strictObject({
  contract_id: z.string().min(1),
  run_id: z.string().optional(),
  scope: z.enum(['task_run', 'workflow', 'batch', 'crawl']),
  expected_total: count.optional(),
  expected_items: z.array(z.string()).optional(),
  min_completed: count.optional(),
  stop_condition: z.string(),
  stop_condition_satisfied: z.boolean(),
  item_key: z.string().min(1),
  cursor: z.string().optional(),
  completed: z.array(z.string()),
  failed: z.array(
    z.strictObject({ item: z.string(), reason: z.string(), retryable: z.boolean().optional() }),
  ),
  skipped: z.array(z.strictObject({ item: z.string(), reason: z.string() })),
  failed_policy: policySchema,
  skipped_policy: policySchema,
  /** The fingerprints of the items that were cut from the lists: see src/core/progress/fingerprints.ts. */
  fingerprints: z.record(z.string().regex(/^[\w-]{2}$/), z.string().regex(/^([\w-]{9}[sfFkK])*$/)).optional(),
  truncation: z
    .strictObject({ completed: count.optional(), failed: count.optional(), skipped: count.optional() })
    .optional(),
  last_progress_at: z.number(),
  created_at: z.number(),
  updated_at: z.number(),
});
/** The progress of a repetitive task, as JSON. Times are milliseconds since the epoch. */
export type BulkProgressContract = z.infer<typeof bulkProgressContractSchema>;

/** Whether a task may be completed; if not, what is missing and what to do next (specification T2). */
export const completionGuardResultSchema = z.object({
  allowed: z.boolean(),
  reason: z.string().optional(),
  missing_count: count.optional(),
  failed_count: count.optional(),
  suggested_next_action: z.string().optional(),
  /** After completion: the counts and the stop condition that allowed it. It contains no text from outside. */
  evidence: z.string().optional(),
  missing_items: z.array(z.string()).max(10).optional(),
  hint: z
    .object({
      level: z.literal('warning'),
      message: z.string(),
      missing_count: count,
      suggested_next_action: z.string(),
    })
    .optional(),
});
/** Whether a task may be completed; if not, `reason`, what is missing, and what to do next. */
export type CompletionGuardResult = z.infer<typeof completionGuardResultSchema>;

/** The progress of a task: counts and the latest ten entries of each kind. `contract` is present only on request. */
export const progressViewSchema = z.object({
  expected_total: count.optional(),
  min_completed: count.optional(),
  stop_condition: z.string().optional(),
  stop_condition_satisfied: z.boolean().optional(),
  failed_policy: policySchema.optional(),
  skipped_policy: policySchema.optional(),
  completed_count: count,
  failed_count: count,
  skipped_count: count,
  cursor: z.string().optional(),
  completed: bulkProgressContractSchema.shape.completed,
  failed: bulkProgressContractSchema.shape.failed,
  skipped: bulkProgressContractSchema.shape.skipped,
  guard: completionGuardResultSchema,
  contract: bulkProgressContractSchema.omit({ fingerprints: true }).optional(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type ProgressView = z.infer<typeof progressViewSchema>;
