import type { z } from 'zod';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** The kinds of mistakes in a parameter. The hints of the gateway depend on them (specification G7). */
export type ParameterScenario =
  | 'missing_parameter'
  | 'type_mismatch_string'
  | 'type_mismatch_array'
  | 'type_mismatch_number'
  | 'type_mismatch_boolean'
  | 'type_mismatch_object'
  | 'unknown_parameter'
  | 'too_long'
  | 'invalid_value';

const MISMATCHES: Readonly<Record<string, ParameterScenario>> = {
  string: 'type_mismatch_string',
  array: 'type_mismatch_array',
  tuple: 'type_mismatch_array',
  number: 'type_mismatch_number',
  int: 'type_mismatch_number',
  boolean: 'type_mismatch_boolean',
  object: 'type_mismatch_object',
  record: 'type_mismatch_object',
};

/** Returns the scenario of an issue that `innermost` returned, for the value that has the issue. */
export function scenarioOf(issue: Issue, value: unknown): ParameterScenario {
  if (issue.code === 'unrecognized_keys') return 'unknown_parameter';
  if (issue.code === 'custom' && typeof issue.params?.['missing'] === 'string') return 'missing_parameter';
  if (isAbsent(value, issue.path)) return 'missing_parameter';
  if (issue.code === 'too_big' && issue.origin === 'string') return 'too_long';
  if (issue.code === 'invalid_type') {
    const scenario = MISMATCHES[issue.expected] ?? 'invalid_value';
    // A fraction is a number already.
    const isNumber = scenario === 'type_mismatch_number' && typeof valueAt(value, issue.path) === 'number';
    return isNumber ? 'invalid_value' : scenario;
  }
  const isText = issue.code === 'invalid_value' && issue.values.every((option) => typeof option === 'string');
  return isText && typeof valueAt(value, issue.path) !== 'string' ? 'type_mismatch_string' : 'invalid_value';
}

/** Whether a value has no member at this path. */
export const isAbsent = (value: unknown, path: Path): boolean => valueAt(value, path) === undefined;

function valueAt(value: unknown, path: Path): unknown {
  let here = value;
  for (const part of path) {
    if (here === null || typeof here !== 'object' || !Object.hasOwn(here, part)) return undefined;
    here = (here as Record<PropertyKey, unknown>)[part];
  }
  return here;
}

/**
 * Returns the mistake in a value that matches no variant of a union: that of the variant that matches most of it. Of
 * equal variants, a string comes first.
 */
export function innermost(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const nearest = issue.errors
    .flatMap(([first]) => (first ? [innermost(first)] : []))
    .reduce<Issue | undefined>((best, next) => (best && !isNearer(next, best) ? best : next), undefined);
  return nearest ? { ...nearest, path: [...issue.path, ...nearest.path] } : issue;
}

function isNearer(one: Issue, other: Issue): boolean {
  if (one.path.length !== other.path.length) return one.path.length > other.path.length;
  return rank(one) > rank(other);
}

/**
 * Ranks a mistake, highest first: in a value of the right type, in a value that should be a text, in any other value.
 */
const rank = (issue: Issue): number =>
  issue.code !== 'invalid_type' ? 2 : issue.expected === 'string' ? 1 : 0;
