import { z } from 'zod';
import { approvalsSchema, recordedSchema } from './approvals';
import { changeSchema } from './change';
import { editorSchema, editSchema, MAX_EDITS } from './edits';
import { idSchema, saidSchema } from './text';
import { errorBodySchema } from './errors';
import { bulkItemInputSchema, MAX_ID_LENGTH, smallRecord } from './items';
import { itemGroupSchema, shownItemSchema } from './preview';
import { completionGuardResultSchema, contractInputSchema } from './progress';
import { approverNameSchema, assuranceSchema, confirmationViaSchema, MAX_APPROVERS } from './policy';
import { doorSchema } from './record';
import { revisionSchema } from './revision';
import { momentSchema } from './schedule';

export const MAX_BATCH_SIZES = 10;

/** The total of an operation is known, so a stop condition guards nothing. */
const operationContractSchema = contractInputSchema.extend({
  stop_condition: contractInputSchema.shape.stop_condition.describe(
    'What ends the work, in words. It is only a description, and completion does not wait for it',
  ),
});

/** The input of a bulk operation: the argument of the workflow `bulkOperation`. */
export const bulkOperationInputSchema = z.strictObject({
  domain: idSchema(150),
  action: idSchema(150),
  params: smallRecord('params').optional(),
  items: z.array(bulkItemInputSchema).min(1).optional(),
  batch_size: z.number().int().optional(),
  metadata: smallRecord('metadata').optional(),
  session_id: idSchema(150).optional(),
  requested_by: idSchema(150).optional(),
  idle_timeout_seconds: z.number().int().min(1).max(31_536_000).optional(),
  contract: operationContractSchema.optional(),
  failure_threshold: z.number().min(0).max(1).optional(),
  /** The digest of a preview. The start is refused if its plan differs from that preview. */
  expect_digest: idSchema(128).optional(),
  /** The operation to undo. Its parameters come from the ledger; `items` limits the undo to some of its items. */
  undoes: idSchema(150).optional(),
  /** For an undo: items to restore even if they were changed after that operation. */
  overwrite: z.union([z.literal('all'), z.array(idSchema(MAX_ID_LENGTH)).max(1_000)]).optional(),
  /** The requester's reason, in their words. It is shown beside every question and is part of what is confirmed. */
  reason: saidSchema(500).optional(),
  /** Set if an agent requested the operation. Our doors set it for every agent. */
  by_agent: z.literal(true).optional(),
  /** The operation that a person sent back and that this one replaces. */
  revises: idSchema(150).optional(),
  /** The sizes of growing batches, in place of `batch_size`. The last size repeats. */
  batch_sizes: z.array(z.number().int().min(1)).min(1).max(MAX_BATCH_SIZES).optional(),
  /** No batch begins before this time. Earlier confirmations take effect then. */
  not_before: momentSchema.optional(),
  /** Limits the approvers that the policy names to these: `person:NAME`, `group:NAME`, `role:NAME`. */
  approvers: z.array(approverNameSchema).min(1).max(MAX_APPROVERS).optional(),
  /** The subject of the requester at an identity provider. Our doors set it. */
  requested_subject: idSchema(500).optional(),
  /** The people who edited the change before, in the operation that this one follows. A follow-up sets it. */
  editors: z.array(editorSchema).min(1).max(MAX_EDITS).optional(),
});
/**
 * The input of an operation: an adapter and its action, and either `params` that find the items or the `items`
 * themselves. `batch_size` is 5 to 20, or `batch_sizes` names growing sizes. Unknown fields are refused.
 */
export type BulkOperationInput = z.input<typeof bulkOperationInputSchema>;

const closedStates = ['completed', 'cancelled', 'expired', 'rejected'] as const;

export const bulkStateSchema = z.enum([
  'preparing',
  'awaiting_confirmation',
  'running_batch',
  'batch_failed',
  'awaiting_resolution',
  ...closedStates,
  /** A person confirmed the open batch, and it begins later. */
  'scheduled',
]);
export type BulkState = z.infer<typeof bulkStateSchema>;

export const CLOSED_STATES: readonly BulkState[] = closedStates;

const count = z.number().int().min(0);
const time = z.iso.datetime();

/** The numbers of items by their outcome. */
const outcomes = { succeeded: count, failed: count, skipped: count, in_doubt: count };

const gateSchema = z.object({ number: count, attempt: count, digest: z.string(), change: changeSchema });
export const itemErrorSchema = z.object({
  item_id: z.string(),
  display_name: z.string(),
  error: z.string(),
  retryable: z.boolean(),
});
export type ItemError = z.infer<typeof itemErrorSchema>;

