import type { z } from 'zod';
import type { AdapterAction, PrepareRequest } from '../../contract/adapter';

/** The parameters of a request, split between the query and the change of its action. */
interface SplitParams {
  query: Record<string, unknown>;
  change: Record<string, unknown>;
  /** The parameters that only find items. */
  queryOnly: string[];
}

/**
 * Assigns each parameter to every half whose schema declares it. An undeclared parameter goes to the change, whose
 * strict schema rejects it.
 */
export function splitParams(
  action: Pick<AdapterAction, 'query' | 'change'>,
  params: PrepareRequest['params'],
): SplitParams {
  const entries = Object.entries(params);
  const inQuery = (name: string) => Object.hasOwn(action.query.shape, name);
  const inChange = (name: string) => Object.hasOwn(action.change.shape, name);
  return {
    query: Object.fromEntries(entries.filter(([name]) => inQuery(name))),
    change: Object.fromEntries(entries.filter(([name]) => inChange(name) || !inQuery(name))),
    queryOnly: entries.flatMap(([name]) => (inQuery(name) && !inChange(name) ? [name] : [])),
  };
}

/** The errors of an action's schemas for its parameters. With explicit items, only the change is checked. */
export function paramErrors(
  action: Pick<AdapterAction, 'query' | 'change'>,
  { params, explicit_items }: Pick<PrepareRequest, 'params' | 'explicit_items'>,
): z.ZodError[] {
  const { query, change } = splitParams(action, params);
  return [
    ...(explicit_items ? [] : [action.query.safeParse(query)]),
    action.change.safeParse(change),
  ].flatMap(({ error }) => error ?? []);
}

/** The parameters that select the items of an action. */
export const selecting = ({ query, selects = [] }: Pick<AdapterAction, 'query' | 'selects'>): string[] => [
  ...Object.keys(query.shape),
  ...selects,
];

/** The parameters of a change that a person may edit: those that do not also select items and are not fixed. */
export function editableParameters(
  { query, change }: { query: readonly string[]; change: readonly string[] },
  fixed: readonly string[] = [],
): string[] {
  return change.filter((name) => !query.includes(name) && !fixed.includes(name));
}
