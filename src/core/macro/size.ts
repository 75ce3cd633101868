import { utf8Length } from '../../contract/items';
import type { Json } from '../../contract/macro';

/**
 * Whether a value is larger as JSON than so many bytes. It looks no further than that: a value that holds another one
 * many times takes little memory, and as text it might take more than there is.
 */
export function exceeds(value: Json, bytes: number): boolean {
  return room(value, bytes) < 0;
}

/** What is left of so many bytes; below 0 where they do not do. */
function room(value: Json, bytes: number): number {
  if (typeof value === 'string') {
    // A character takes a byte at least, and one that JSON escapes takes more.
    return value.length > bytes ? -1 : bytes - utf8Length(JSON.stringify(value));
  }
  if (value === null || typeof value !== 'object') return bytes - String(value).length;
  const entries = Object.entries(value);
  // Two brackets, and the commas.
  let left = bytes - 2 - Math.max(0, entries.length - 1);
  for (const [key, member] of entries) {
    if (left < 0) return left;
    left = room(member, left - (Array.isArray(value) ? 0 : utf8Length(JSON.stringify(key)) + 1));
  }
  return left;
}
