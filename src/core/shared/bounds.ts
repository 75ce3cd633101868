import { utf8Length } from '../../contract/items';

/** Temporal accepts 2 MB per payload. Nothing that our workflows emit or carry over is larger than this. */
export const MAX_PAYLOAD_BYTES = 262_144;
/** The items of one batch, and of one part of a named list, as JSON. */
export const MAX_BATCH_BYTES = 98_304;
/** All items of a plan, as JSON. They are in the ledger only. */
export const MAX_PLAN_BYTES = 12_000_000;
/** A workflow stores one letter per item, and a mark per decision. */
export const MAX_BATCHES = 5_200;
export const MAX_DECISIONS = 5_600;
/** The adapter's version of the parameters, as JSON, without the metadata. */
export const MAX_CONTEXT_BYTES = 32_768;

/** The size of a value as JSON, the encoding of payloads. */
export function bytesOf(value: unknown): number {
  return utf8Length(JSON.stringify(value) ?? '');
}

/** The first rows that together fit into this many bytes as JSON. */
export function fitting<T>(rows: readonly T[], maxBytes: number): T[] {
  // Usually all rows fit. Brackets and commas take one byte per row, and one more.
  if (bytesOf(rows) - 1 <= maxBytes) return [...rows];
  let room = maxBytes;
  const end = rows.findIndex((row) => (room -= bytesOf(row) + 1) < 0);
  return end < 0 ? [...rows] : rows.slice(0, end);
}

/** The last rows that together fit into this many bytes as JSON. */
export function fittingLast<T>(rows: readonly T[], maxBytes: number): T[] {
  return fitting([...rows].reverse(), maxBytes).reverse();
}

/** Cuts a text to at most this many bytes as JSON. A cut text ends with an ellipsis. */
export function withinBytes(text: string, maxBytes: number): string {
  if (bytesOf(text) <= maxBytes) return text;
  let room = maxBytes - 5;
  let start = '';
  for (const character of text) {
    room -= bytesOf(character) - 2;
    if (room < 0) break;
    start += character;
  }
  return `${start}…`;
}