const confirmationSchema = z.object({
  batch: count,
  attempt: count,
  decision: z.enum([
    ...(['continue', 'cancel', 'complete', 'extend', 'resolve', 'revise', 'withdraw', 'edit'] as const),
    /**
     * Under a policy: a confirmation that does not run the batch alone, one that leaves items out so that the question
     * is asked again, a no that holds the batch, and a delegation.
     */
    ...(['approve', 'leave_out', 'hold', 'delegate'] as const),
  ]),
  /** `accepted`, or the code of the refusal. */
  outcome: z.string(),
  by: z.string().optional(),
  via: confirmationViaSchema,
  at: time,
  note: z.string().optional(),
  digest: z.string().optional(),
  assurance: assuranceSchema,
  /** The door through which the person decided, if it is known. */
  door: doorSchema.optional(),
  /** The times at which the open question was asked, and first shown there to this person. Absent if not known. */
  asked_at: time.optional(),
  shown_at: time.optional(),
  /** The scheduled start of its batch, if that was later. */
  scheduled_for: time.optional(),
  /** Present if the confirmation was withdrawn before its batch began. */
  withdrawn: z.object({ by: z.string().optional(), at: time }).optional(),
  /** The id of the signature, if a passkey signed the decision (docs/passkeys.md). */
  signature: z.string().optional(),
});
export type Confirmation = z.infer<typeof confirmationSchema>;

/** The decision of a person who sent the operation back instead of confirming: their guidance, name and time. */
export const sentBackSchema = z.object({
  note: z.string(),
  by: z.string().optional(),
  at: time,
  assurance: assuranceSchema,
});
export type SentBack = z.infer<typeof sentBackSchema>;

/** The status that an update returns. It is small, because the history records it. */
export const bulkTurnSchema = z.object({
  operation_id: z.string(),
  session_id: z.string().optional(),
  domain: z.string(),
  action: z.string(),
  state: bulkStateSchema,
  error: errorBodySchema.optional(),
  needs_confirmation: z.boolean(),
  message: z.string(),
  total: count,
  processed: count,
  ...outcomes,
  remaining: count,
  /** The requested batch size. A rejected operation may have any number. */
  batch_size: z.number().int(),
  batches_total: count,
  /** The number of items that already had the target state before the first batch. */
  already: count.optional(),
  /** The number of items that will probably fail, as the plan predicted. */
  expected_errors: count.optional(),
  /** The operation that this one undoes, and the operation that undoes this one. */
  undoes: z.string().optional(),
  undone_by: z.string().optional(),
  next_batch: gateSchema.optional(),
  last_batch: z.object({ number: count, attempt: count, ...outcomes, duration_ms: count }).optional(),
  forced: z.object({ by: z.string().optional(), reason: z.string(), at: time }).optional(),
  /** Present if the run was reset in Temporal. The results so far come from the ledger, and nothing runs twice. */
  reset: z.literal(true).optional(),
  expires_at: time.optional(),
  created_at: time,
  updated_at: time,
  /** The requester. The result of a decision has it only with a reason. */
  requested_by: z.string().optional(),
  /** The requester's reason, in their words. */
  reason: z.string().optional(),
  /** Set if an agent requested the operation. */
  by_agent: z.literal(true).optional(),
  /** Present in the state `cancelled` if a person sent the operation back. */
  sent_back: sentBackSchema.optional(),
  /** The operation that was sent back and that this one replaces. */
  revises: z.string().optional(),
  /** The requested sizes of growing batches. `batch_size` is then the last of them. */
  batch_sizes: z.array(z.number().int()).optional(),
  /** These sizes and the number of questions, in words: `1, then 5, then 20 at a time: 12 questions, not 40`. */
  batches_text: z.string().optional(),
  /** Present if the sizes restart with the open question: the outcome of the previous batch. */
  ramp_restart: z.object({ after_batch: count, items: count, failed: count, in_doubt: count }).optional(),
  /** The scheduled start of the batch, if no worker ran it while its window was open. */
  missed_at: time.optional(),
  /** The start of the confirmed batch, in the state `scheduled`. Until then, the confirmation can be withdrawn. */
  scheduled_for: time.optional(),
  /** The scheduled batch, and the confirmation under which it runs. */
  scheduled_batch: gateSchema
    .extend({ by: z.string().optional(), confirmed_at: time, assurance: assuranceSchema })
    .optional(),
  /** The time until which the tool refuses requests. A batch that is confirmed earlier begins then. */
  throttled_until: time.optional(),
  /** The `not_before` of the start: no batch begins before this time. */
  not_before: time.optional(),
  /** The requirement for each batch, in words: `needs 2 of finance; not the requester; signed`. */
  policy: z.string().optional(),
  /** Present if the policy allows no edits. */
  editable: z.literal(false).optional(),
  /** Present if a policy requires approvals: those of the open question or of the running batch. */
  approvals: approvalsSchema.optional(),
  /** The effect of a decision that does not run the batch alone. */
  recorded: recordedSchema.optional(),
  /** The minimum assurance of a confirmation, if a policy requires more than a name. */
  assurance: assuranceSchema.optional(),
});
/** The result of a decision: a `BulkStatus` without items, errors, confirmations and guard. */
export type BulkTurn = z.infer<typeof bulkTurnSchema>;
export type LastBatch = NonNullable<BulkTurn['last_batch']>;

