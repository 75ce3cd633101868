import { stringify } from 'csv-stringify/sync';
import { invisibleInId, shortenedId } from '../../core/shared/item-ids';
import { decodeText } from '../tables/text';
import { itemsOfRows, type Item, type ItemList } from './item-list';
import { jsonItems } from './json-items';
import type { ItemRow, ItemRows } from './item-rows';
import { NULL_CELL, tableItems } from './table-items';

/**
 * The items of a text that a person pasted: a table with a header that names `id`, one JSON object a line, or one id
 * a line, with its name after a comma or a tab.
 * @throws like `itemsOfRows`.
 */
export async function pastedItems(text: string, limit: number): Promise<ItemList> {
  if (isJson(text)) return itemsOfRows(jsonItems(Buffer.from(text)), limit);
  if (hasHeader(text)) return itemsOfRows(await tableItems(Buffer.from(text)), limit);
  return itemsOfRows(lineItems(text), limit);
}

const isJson = (text: string): boolean => text.trimStart().startsWith('{');

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

const WORKBOOK = 'PK\x03\x04';

/**
 * The text of a file, if pasted text is read in the same way; undefined for other files.
 * @throws UnfitFile for a text in an unknown encoding.
 */
export function textToPaste(bytes: Buffer): string | undefined {
  if (bytes.toString('latin1', 0, WORKBOOK.length) === WORKBOOK) return undefined;
  const { text } = decodeText(bytes);
  return isJson(text) || hasHeader(text) ? text : undefined;
}

/** The columns of a list other than the ids and the names. */
export const columnsOf = (items: readonly Item[]): string[] => [
  ...new Set(items.flatMap(({ raw_data }) => Object.keys(raw_data ?? {}))),
];

/** Items as a table to paste. */
export function tableToPaste(items: readonly Item[]): string {
  const columns = columnsOf(items);
  const cellOf = (value: unknown) => {
    if (value === null) return NULL_CELL;
    return typeof value === 'string' ? value : JSON.stringify(value ?? '');
  };
  return stringify([
    ['id', 'display_name', ...columns],
    ...items.map(({ id, display_name = '', raw_data }) => [
      id,
      display_name,
      ...columns.map((name) => cellOf(raw_data?.[name])),
    ]),
  ]);
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
    if (content !== '') yield itemRow(content, line);
  }
}

function itemRow(content: string, line: number): ItemRow {
  const [, id = content, name] = /^([^\t]+)\t(.*)$/.exec(content) ?? /^([^,]+),(.*)$/.exec(content) ?? [];
  const [item = '', display_name] = [id, name].map((part) => part?.replace(TYPED_BLANKS, ''));
  const mistake = shortenedId(item) ?? invisibleInId(item);
  const nameField = display_name === undefined || display_name === '' ? {} : { display_name };
  return {
    line,
    value: { id: item, ...nameField },
    mistakes: mistake ? [{ line, ...mistake }] : [],
    columnOf: () => undefined,
  };
}
