import { z } from 'zod';
import { idSchema } from './text';

const time = z.iso.datetime({ offset: true }).optional();

/** Selects the operations to count, by domain, action, session and the time of their plan. */
export const statsFilterSchema = z.strictObject({
  domain: idSchema(150).optional(),
  action: idSchema(150).optional(),
  /** Only operations of sessions whose ids begin with this. */
  session_prefix: idSchema(150).optional(),
  /** ISO 8601; an operation counts if it was planned at `since` or later, and before `until`. */
  since: time,
  until: time,
});
export type StatsFilter = z.infer<typeof statsFilterSchema>;

const count = z.number().int().min(0);
const share = z.number().min(0).max(1);
const seconds = z.number().min(0);

/** Statistics of the operations of one domain and action. Shares are fractions of `items`, from 0 to 1. */
export const statsRowSchema = z.object({
  domain: z.string(),
  action: z.string(),
  operations: count.describe('Operations that were planned; undos are counted apart'),
  live: count.describe('Those that have not ended'),
  completed: count,
  cancelled: count,
  expired: count,
  rejected: count.describe('Those that were refused after their plan, before anything ran'),
  undos: count.describe('Operations that undo those of this row'),
  questions: count.describe('Questions that were answered, or expired'),
  answered: count.describe('Questions that were answered'),
  median_seconds_to_decide: seconds.optional().describe('Half of the answered questions waited no longer'),
  p90_seconds_to_decide: seconds.optional().describe('Nine of ten answered questions waited no longer'),
  read: count.describe('Answered questions of which it is known since when their person had been shown them'),
  median_seconds_read: seconds
    .optional()
    .describe('Half of those were shown for no longer before the answer'),
  items: count,
  succeeded: count,
  failed: count,
  left_out: count.describe('Items that a person left out of a batch'),
  skipped: count.describe('Items that were skipped because they had changed since the plan'),
  in_doubt: count,
  undone: count.describe('Items that an undo restored'),
  share_left_out: share.optional(),
  share_failed: share.optional(),
  share_in_doubt: share.optional(),
  share_undone: share.optional(),
});
export type StatsRow = z.infer<typeof statsRowSchema>;
