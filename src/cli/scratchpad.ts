import { Option, type Command } from 'commander';
import { getScratchpad, getScratchpadPage, listScratchpad, putScratchpad } from '../client';
import { BatchgateError } from '../contract/errors';
import type { Json } from '../contract/macro';
import { MAX_ENTRY_BYTES } from '../contract/scratchpad';
import { InexactNumber, readJson } from '../core/shared/json';
import { nameText, oneLine, visibleText } from '../core/shared/plain-text';
import { noRoom } from '../core/shared/scratchpad';
import { openFile } from '../host/files';
import { withClient } from './connect';
import { causeOf, note, print, printJson, table, UsageError } from './output';
import { verb, wholeNumber } from './verb';

/** The default length of a page, in characters. */
const PAGE_LENGTH = 10_000;

interface PageFlags {
  session: string;
  offset?: number;
  limit?: number;
}

interface PutFlags {
  session: string;
  file?: string;
  as: 'text' | 'json';
}

const session = ['--session <id>', 'whose scratchpad'] as const;

/** Verbs for the data that sessions keep (specification G5) in the worker's store. */
export function addScratchpadVerbs(program: Command): void {
  const group = program.command('scratchpad').description('data that a session keeps by key');
  verb(group, 'list', 'the keys, with sizes and times', list)
    .requiredOption(...session)
    .option('--offset <n>', 'skip this many', wholeNumber)
    .option('--limit <n>', 'show at most this many', wholeNumber);
  verb(group, 'get <key>', 'a value as JSON, page by page; with --json the whole value', get)
    .requiredOption(...session)
    .option('--offset <n>', 'skip this many characters', wholeNumber)
    .option('--limit <n>', 'show at most this many characters', wholeNumber);
  verb(group, 'put <key> [value]', 'save a value, replacing what the key held', put)
    .requiredOption(...session)
    .option('--file <file>', 'a file that contains the value')
    .addOption(new Option('--as <type>', 'how to read the value').choices(['text', 'json']).default('text'));
}

async function list(json: boolean, { session, ...page }: PageFlags): Promise<void> {
  const { entries, total, next_offset } = await withClient((client, taskQueue) =>
    listScratchpad(client, session, page, taskQueue),
  );
  if (json) entries.forEach(printJson);
  else if (total === 0) print('This session has no entries.');
  else {
    const rows = entries.map(({ key, bytes, updated_at }) => [nameText(key), String(bytes), updated_at]);
    print(table(['KEY', 'BYTES', 'UPDATED'], rows));
  }
  if (next_offset !== undefined) note(`${total} entries in all. For the next ones: --offset ${next_offset}`);
}

async function get(json: boolean, key: string, { session, ...page }: PageFlags): Promise<void> {
  if (json && page.offset === undefined && page.limit === undefined) {
    const value = await withClient((client, taskQueue) => getScratchpad(client, session, key, taskQueue));
    return printJson({ key, value });
  }
  const part = await withClient((client, taskQueue) =>
    getScratchpadPage(client, session, key, json ? page : { limit: PAGE_LENGTH, ...page }, taskQueue),
  );
  if (json) return printJson(part);
  print(visibleText(part.text));
  const { length, next_offset } = part;
  if (next_offset !== undefined)
    note(`${length} characters in all. For the next ones: --offset ${next_offset}`);
}

async function put(
  json: boolean,
  key: string,
  argument: string | undefined,
  { session, file, as }: PutFlags,
): Promise<void> {
  const text = await textOf(argument, file);
  const value = as === 'json' ? jsonOf(text) : text;
  const entry = await withClient((client, taskQueue) =>
    putScratchpad(client, session, key, value, taskQueue),
  );
  if (json) printJson(entry);
  else print(`Saved ${entry.bytes} bytes under ${nameText(entry.key)}.`);
}

async function textOf(argument: string | undefined, path: string | undefined): Promise<string> {
  if (argument !== undefined && path === undefined) return argument;
  if (argument === undefined && path !== undefined) return readText(path);
  throw new UsageError(
    'The value is missing or given twice; nothing was saved.',
    'Give either the value after the key, or --file.',
  );
}

async function readText(path: string): Promise<string> {
  try {
    const file = await openFile(path);
    try {
      const { size } = await file.stat();
      if (size > MAX_ENTRY_BYTES) throw noRoom(`The file has ${size} bytes, of at most ${MAX_ENTRY_BYTES}`);
      return new TextDecoder('utf-8', { fatal: true }).decode(await file.readFile());
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof BatchgateError) throw error;
    const why = causeOf(error)?.cause ?? (error instanceof TypeError ? 'it is not UTF-8' : String(error));
    throw new BatchgateError(
      'INVALID_INPUT',
      `${oneLine(path)} cannot be read: ${why}.`,
      'Name a readable file in UTF-8.',
    );
  }
}

function jsonOf(text: string): Json {
  try {
    return readJson(text) as Json;
  } catch (error) {
    if (error instanceof InexactNumber) throw error;
    throw new BatchgateError(
      'INVALID_INPUT',
      'The value is not valid JSON; nothing was saved.',
      'Correct it, or save it as text: leave --as out.',
    );
  }
}
