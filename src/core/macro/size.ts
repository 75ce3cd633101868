import { MAX_DEPTH } from '../../contract/text';
import { utf8Length } from '../../contract/items';
import type { Json } from '../../contract/macro';

/** A payload of Temporal may have 2 MB; this leaves room for the rest of it. */
export const MAX_VALUE_BYTES = 1_700_000;
/** Below this, measuring again costs no more than looking up the size. */
const REMEMBERED_BYTES = 256;

/** Counts the work of one workflow task, about one unit per byte: a clock would make replays differ. */
export interface Meter {
  cost: number;
}

export interface Size {
  /** The size as JSON, in which a shared value is repeated at each occurrence. */
  bytes: number;
  /** The depth of nested brackets; 0 for a value without. */
  depth: number;
}

/** The size of a value that is nested too deep to be walked. */
const BEYOND: Size = { bytes: Infinity, depth: Infinity };
/** The values of a macro are never changed in place, so each size is computed once. */
const sizes = new WeakMap<object, Size>();

class TooDeep extends Error {}

/** The size of a value, computed without building its JSON. A value that was measured before costs nothing. */
export function measure(value: unknown, meter: Meter = { cost: 0 }): Size {
  try {
    return walk(value, meter, 0);
  } catch (error) {
    if (error instanceof TooDeep) return BEYOND;
    throw error;
  }
}

function walk(value: unknown, meter: Meter, level: number): Size {
  if (typeof value === 'string') {
    meter.cost += value.length;
    return { bytes: textBytes(value), depth: 0 };
  }
  if (value === null || typeof value !== 'object') return { bytes: String(value).length, depth: 0 };
  const cached = sizes.get(value);
  if (level + (cached?.depth ?? 1) > MAX_DEPTH) throw new TooDeep();
  if (cached) return cached;
  const size = Array.isArray(value)
    ? membersOf(value as Json[], undefined, meter, level)
    : membersOf(Object.values(value) as Json[], Object.keys(value), meter, level);
  if (size.bytes >= REMEMBERED_BYTES) sizes.set(value, size);
  return size;
}

function membersOf(values: Json[], keys: string[] | undefined, meter: Meter, level: number): Size {
  // Two brackets, and the commas.
  let bytes = 2 + Math.max(0, values.length - 1);
  let depth = 0;
  for (const [at, member] of values.entries()) {
    const size = walk(member, meter, level + 1);
    const key = keys?.[at];
    bytes += size.bytes + (key === undefined ? 0 : textBytes(key) + 1);
    depth = Math.max(depth, size.depth);
  }
  meter.cost += 2 * values.length + (keys ? 8 * keys.length : 0);
  return { bytes, depth: depth + 1 };
}

/** A list with one more element. Its size follows from theirs, so adding many elements walks none of them again. */
export function appended(list: readonly Json[], element: Json, meter: Meter): Json[] {
  meter.cost += list.length;
  const longer = [...list, element];
  const [before, added] = [measure(list, meter), measure(element, meter)];
  const bytes = before.bytes + added.bytes + (list.length > 0 ? 1 : 0);
  const depth = Math.max(before.depth, added.depth + 1);
  if (bytes >= REMEMBERED_BYTES && depth <= MAX_DEPTH) sizes.set(longer, { bytes, depth });
  return longer;
}

/** Texts that JSON does not escape, one byte per character. */
const PLAIN = /^[ !#-[\]-~]*$/;

const textBytes = (text: string): number =>
  PLAIN.test(text) ? text.length + 2 : utf8Length(JSON.stringify(text));
