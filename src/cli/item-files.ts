import { pipeline, type Readable } from 'node:stream';
import { open } from 'node:fs/promises';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import { parse, CsvError } from 'csv-parse';
import { BatchgateError, describeIssues } from '../contract/errors';
import { bulkItemInputSchema } from '../contract/items';
import type { BulkOperationInput } from '../contract/operation';

type Item = NonNullable<BulkOperationInput['items']>[number];
type Numbered = { line: number; value: unknown };

const SHOWN_MISTAKES = 10;

/**
 * Reads the items of a CSV (a header; `id` is required, `display_name` defaults to the id, other columns become
 * `raw_data`) or JSONL file (one item a line), UTF-8 with or without a byte order mark.
 * @throws BatchgateError `INVALID_INPUT` naming each broken line by its number.
 */
export async function readItems(path: string): Promise<Item[]> {
  const kind = extname(path).toLowerCase();
  if (kind !== '.csv' && kind !== '.jsonl') {
    throw unreadable(path, 'its name ends in neither .csv nor .jsonl', 'Give a .csv or a .jsonl file.');
  }
  const items: Item[] = [];
  const mistakes: string[] = [];
  try {
    for await (const { line, value } of kind === '.csv'
      ? csvLines(await contentOf(path))
      : jsonLines(await contentOf(path))) {
      const parsed = bulkItemInputSchema.safeParse(value);
      if (parsed.success) items.push(parsed.data);
      else
        mistakes.push(
          `line ${line}: ${value instanceof SyntaxError ? value.message : describeIssues(parsed.error)}`,
        );
    }
  } catch (error) {
    const where =
      error instanceof CsvError ? 'Correct the quoting there' : 'Check its name and that it can be read';
    throw unreadable(path, (error as Error).message, `${where}; nothing was started.`);
  }
  if (mistakes.length > 0) {
    const more = mistakes.length > SHOWN_MISTAKES ? `\n  and ${mistakes.length - SHOWN_MISTAKES} more` : '';
    const shown = mistakes.slice(0, SHOWN_MISTAKES).map((mistake) => `\n  ${mistake}`);
    throw unreadable(
      path,
      `${mistakes.length} broken line(s):${shown.join('')}${more}`,
      'Correct these lines; nothing was started.',
    );
  }
  return items;
}

/** Opened before anything reads it: a missing file is an error here, and not a stream that never ends. */
async function contentOf(path: string): Promise<Readable> {
  const file = await open(path);
  if ((await file.stat()).isFile()) return file.createReadStream();
  await file.close();
  throw new Error('it is not a file');
}

async function* csvLines(content: Readable): AsyncGenerator<Numbered> {
  const parser = parse({ bom: true, columns: true, skip_empty_lines: true, trim: true, info: true });
  // What goes wrong while reading reaches the loop below through the parser.
  pipeline(content, parser, () => undefined);
  for await (const { record, info } of parser as AsyncIterable<{
    record: Record<string, string>;
    info: { lines: number };
  }>) {
    const { id, display_name, ...others } = record;
    const named = display_name === undefined || display_name === '' ? {} : { display_name };
    yield {
      line: info.lines,
      value: { id, ...named, ...(Object.keys(others).length > 0 && { raw_data: others }) },
    };
  }
}

async function* jsonLines(content: Readable): AsyncGenerator<Numbered> {
  let line = 0;
  for await (const text of createInterface({ input: content, crlfDelay: Infinity })) {
    line++;
    const content = text.replace(/^\uFEFF/, '').trim();
    if (content === '') continue;
    let value: unknown;
    try {
      value = JSON.parse(content);
    } catch (error) {
      value = error;
    }
    yield { line, value };
  }
}

function unreadable(path: string, what: string, hint: string): BatchgateError {
  return new BatchgateError('INVALID_INPUT', `The items of ${path} cannot be read: ${what}.`, hint);
}
