import type { Variables } from '../../contract/macro';
import { measure, type Meter } from './size';

/** CEL's functions that iterate over a list: https://github.com/google/cel-spec/blob/master/doc/langdef.md#macros. */
const COMPREHENSIONS = new Set(['all', 'exists', 'exists_one', 'filter', 'map']);
/** Operators and functions whose values are booleans or numbers. */
const SMALL = new Set('== != < <= > >= in !_ -_ - * / % has size contains startsWith endsWith'.split(' '));
/** Operators that return an argument without reading it. */
const PASSING = new Set(['&&', '||', '?:']);
/** The cost of any part of a condition, and of each round of a comprehension. */
const NODE_COST = 5;

/** The cost of computing a part of a condition, and the maximal size of its value, both in bytes of JSON. */
interface Estimate {
  cost: number;
  bytes: number;
  /** The value itself, if it is known. */
  value?: unknown;
}

type Scope = (name: string) => Estimate;

/** The maximal cost of a condition over these variables: nested lists multiply. */
export function costOf(ast: unknown, variables: Variables, meter: Meter): number {
  const global: Scope = (name) =>
    Object.hasOwn(variables, name) ? estimateOf(variables[name], meter) : { cost: NODE_COST, bytes: 0 };
  return estimate(ast, global, meter).cost;
}

const estimateOf = (value: unknown, meter: Meter): Estimate => ({
  cost: NODE_COST,
  bytes: measure(value, meter).bytes,
  value,
});

function estimate(node: unknown, scope: Scope, meter: Meter): Estimate {
  if (Array.isArray(node)) return sum(node.map((part) => estimate(part, scope, meter)));
  if (!isNode(node)) return { cost: 0, bytes: 0 };
  const { op, args } = node;
  if (op === 'id') return scope(args as string);
  if (op === 'value') return { cost: NODE_COST, bytes: typeof args === 'string' ? args.length : 8 };
  if (op === '.' || op === '[]') return memberOf(args as [unknown, unknown], scope, meter);
  if (op === 'rcall') {
    const [name, receiver, parts] = args as [string, unknown, unknown[]];
    if (COMPREHENSIONS.has(name)) return rounds(name, receiver, parts, scope, meter);
    if (name === 'bind') return bound(parts, scope, meter);
    return looked(name, sum([receiver, parts].map((part) => estimate(part, scope, meter))));
  }
  if (op === 'call') {
    const [name, parts] = args as [string, unknown[]];
    return looked(name, estimate(parts, scope, meter));
  }
  const inside = estimate(args, scope, meter);
  return PASSING.has(op) ? { ...inside, cost: inside.cost + NODE_COST } : looked(op, inside);
}

function looked(name: string, { cost, bytes }: Estimate): Estimate {
  return { cost: cost + bytes + NODE_COST, bytes: SMALL.has(name) ? 8 : bytes };
}

function memberOf([holder, key]: [unknown, unknown], scope: Scope, meter: Meter): Estimate {
  const { cost, bytes, value } = estimate(holder, scope, meter);
  const inside = typeof key === 'string' ? { cost: 0 } : estimate(key, scope, meter);
  const spent = cost + inside.cost + NODE_COST;
  const own = typeof value === 'object' && value !== null && typeof key === 'string';
  if (!own) return { cost: spent, bytes };
  return Object.hasOwn(value, key)
    ? { ...estimateOf((value as Variables)[key], meter), cost: spent }
    : { cost: spent, bytes: 0 };
}

/** A comprehension: on average, each element is its share of the list. */
function rounds(name: string, receiver: unknown, parts: unknown[], scope: Scope, meter: Meter): Estimate {
  const list = estimate(receiver, scope, meter);
  const [iterator, ...body] = parts;
  const times = lengthOf(list);
  const element: Estimate = { cost: NODE_COST, bytes: list.bytes / Math.max(1, times) };
  const inner: Scope = (variable) => (variable === nameOf(iterator) ? element : scope(variable));
  const round = estimate(body, inner, meter);
  const bytes = name === 'map' ? times * (round.bytes + 1) : name === 'filter' ? list.bytes : 8;
  return { cost: list.cost + times * (round.cost + NODE_COST), bytes };
}

/** An element takes at least a byte and a comma. */
function lengthOf({ value, bytes }: Estimate): number {
  if (Array.isArray(value)) return value.length;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length;
  return Math.ceil(bytes / 2);
}

/** `cel.bind(name, value, expression)`. */
function bound([name, value, expression]: unknown[], scope: Scope, meter: Meter): Estimate {
  const boundValue = estimate(value, scope, meter);
  const inner: Scope = (variable) =>
    variable === nameOf(name) ? { ...boundValue, cost: NODE_COST } : scope(variable);
  const inside = estimate(expression, inner, meter);
  return { cost: boundValue.cost + inside.cost + NODE_COST, bytes: inside.bytes };
}

const nameOf = (node: unknown) => (isNode(node) && node.op === 'id' ? node.args : undefined);

const sum = (parts: Estimate[]): Estimate =>
  parts.reduce((all, { cost, bytes }) => ({ cost: all.cost + cost, bytes: all.bytes + bytes }), {
    cost: 0,
    bytes: 0,
  });

/** Whether a value is a node of CEL's syntax tree. */
export function isNode(value: unknown): value is { op: string; args: unknown } {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}
