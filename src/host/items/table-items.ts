import { invisibleInId, shortenedId } from '../../core/shared/item-ids';
import { fromCell } from '../../core/shared/spreadsheet';
import type { FileMistake } from '../tables/mistake';
import { readTable, type Table, type TableRow } from '../tables/table';
import { isOurField, isOurTable, type ItemRow, type ItemRows } from './item-rows';

/** A null cell, as databases write it in files. An empty cell is an empty text. */
export const NULL_CELL = '\\N';
const MAX_LISTED = 5;

const WANTED = { required: 'id', known: ['id', 'display_name'] };
/** The items of a table. @throws like `readTable`. */
export async function tableItems(bytes: Buffer): Promise<ItemRows> {
  const { rows, column, notes } = await readTable(bytes, WANTED);
  const all = [...rows];
  const isOurs = isOurTable(all.map(({ cells }) => cells));
  const left = isOurs ? Object.keys(all[0]?.cells ?? {}).filter(isOurField) : [];
  return {
    rows: itemRows(all, column, isOurs),
    notes: [...notes, ...(left.length > 0 ? [leftOutNote(left)] : [])],
  };
}

function leftOutNote(names: readonly string[]): string {
  const listed = names.slice(0, MAX_LISTED).join(', ');
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : '';
  return `it is a report or a preview, and these columns were left out: ${listed}${more}`;
}

function* itemRows(rows: readonly TableRow[], column: Table['column'], isOurs: boolean): Generator<ItemRow> {
  const columnOf = ([field]: readonly PropertyKey[]) => column(String(field));
  for (const { line, cells, mistakes } of rows) {
    const place = { line, column: column('id') };
    const wrong = idMistakes(cells, isOurs).map((mistake) => ({ ...place, ...mistake }));
    const value = asItem(isOurs ? fromReport(cells) : cells);
    yield { line, value, mistakes: [...mistakes, ...wrong], columnOf };
  }
}

function idMistakes(
  { id = '' }: TableRow['cells'],
  isOurs: boolean,
): Pick<FileMistake, 'message' | 'hint'>[] {
  if (id === '') return [{ message: 'the id is empty', hint: 'Give the row an id, or remove it' }];
  // The ids of our own tables are those of the tool, unless a spreadsheet has saved them since.
  const mistake = shortenedId(id) ?? (isOurs ? undefined : invisibleInId(id));
  return mistake ? [mistake] : [];
}

/** Removes our columns, and the apostrophes that our tables put before what a spreadsheet would read as a formula. */
function fromReport(row: Record<string, string>): Record<string, string> {
  const cells = Object.entries(row).filter(([name]) => !isOurField(name));
  return Object.fromEntries(cells.map(([name, cell]) => [name, fromCell(cell)]));
}

function asItem({ id, display_name, ...others }: Record<string, string>): unknown {
  const nameField = display_name === undefined || display_name === '' ? {} : { display_name };
  const columns = Object.entries(others).map(([name, cell]) => [name, cell === NULL_CELL ? null : cell]);
  return { id, ...nameField, ...(columns.length > 0 && { raw_data: Object.fromEntries(columns) as object }) };
}
