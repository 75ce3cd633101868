import { z } from 'zod';
import { idSchema } from './text';
import { windowRuleSchema } from './schedule';

/**
 * The levels of assurance that a decision is a person's, ascending. `asserted`: the sender names the person.
 * `platform`: a chat platform vouches for its user. `session`: the person signed in to one of our doors. `signed`: the
 * person signed exactly this question with a passkey.
 */
export const ASSURANCES = ['asserted', 'platform', 'session', 'signed'] as const;
export const assuranceSchema = z.enum(ASSURANCES);
export type Assurance = z.infer<typeof assuranceSchema>;

/** The channel through which a decision reached the workflow. */
export const confirmationViaSchema = z.enum(['signal', 'update', 'temporal']);

/** The effect of an approver's no: it cancels the operation, or holds it until another person decides. */
const REFUSALS = ['cancel', 'hold'] as const;

const MAX_APPROVALS = 20;
/** The maximum number of people, groups and roles in a list. */
export const MAX_APPROVERS = 20;

const APPROVER = /^(?:person|group|role):\S/;

/** Names who may approve: `person:anna@example.com`, `group:finance`, `role:approver`. */
export const approverNameSchema = idSchema(150).regex(
  APPROVER,
  'must be person:NAME, group:NAME or role:NAME, such as group:finance',
);
const approverNames = z.array(approverNameSchema).max(MAX_APPROVERS);

const seconds = z.number().int().min(1).max(31_536_000);

/** The additional approvers if the approvals are not complete after this time. */
const escalationSchema = z.strictObject({ after_seconds: seconds, to: approverNames.min(1) });

/**
 * The requirement for each batch of an operation: the `require` of a policy with its defaults, frozen at the
 * admission and covered by the digest of each question.
 */
export const requirementSchema = z.strictObject({
  /** The name of the policy; `approvers` for one that only the start names. */
  policy: z.string(),
  approvals: z.number().int().min(1).max(MAX_APPROVALS),
  /** The people, groups and roles who may approve. Empty: everyone who may decide. */
  from: approverNames,
  not_requester: z.boolean(),
  /** Whether each approval must be by a different person. */
  distinct: z.boolean(),
  /** The minimum assurance of an approval. */
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
 * The variables of policy conditions, by name. If a condition reads an absent member, it fails, and the operation is
 * refused.
 */
export const policyInputSchema = z.strictObject({
  domain: z.string().optional(),
  action: z.string().optional(),
  /** The parameters of the start, with evaluated values for the change. For an undo, only those of the change. */
  params: z.record(z.string(), z.unknown()).optional(),
  total: z.number().int().min(0).optional(),
  /** The size of the largest batch that the start requested. */
  batch_size: z.number().int().min(0).optional(),
  reversible: z.enum(['yes', 'partly', 'no']).optional(),
  /** The items grouped by effect, as in the status. Absent, like `reversible`, for a list that is planned in parts. */
  groups: z.array(z.unknown()).optional(),
  requester: z.string().optional(),
  /** Whether an agent requests it, through any door. */
  agent: z.boolean().optional(),
  session: z.string().optional(),
  /** The door of the start, or `temporal` for a program. */
  via: z.string().optional(),
  /** The time of the plan. */
  time: z.iso.datetime({ offset: true }).optional(),
});
export type PolicyInput = z.infer<typeof policyInputSchema>;

/** The policies' judgement of an operation, for the ledger. Without a requirement, no policy matched. */
export interface Judgement {
  requirement?: Requirement;
  /** The variables of the conditions, without the groups. Absent on a worker without policies. */
  input?: PolicyInput;
  /** The sizes that the start requested, if the requirement limits them. */
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
  /** The HTTP API key that acts for the person. */
  key: z.string().optional(),
});

/** The person who decides, vouched for by a door. */
export const approverSchema = personSchema.extend({
  /**
   * Set if the person answers through a link, which anyone may hold: no policy names that person. `maker`: the
   * signed-in person who made the link, and on whose behalf they answer. `until`: its expiry, in milliseconds.
   */
  link: z.strictObject({ maker: personSchema.optional(), until: z.number().optional() }).optional(),
});
export type Approver = z.infer<typeof approverSchema>;
