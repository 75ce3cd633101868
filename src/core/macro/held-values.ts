import type { Json, Variables } from '../../contract/macro';
import { VARIABLE_COST } from './limits';
import {
  assign,
  assignAppended,
  scopeOf,
  type Frame,
  type Machine,
  type Output,
  type Thread,
} from './machine-state';
import { appended, MAX_VALUE_BYTES, measure } from './size';
import { SizeError, TemplateError, tooDeep } from './template';

/** The number of added bytes after which all values are counted again. */
const SLACK = 100_000;

/** Copies a machine with each value of its variables and lists replaced. */
export function withValues(machine: Machine, change: (value: Json) => Json): Machine {
  const record = (variables: Variables): Variables =>
    Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, change(value)]));
  const frame = (source: Frame): Frame => {
    if (source.kind === 'branch') return source;
    if (source.kind === 'loop')
      return {
        ...source,
        list: change(source.list) as Json[],
        ...(source.before && { before: { value: change(source.before.value) } }),
      };
    const joined = Object.fromEntries(
      Object.entries(source.joined).map(([name, { thread, value }]) => [
        name,
        { thread, value: change(value) },
      ]),
    );
    const gathered = source.gathered?.map((entry) => ({
      ...entry,
      elements: change(entry.elements) as Json[],
    }));
    return { ...source, variables: record(source.variables), joined, ...(gathered && { gathered }) };
  };
  const threads = Object.entries(machine.threads).map(([id, thread]) => [
    id,
    { ...thread, frames: thread.frames.map(frame) },
  ]);
  return { ...machine, threads: Object.fromEntries(threads) as Machine['threads'] };
}

/**
 * Sets a variable to the result of a step.
 * @throws TemplateError when the run would hold too much, or a value is nested too deep.
 */
export function keep(machine: Machine, thread: Thread, { variable, append }: Output, value: Json): void {
  const { variables } = scopeOf(thread);
  if (!append) {
    admit(machine, [value], variables[variable]);
    return assign(thread, variable, value);
  }
  const before = listIn(thread, variable);
  const list = appended(before, value, machine);
  admit(machine, [list], before);
  assignAppended(thread, variable, list, 1);
}

/**
 * The list in a variable; an empty one if nothing was set.
 * @throws TemplateError when it contains something else.
 */
export function listIn(thread: Thread, name: string): Json[] {
  const { variables } = scopeOf(thread);
  const list = Object.hasOwn(variables, name) ? variables[name] : [];
  if (Array.isArray(list)) return list;
  throw new TemplateError(`'${name}' is not a list.`, 'Begin with a step that sets it to [].');
}

/**
 * Admits values into variables or lists. A value that is held in several places is counted once.
 * @throws TemplateError when the run would hold too much; `former` is the value that they replace.
 */
export function admit(machine: Machine, values: readonly Json[], former?: Json): void {
  for (const value of values) {
    const { bytes, depth } = measure(value, machine);
    if (depth === Infinity) throw tooDeep();
    machine.grown += bytes;
  }
  if (machine.grown < SLACK) return;
  const times = heldTimes(machine);
  if (former !== undefined && times.get(former) === 1) times.delete(former);
  let bytes = 0;
  for (const value of new Set([...times.keys(), ...values])) bytes += measure(value, machine).bytes;
  if (bytes > MAX_VALUE_BYTES)
    throw new SizeError(
      `The variables and lists of the macro are more than ${MAX_VALUE_BYTES} bytes, the maximum.`,
      'Fetch fewer rows or columns, or keep large data in a database or the scratchpad.',
    );
  machine.grown = 0;
}

/** Each held value, and the number of its places. */
function heldTimes(machine: Machine): Map<Json, number> {
  const times = new Map<Json, number>();
  withValues(machine, (value) => {
    machine.cost += VARIABLE_COST;
    times.set(value, (times.get(value) ?? 0) + 1);
    return value;
  });
  return times;
}
