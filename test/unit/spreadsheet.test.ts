import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from '../helpers/properties';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { reportText } from '../../src/client/report-text';
import { readItems } from '../../src/cli/operation/item-files';
import { previewOutput } from '../../src/cli/operation/preview-output';
import { delimitedRows } from '../../src/host/tables/delimited';
import type { UnfitFile } from '../../src/host/tables/mistake';
import type { ReportRow } from '../../src/contract/report';
import { asCell, fromCell } from '../../src/core/shared/spreadsheet';

const NAMES = [
  '=1+1',
  '+1',
  '-2',
  '@SUM(A1)',
  "'=1",
  "''-1",
  '＝1',
  '=HYPERLINK("http://x";"y")',
  'a;=1+1',
  'a|"=1+1"',
  "a|''-1",
  'plain',
  ' a ',
  '\u00a0b\u00a0',
];
const rows = NAMES.map((id): ReportRow => ({
  ...{ id, display_name: `${id} `.trim(), batch: 1, outcome: 'failed', error: id, confirmed_by: id },
}));
const FORMULA = /^\s*[=+\-@\t\r＋－＝＠]/;
let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'batchgate-cells-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

it('writes no cell that a spreadsheet would compute', () => {
  const cells: string[][] = parse(reportText({ rows }, 'csv', {}), { relax_column_count: true });
  expect(cells.flat().filter((cell) => FORMULA.test(cell))).toEqual([]);
  const table = reportText({ rows }, 'md', {})
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => line.split(/(?<!\\) \| |^\| /));
  expect(
    table.map((cell) => cell.replaceAll('\\', '')).filter((cell) => /^[=+@\t\r＝]|^-(?!-)/.test(cell)),
  ).toEqual([]);
});

/** The cells of a CSV as spreadsheets read it: text after a closing quote belongs to the cell. */
function cellsIn(text: string, separator: string): string[] {
  const cells: string[] = [];
  let [cell, isQuoted, isNew] = ['', false, true];
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (isQuoted && character === '"' && text[at + 1] === '"') cell += text[++at];
    else if (isQuoted) {
      if (character === '"') isQuoted = false;
      else cell += character;
    } else if (isNew && character === '"') [isQuoted, isNew] = [true, false];
    else if ([separator, '\r', '\n'].includes(character)) {
      cells.push(cell);
      [cell, isNew] = ['', true];
    } else [cell, isNew] = [cell + character, false];
  }
  return [...cells, cell];
}

it.each([',', ';', '\t', '|'])(
  'writes no cell that a spreadsheet with the separator %j would compute',
  (separator) => {
    const computed = /^[\t\r]*[=+\-@＋－＝＠]/;
    const unit = fc.constantFrom('"', "'", ';', '\t', '|', ',', '\n', '\r', '=', '-', '＝', ' ', 'a');
    const texts = fc.array(fc.string({ unit, maxLength: 8 }), { maxLength: 6 });
    const written = (names: string[]) => {
      const named = names.map((id) => ({ ...{ id, display_name: id }, batch: 1 }));
      const items = named.map((item) => ({ ...item, not_shown: item.id, conflict: item.id }));
      const outcomes = named.map((item): ReportRow => ({ ...item, outcome: 'failed', error: item.id }));
      return [previewOutput({ items } as never, 'csv'), reportText({ rows: outcomes }, 'csv', {})];
    };
    expect(cellsIn('a;""=1+1"\n', ';')).toContain('=1+1"');
    expect(written(["x;=cmd|'/C calc'!A0;"])[1]).toContain("x;'=cmd|'/C calc'!A0;");
    fc.assert(
      fc.property(texts, (names) => {
        const cells = written(names).flatMap((text) => cellsIn(text, separator));
        expect(cells.filter((cell) => computed.test(cell))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  },
);

it('reads its own report and its own preview back as the same items', async () => {
  const preview = { items: rows.map(({ id, display_name }) => ({ id, display_name, reversible: 'yes' })) };
  for (const [name, csv] of [
    ['report.csv', reportText({ rows }, 'csv', {})],
    ['preview.csv', previewOutput(preview as never, 'csv')],
  ] as const) {
    const path = join(folder, name);
    await writeFile(path, csv);
    const { items } = await readItems(path, 100);
    expect(items).toEqual(rows.map(({ id, display_name }) => ({ id, display_name })));
  }
});

it.each([',', ';', '\t', '|'])('reads every table back that a writer of CSV wrote with %j', (delimiter) => {
  const unit = fc.constantFrom('a', '"', ',', ';', '\t', '|', '\n', '\r', ' ', '\u00a0', '\u200b', 'é');
  const cell = fc.string({ unit, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 6 }), (cells) => {
      const table = [['id', 'b', 'c'], ...cells];
      const text = stringify(table, { delimiter, quoted: true });
      expect(delimitedRows(text, (header) => header.includes('id')).map((row) => row.cells)).toEqual(table);
    }),
  );
});

const rowsOf = (text: string) => delimitedRows(text, (header) => header.includes('id'));

it('reads a no-break space as a letter, and drops the usual blanks around a cell', () => {
  expect(rowsOf('id, name\n1, "Prix\u00a0: 5" \n \u00a0 2 ,\t"a, b"\n').map(({ cells }) => cells)).toEqual([
    ['id', 'name'],
    ['1', 'Prix\u00a0: 5'],
    ['\u00a0 2', 'a, b'],
  ]);
  const results = (text: string, blank: string) => {
    try {
      return rowsOf(text.replaceAll('é', blank)).map(({ line, cells }) => [
        line,
        cells.map((cell) => cell.replaceAll(blank, 'é')),
      ]);
    } catch (error) {
      return (error as UnfitFile).mistakes.map(({ line, column }) => [line, column]);
    }
  };
  const blank = fc.constantFrom('\u00a0', '\u2028', '\u3000', '\ufeff', '\u200b', '\u{10fffd}', '\u{1000a0}');
  const unit = fc.constantFrom('é', 'é', ' ', '\t', '"', ',', ';', '\n', '\r\n', 'a');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 20 }), blank, (text, character) => {
      const table = `id,b\n${text}`;
      expect(results(table, character)).toEqual(results(table, 'é'));
    }),
    { numRuns: 1_000 },
  );
});

it('reads every text back that it wrote', () => {
  const cells = fc.string({
    unit: fc.constantFrom("'", '"', '=', '+', '-', '@', ';', '|', ',', '\t', '\r', '\n', 'a', '＝'),
  });
  fc.assert(
    fc.property(cells, (cell) => {
      expect(fromCell(asCell(cell))).toBe(cell);
      expect(asCell(cell)).not.toMatch(/^[=+\-@\t\r＝]/);
    }),
  );
});