/** The whole status of an operation: the answer to the query `status`, and the workflow's result. */
export const bulkStatusSchema = bulkTurnSchema.extend({
  /** The change in one sentence, as in the questions; absent until the items are planned. */
  summary: z.string().optional(),
  /** Whether the change can be undone; absent until the items are planned. */
  reversible: changeSchema.shape.reversible.optional(),
  next_batch: gateSchema
    .extend({
      items: z.array(shownItemSchema),
      /** The same items grouped by effect, outliers first. Each item is in one group. */
      groups: z.array(itemGroupSchema).optional(),
    })
    .optional(),
  /** The scheduled batch with its items. */
  scheduled_batch: bulkTurnSchema.shape.scheduled_batch
    .unwrap()
    .extend({ items: z.array(shownItemSchema) })
    .optional(),
  /** All items of the plan grouped by effect, outliers first; absent after the end. */
  groups: z.array(itemGroupSchema).optional(),
  /** Set if not all groups fit into a status. The ledger has all of them, each with its items. */
  groups_truncated: z.boolean().optional(),
  /** The question that is open or expired without an answer, and when it was asked. */
  unanswered: z.object({ batch: count, attempt: count, asked_at: time }).optional(),
  errors: z.array(itemErrorSchema),
  errors_truncated: z.boolean().optional(),
  confirmations: z.array(confirmationSchema),
  confirmations_truncated: z.boolean().optional(),
  /** The total number, if not all are listed. */
  confirmations_total: count.optional(),
  guard: completionGuardResultSchema,
  /** The differences from the operation that this one revises. */
  revision: revisionSchema.optional(),
  /** The latest edits of the change, with the content of the question before and after each. */
  edits: z.array(editSchema).optional(),
});
/**
 * The current status of an operation: `state`, the sentence for the person in `message`, the counts of items, and in
 * `next_batch` exactly what the next `continue` runs. Times are ISO 8601.
 */
export type BulkStatus = z.infer<typeof bulkStatusSchema>;

/** A change of an operation's state or progress, as the event streams report it. */
export const operationEventSchema = z.object({
  /** The id of the event. In the stream of one operation it is the same for every reader. */
  event_id: z.string(),
  operation_id: z.string(),
  state: bulkStateSchema,
  at: time,
  /** The counts at the last question. */
  progress: z.record(z.string(), z.number()).optional(),
  /** The open question, in the states `awaiting_confirmation` and `batch_failed`. */
  gate: z.object({ batch: count, attempt: count }).optional(),
  /** Present in the state `cancelled` if a person sent the operation back. */
  sent_back: sentBackSchema.optional(),
  /** Present if half of the time for an answer has passed. Sent once per question. */
  reminder: z.literal(true).optional(),
  /** The additional approvers from now on, because the approvals were not complete in time. */
  escalated_to: z.array(z.string()).optional(),
  /** Present if Temporal no longer has the operation. This is its last event. */
  deleted: z.literal(true).optional(),
});
export type OperationEvent = z.infer<typeof operationEventSchema>;

export const itemOutcomeSchema = z.enum(['pending', 'succeeded', 'failed', 'skipped', 'in_doubt']);
export type ItemOutcome = z.infer<typeof itemOutcomeSchema>;

/** One row of the query `items`. */
export const itemRowSchema = z.object({
  id: z.string(),
  display_name: z.string(),
  batch: z.number().int(),
  outcome: itemOutcomeSchema,
  error: z.string().optional(),
});
export type ItemRow = z.infer<typeof itemRowSchema>;

/**
 * The answers to the queries `items` and `errors`. A page ends before the first item whose name the workflow does not
 * have; the ledger has all of them. `total` is exact.
 */
export interface ItemsPage {
  items: ItemRow[];
  total: number;
  /** The outcome of each item of the page, one letter each, including the items without names. */
  outcomes: string;
}
export interface ErrorsPage {
  errors: ItemError[];
  total: number;
}
