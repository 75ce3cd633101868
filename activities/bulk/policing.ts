import { BatchgateError } from '../../src/contract/errors';
import type { BulkItem, FrozenItem, PreparedBulkContext } from '../../src/contract/items';
import type { LedgerRecord } from '../../src/contract/ledger-record';
import type { Plan, PlanInput } from '../../src/contract/plans';
import type { PolicyInput, Requirement } from '../../src/contract/policy';
import type { Prepared } from '../../src/contract/prepared';
import type { FrozenWindow } from '../../src/contract/schedule';
import { foreseenIn } from '../../src/core/bulk/groups';
import { largestOf, rampOf } from '../../src/core/bulk/ramp';
import { frozenWindows, neverOpens } from '../../src/core/bulk/windows';
import { requirementOf } from '../../src/core/policy/evaluation';
import { sizesUnder } from '../../src/core/policy/narrowing';
import { canonicalJson } from '../../src/core/shared/canonical';
import { quoted } from '../../src/core/shared/plain-text';
import { limits } from '../adapters/shared/limits';
import type { ActivityDependencies } from '../shared/dependencies';

type Policing = Pick<ActivityDependencies, 'policies' | 'windows' | 'identities'>;

/**
 * Returns the parameters that name something, as the tool spells it, for the policies. They are not part of the plan,
 * so they alter neither its digest nor the changes.
 */
export async function namesForPolicies(
  { policies = [], adapters, settings }: Policing & Pick<ActivityDependencies, 'adapters' | 'settings'>,
  context: PreparedBulkContext,
  items: readonly BulkItem[],
  readOn?: () => void,
): Promise<Record<string, unknown>> {
  if (policies.length === 0) return {};
  const adapter = adapters.get(context.tool_name);
  return (await adapter.resolvedParams?.(context, items, limits(settings.read_timeout_ms, readOn))) ?? {};
}

interface PlannedChange {
  prepared: Prepared;
  items: readonly FrozenItem[];
  /** The parameters as the tool spells them. */
  resolved: Readonly<Record<string, unknown>>;
}

interface Policed {
  /** The input of the plan under the requirement. */
  input: PlanInput;
  found?: Pick<Plan, 'requirement' | 'windows'>;
}

/**
 * Evaluates the policies for a plan, before it is recorded and before its first question.
 * @throws BatchgateError if a policy refuses it, cannot be evaluated, or leaves no possible approver.
 */
export function underPolicy(
  { policies = [], windows = {}, identities }: Policing,
  input: PlanInput,
  plan: PlannedChange & { isWhole: boolean },
): Policed {
  const { approvers } = input.terms;
  if (input.later || (policies.length === 0 && !approvers)) return { input };
  const now = Date.now();
  const policyInput = factsOf(input, plan, now);
  const { requirement, refused } = requirementOf(policies, { ...policyInput, approvers }, identities);
  if (refused) throw BatchgateError.from(refused);
  const { groups: _, ...facts } = policyInput;
  const policy = { ...(requirement && { requirement }), ...(policies.length > 0 && { input: facts }) };
  if (!requirement) return { input: { ...input, terms: { ...input.terms, policy } } };
  const frozen = frozenRequirement(requirement, now);
  const domain = frozenWindows(windows[input.domain] ?? [], now);
  if (frozen.windows && neverOpens([...domain, ...frozen.windows], now)) throw neverOpen(requirement, input);
  const { batch_sizes: batchSizes } = input.terms;
  const sizes = sizesUnder(
    { batch_size: input.batch_size, batch_sizes: batchSizes },
    requirement.max_batch_size,
  );
  const isNarrower = largestOf(rampOf(sizes)) < policyInput.batch_size;
  if (!plan.isWhole && isNarrower) throw tooLargeForParts(requirement);
  const { idle_timeout_seconds: idle = Infinity } = input.terms;
  const wait = Math.min(idle, requirement.deadline_seconds ?? Infinity);
  const terms = {
    ...input.terms,
    ...(sizes.batch_sizes && { batch_sizes: sizes.batch_sizes }),
    ...(wait < Infinity && { idle_timeout_seconds: wait }),
    policy: {
      ...policy,
      ...(isNarrower && { asked: { batch_size: input.batch_size, batch_sizes: batchSizes } }),
    },
  };
  return { input: { ...input, batch_size: sizes.batch_size, terms }, found: frozen };
}

