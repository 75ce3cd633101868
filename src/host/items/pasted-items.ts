import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'csv-stringify/sync';
import { invisibleInId, shortenedId } from '../../core/shared/item-ids';
import { BLANK_EDGES } from '../../core/shared/spreadsheet';
import { UnfitFile, type FileMistake } from '../tables/mistake';
import { encodingNotes, isWorkbook } from '../tables/table';
import { decodeText } from '../tables/text';
import { itemsOfRows, type Item, type ItemList, type Reader } from './item-list';
import { jsonItems } from './json-items';
import type { ItemRow, ItemRows } from './item-rows';
import { NULL_CELL, tableItems } from './table-items';

/**
 * The items of a text that a person pasted: a table with a header that names `id`, one JSON object a line, or one id
 * a line, with its name after a comma or a tab.
 * @throws like `itemsOfRows`.
 */
export async function pastedItems(pasted: string, limit: number): Promise<ItemList> {
  const text = withLineFeeds(pasted);
  if (isJson(text)) return itemsOfRows(jsonItems(Buffer.from(text)), limit);
  if (hasHeader(text)) return itemsOfRows(await tableItems(Buffer.from(text)), limit);
  return itemsOfRows(lineItems(text), limit);
}

/** A browser sends every line break of a form as CRLF, whichever it was. */
export const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n');

/** An id may be in braces too. */
const isJson = (text: string): boolean => /^\s*\{\s*["}]/.test(text);

function hasHeader(text: string): boolean {
  const [first = '', second = ''] = text.trimStart().split('\n', 2);
  const header = /^"?sep=/i.test(first) ? second : first;
  return header.split(/[,;\t|]/).some(
    (cell) =>
      cell
        .trim()
        .replace(/^"(.*)"$/, '$1')
        .toLowerCase() === 'id',
  );
}

interface FileText {
  text: string;
  notes: string[];
}

/**
 * The text of a file, if pasted text is read in the same way; undefined for other files.
 * @throws UnfitFile for a text in an unknown encoding.
 */
export function textToPaste(bytes: Buffer): FileText | undefined {
  if (isWorkbook(bytes)) return undefined;
  const { text, encoding } = decodeText(bytes);
  if (!isJson(text) && !hasHeader(text)) return undefined;
  return { text: withLineFeeds(text), notes: encodingNotes(encoding) };
}

/**
 * The items of a file, and a text that is read as exactly these items, for a form that is sent again. `source` is the
 * result of `textToPaste`. The text is empty if the file has no items, or more than the limit.
 * @throws like `itemsOfRows`.
 */
export async function itemsToPaste(
  bytes: Buffer,
  source: FileText | undefined,
  { reader, limit }: { reader: Reader; limit: number },
): Promise<{ list: ItemList; text: string }> {
  const { rows, notes } = await reader(source ? Buffer.from(source.text) : bytes);
  const list = itemsOfRows({ rows, notes: [...(source?.notes ?? []), ...notes] }, limit);
  if (source) return { list, text: source.text };
  const isComplete = list.beyond === 0 && list.items.length > 0;
  return { list, text: isComplete ? await textOfItems(list.items) : '' };
}

/** A table, which people can read; JSON if it would be read as other items, for example because of line breaks. */
async function textOfItems(items: readonly Item[]): Promise<string> {
  const table = tableToPaste(items);
  const read = await pastedItems(table, items.length).catch((error: unknown) => {
    if (error instanceof UnfitFile) return undefined;
    throw error;
  });
  if (read?.beyond === 0 && isDeepStrictEqual(read.items, items)) return table;
  return items.map((item) => JSON.stringify(item)).join('\n');
}

/** The columns of a list other than the ids and the names. */
export const columnsOf = (items: readonly Item[]): string[] => [
  ...new Set(items.flatMap(({ raw_data }) => Object.keys(raw_data ?? {}))),
];

/** Items as a table to paste. */
function tableToPaste(items: readonly Item[]): string {
  const columns = columnsOf(items);
  const cellOf = (value: unknown) => {
    if (value === null) return NULL_CELL;
    return typeof value === 'string' ? value : JSON.stringify(value ?? '');
  };
  const rows = [
    ['id', 'display_name', ...columns],
    ...items.map(({ id, display_name = '', raw_data }) => [
      id,
      display_name,
      ...columns.map((name) => cellOf(raw_data?.[name])),
    ]),
  ];
  return stringify(rows, { quoted_match: BLANK_EDGES });
}

/** Blanks that a person types. Other blanks belong to the copied text, and are part of an id. */
const TYPED_BLANKS = /^[ \t\r]+|(?<![ \t\r])[ \t\r]+$/g;

/**
 * Items that a person lists, or pastes from a spreadsheet without its header: one id per line, with the name after a
 * tab or a comma.
 */
const lineItems = (text: string): ItemRows => ({ rows: itemRows(text), notes: [] });

function* itemRows(text: string): Generator<ItemRow> {
  let line = 0;
  for (const source of text.split('\n')) {
    line++;
    const content = source.replace(TYPED_BLANKS, '');
    if (content !== '') yield itemRow(content, line, /^[ \r]*\t/.test(source));
  }
}

function itemRow(content: string, line: number, beginsWithTab: boolean): ItemRow {
  const [, id = content, name] = /^([^\t]+)\t(.*)$/.exec(content) ?? /^([^,]+),(.*)$/.exec(content) ?? [];
  const [item = '', display_name] = [id, name].map((part) => part?.replace(TYPED_BLANKS, ''));
  const mistake =
    (beginsWithTab ? NO_ID : columnMistake(content)) ?? shortenedId(item) ?? invisibleInId(item);
  const nameField = display_name === undefined || display_name === '' ? {} : { display_name };
  return {
    line,
    value: { id: item, ...nameField },
    mistakes: mistake ? [{ line, ...mistake }] : [],
    columnOf: () => undefined,
  };
}

type LineMistake = Pick<FileMistake, 'message' | 'hint'>;

const NO_ID: LineMistake = {
  message: 'it begins with a tab, so its id is empty',
  hint: 'Write the id before the tab, or remove the tab',
};

/** Without a header, the meaning of a third column is not known. */
const columnMistake = (content: string): LineMistake | undefined =>
  content.split('\t').length > 2
    ? {
        message: 'it has more than an id and a name, and the list has no header with the column id',
        hint: 'Begin the list with a line that names its columns, one of them id',
      }
    : undefined;
