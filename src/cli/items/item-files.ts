import { extname } from 'node:path';
import { REPORT_COLUMNS } from '../../client';
import { BatchgateError, describeIssues } from '../../contract/errors';
import { bulkItemInputSchema } from '../../contract/items';
import type { BulkOperationInput } from '../../contract/operation';
import { tooMany } from '../../core/bulk/input';
import { InexactNumber, readJson } from '../../core/shared/json';
import { fromCell } from '../../core/shared/spreadsheet';
import { PREVIEW_COLUMNS } from '../operation/preview-output';
import { csvRecords } from './csv-records';
import { BrokenText, linesOf, type Numbered, type TextLine } from './text-lines';
import { sentences } from '../../core/shared/plain-text';

type Item = NonNullable<BulkOperationInput['items']>[number];

const SHOWN_MISTAKES = 10;
/** The fields that `items --json`, `report` and `preview` add to an item. */
const OUR_COLUMNS: readonly string[] = [...REPORT_COLUMNS, ...PREVIEW_COLUMNS].filter(
  (name) => name !== 'id' && name !== 'display_name',
);

export interface ItemFile {
  items: Item[];
  /** Lines that name an item again. The first of each counts. */
  repeated: number[];
}

/**
 * Reads the items of a CSV (a header; `id` is required, `display_name` defaults to the id, other columns become
 * `raw_data`) or JSONL file (one item a line), UTF-8 with or without a byte order mark. Rows of our own, which have a
 * batch and an outcome, may be given back as they are. It keeps no more than one operation takes; what comes after is
 * only counted.
 * @throws BatchgateError `INVALID_INPUT` naming each broken line by its number, `TOO_MANY_ITEMS`.
 */
export async function readItems(path: string, limit: number): Promise<ItemFile> {
  const items = new Map<string, Item>();
  const repeated: number[] = [];
  const mistakes: string[] = [];
  let beyond = 0;
  for await (const { line, value } of recordsOf(path)) {
    if (beyond > 0) {
      beyond++;
      continue;
    }
    const parsed = bulkItemInputSchema.safeParse(value);
    if (!parsed.success) {
      mistakes.push(
        `line ${line}: ${value instanceof SyntaxError ? value.message : describeIssues(parsed.error)}`,
      );
    } else if (items.has(parsed.data.id)) repeated.push(line);
    else if (items.size === limit) beyond = 1;
    else items.set(parsed.data.id, parsed.data);
  }
  if (mistakes.length > 0) throw brokenLines(path, mistakes);
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
  return { items: [...items.values()], repeated };
}

async function* recordsOf(path: string): AsyncGenerator<Numbered> {
  const kind = extname(path).toLowerCase();
  if (kind !== '.csv' && kind !== '.jsonl') {
    throw unreadable(path, 'its name ends in neither .csv nor .jsonl', 'Give a .csv or a .jsonl file');
  }
  try {
    if (kind === '.jsonl') yield* jsonRecords(linesOf(path));
    else {
      for await (const { line, value } of csvRecords(linesOf(path)))
        yield { line, value: value instanceof SyntaxError ? value : asItem(fromReport(value)) };
    }
  } catch (error) {
    if (error instanceof BrokenText) throw unreadable(path, error.message, error.hint);
    throw unreadable(path, (error as Error).message, 'Check its name and that it can be read');
  }
}

function isOurs(row: unknown): row is Record<string, unknown> {
  return (
    typeof row === 'object' && row !== null && 'batch' in row && ('outcome' in row || 'reversible' in row)
  );
}

function withoutOurs(row: unknown): unknown {
  if (!isOurs(row)) return row;
  return Object.fromEntries(Object.entries(row).filter(([name]) => !OUR_COLUMNS.includes(name)));
}

/** Our tables put an apostrophe before what a spreadsheet would take for a formula. */
function fromReport(row: Record<string, string>): Record<string, string> {
  if (!isOurs(row)) return row;
  const written = Object.entries(withoutOurs(row) as Record<string, string>);
  return Object.fromEntries(written.map(([name, cell]) => [name, fromCell(cell)]));
}

function asItem({ id, display_name, ...others }: Record<string, string>): unknown {
  const named = display_name === undefined || display_name === '' ? {} : { display_name };
  return { id, ...named, ...(Object.keys(others).length > 0 && { raw_data: others }) };
}

async function* jsonRecords(lines: AsyncIterable<TextLine>): AsyncGenerator<Numbered> {
  for await (const { line, bytes } of lines) {
    const content = bytes.toString().trim();
    if (content === '') continue;
    let value: unknown;
    try {
      value = withoutOurs(readJson(content));
    } catch (error) {
      value = error instanceof InexactNumber ? new SyntaxError(sentences(error.message, error.hint)) : error;
    }
    yield { line, value };
  }
}

function brokenLines(path: string, mistakes: string[]): BatchgateError {
  const more = mistakes.length > SHOWN_MISTAKES ? `\n  and ${mistakes.length - SHOWN_MISTAKES} more` : '';
  const shown = mistakes.slice(0, SHOWN_MISTAKES).map((mistake) => `\n  ${mistake}`);
  return unreadable(
    path,
    `${mistakes.length} broken line(s):${shown.join('')}${more}`,
    'Correct these lines',
  );
}

function unreadable(path: string, what: string, hint: string): BatchgateError {
  return new BatchgateError(
    'INVALID_INPUT',
    `The items of ${path} cannot be read: ${what}.`,
    `${hint}; nothing was started.`,
  );
}
