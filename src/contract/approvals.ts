import { z } from 'zod';
import { assuranceSchema } from './policy';

const time = z.iso.datetime();

/**
 * A hash of a person's id at an identity provider, which distinguishes people of one name. Absent for a name for which
 * no provider vouches.
 */
const person = z.string().optional();

/** The approvals of a question, and who is still needed. */
export const approvalsSchema = z.object({
  /** The number of approvals that each batch needs. */
  needed: z.number().int(),
  /** The approvals that count, oldest first. */
  given: z.array(
    z.object({
      by: z.string().optional(),
      at: time,
      assurance: assuranceSchema,
      /** The approver on whose behalf it was given. */
      for: z.string().optional(),
      person,
      for_person: person,
    }),
  ),
  /** The people, groups and roles who may approve now. Empty if everyone who may decide may also approve. */
  from: z.array(z.string()),
  /** The approvals that are still needed, in words; absent while no question is open. */
  still_needed: z.string().optional(),
  /** The reason why earlier approvals of these items no longer count, in words. */
  again: z.string().optional(),
  /** An approver answered no, and the policy holds the question. */
  held: z.object({ by: z.string().optional(), at: time, note: z.string().optional() }).optional(),
  delegations: z.array(z.object({ by: z.string(), to: z.string(), until: time })).optional(),
  /** People who approved this question but may no longer approve. Their approvals do not count. */
  lost: z.array(z.string()).optional(),
  /** Set if the requester may not approve. */
  not_requester: z.literal(true).optional(),
  requester_person: person,
  /** With `not_requester`: the people who edited the change, here or in the operation that this one follows. */
  editors: z.array(z.object({ by: z.string().optional(), person })).optional(),
  /** Set if one person may give several approvals. */
  distinct: z.literal(false).optional(),
});
export type Approvals = z.infer<typeof approvalsSchema>;

/**
 * `approval`: it counts, and others are needed. `left_out`: the question is repeated without the items. `hold`: a no.
 */
export const recordedSchema = z.enum(['approval', 'left_out', 'hold']);
export type RecordedAs = z.infer<typeof recordedSchema>;
