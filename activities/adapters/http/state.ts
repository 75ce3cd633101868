import type { Variables } from '../../../src/contract/macro';
import { compute, ConditionError } from '../../../src/core/macro/condition';
import { inexactNumbers } from '../../../src/core/shared/json';
import { renderJson, type Values } from '../../../src/core/shared/template';
import { isSame } from '../kit/frozen';
import { malformed, ProviderFailure } from '../shared/failure';
import { jsonOf } from './answers';
import type { Declared, RequestChange } from './parameters';

/** The selections of `read`, by field. */
export type HttpState = Readonly<Record<string, unknown>>;
type Select = NonNullable<RequestChange['read']>['select'];

/** Returns the field of a single expression: the last member of a path such as `body.status`, else `state`. */
const fieldOf = (expression: string): string =>
  /^body(?:\.[A-Za-z_]\w*)*\.([A-Za-z_]\w*)$/.exec(expression)?.[1] ?? 'state';

/** An item in an answer; its state is null if it does not exist. */
export interface StateRead {
  readonly state: HttpState | null;
  /** The fields with a number that the state contains as text, because a double cannot hold it. */
  readonly inexact: readonly string[];
}

/**
 * Returns the state of an item in an answer. A single expression whose value is an object selects its members.
 * @throws ProviderFailure if the answer is not JSON, or an expression fails on it.
 */
export function stateIn(host: string, text: string, select: Select): StateRead {
  const body = jsonOf(text);
  if (body === undefined) throw malformed(host);
  try {
    const state = selected(select, body);
    return { state, inexact: inexactFields(text, select, state) };
  } catch (error) {
    if (error instanceof ConditionError)
      throw new ProviderFailure('refused', `${host} shows no such item: ${error.message} ${error.hint}`);
    throw error;
  }
}

/** @throws ConditionError */
function selected(select: Select, body: unknown): HttpState {
  const valueOf = (expression: string) => compute(expression, { body } as Variables);
  if (typeof select !== 'string')
    return Object.fromEntries(
      Object.entries(select).map(([field, expression]) => [field, valueOf(expression)]),
    );
  const value = valueOf(select);
  return isObject(value) ? value : { [fieldOf(select)]: value };
}

/** Returns the fields whose values are others if the numbers of the answer are rounded. */
function inexactFields(text: string, select: Select, state: HttpState): string[] {
  if (inexactNumbers(text).length === 0) return [];
  const body: unknown = JSON.parse(text);
  const parts =
    typeof select === 'string'
      ? [select]
      : Object.entries(select).map((field) => Object.fromEntries([field]));
  const rounded = Object.fromEntries(parts.flatMap((part) => Object.entries(roundedPart(part, body))));
  return Object.keys(state).filter((field) => !isSame(rounded[field], state[field]));
}

/** Returns no field if the expression fails on a rounded number. */
function roundedPart(part: Select, body: unknown): HttpState {
  try {
    return selected(part, body);
  } catch (error) {
    if (error instanceof ConditionError) return {};
    throw error;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the members that the body of a PUT or PATCH sets on the item (RFC 9110, section 9.3.4; RFC 5789). */
export function membersOf({ method, body }: Declared): Record<string, unknown> | undefined {
  return (method === 'PUT' || method === 'PATCH') && isObject(body) ? body : undefined;
}

/**
 * Returns the state after a request, or undefined if the request does not determine it. A member of the body of a PUT
 * or PATCH sets the selected field of the same name. After a DELETE there is no item.
 * @throws TemplateError
 */
export function targetOf(
  change: RequestChange,
  state: HttpState | null,
  values: Values,
): HttpState | null | undefined {
  if (change.method === 'DELETE') return null;
  const members = membersOf(change);
  if (members === undefined) return undefined;
  const selected = state ?? fieldsOf(change);
  const selectedMembers = Object.entries(members).filter(([name]) => Object.hasOwn(selected, name));
  if (selectedMembers.length === 0) return undefined;
  return { ...state, ...(renderJson(Object.fromEntries(selectedMembers), values) as HttpState) };
}

function fieldsOf({ read }: RequestChange): HttpState {
  const select = read?.select ?? {};
  return typeof select === 'string' ? { [fieldOf(select)]: null } : select;
}

/**
 * Returns true if the same request with the earlier values undoes the change: `read` must select each value that it
 * sets, and exactly.
 */
export function takesItselfBack(
  change: RequestChange,
  state: HttpState | null,
  inexact: readonly string[] = [],
): boolean {
  const names = Object.keys(membersOf(change) ?? {});
  const isExact = (name: string) => state !== null && Object.hasOwn(state, name) && !inexact.includes(name);
  return names.length > 0 && names.every(isExact);
}

/** Returns true if `takesItselfBack` may hold for an item, judged by the parameters alone. */
export function mayTakeItselfBack(change: RequestChange): boolean {
  const { read } = change;
  if (read === undefined) return false;
  const isWhole = typeof read.select === 'string' && fieldOf(read.select) === 'state';
  return isWhole ? membersOf(change) !== undefined : takesItselfBack(change, fieldsOf(change));
}

/** Returns the body of the request with the values of `state`. */
export const bodyWith = (change: RequestChange, state: HttpState): string =>
  JSON.stringify(Object.fromEntries(Object.keys(membersOf(change) ?? {}).map((name) => [name, state[name]])));
