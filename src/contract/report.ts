import { z } from 'zod';
import { changeSchema } from './change';
import { editSchema } from './edits';
import { itemOutcomeSchema, sentBackSchema } from './operation';
import { assuranceSchema, confirmationViaSchema } from './policy';
import { revisionSchema } from './revision';
import { itemStateSchema } from './preview';
import { questionRecordSchema } from './record';

/** One item of a report. Times are ISO 8601. */
export const reportRowSchema = z.object({
  id: z.string(),
  display_name: z.string(),
  batch: z.number().int(),
  outcome: itemOutcomeSchema,
  error: z.string().optional(),
  confirmed_by: z.string().optional(),
  confirmed_at: z.iso.datetime().optional(),
  finished_at: z.iso.datetime().optional(),
  /** The channel of the decision, and its assurance. */
  confirmed_via: confirmationViaSchema.optional(),
  confirmed_assurance: assuranceSchema.optional(),
  /** The person who resolved the item in doubt, the time and the reason. */
  resolved_by: z.string().optional(),
  resolved_at: z.iso.datetime().optional(),
  resolved_reason: z.string().optional(),
  /** The state before and after the change, as far as the adapter can read it. */
  before: itemStateSchema.optional(),
  after: itemStateSchema.optional(),
  /** The question of the item's batch: when it was asked, how long it was open, and the door of its answer. */
  asked_at: z.iso.datetime().optional(),
  waited_seconds: z.number().optional(),
  confirmed_in: z.string().optional(),
  /** The time at which the person who confirmed was first shown the question, and for how long; absent if not known. */
  shown_at: z.iso.datetime().optional(),
  read_seconds: z.number().optional(),
});
export type ReportRow = z.infer<typeof reportRowSchema>;

/** The columns of a report, in order. */
export const REPORT_COLUMNS = [
  'id',
  'display_name',
  'batch',
  'outcome',
  'error',
  'confirmed_by',
  'confirmed_at',
  'finished_at',
  'confirmed_via',
  'confirmed_assurance',
  'resolved_by',
  'resolved_at',
  'resolved_reason',
  'before',
  'after',
  'asked_at',
  'waited_seconds',
  'confirmed_in',
  'shown_at',
  'read_seconds',
] as const satisfies readonly (keyof ReportRow)[];
export type ReportColumn = (typeof REPORT_COLUMNS)[number];

/** Items with the same result. */
const reportGroupSchema = z.object({
  outcome: itemOutcomeSchema,
  count: z.number().int(),
  /** The effect in words: `labels: none → “Later”`. Empty if only the change as a whole describes it. */
  text: z.string(),
  error: z.string().optional(),
  items: z.array(z.string()),
});
export type ReportGroup = z.infer<typeof reportGroupSchema>;

/** The outcome of each item, its time, and who confirmed it. */
export const reportSchema = z.object({
  /** The change to each item; absent if the plan is not in the ledger. */
  change: changeSchema.optional(),
  /** Present if the run was reset in Temporal. The rows include everything that ran, even if the history does not. */
  reset: z.literal(true).optional(),
  /** The requester, and the reason in their words. */
  requested_by: z.string().optional(),
  reason: z.string().optional(),
  by_agent: z.literal(true).optional(),
  /** The operation that this one revises, the number of the revision, and the differences. */
  revises: z.string().optional(),
  revision: revisionSchema.optional(),
  /** The decision that sent the operation back. */
  sent_back: sentBackSchema.optional(),
  /** The edits of the change, with the content of the question before and after each. */
  edits: z.array(editSchema).optional(),
  rows: z.array(reportRowSchema),
  /** The items grouped by result, outliers first. Each item is in one group. */
  groups: z.array(reportGroupSchema),
  /** Each question and its answer. */
  questions: z.array(questionRecordSchema),
  /** Items whose outcomes differ between ledger and history; absent if the history no longer exists. */
  differences: z
    .array(z.object({ id: z.string(), ledger: itemOutcomeSchema, history: itemOutcomeSchema }))
    .optional(),
  /** The requirement for each batch in words, with the name of the policy. */
  policy: z.string().optional(),
});
export type Report = z.infer<typeof reportSchema>;
