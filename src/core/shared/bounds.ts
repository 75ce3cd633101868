import { utf8Length } from '../../contract/items';

/** Temporal takes 2 MB a payload. Nothing that our workflows emit or carry over is larger than this. */
export const MAX_PAYLOAD_BYTES = 262_144;
/** The size of a value as JSON, which is how payloads carry it. */
export function bytesOf(value: unknown): number {
  return utf8Length(JSON.stringify(value) ?? '');
}

/** The first rows that fit together into so many bytes as JSON. */
export function fitting<T>(rows: readonly T[], maxBytes: number): T[] {
  let room = maxBytes;
  const end = rows.findIndex((row) => (room -= bytesOf(row) + 1) < 0);
  return end < 0 ? [...rows] : rows.slice(0, end);
}

/** The last rows that fit together into so many bytes as JSON. */
export function fittingLast<T>(rows: readonly T[], maxBytes: number): T[] {
  return fitting([...rows].reverse(), maxBytes).reverse();
}
