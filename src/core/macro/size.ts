import { MAX_DEPTH } from '../../contract/text';
import { utf8Length } from '../../contract/items';
import type { Json } from '../../contract/macro';

/** A payload of Temporal's takes 2 MB; this leaves room for the rest of it. */
export const MAX_VALUE_BYTES = 1_700_000;
/** Below this, measuring again costs no more than remembering. */
const REMEMBERED_BYTES = 256;

/** Counts the work of one workflow task, about one unit a byte: a clock would make replays differ. */
export interface Meter {
  cost: number;
}

export interface Size {
  /** As JSON, where what is shared is written as often as it occurs. */
  bytes: number;
  /** Brackets within brackets; 0 for a value without. */
  depth: number;
}

/** Of a value that is nested too deep to be walked. */
const BEYOND: Size = { bytes: Infinity, depth: Infinity };
/** The values of a macro are never changed in place, so that their sizes are found once. */
const known = new WeakMap<object, Size>();

class TooDeep extends Error {}

/** The size of a value, without building its JSON. What was measured before costs nothing. */
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
  const found = known.get(value);
  if (level + (found?.depth ?? 1) > MAX_DEPTH) throw new TooDeep();
  if (found) return found;
  const size = Array.isArray(value)
    ? membersOf(value as Json[], undefined, meter, level)
    : membersOf(Object.values(value) as Json[], Object.keys(value), meter, level);
  if (size.bytes >= REMEMBERED_BYTES) known.set(value, size);
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

/** A list with one more element. Its size is found from theirs, so that to collect many takes no walk for each. */
export function appended(list: readonly Json[], element: Json, meter: Meter): Json[] {
  meter.cost += list.length;
  const longer = [...list, element];
  const [before, added] = [measure(list, meter), measure(element, meter)];
  const bytes = before.bytes + added.bytes + (list.length > 0 ? 1 : 0);
  const depth = Math.max(before.depth, added.depth + 1);
  if (bytes >= REMEMBERED_BYTES && depth <= MAX_DEPTH) known.set(longer, { bytes, depth });
  return longer;
}

/** Texts that stand in JSON as they are, a byte a character. */
const PLAIN = /^[ !#-[\]-~]*$/;

const textBytes = (text: string): number =>
  PLAIN.test(text) ? text.length + 2 : utf8Length(JSON.stringify(text));
