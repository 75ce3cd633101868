import type { Variables } from '../../contract/macro';
import type { PolicyInput } from '../../contract/policy';
import { checkCondition, holds } from '../macro/condition';

/** The variables of conditions, with their types in CEL. `given` lists the names of those that are present. */
const TYPES: Readonly<Record<keyof PolicyInput | 'given', string>> = {
  domain: 'string',
  action: 'string',
  params: 'map',
  total: 'int',
  batch_size: 'int',
  reversible: 'string',
  groups: 'list',
  requester: 'string',
  agent: 'bool',
  session: 'string',
  via: 'string',
  time: 'google.protobuf.Timestamp',
  given: 'list<string>',
};
export const POLICY_VARIABLES = Object.keys(TYPES) as (keyof typeof TYPES)[];

interface Wrong {
  message: string;
  hint: string;
}

/** The mistake in a condition; undefined if there is none. */
export function wrongCondition(when: string): Wrong | undefined {
  const wrong = checkCondition(when, POLICY_VARIABLES, TYPES);
  if (!wrong) return undefined;
  if (/\bhas\(\s*\w+\s*\)/.test(when)) return { ...wrong, hint: 'Write "requester" in given.' };
  const isOfMacros = wrong.hint.includes('earlier steps');
  return isOfMacros ? { ...wrong, hint: `Conditions read ${POLICY_VARIABLES.join(', ')}.` } : wrong;
}

/** @throws ConditionError when the condition fails, such as for a variable that is absent. */
export const matches = (when: string, input: PolicyInput): boolean => holds(when, variablesOf(input));

/** Converts whole numbers and times to the types of CEL, which JSON lacks. */
function variablesOf({ total, batch_size, time, ...same }: PolicyInput): Variables {
  const variables = {
    ...same,
    ...(total !== undefined && { total: BigInt(total) }),
    ...(batch_size !== undefined && { batch_size: BigInt(batch_size) }),
    ...(time !== undefined && { time: new Date(time) }),
  };
  const names = Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return { ...variables, given: names } as unknown as Variables;
}
