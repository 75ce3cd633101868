import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { BatchgateError } from '../../contract/errors';

/**
 * The outcome of an item that is stored only as a fingerprint: completed, failed or skipped; a capital if the entry has
 * no reason.
 */
export type Mark = 's' | 'f' | 'F' | 'k' | 'K';

/**
 * Items by 64 bits of their id's SHA-256, 11 characters of base64url. The first two name the bucket, so that a record
 * copies a small part, regardless of the number of items. A bucket contains ten characters per item, nine and its mark.
 * JSON-safe. With n items, the chance that two share a fingerprint is about n² / 2⁶⁵: one in four thousand million at
 * 100,000.
 */
export type Fingerprints = Readonly<Record<string, string>>;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const BUCKET = 2;
const REST = 9;
const WIDTH = REST + 1;
/** Unless ids were chosen to collide, a bucket holds 32 of 131,072 items on average. */
const MAX_BUCKET = 4_000;
const MAX_PART_BYTES = 200_000;
/** `"ab":"",` */
const KEY_BYTES = 8;

export const fingerprintOf = (id: string): string => hashText(id, BUCKET + REST);

/** The first characters of a text's SHA-256 in base64url. Workflow code has no Buffer to encode it. */
export function hashText(input: string, length: number): string {
  const bytes = sha256(utf8ToBytes(input));
  let text = '';
  for (let digit = 0; digit < length; digit++) {
    const bit = digit * 6;
    const at = bit >> 3;
    // The last digit of 11 covers two bits more than 64, which are as good as any.
    const pair = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    text += ALPHABET[(pair >> (10 - (bit & 7))) & 63];
  }
  return text;
}

/** The mark of an item; undefined if it has none. */
export function markOf(fingerprints: Fingerprints, id: string): Mark | undefined {
  const { bucket, rest } = split(id);
  const entries = fingerprints[bucket] ?? '';
  const at = find(entries, rest);
  return at < 0 ? undefined : (entries[at + REST] as Mark);
}

/** The number of items with this mark. */
export function countMarked(fingerprints: Fingerprints, mark: Mark): number {
  let count = 0;
  for (const entries of Object.values(fingerprints)) {
    for (let at = REST; at < entries.length; at += WIDTH) if (entries[at] === mark) count++;
  }
  return count;
}

/** Sets these marks; undefined removes the item. */
export function withMarks(
  fingerprints: Fingerprints,
  marks: ReadonlyMap<string, Mark | undefined>,
): Fingerprints {
  if (marks.size === 0) return fingerprints;
  const next: Record<string, string> = { ...fingerprints };
  for (const [id, mark] of marks) {
    const { bucket, rest } = split(id);
    const entries = next[bucket] ?? '';
    const at = find(entries, rest);
    const others = at < 0 ? entries : entries.slice(0, at) + entries.slice(at + WIDTH);
    if (others.length >= MAX_BUCKET * WIDTH) throw crowded();
    next[bucket] = mark === undefined ? others : `${others}${rest}${mark}`;
  }
  return next;
}

/** Splits the fingerprints into parts that fit into a payload. */
export function partsOf(fingerprints: Fingerprints): Fingerprints[] {
  const parts: Record<string, string>[] = [];
  let room = 0;
  for (const [bucket, entries] of Object.entries(fingerprints)) {
    room -= entries.length + KEY_BYTES;
    if (room < 0) {
      parts.push({});
      room = MAX_PART_BYTES - entries.length - KEY_BYTES;
    }
    const part = parts.at(-1);
    if (part) part[bucket] = entries;
  }
  return parts;
}

function crowded(): BatchgateError {
  return new BatchgateError(
    'TOO_MANY_ITEMS',
    `More than ${MAX_BUCKET} items have ids whose SHA-256 hashes share a prefix.`,
    'Split the task into several runs, each with its own contract.',
  );
}

function split(id: string): { bucket: string; rest: string } {
  const fingerprint = fingerprintOf(id);
  return { bucket: fingerprint.slice(0, BUCKET), rest: fingerprint.slice(BUCKET) };
}

function find(entries: string, rest: string): number {
  for (let at = 0; at < entries.length; at += WIDTH) if (entries.startsWith(rest, at)) return at;
  return -1;
}
