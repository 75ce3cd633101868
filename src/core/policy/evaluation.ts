import type { ErrorBody } from '../../contract/errors';
import type { PolicyInput, Requirement } from '../../contract/policy';
import { ConditionError } from '../macro/condition';
import { quoted, sentences } from '../shared/plain-text';
import { matches } from './conditions';
import { impossible, type Identities } from './reachable';
import { requirementIn, type Policy } from './rules';

/** The facts of an operation that conditions read, and the approvers that its start names. */
export type PolicyQuestion = PolicyInput & { approvers?: readonly string[] | undefined };

/** The result of the policies for an operation; neither member is present if no policy matches. */
export interface Verdict {
  requirement?: Requirement;
  refused?: ErrorBody;
}

/** The first policy that matches, or the one that could not be evaluated before it. */
type Match = { policy: Policy; failure?: ConditionError } | undefined;

function firstMatch(policies: readonly Policy[], input: PolicyInput): Match {
  for (const policy of policies) {
    try {
      if (matches(policy.when, input)) return { policy };
    } catch (error) {
      if (!(error instanceof ConditionError)) throw error;
      return { policy, failure: error };
    }
  }
  return undefined;
}

/** Applies the first matching policy to an operation. A policy that cannot be evaluated refuses it. */
export function requirementOf(
  policies: readonly Policy[],
  { approvers, ...input }: PolicyQuestion,
  identities: Identities = {},
): Verdict {
  const context = { ...identities, requester: input.requester };
  const match = firstMatch(policies, input);
  if (match?.failure) return { refused: unjudged(match.policy, match.failure) };
  if (match?.policy.refuse !== undefined) return { refused: refusedBy(match.policy) };
  const required = match && requirementIn(match.policy);
  if (!approvers) return required ? satisfiable(required, context) : {};
  const narrowed = narrowedTo(required ?? OF_THE_START, approvers);
  return 'code' in narrowed ? { refused: narrowed } : satisfiable(narrowed, context);
}

/** The requirement of approvers whom only the start names. */
const OF_THE_START: Requirement = {
  ...{ policy: 'approvers of the start', approvals: 1, from: [], not_requester: false, distinct: true },
  ...{ assurance: 'asserted', on_refusal: 'cancel' },
};

/** Narrows a requirement to these approvers. Names are compared as they are written. */
function narrowedTo(requirement: Requirement, approvers: readonly string[]): Requirement | ErrorBody {
  const both = (names: readonly string[]) => names.filter((name) => approvers.includes(name));
  const from = requirement.from.length === 0 ? [...new Set(approvers)] : both(requirement.from);
  if (from.length === 0)
    return {
      code: 'INVALID_INPUT',
      message: `The policy ${quoted(requirement.policy)} allows none of the approvers that the start names.`,
      hint: `Name some of ${requirement.from.join(', ')}, or leave approvers out. Nothing was changed.`,
      details: { policy: requirement.policy, from: requirement.from },
    };
  const { escalate: all = [], ...same } = requirement;
  const escalate = all.map((step) => ({ ...step, to: both(step.to) })).filter(({ to }) => to.length > 0);
  return { ...same, from, ...(escalate.length > 0 && { escalate }) };
}

function satisfiable(requirement: Requirement, identities: Identities): Verdict {
  if (requirement.not_requester && identities.requester === undefined)
    return { refused: unnamed(requirement) };
  const why = impossible(requirement, identities);
  if (why === undefined) return { requirement };
  return {
    refused: {
      code: 'INVALID_INPUT',
      message: `Nobody could approve this under the policy ${quoted(requirement.policy)}: it ${why}.`,
      hint: 'Name other approvers, or have somebody else request it. Nothing was changed.',
      details: { policy: requirement.policy },
    },
  };
}

/** Refuses a request without a requester, who could otherwise approve it under any name. */
const unnamed = ({ policy }: Requirement): ErrorBody => ({
  code: 'INVALID_INPUT',
  message: `The policy ${quoted(policy)} takes no approval of the requester, and this does not say who requests it.`,
  hint: 'Name the person in `requested_by` (`--requested-by` at a terminal). Nothing was changed.',
  details: { policy },
});

const refusedBy = ({ name, refuse = '' }: Policy): ErrorBody => ({
  code: 'FORBIDDEN',
  message: `The policy ${quoted(name)} refuses this: ${refuse}`,
  hint: 'Change the request so that this policy does not match it, or ask the operator. Nothing was changed.',
  details: { policy: name, reason: refuse },
});

const unjudged = ({ name }: Policy, { message, hint }: ConditionError): ErrorBody => ({
  code: 'NOT_CONFIGURED',
  message: `The policy ${quoted(name)} cannot be evaluated for this request. ${message}`,
  hint: sentences(
    'Give what it reads, or have the operator guard it: has(params.name), or "requester" in given',
    hint.startsWith('Conditions are CEL') ? 'Nothing was changed.' : hint,
  ),
  details: { policy: name },
});