/** Returns a requirement, and its windows with the UTC offsets of their time zones from now on. */
export function frozenRequirement(
  requirement: Requirement,
  now: number,
): Pick<Plan, 'requirement' | 'windows'> {
  const { windows: rules } = requirement;
  const windows = rules && frozenWindows(rules, now).map((rule): FrozenWindow => ({ ...rule, policy: true }));
  return { requirement, ...(windows && { windows }) };
}

/** Returns the input of a policy's conditions. Only a whole plan has groups and `reversible`. */
function factsOf(
  input: PlanInput,
  { prepared, items, resolved, isWhole }: PlannedChange & { isWhole: boolean },
  now: number,
): PolicyInput & { batch_size: number } {
  const { domain, action, params, terms, requested_by, session_id = input.preview_session } = input;
  return {
    ...{ domain, action, params: { ...params, ...prepared.change_params, ...resolved } },
    total: isWhole ? items.length : (input.named ?? items.length),
    batch_size: largestOf(rampOf({ batch_size: input.batch_size, batch_sizes: terms.batch_sizes })),
    ...(isWhole && { reversible: prepared.change.reversible, groups: foreseenIn(items).groups ?? [] }),
    ...(requested_by !== undefined && { requester: requested_by }),
    agent: terms.by_agent === true,
    ...(session_id !== undefined && { session: session_id }),
    via: input.via ?? 'temporal',
    time: new Date(now).toISOString(),
  };
}

/**
 * Evaluates the policies for an edited plan, with the input of the first evaluation and the new parameters.
 * @throws BatchgateError if the result differs: a frozen requirement does not change.
 */
export function refuseOtherJudgement(
  { policies = [] }: Policing,
  { terms = {} }: LedgerRecord,
  before: Readonly<Record<string, unknown>>,
  { prepared, items, resolved }: PlannedChange,
): void {
  const { policy, approvers, by_agent } = terms;
  if (!policy?.input || policies.length === 0) return;
  const others = Object.entries(policy.input.params ?? {}).filter(([name]) => !Object.hasOwn(before, name));
  const { requirement, refused } = requirementOf(policies, {
    // Plans of earlier versions do not have it.
    ...{ agent: by_agent === true, ...policy.input },
    params: { ...Object.fromEntries(others), ...prepared.change_params, ...resolved },
    ...(policy.input.reversible !== undefined && { reversible: prepared.change.reversible }),
    groups: foreseenIn(items).groups ?? [],
    approvers,
  });
  if (refused) throw BatchgateError.from(refused);
  if (canonicalJson(requirement) === canonicalJson(policy.requirement)) return;
  const name = (requirement ?? policy.requirement)?.policy ?? '';
  throw new BatchgateError(
    'FORBIDDEN',
    requirement
      ? `With this edit the policy ${quoted(name)} would require something else, and what is required does not change.`
      : `With this edit the policy ${quoted(name)} would no longer apply, and what is required does not change.`,
    'Cancel this operation, and start one with the new parameters. Nothing was changed.',
    { policy: name },
  );
}

const neverOpen = ({ policy }: Requirement, { domain }: PlanInput) =>
  new BatchgateError(
    'NOT_CONFIGURED',
    `No batch could ever begin: the windows of the policy ${quoted(policy)} and those of ${domain} do not meet.`,
    'The operator has to change one of them. Nothing was changed.',
    { policy },
  );

const tooLargeForParts = ({ policy, max_batch_size }: Requirement) =>
  new BatchgateError(
    'INVALID_INPUT',
    `The policy ${quoted(policy)} allows at most ${max_batch_size} items in a batch.`,
    `A list of this length keeps the sizes that its start asks for: start it with a batch_size of at most ${max_batch_size}. Nothing was changed.`,
    { policy, limit: max_batch_size },
  );
