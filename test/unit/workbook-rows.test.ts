import type { Cell, CellValue, Sheet } from 'hucre';
import { readTable } from '../../src/host/tables/table';
import { rowsOf } from '../../src/host/tables/workbook';

/** A sheet as its reader returns it. A cell with a format is a pair. */
type TestCell = CellValue | [CellValue, string];

function sheetOf(rows: TestCell[][], more: Partial<Sheet> = {}): Sheet {
  const cells = new Map<string, Cell>();
  rows.forEach((row, at) =>
    row.forEach((cell, column) => {
      if (Array.isArray(cell))
        cells.set(`${at},${column}`, { value: cell[0], type: 'number', style: { numFmt: cell[1] } });
    }),
  );
  const values = rows.map((row) => row.map((cell) => (Array.isArray(cell) ? cell[0] : cell)));
  return { name: 'S', rows: values, cells, ...more };
}

const textsOf = (sheet: Sheet, dateSystem?: '1904') =>
  rowsOf({ sheets: [sheet], ...(dateSystem && { dateSystem }) }).rows.map(({ cells }) => cells);
const problemsOf = (sheet: Sheet) =>
  rowsOf({ sheets: [sheet] }).rows.flatMap(({ line, problems = new Map() }) =>
    [...problems].map(([column, { message }]) => `${line}:${column} ${message}`),
  );

it('gives each cell the text that the sheet shows, in the format of the cell', () => {
  const rows: TestCell[][] = [
    ['id', 'sum'],
    [
      [5, 'General" kg"'],
      [0.125, '0.0%'],
    ],
    [true, null],
  ];
  expect(textsOf(sheetOf(rows))).toEqual([
    ['id', 'sum'],
    ['5 kg', '12.5%'],
    ['TRUE', ''],
  ]);
  const elapsed = new Date('1904-01-02T12:30:00Z');
  expect(textsOf(sheetOf([[[elapsed, '[h]:mm']]]), '1904')).toEqual([['36:30']]);
});

it('drops the blanks around a cell, and keeps those that distinguish ids', () => {
  expect(textsOf(sheetOf([[' A-17 ', '\tb\n', 'c\u00a0', ' ', [5, '_-0_-']]]))).toEqual([
    ['A-17', 'b', 'c\u00a0', '', '5'],
  ]);
});

it('names the place of a format that is not supported', () => {
  expect(problemsOf(sheetOf([['id'], [[0.5, '# ?/?']]]))).toEqual([
    '2:0 its format “# ?/?” is not supported',
  ]);
});

it('names the first cell that a merged cell with a value covers', () => {
  const merge = (startRow: number, startCol: number, endRow: number, endCol: number) => ({
    ...{ startRow, startCol, endRow, endCol },
  });
  const merges = [merge(1, 0, 2, 0), merge(1, 1, 1, 3), merge(2, 2, 2, 3)];
  const sheet = sheetOf(
    [
      ['id', 'a', 'b', 'c'],
      ['1', 'x'],
      [null, 'y'],
    ],
    { merges },
  );
  expect(problemsOf(sheet)).toEqual([
    '2:2 it is merged with the cell B2',
    '3:0 it is merged with the cell A2',
  ]);
});

it('notes the hidden columns that have values, as the hidden rows', () => {
  const rows = [['id', 'a', 'b'], ['1', 'x'], ['2']];
  const columns = [{}, { hidden: true }, ...Array.from({ length: 20 }, () => ({ hidden: true }))];
  const { notes } = rowsOf({
    sheets: [sheetOf(rows, { columns, rowDefs: new Map([[2, { hidden: true }]]) })],
  });
  expect(notes).toEqual([
    '1 row(s) that the sheet hides were read too',
    '2 column(s) that the sheet hides were read too',
  ]);
});

it('refuses a workbook with a password or in the former format with the remedy for both', async () => {
  await expect(readTable(Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), { known: [] })).rejects.toMatchObject({
    mistakes: [
      {
        message: 'it is a workbook in the former format .xls, or with a password',
        hint: 'Save it as .xlsx without a password, or as .csv',
      },
    ],
  });
});
