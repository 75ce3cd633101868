import { utf8Length } from '../../contract/items';

/** Temporal takes 2 MB a payload. Nothing that our workflows emit or carry over is larger than this. */
export const MAX_PAYLOAD_BYTES = 262_144;
/** The items of one batch, and of one page of a plan, as JSON. */
export const MAX_BATCH_BYTES = 98_304;
/** All items of a plan, as JSON. They are in the ledger; a workflow holds them by pages. */
export const MAX_PLAN_BYTES = 12_000_000;
/** A workflow holds one letter an item, and a mark a decision. */
export const MAX_BATCHES = 5_200;
export const MAX_DECISIONS = 5_600;
/** What an adapter makes of the parameters, as JSON, besides the metadata. */
export const MAX_CONTEXT_BYTES = 32_768;

/** The size of a value as JSON, which is how payloads carry it. */
export function bytesOf(value: unknown): number {
  return utf8Length(JSON.stringify(value) ?? '');
}

/** The first rows that fit together into so many bytes as JSON. */
export function fitting<T>(rows: readonly T[], maxBytes: number): T[] {
  // Most often all of them do. Brackets and commas are a byte more than one a row.
  if (bytesOf(rows) - 1 <= maxBytes) return [...rows];
  let room = maxBytes;
  const end = rows.findIndex((row) => (room -= bytesOf(row) + 1) < 0);
  return end < 0 ? [...rows] : rows.slice(0, end);
}

/** The last rows that fit together into so many bytes as JSON. */
export function fittingLast<T>(rows: readonly T[], maxBytes: number): T[] {
  return fitting([...rows].reverse(), maxBytes).reverse();
}

/** A text of at most so many bytes as JSON, with a mark at its end where it was longer. */
export function withinBytes(text: string, maxBytes: number): string {
  if (bytesOf(text) <= maxBytes) return text;
  let room = maxBytes - 5;
  let kept = '';
  for (const character of text) {
    room -= bytesOf(character) - 2;
    if (room < 0) break;
    kept += character;
  }
  return `${kept}…`;
}
