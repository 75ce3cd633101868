import { z } from 'zod';
import {
  approverNameSchema,
  MAX_APPROVERS,
  requirementSchema,
  type Requirement,
} from '../../contract/policy';
import { idSchema, saidSchema } from '../../contract/text';
import { windowListSchema } from '../bulk/windows';
import { bytesOf } from '../shared/bounds';

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const YEAR = 31_536_000;
const IS_A_TIME = 'must be a number of seconds, or a text such as 90m, 4h or 2d, at most a year';

/** A length of time in seconds: `5400`, or `90m`. */
const spanSchema = z
  .union([z.number(), z.string()])
  .transform((span) => {
    if (typeof span === 'number') return span;
    const [, count = '', unit = ''] = /^(\d{1,8})([smhd])$/.exec(span) ?? [];
    return count === '' ? NaN : Number(count) * (UNITS[unit] ?? NaN);
  })
  .refine((seconds) => Number.isInteger(seconds) && seconds >= 1 && seconds <= YEAR, IS_A_TIME);

const fields = requirementSchema.shape;
/** The maximum size of `require`, which every operation under the policy carries. */
const MAX_REQUIRE_BYTES = 8_192;

const requireSchema = z
  .strictObject({
    approvals: fields.approvals.default(1),
    from: fields.from.default([]),
    not_requester: fields.not_requester.default(false),
    distinct: fields.distinct.default(true),
    assurance: fields.assurance.default('asserted'),
    max_batch_size: fields.max_batch_size,
    windows: windowListSchema.optional(),
    editable: fields.editable,
    deadline: spanSchema.optional(),
    escalate: z
      .array(z.strictObject({ after: spanSchema, to: z.array(approverNameSchema).min(1).max(MAX_APPROVERS) }))
      .min(1)
      .max(5)
      .optional(),
    on_refusal: fields.on_refusal.default('cancel'),
  })
  .refine((require) => bytesOf(require) <= MAX_REQUIRE_BYTES, 'is larger than 8 KiB');

/** A policy of the configuration: its condition, and either the reason of a refusal or a requirement. */
const policySchema = z
  .strictObject({
    name: idSchema(100),
    /** CEL over the variables that src/core/policy/conditions.ts lists. */
    when: z.string().min(1).max(2_000),
    /** The reason of the refusal, for its requester. */
    refuse: saidSchema(500).optional(),
    require: requireSchema.optional(),
  })
  .refine(
    ({ refuse, require }) => (refuse === undefined) !== (require === undefined),
    'needs either "refuse" with a reason, or "require"',
  );
export type Policy = z.output<typeof policySchema>;

/** The policies in order: the first that matches applies. */
export const policiesSchema = z
  .array(policySchema)
  .max(100)
  .check(({ value, issues }) => {
    const names = value.map(({ name }) => name);
    const at = names.findIndex((name, place) => names.indexOf(name) < place);
    if (at >= 0)
      issues.push({
        code: 'custom',
        input: value,
        path: [at, 'name'],
        message: `another policy is named "${names[at]}", too`,
      });
  });

/** The requirement of a policy, in the form that an operation stores. */
export function requirementIn({ name, require }: Policy): Requirement | undefined {
  if (!require) return undefined;
  const { deadline, escalate, ...same } = require;
  return {
    policy: name,
    ...same,
    ...(deadline !== undefined && { deadline_seconds: deadline }),
    ...(escalate && { escalate: escalate.map(({ after, to }) => ({ after_seconds: after, to })) }),
  };
}
