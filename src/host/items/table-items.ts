import { invisibleInId, shortenedId } from '../../core/shared/item-ids';
import { fromCell } from '../../core/shared/spreadsheet';
import type { FileMistake } from '../tables/mistake';
import { readTable, type Table, type TableRow } from '../tables/table';
import { isOurs, withoutOurs, type ItemRow, type ItemRows } from './item-rows';

/** A null cell, as databases write it in files. An empty cell is an empty text. */
export const NULL_CELL = '\\N';

const WANTED = { required: 'id', known: ['id', 'display_name'] };
/** The items of a table. @throws like `readTable`. */
export async function tableItems(bytes: Buffer): Promise<ItemRows> {
  const table = await readTable(bytes, WANTED);
  return { rows: itemRows(table), notes: table.notes };
}

function* itemRows({ rows, column }: Table): Generator<ItemRow> {
  const columnOf = ([field]: readonly PropertyKey[]) => column(String(field));
  for (const { line, cells, mistakes } of rows) {
    const place = { line, column: column('id') };
    const wrong = idMistakes(cells).map((mistake) => ({ ...place, ...mistake }));
    yield { line, value: asItem(fromReport(cells)), mistakes: [...mistakes, ...wrong], columnOf };
  }
}

function idMistakes(cells: TableRow['cells']): Pick<FileMistake, 'message' | 'hint'>[] {
  const { id = '' } = cells;
  if (id === '') return [{ message: 'the id is empty', hint: 'Give the row an id, or remove it' }];
  // The ids of our own tables are those of the tool, unless a spreadsheet has saved them since.
  const mistake = shortenedId(id) ?? (isOurs(cells) ? undefined : invisibleInId(id));
  return mistake ? [mistake] : [];
}

/** Removes the apostrophe that our tables put before a text that a spreadsheet would read as a formula. */
function fromReport(row: Record<string, string>): Record<string, string> {
  if (!isOurs(row)) return row;
  const cells = Object.entries(withoutOurs(row) as Record<string, string>);
  return Object.fromEntries(cells.map(([name, cell]) => [name, fromCell(cell)]));
}

function asItem({ id, display_name, ...others }: Record<string, string>): unknown {
  const nameField = display_name === undefined || display_name === '' ? {} : { display_name };
  const columns = Object.entries(others).map(([name, cell]) => [name, cell === NULL_CELL ? null : cell]);
  return { id, ...nameField, ...(columns.length > 0 && { raw_data: Object.fromEntries(columns) as object }) };
}
