import type * as Hucre from 'hucre';
import type { Cell, CellValue, Sheet } from 'hucre';
import { quoted } from '../../core/shared/plain-text';
import { optional } from '../optional';
import type { Row } from './delimited';
import { UnfitFile } from './mistake';

/** From here on, a spreadsheet replaces further digits of a whole number by zeros. */
const LONGEST_EXACT = 1e15;
/** Date formats whose order of day and month depends on the reader's own settings. */
const OF_THE_READER = /^(m{1,2}[/-]d{1,2}[/-]y+|\[\$-F[48]00\])/i;
const BLANK_DAY = 'T00:00:00';

interface Problem {
  message: string;
  hint: string;
}

/**
 * The rows of the first visible sheet of a workbook that holds anything. Cells have the texts that the sheet shows.
 * @throws UnfitFile if the file is not such a workbook.
 */
export async function workbookRows(bytes: Buffer): Promise<{ rows: Row[]; notes: string[] }> {
  const { readXlsx, formatValue } = optional<typeof Hucre>('hucre');
  let sheets: Sheet[];
  try {
    ({ sheets } = await readXlsx(bytes, {
      readStyles: true,
      sheets: ({ hidden, veryHidden }) => hidden !== true && veryHidden !== true,
    }));
  } catch (error) {
    const message = `it is not a workbook that can be read: ${(error as Error).message.replace(/\.$/, '')}`;
    throw new UnfitFile([{ line: 1, message, hint: 'Save it as .xlsx without a password, or as .csv' }]);
  }
  const filled = sheets.filter(({ rows }) => rows.some((row) => row.some((value) => value !== null)));
  const [sheet, ...others] = filled;
  if (!sheet) return { rows: [], notes: [] };
  const rows = sheet.rows.map((values, at) => rowOf(values, at, sheet, formatValue));
  return { rows, notes: notesOf(sheet, others) };
}

function notesOf(sheet: Sheet, others: readonly Sheet[]): string[] {
  const hidden = [...(sheet.rowDefs ?? [])].filter(([at, row]) => row.hidden && sheet.rows[at]).length;
  return [
    ...(others.length > 0
      ? [`only its sheet ${quoted(sheet.name)} was read, not ${others.length} other(s)`]
      : []),
    ...(hidden > 0 ? [`${hidden} row(s) that the sheet hides were read too`] : []),
  ];
}

type Format = typeof Hucre.formatValue;

function rowOf(values: readonly CellValue[], at: number, { cells }: Sheet, format: Format): Row {
  const problems = new Map<number, Problem>();
  const texts = values.map((value, column) => {
    const text = textOf(value, cells?.get(`${at},${column}`), format);
    if (typeof text === 'string') return text;
    problems.set(column, text);
    // Not empty, so that the cell counts.
    return '?';
  });
  return { line: at + 1, cells: texts, ...(problems.size > 0 && { problems }) };
}

function textOf(value: CellValue, cell: Cell | undefined, format: Format): string | Problem {
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
  const code = cell?.style?.numFmt ?? 'General';
  if (value instanceof Date) return dateText(value, code, format);
  return typeof value === 'number' ? numberText(value, code, format) : value;
}

function dateText(date: Date, code: string, format: Format): string {
  if (!OF_THE_READER.test(code)) return format(date, code);
  const [seconds = ''] = date.toISOString().split('.');
  return seconds.endsWith(BLANK_DAY) ? seconds.slice(0, -BLANK_DAY.length) : seconds;
}

function numberText(value: number, code: string, format: Format): string | Problem {
  if (Number.isInteger(value) && Math.abs(value) >= LONGEST_EXACT) {
    return {
      message: `it holds a number of more than 15 digits, of which a spreadsheet keeps 15`,
      hint: 'Format the column as text, and enter the value again',
    };
  }
  const plain = String(Number(value.toPrecision(15)));
  if (code === 'General' || code === '@') return plain;
  const text = format(value, code);
  // A spreadsheet shows long numbers in this form, and keeps their digits.
  return text === '' || /\dE[+-]?\d/i.test(text) ? plain : text;
}
