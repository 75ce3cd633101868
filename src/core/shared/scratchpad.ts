import { BatchgateError } from '../../contract/errors';
import { utf8Length } from '../../contract/items';
import { MAX_ENTRY_BYTES, type ScratchpadEntry } from '../../contract/scratchpad';
import { MAX_PART_LENGTH, type ScratchpadListPage, type ScratchpadTextPage } from '../../contract/scratchpad';
import { digestOf } from './canonical';

/**
 * The bytes of a value's JSON.
 * @throws BatchgateError `INVALID_INPUT` when it exceeds the limit of an entry.
 */
export function entryBytes(json: string): number {
  const bytes = utf8Length(json);
  if (bytes <= MAX_ENTRY_BYTES) return bytes;
  throw noRoom(`The value has ${bytes} bytes, of at most ${MAX_ENTRY_BYTES}`);
}

export const noRoom = (why: string) =>
  new BatchgateError(
    'INVALID_INPUT',
    `${why}; nothing was saved.`,
    'Save less, split it into several entries, or delete entries that are no longer needed.',
  );

interface Range {
  offset: number;
  limit: number;
}

export function pageOfEntries(entries: ScratchpadEntry[], { offset, limit }: Range): ScratchpadListPage {
  const end = offset + limit;
  return {
    entries: entries.slice(offset, end),
    total: entries.length,
    ...(end < entries.length && { next_offset: end }),
  };
}

export function pageOfText(key: string, json: string, { offset, limit }: Range): ScratchpadTextPage {
  const end = endOfPart(json, offset, limit);
  return {
    ...{ key, text: json.slice(offset, end), offset, length: json.length, digest: digestOf(json) },
    ...(end < json.length && { next_offset: end }),
  };
}

/** Splits a value's JSON into parts that each fit into a payload. */
export function partsOf(json: string): string[] {
  const parts: string[] = [];
  for (let start = 0; start < json.length;) {
    const end = endOfPart(json, start, MAX_PART_LENGTH);
    parts.push(json.slice(start, end));
    start = end;
  }
  return parts;
}

/** The end of a part. Never splits a surrogate pair, because half of one cannot be stored or sent. */
function endOfPart(json: string, start: number, length: number): number {
  const end = Math.min(json.length, start + length);
  return end < json.length && /[\uD800-\uDBFF]/.test(json.charAt(end - 1)) ? end - 1 : end;
}
