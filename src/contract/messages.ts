import { z } from 'zod';
import { MAX_ID_LENGTH, smallRecord } from './items';
import { itemOutcomeSchema } from './operation';
import { approverSchema } from './policy';
import { throughSchema } from './record';
import { momentSchema } from './schedule';
import { idSchema, saidSchema, textSchema } from './text';

/** Names on the wire. Existing histories contain them, so they cannot change. */
export const TASK_QUEUE = 'batchgate';
export const WORKFLOW_TYPES = {
  bulkOperation: 'bulkOperation',
  bulkPreview: 'bulkPreview',
  hygiene: 'hygiene',
  itemProof: 'itemProof',
  ledgerRead: 'ledgerRead',
  lateResolution: 'lateResolution',
  profile: 'profile',
  accessKeys: 'accessKeys',
  assistant: 'assistant',
  auditExport: 'auditExport',
  endRecord: 'endRecord',
  macro: 'macro',
  operationStats: 'operationStats',
  scratchpad: 'scratchpad',
  sentinel: 'sentinel',
  suggestions: 'suggestions',
  taskRun: 'taskRun',
  webhookDelivery: 'webhookDelivery',
} as const;
export const UPDATES = {
  ready: 'ready',
  continue: 'continue',
  cancel: 'cancel',
  complete: 'complete',
  extend: 'extend',
  resolve: 'resolve',
  revise: 'revise',
  edit: 'edit',
  record: 'record',
  admit: 'admit',
  touch: 'touch',
  pause: 'pause',
  resume: 'resume',
  answer: 'answer',
  message: 'message',
  stop: 'stop',
  withdraw: 'withdraw',
  delegate: 'delegate',
} as const;
export const SIGNALS = {
  continue: 'continue',
  cancel: 'cancel',
  revise: 'revise',
  note: 'note',
  release: 'release',
  retry: 'retry',
  touch: 'touch',
  withdraw: 'withdraw',
} as const;
export const QUERIES = {
  status: 'status',
  errors: 'errors',
  items: 'items',
  guard: 'guard',
  progress: 'progress',
  get: 'get',
  jobs: 'jobs',
  cooldown: 'cooldown',
  overview: 'overview',
  trace: 'trace',
  started: 'started',
  deliveries: 'deliveries',
} as const;
export const SEARCH_ATTRIBUTES = {
  state: 'BatchgateState',
  domain: 'BatchgateDomain',
  session: 'BatchgateSession',
} as const;

const id = idSchema(150);
const itemId = idSchema(MAX_ID_LENGTH);
const who = idSchema(150);
const text = textSchema(500);
/** The data that binds a signature to one use. It is signed with the decision. */
const signedSchema = z.strictObject({
  /** The first run of the operation's chain. */
  run_id: id,
  /** The digest of the question that was open. */
  question: idSchema(128).optional(),
  /** The decision's id, or one for this signature alone. */
  decision_id: id,
  at: z.iso.datetime(),
  /** The id of the stored signature of the person's passkey, which the HTTP API has verified. */
  signature: id.optional(),
});
export type Signed = z.infer<typeof signedSchema>;

/**
 * The fields that a door adds to a decision: the HTTP API's signature over the decision of a person who signed in there
 * (src/core/access/proof.ts), the person for whom it vouches, and where the person decided.
 */
const signature = {
  signed: signedSchema.optional(),
  proof: z
    .string()
    .regex(/^[0-9a-f]{128}$/, 'must be 128 hex digits')
    .optional(),
  through: throughSchema.optional(),
  /** Ignored without a valid signature, which covers it. Sent if a policy requires approvals. */
  approver: approverSchema.optional(),
};
/** The fields that a door adds to a decision. No door accepts them from its callers. */
export const SIGNATURE = { signed: true, proof: true, through: true, approver: true } as const;

/** The question that a decision answers. */
const question = {
  batch: z.number().int().min(1).optional(),
  attempt: z.number().int().min(1).optional(),
  digest: idSchema(128).optional(),
};

/**
 * The input of `continue`. A named confirmation has a batch, attempt, digest or decision id. A bare one confirms the
 * gate that was open when it was sent, if that gate had been open for two seconds by then.
 */
