import { extname } from 'node:path';
import type { z } from 'zod';
import { bulkItemInputSchema } from '../../contract/items';
import type { BulkOperationInput } from '../../contract/operation';
import { UnfitFile, type FileMistake } from '../tables/mistake';
import type { ItemRow, ItemRows } from './item-rows';
import { jsonItems } from './json-items';
import { tableItems } from './table-items';

export type Item = NonNullable<BulkOperationInput['items']>[number];

export interface ItemList {
  items: Item[];
  /** Lines that name an item again. The first of each counts. */
  repeated: number[];
  /** How many items follow those that one operation takes. */
  beyond: number;
  notes: string[];
}

type Reader = (bytes: Buffer) => ItemRows | Promise<ItemRows>;
const READERS: Readonly<Record<string, Reader>> = {
  ...{ '.csv': tableItems, '.tsv': tableItems, '.txt': tableItems, '.xlsx': tableItems },
  ...{ '.jsonl': jsonItems, '.ndjson': jsonItems },
};
export const ITEM_FILE_ENDINGS = Object.keys(READERS);

/** How a file of this name is read; undefined for a file of another kind. */
export const itemReader = (name: string): Reader | undefined => READERS[extname(name).toLowerCase()];

/**
 * The items of a table (a header; `id` is required, `display_name` defaults to the id, other columns become
 * `raw_data`) or of JSONL (one item a line). Rows of our own, which have a batch and an outcome, may be given back as
 * they are. It keeps no more than `limit`; what comes after is only counted.
 * @throws UnfitFile with each mistake at its place.
 */
export function itemsOfRows({ rows, notes }: ItemRows, limit: number): ItemList {
  const items = new Map<string, Item>();
  const repeated: number[] = [];
  const mistakes: FileMistake[] = [];
  let beyond = 0;
  for (const row of rows) {
    const parsed = bulkItemInputSchema.safeParse(row.value);
    if (row.mistakes.length > 0) mistakes.push(...row.mistakes);
    else if (!parsed.success) mistakes.push(schemaMistake(row, parsed.error));
    else if (items.has(parsed.data.id)) repeated.push(row.line);
    else if (items.size === limit) beyond++;
    else items.set(parsed.data.id, parsed.data);
  }
  const [first, ...others] = mistakes;
  if (first) throw new UnfitFile([first, ...others]);
  return { items: [...items.values()], repeated, beyond, notes };
}

function schemaMistake({ line, columnOf }: ItemRow, { issues }: z.ZodError): FileMistake {
  const [issue = { path: [], message: 'is not an item' }] = issues;
  const [field, ...rest] = issue.path.map(String);
  const column = columnOf(issue.path);
  const message = field === undefined ? issue.message : `${[field, ...rest].join('.')}: ${issue.message}`;
  return { line, ...(column !== undefined && { column }), message, hint: 'Correct it' };
}
