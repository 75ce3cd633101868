import { BatchgateError } from '../../contract/errors';
import { quoted } from '../shared/plain-text';
import { wrongCondition } from './conditions';
import { impossible, type Identities } from './reachable';
import { requirementIn, type Policy } from './rules';

/** A mistake in a policy that its schema allows, with its place in the configuration. */
interface PolicyMistake {
  path: readonly (string | number)[];
  name: string;
  message: string;
}

/** The mistakes of policies whose conditions do not compile, or whose requirements cannot be satisfied. */
export function policyMistakes(policies: readonly Policy[], identities: Identities): PolicyMistake[] {
  return policies.flatMap((policy, at): PolicyMistake[] => {
    const { name } = policy;
    const wrong = wrongCondition(policy.when);
    const requirement = requirementIn(policy);
    const why = requirement && impossible(requirement, identities);
    return [
      ...(wrong
        ? [{ path: ['policies', at, 'when'], name, message: `${wrong.message}. ${wrong.hint}` }]
        : []),
      ...(why === undefined
        ? []
        : [{ path: ['policies', at, 'require'], name, message: `nobody can satisfy it: it ${why}` }]),
    ];
  });
}

/**
 * @param placeOf the place of a mistake for people, such as its line.
 * @throws BatchgateError `NOT_CONFIGURED` with a line for each mistake.
 */
export function refuseMistakes(
  policies: readonly Policy[],
  identities: Identities = {},
  placeOf: (path: PolicyMistake['path']) => string = () => '',
): void {
  const mistakes = policyMistakes(policies, identities);
  if (mistakes.length === 0) return;
  const lines = mistakes.map(
    ({ path, name, message }) => `${placeOf(path)}${pathText(path)}: ${message} (policy ${quoted(name)})`,
  );
  throw new BatchgateError(
    'NOT_CONFIGURED',
    `The policies are not valid:\n${lines.map((line) => `  ${line}`).join('\n')}`,
    'Correct these policies (docs/policies.md).',
    lines,
  );
}

/** `policies[1].when` */
const pathText = ([top, ...path]: PolicyMistake['path']): string =>
  `${top}${path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('')}`;