export const continueRequestSchema = z.strictObject({
  ...question,
  decision_id: id.optional(),
  by: who.optional(),
  note: text.optional(),
  exclude: z
    .array(
      z.strictObject({
        id: itemId.describe('The id of the item'),
        reason: text.optional().describe('Why it is left out'),
      }),
    )
    .max(1_000)
    .optional(),
  /** For a bare confirmation: the time between its arrival at a door and the door's call, in milliseconds. */
  sent_ago_ms: z.number().int().min(0).optional(),
  ...signature,
  /** The earliest start of the batch. The batch is confirmed now, and the confirmation can be withdrawn until then. */
  not_before: momentSchema.optional(),
});
export type ContinueRequest = z.infer<typeof continueRequestSchema>;

export const cancelRequestSchema = z.strictObject({
  decision_id: id.optional(),
  by: who.optional(),
  reason: text.optional(),
  ...signature,
});
export type CancelRequest = z.infer<typeof cancelRequestSchema>;

export const completeRequestSchema = z.strictObject({
  force: z.boolean().optional(),
  reason: text.optional(),
  by: who.optional(),
  stop_condition_satisfied: z.boolean().optional(),
  ...signature,
});
export type CompleteRequest = z.infer<typeof completeRequestSchema>;

export const extendRequestSchema = z.strictObject({
  seconds: z.number().int().min(1).max(31_536_000),
  /**
   * A repeated id extends only once, regardless of events in between. Without an id, so does the same request of the
   * same sender.
   */
  decision_id: id.optional(),
  by: who.optional(),
  ...signature,
});
export type ExtendRequest = z.infer<typeof extendRequestSchema>;

export const resolveRequestSchema = z.strictObject({
  item_id: itemId,
  outcome: z.enum(['succeeded', 'failed']),
  by: who.optional(),
  reason: text.refine((reason) => reason.trim() !== '', 'must not be empty'),
  ...signature,
});
export type ResolveRequest = z.infer<typeof resolveRequestSchema>;

/** The maximum length of the guidance with which an operation is sent back. */
export const MAX_GUIDANCE_CHARACTERS = 2_000;

/** Sends the open question back. No further batch runs. Like a confirmation, it is bound to a question. */
export const reviseRequestSchema = continueRequestSchema
  .omit({ exclude: true, note: true, not_before: true })
  .extend({ note: saidSchema(MAX_GUIDANCE_CHARACTERS) });
export type ReviseRequest = z.infer<typeof reviseRequestSchema>;

/** The input of `withdraw`, which withdraws the confirmation of a batch that has not begun. */
export const withdrawRequestSchema = z.strictObject({
  ...question,
  /** A repeated id withdraws only once, regardless of events in between. */
  decision_id: id.optional(),
  by: who.optional(),
  reason: text.optional(),
  ...signature,
});
export type WithdrawRequest = z.infer<typeof withdrawRequestSchema>;

/**
 * The input of `edit`: new values of parameters of the change, for the items without an outcome. Null removes the
 * parameter, unless null is one of its values. The question is named as in `continue`.
 */
export const editRequestSchema = z.strictObject({
  change: smallRecord('change').refine((change) => Object.keys(change).length > 0, 'names no parameter'),
  ...question,
  decision_id: id.optional(),
  by: who.optional(),
  note: text.optional(),
  ...signature,
});
export type EditRequest = z.infer<typeof editRequestSchema>;

/** The input of `delegate`: an approver lets another person approve on their behalf until a time. */
export const delegateRequestSchema = z.strictObject({
  /** The name under which that person decides. */
  to: who,
  until: momentSchema,
  /** A repeated id delegates only once. */
  decision_id: id.optional(),
  by: who.optional(),
  note: text.optional(),
  ...signature,
});
export type DelegateRequest = z.infer<typeof delegateRequestSchema>;

/** The input that ends a quarantined run. */
export const endRequestSchema = z.strictObject({
  reason: text.refine((reason) => reason.trim() !== '', 'must not be empty'),
});
export type EndRequest = z.infer<typeof endRequestSchema>;

/** The page of a query over many rows. */
export const pageRequestSchema = z.strictObject({
  offset: z.number().int().min(0).optional(),
  limit: z.number().int().min(1).max(1_000).optional(),
});
export type PageRequest = z.infer<typeof pageRequestSchema>;

export const itemsRequestSchema = pageRequestSchema.extend({ outcome: itemOutcomeSchema.optional() });
export type ItemsRequest = z.infer<typeof itemsRequestSchema>;
