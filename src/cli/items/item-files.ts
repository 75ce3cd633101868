import { extname } from 'node:path';
import type { z } from 'zod';
import { BatchgateError } from '../../contract/errors';
import { bulkItemInputSchema } from '../../contract/items';
import type { BulkOperationInput } from '../../contract/operation';
import { tooMany } from '../../core/bulk/input';
import { sentences } from '../../core/shared/plain-text';
import { readBytes } from '../../host/files';
import { mistakeText, UnfitFile, type FileMistake } from '../../host/tables/mistake';
import type { ItemRow, ItemRows } from './item-rows';
import { jsonItems } from './json-items';
import { tableItems } from './table-items';

type Item = NonNullable<BulkOperationInput['items']>[number];

const SHOWN_MISTAKES = 10;
/** A list that one operation takes is far smaller; a report has more columns. */
const MAX_FILE_BYTES = 50_000_000;

interface ItemFile {
  items: Item[];
  /** Lines that name an item again. The first of each counts. */
  repeated: number[];
  notes: string[];
}

type Reader = (bytes: Buffer) => ItemRows | Promise<ItemRows>;
const READERS: Readonly<Record<string, Reader>> = {
  ...{ '.csv': tableItems, '.tsv': tableItems, '.txt': tableItems, '.xlsx': tableItems },
  ...{ '.jsonl': jsonItems, '.ndjson': jsonItems },
};

/**
 * Reads the items of a table (a header; `id` is required, `display_name` defaults to the id, other columns become
 * `raw_data`) or of JSONL (one item a line). Rows of our own, which have a batch and an outcome, may be given back as
 * they are. It keeps no more than one operation takes; what comes after is only counted.
 * @throws BatchgateError `INVALID_INPUT` naming the place of each mistake, `TOO_MANY_ITEMS`.
 */
export async function readItems(path: string, limit: number): Promise<ItemFile> {
  const items = new Map<string, Item>();
  const repeated: number[] = [];
  const mistakes: FileMistake[] = [];
  let beyond = 0;
  const { rows, notes } = await rowsOf(path);
  for (const row of rows) {
    const parsed = bulkItemInputSchema.safeParse(row.value);
    if (row.mistakes.length > 0) mistakes.push(...row.mistakes);
    else if (!parsed.success) mistakes.push(schemaMistake(row, parsed.error));
    else if (items.has(parsed.data.id)) repeated.push(row.line);
    else if (items.size === limit) beyond++;
    else items.set(parsed.data.id, parsed.data);
  }
  if (mistakes.length > 0) throw unfit(path, mistakes);
  const excess = tooMany(items.size + beyond, limit);
  if (excess) {
    throw new BatchgateError(
      excess.code,
      excess.message,
      `Split ${path} into several operations, or raise BATCHGATE_MAX_TOTAL_ITEMS here and for the worker.`,
      excess.details,
    );
  }
  if (items.size === 0) throw unreadable(path, 'it contains no items', 'Write one item per line');
  return { items: [...items.values()], repeated, notes };
}

async function rowsOf(path: string): Promise<ItemRows> {
  const read = READERS[extname(path).toLowerCase()];
  if (!read) {
    const kinds = Object.keys(READERS).join(', ');
    throw unreadable(path, `its name ends in none of ${kinds}`, 'Give a .csv, .xlsx or .jsonl file');
  }
  try {
    const bytes = await readBytes(path, MAX_FILE_BYTES);
    if (bytes) return await read(bytes);
  } catch (error) {
    if (error instanceof BatchgateError) throw error;
    if (error instanceof UnfitFile) throw unfit(path, error.mistakes);
    throw unreadable(path, (error as Error).message, 'Check its name and that it can be read');
  }
  throw unreadable(path, `it is larger than ${MAX_FILE_BYTES} bytes`, 'Split it into several operations');
}

function schemaMistake({ line, columnOf }: ItemRow, { issues }: z.ZodError): FileMistake {
  const [issue = { path: [], message: 'is not an item' }] = issues;
  const [field, ...rest] = issue.path.map(String);
  const column = columnOf(issue.path);
  const message = field === undefined ? issue.message : `${[field, ...rest].join('.')}: ${issue.message}`;
  return { line, ...(column !== undefined && { column }), message, hint: FIX_FIELD };
}

const FIX = 'Correct these lines';
const FIX_FIELD = 'Correct it';

function unfit(path: string, mistakes: readonly FileMistake[]): BatchgateError {
  const [only, ...others] = mistakes;
  if (only && others.length === 0) return unreadable(path, mistakeText(only), only.hint);
  const more = mistakes.length > SHOWN_MISTAKES ? `\n  and ${mistakes.length - SHOWN_MISTAKES} more` : '';
  const shown = mistakes
    .slice(0, SHOWN_MISTAKES)
    .map((mistake) => `\n  ${sentences(mistakeText(mistake), mistake.hint)}`);
  const what = `it has ${mistakes.length} mistakes:${shown.join('')}${more}`;
  return unreadable(path, what.replace(/\.$/, ''), FIX);
}

function unreadable(path: string, what: string, hint: string): BatchgateError {
  return new BatchgateError(
    'INVALID_INPUT',
    `The items of ${path} cannot be read: ${what}.`,
    `${hint}; nothing was started.`,
  );
}
