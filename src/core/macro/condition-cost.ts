import type { Json, Variables } from '../../contract/macro';

/** What CEL goes through a list with: https://github.com/google/cel-spec/blob/master/doc/langdef.md#macros. */
const COMPREHENSIONS = new Set(['all', 'exists', 'exists_one', 'filter', 'map']);
/** About a quarter of a second; a workflow that works for two without a word is stopped and tried again, for ever. */
const MAX_ROUNDS = 1_000_000;

/** Comprehensions within one another, over lists as long as these variables hold, may go round too often. */
export function takesTooLong(ast: unknown, variables: Variables): boolean {
  const depth = depthOf(ast);
  return depth > 1 && longest(variables) ** depth > MAX_ROUNDS;
}

function depthOf(node: unknown): number {
  if (Array.isArray(node)) return Math.max(0, ...node.map(depthOf));
  if (typeof node !== 'object' || node === null || !('op' in node) || !('args' in node)) return 0;
  const { op, args } = node as { op: string; args: unknown };
  const own = op === 'rcall' && Array.isArray(args) && COMPREHENSIONS.has(args[0] as string) ? 1 : 0;
  return own + depthOf(args);
}

function longest(value: Json | Variables): number {
  if (value === null || typeof value !== 'object') return 0;
  const inside: Json[] = Array.isArray(value) ? value : Object.values(value);
  return inside.reduce<number>((most, one) => Math.max(most, longest(one)), inside.length);
}
