import { z } from 'zod';
import { assuranceSchema } from './policy';

const time = z.iso.datetime();

/** The approvals of a question, and who is still needed. */
export const approvalsSchema = z.object({
  /** How many approvals each batch needs. */
  needed: z.number().int(),
  /** Those that count, oldest first. */
  given: z.array(
    z.object({
      by: z.string().optional(),
      at: time,
      assurance: assuranceSchema,
      /** The approver in whose place it was given. */
      for: z.string().optional(),
    }),
  ),
  /** Who may approve now: persons, groups and roles; empty if everybody who may decide may. */
  from: z.array(z.string()),
  /** Who is still needed, in words; absent while no question is open. */
  still_needed: z.string().optional(),
  /** Why earlier approvals of these items no longer count, in words. */
  again: z.string().optional(),
  /** An approver said no, and the policy holds the question. */
  held: z.object({ by: z.string().optional(), at: time, note: z.string().optional() }).optional(),
  delegations: z.array(z.object({ by: z.string(), to: z.string(), until: time })).optional(),
  /** Who approved this question, and no longer may: their approvals do not count. */
  lost: z.array(z.string()).optional(),
  /** The requester may not give one. */
  not_requester: z.literal(true).optional(),
  /** One person may give several. */
  distinct: z.literal(false).optional(),
});
export type Approvals = z.infer<typeof approvalsSchema>;

/** `approval`: it counts, and others are needed. `left_out`: the question is asked anew without the items. `hold`: a no. */
export const recordedSchema = z.enum(['approval', 'left_out', 'hold']);
export type RecordedAs = z.infer<typeof recordedSchema>;
