import { z } from 'zod';
import { idSchema, textSchema } from './text';

const policySchema = z.enum(['block', 'allow', 'allow_with_reason']);
/** What failed or skipped items mean for completion: forbid it, allow it, or allow it where each has a reason. */
export type ItemPolicy = z.infer<typeof policySchema>;

const count = z.number().int().min(0);

/** A failed entry whose item may or may not have been touched. */
export const IN_DOUBT_REASON = 'in_doubt';

/** What a bulk operation's input may say about completion. */
export const contractInputSchema = z.strictObject({
  expected_total: count.optional(),
  min_completed: count.optional(),
  stop_condition: textSchema(500).optional(),
  item_key: idSchema(150).optional(),
  failed_policy: policySchema.optional(),
  skipped_policy: policySchema.optional(),
});

/**
 * The progress of a repetitive task (specification T1 and T6). Times are milliseconds since the
 * epoch. `truncation` counts the entries that the stored lists no longer hold; the counts stay exact.
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
  /** Items beyond the lists' caps, by fingerprint; src/core/progress/fingerprints.ts says how. */
  fingerprints: z.record(z.string().regex(/^[\w-]{2}$/), z.string().regex(/^([\w-]{9}[sfFkK])*$/)).optional(),
  truncation: z
    .strictObject({ completed: count.optional(), failed: count.optional(), skipped: count.optional() })
    .optional(),
  last_progress_at: z.number(),
  created_at: z.number(),
  updated_at: z.number(),
});
export type BulkProgressContract = z.infer<typeof bulkProgressContractSchema>;

/** Whether a task may be called complete, and if not, what is missing and what to do next (specification T2). */
export const completionGuardResultSchema = z.object({
  allowed: z.boolean(),
  reason: z.string().optional(),
  missing_count: count.optional(),
  failed_count: count.optional(),
  suggested_next_action: z.string().optional(),
  /** After completing: the counts and the stop condition that allowed it. Contains no text by others. */
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
export type CompletionGuardResult = z.infer<typeof completionGuardResultSchema>;

/** Where progress stands. Compact: counts and the latest ten entries of each kind; `contract` only when asked for. */
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
