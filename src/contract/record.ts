import { z } from 'zod';
import { idSchema } from './text';

/** The interfaces through which people decide. A program that uses the client library has no door. */
export const doorSchema = z.enum(['page', 'link', 'http', 'mcp', 'terminal']);
export type Door = z.infer<typeof doorSchema>;

/** Set only by our doors: the door of the decision, and how long it had shown the question to the person. */
export const throughSchema = z.strictObject({
  door: doorSchema,
  /** The digest of the question that was shown. */
  digest: idSchema(128).optional(),
  /** The time between the first showing and the sending of the decision, in milliseconds. Clocks differ. */
  shown_ago_ms: z.number().int().min(0).optional(),
});
export type Through = z.infer<typeof throughSchema>;

const time = z.iso.datetime();

/** A question and its answer, for the record of an operation. Absent members are not known. */
export const questionRecordSchema = z.object({
  batch: z.number().int(),
  attempt: z.number().int(),
  digest: z.string().optional(),
  asked_at: time,
  /** The time at which the person who decided was first shown the question, and the time from then to the decision. */
  shown_at: time.optional(),
  read_seconds: z.number().optional(),
  decided_at: time.optional(),
  /** The name of the decision; absent if the question is `open` or expired. */
  decision: z.string().optional(),
  by: z.string().optional(),
  via: z.string().optional(),
  door: z.string().optional(),
  assurance: z.string().optional(),
  note: z.string().optional(),
  /** Present if the confirmation was withdrawn before its batch began, with the scheduled start. */
  withdrawn: z.object({ by: z.string().optional(), at: time, scheduled_for: time.optional() }).optional(),
  /** Set while the question has no answer. */
  open: z.literal(true).optional(),
  /** The time from the question to the decision, or until now for an open question. */
  waited_seconds: z.number(),
});
export type QuestionRecord = z.infer<typeof questionRecordSchema>;

/** An answer in the ledger: a decision that closed a question. */
export type Answer = Omit<
  QuestionRecord,
  'decided_at' | 'read_seconds' | 'waited_seconds' | 'decision' | 'open'
> & {
  decision: string;
  at: string;
};
