import { extname } from 'node:path';
import type { z } from 'zod';
import { bulkItemInputSchema } from '../../contract/items';
import type { BulkOperationInput } from '../../contract/operation';
import { shortened } from '../../contract/text';
import { isContradiction } from '../../core/bulk/input';
import { isBlankId } from '../../core/shared/item-ids';
import { quoted } from '../../core/shared/plain-text';
import { UnfitFile, type FileMistake } from '../tables/mistake';
import type { ItemRow, ItemRows } from './item-rows';
import { jsonItems } from './json-items';
import { tableItems } from './table-items';

export type Item = NonNullable<BulkOperationInput['items']>[number];

export interface ItemList {
  items: Item[];
  /** Lines that repeat an item. The first line of each item counts. */
  repeated: number[];
  /** The line of each item, by its id. */
  lines: ReadonlyMap<string, number>;
  /** The number of items beyond the limit of one operation. */
  beyond: number;
  notes: string[];
}

export type Reader = (bytes: Buffer) => ItemRows | Promise<ItemRows>;
const READERS: Readonly<Record<string, Reader>> = {
  ...{ '.csv': tableItems, '.tsv': tableItems, '.txt': tableItems, '.xlsx': tableItems },
  ...{ '.jsonl': jsonItems, '.ndjson': jsonItems },
};
export const ITEM_FILE_ENDINGS = Object.keys(READERS);

/** The reader for a file of this name; undefined for a file of another kind. */
export const itemReader = (name: string): Reader | undefined => READERS[extname(name).toLowerCase()];

/**
 * The items of a table (a header; `id` is required, `display_name` defaults to the id, other columns become
 * `raw_data`) or of JSONL (one item a line). Rows of our own, which have a batch and an outcome, are accepted
 * unchanged. It keeps at most `limit` items; the others are only counted.
 * @throws UnfitFile with each mistake at its place.
 */
export function itemsOfRows({ rows, notes }: ItemRows, limit: number): ItemList {
  const items = new Map<string, Item>();
  const lines = new Map<string, number>();
  const repeated: number[] = [];
  const mistakes: FileMistake[] = [];
  let beyond = 0;
  for (const row of rows) {
    const parsed = bulkItemInputSchema.safeParse(row.value);
    if (row.mistakes.length > 0) mistakes.push(...row.mistakes);
    else if (!parsed.success) mistakes.push(schemaMistake(row, parsed.error));
    else if (isBlankId(parsed.data.id)) mistakes.push(blankMistake(row));
    else {
      const { id } = parsed.data;
      const first = items.get(id);
      if (first && isContradiction(first, parsed.data))
        mistakes.push(repeatedMistake(row, id, lines.get(id)));
      else if (first) repeated.push(row.line);
      else if (items.size === limit) beyond++;
      else {
        items.set(id, parsed.data);
        lines.set(id, row.line);
      }
    }
  }
  const [first, ...others] = mistakes;
  if (first) throw new UnfitFile([first, ...others]);
  return { items: [...items.values()], repeated, lines, beyond, notes };
}

function blankMistake({ line, columnOf }: ItemRow): FileMistake {
  const column = columnOf(['id']);
  const hint = 'Give the row an id, or remove it';
  return { line, ...(column !== undefined && { column }), message: 'the id consists of blanks', hint };
}

const repeatedMistake = ({ line, columnOf }: ItemRow, id: string, first: number | undefined): FileMistake => {
  const column = columnOf(['id']);
  const message = `it repeats the id ${quoted(shortened(id))} of line ${first}, with other values`;
  return { line, ...(column !== undefined && { column }), message, hint: 'Leave one of them out' };
};

function schemaMistake({ line, columnOf }: ItemRow, { issues }: z.ZodError): FileMistake {
  const [issue = { path: [], message: 'is not an item' }] = issues;
  const [field, ...rest] = issue.path.map(String);
  const column = columnOf(issue.path);
  const message = field === undefined ? issue.message : `${[field, ...rest].join('.')}: ${issue.message}`;
  return { line, ...(column !== undefined && { column }), message, hint: 'Correct it' };
}
