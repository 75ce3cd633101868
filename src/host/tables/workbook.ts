import type * as Hucre from 'hucre';
import type { Cell, CellValue, Sheet } from 'hucre';
import { quoted } from '../../core/shared/plain-text';
import { optional } from '../optional';
import type { Row } from './delimited';
import { cellFormat, cellText, type CellFormat, type Problem } from './formats/cell-text';
import { columnName, UnfitFile } from './mistake';

type Workbook = Pick<Hucre.Workbook, 'sheets' | 'dateSystem'>;

/** Blanks around a cell, as in other tables. Other invisible characters are reported where they matter. */
const BLANKS = /^[ \t\r\n]+|(?<![ \t\r\n])[ \t\r\n]+$/g;

/**
 * The rows of the first visible sheet of a workbook that holds anything. Cells have the texts that the sheet shows.
 * @throws UnfitFile if the file is not such a workbook.
 */
export async function workbookRows(bytes: Buffer): Promise<{ rows: Row[]; notes: string[] }> {
  const { readXlsx } = optional<typeof Hucre>('hucre');
  let workbook: Workbook;
  try {
    workbook = await readXlsx(bytes, {
      readStyles: true,
      sheets: ({ hidden, veryHidden }) => hidden !== true && veryHidden !== true,
    });
  } catch (error) {
    const message = `it is not a workbook that can be read: ${(error as Error).message.replace(/\.$/, '')}`;
    throw new UnfitFile([{ line: 1, message, hint: 'Save it as .xlsx without a password, or as .csv' }]);
  }
  return rowsOf(workbook);
}

/** The rows of the first sheet that holds anything. */
export function rowsOf({ sheets, dateSystem }: Workbook): { rows: Row[]; notes: string[] } {
  const filled = sheets.filter(({ rows }) => rows.some((row) => row.some((value) => value !== null)));
  const [sheet, ...others] = filled;
  if (!sheet) return { rows: [], notes: [] };
  return { rows: rowsIn(sheet, dateSystem === '1904'), notes: notesOf(sheet, others) };
}

function rowsIn(sheet: Sheet, is1904: boolean): Row[] {
  const formats = new Map<string, CellFormat>();
  const formatOf = (code: string) => {
    const format = formats.get(code) ?? cellFormat(code, is1904);
    formats.set(code, format);
    return format;
  };
  const covered = coveredCells(sheet);
  return sheet.rows.map((values, at) => rowOf(values, at, { sheet, covered, formatOf }));
}

interface Context {
  sheet: Sheet;
  covered: ReadonlyMap<number, ReadonlyMap<number, Problem>>;
  formatOf: (code: string) => CellFormat;
}

function notesOf(sheet: Sheet, others: readonly Sheet[]): string[] {
  const hidden = [...(sheet.rowDefs ?? [])].filter(([at, row]) => row.hidden && sheet.rows[at]).length;
  const width = sheet.rows.reduce((most, row) => Math.max(most, row.length), 0);
  const columns = (sheet.columns ?? [])
    .slice(0, width)
    .filter((column, at) => column.hidden && sheet.rows.some((row) => (row[at] ?? null) !== null)).length;
  return [
    ...(others.length > 0
      ? [`only its sheet ${quoted(sheet.name)} was read, not ${others.length} other(s)`]
      : []),
    ...(hidden > 0 ? [`${hidden} row(s) that the sheet hides were read too`] : []),
    ...(columns > 0 ? [`${columns} column(s) that the sheet hides were read too`] : []),
  ];
}

/**
 * The first cell that each merged cell with a value covers, by row and column. Such a cell has no value of its own,
 * and whether that of the merged cell is meant is not certain.
 */
function coveredCells({ merges = [], rows }: Sheet): Map<number, Map<number, Problem>> {
  const covered = new Map<number, Map<number, Problem>>();
  for (const { startRow, startCol, endCol } of merges) {
    if ((rows[startRow]?.[startCol] ?? null) === null) continue;
    const [row, column] = endCol > startCol ? [startRow, startCol + 1] : [startRow + 1, startCol];
    const message = `it is merged with the cell ${columnName(startCol)}${startRow + 1}`;
    const hint = 'Unmerge the cells, and fill in each of them';
    covered.set(row, (covered.get(row) ?? new Map<number, Problem>()).set(column, { message, hint }));
  }
  return covered;
}

function rowOf(values: readonly CellValue[], at: number, { sheet, covered, formatOf }: Context): Row {
  const problems = new Map(covered.get(at));
  const width = Math.max(values.length, ...[...problems.keys()].map((column) => column + 1));
  const texts = Array.from({ length: width }, (_, column) => {
    const text =
      problems.get(column) ?? textOf(values[column] ?? null, sheet.cells?.get(`${at},${column}`), formatOf);
    if (typeof text === 'string') return text.replace(BLANKS, '');
    problems.set(column, text);
    // Not empty, so that the cell counts.
    return '?';
  });
  return { line: at + 1, cells: texts, ...(problems.size > 0 && { problems }) };
}

function textOf(value: CellValue, cell: Cell | undefined, formatOf: Context['formatOf']): string | Problem {
  if (cell?.type === 'error') {
    const hint = 'Correct the formula, or empty the cell';
    return { message: `it holds the error ${String(value)}`, hint };
  }
  if (value === null) {
    if (cell?.formula === undefined) return '';
    const hint = 'Open and save it in a spreadsheet, or write the value in its place';
    return { message: 'it holds a formula without a value', hint };
  }
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return cellText(value, formatOf(cell?.style?.numFmt ?? 'General'));
}
