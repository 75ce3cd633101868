import { z } from 'zod';
import { idSchema } from './text';

/** Where a person decides. A program that uses the client library is none of them. */
export const doorSchema = z.enum(['page', 'link', 'http', 'mcp', 'terminal']);
export type Door = z.infer<typeof doorSchema>;

/** Set by our doors only: where the decision was made, and since when its person had been shown the question there. */
export const throughSchema = z.strictObject({
  door: doorSchema,
  /** The digest of the question that was shown. */
  digest: idSchema(128).optional(),
  /** The time between the first showing and the sending of the decision, in milliseconds. Clocks differ. */
  shown_ago_ms: z.number().int().min(0).optional(),
});
export type Through = z.infer<typeof throughSchema>;

const time = z.iso.datetime();

/** A question and its answer, for the record of an operation. What is absent is not known. */
export const questionRecordSchema = z.object({
  batch: z.number().int(),
  attempt: z.number().int(),
  digest: z.string().optional(),
  asked_at: time,
  /** When the person who decided was first shown the question, and how long before the decision that was. */
  shown_at: time.optional(),
  read_seconds: z.number().optional(),
  decided_at: time.optional(),
  /** The name of the decision; absent while the question is `open`, and if it expired. */
  decision: z.string().optional(),
  by: z.string().optional(),
  via: z.string().optional(),
  door: z.string().optional(),
  assurance: z.string().optional(),
  note: z.string().optional(),
  /** Its confirmation was taken back before its batch began, and for when it was. */
  withdrawn: z.object({ by: z.string().optional(), at: time, scheduled_for: time.optional() }).optional(),
  /** The question still waits for its answer. */
  open: z.literal(true).optional(),
  /** From the question to the decision; for an open question until now. */
  waited_seconds: z.number(),
});
export type QuestionRecord = z.infer<typeof questionRecordSchema>;

/** An answer as the ledger keeps it: a decision that ended a question. */
export type Answer = Omit<
  QuestionRecord,
  'decided_at' | 'read_seconds' | 'waited_seconds' | 'decision' | 'open'
> & {
  decision: string;
  at: string;
};
