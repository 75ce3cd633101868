import { z } from 'zod';
import { idSchema } from './text';
import { windowRuleSchema } from './schedule';

/**
 * How surely a decision is a person's, ascending. `asserted`: the sender names the person. `platform`: a chat platform
 * vouches for its user. `session`: the person signed in to one of our doors. `signed`: with a passkey, for exactly this
 * question.
 */
export const ASSURANCES = ['asserted', 'platform', 'session', 'signed'] as const;
export const assuranceSchema = z.enum(ASSURANCES);
export type Assurance = z.infer<typeof assuranceSchema>;

/** How a decision reached the workflow. */
export const confirmationViaSchema = z.enum(['signal', 'update', 'temporal']);

/** The refused decision of an approver cancels the operation, or holds it until somebody else decides. */
const REFUSALS = ['cancel', 'hold'] as const;

const MAX_APPROVALS = 20;
/** How many people, groups and roles a list names. */
export const MAX_APPROVERS = 20;

const APPROVER = /^(?:person|group|role):\S/;

/** Names who may approve: `person:anna@example.com`, `group:finance`, `role:approver`. */
export const approverNameSchema = idSchema(150).regex(
  APPROVER,
  'must be person:NAME, group:NAME or role:NAME, such as group:finance',
);
const approverNames = z.array(approverNameSchema).max(MAX_APPROVERS);

const seconds = z.number().int().min(1).max(31_536_000);

/** Who is asked next if the approvals are not complete after this time. */
const escalationSchema = z.strictObject({ after_seconds: seconds, to: approverNames.min(1) });

/**
 * What each batch of an operation needs before it runs: the `require` of a policy with its defaults, frozen at the
 * admission and covered by the digest of each question.
 */
export const requirementSchema = z.strictObject({
  /** The name of the policy; `approvers` for one that only the start names. */
  policy: z.string(),
  approvals: z.number().int().min(1).max(MAX_APPROVALS),
  /** Who may approve. Empty: anybody who may decide. */
  from: approverNames,
  not_requester: z.boolean(),
  /** Each approval is by another person. */
  distinct: z.boolean(),
  /** The least assurance of an approval. */
  assurance: assuranceSchema,
  max_batch_size: z.number().int().min(1).optional(),
  windows: z.array(windowRuleSchema).min(1).max(20).optional(),
  editable: z.boolean().optional(),
  deadline_seconds: seconds.optional(),
  escalate: z.array(escalationSchema).min(1).max(10).optional(),
  on_refusal: z.enum(REFUSALS),
});
export type Requirement = z.infer<typeof requirementSchema>;

/**
 * What the conditions of policies read, by name. A member that is absent here is absent there too: a condition that
 * reads it fails, and the operation is refused.
 */
export const policyInputSchema = z.strictObject({
  domain: z.string().optional(),
  action: z.string().optional(),
  /** The parameters of the start, those of the change as they were evaluated. Of an undo, those of the change alone. */
  params: z.record(z.string(), z.unknown()).optional(),
  total: z.number().int().min(0).optional(),
  /** The size of the largest batch that the start asked for. */
  batch_size: z.number().int().min(0).optional(),
  reversible: z.enum(['yes', 'partly', 'no']).optional(),
  /** The items by what happens to them, as in the status. Absent, as `reversible`, for a list that is planned in parts. */
  groups: z.array(z.unknown()).optional(),
  requester: z.string().optional(),
  session: z.string().optional(),
  /** Where it was started: a door, or `temporal` for a program. */
  via: z.string().optional(),
  /** When it was planned. */
  time: z.iso.datetime({ offset: true }).optional(),
});
export type PolicyInput = z.infer<typeof policyInputSchema>;

/** What the ledger keeps of the judgement of an operation. Without a requirement, no policy matched. */
export interface Judgement {
  requirement?: Requirement;
  /** What the conditions read, without the groups. Absent on a worker without policies. */
  input?: PolicyInput;
  /** The sizes that the start asked for, if the requirement narrows them. */
  asked?: { batch_size: number; batch_sizes?: number[] | undefined };
}

const personSchema = z.strictObject({
  /** Stable: issuer and subject of an identity provider, or the name if it is asserted. */
  subject: z.string(),
  /** The name that people are shown. */
  by: z.string(),
  groups: z.array(z.string()),
  roles: z.array(z.string()),
  assurance: assuranceSchema,
  /** The key of the HTTP API that speaks for them. */
  key: z.string().optional(),
});

/** Who gives a decision, as a door vouches for it. */
export const approverSchema = personSchema.extend({
  /**
   * They answer by a link, which anybody may hold: they are never a person whom a policy names. `maker`: who signed in and
   * made the link, and in whose place they answer. `until`: when the link expires, in milliseconds.
   */
  link: z.strictObject({ maker: personSchema.optional(), until: z.number().optional() }).optional(),
});
export type Approver = z.infer<typeof approverSchema>;
