import { quoted } from '../../core/shared/plain-text';
import { decodeText } from './text';
import { delimitedRows, isBlank, type Row } from './delimited';
import { columnName, UnfitFile, type FileMistake } from './mistake';
import { workbookRows } from './workbook';

export interface TableRow {
  line: number;
  cells: Record<string, string>;
  mistakes: FileMistake[];
}

export interface Table {
  rows: Iterable<TableRow>;
  /** The name of a column in a mistake. */
  column: (name: string) => string | undefined;
  /** Notes for the reader about how the table was parsed. */
  notes: string[];
}

/** The columns that a reader looks for. Their names may be written in any case, and with blanks. */
export interface Wanted {
  required?: string;
  known: readonly string[];
}

/** A workbook is a ZIP archive. */
const WORKBOOK = Buffer.from('PK\x03\x04', 'latin1');
/** A workbook in the former format, or with a password, is an OLE file. */
const OLE_FILE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);

const startsWith = (bytes: Buffer, mark: Buffer) => bytes.subarray(0, mark.length).equals(mark);

/** Whether a file is a workbook of any kind, and not a text. */
export const isWorkbook = (bytes: Buffer): boolean =>
  startsWith(bytes, WORKBOOK) || startsWith(bytes, OLE_FILE);

/**
 * Reads a table with a header: CSV, semicolons, tabs, or a workbook (XLSX), by its content.
 * @throws UnfitFile if the file cannot be read, or has no fitting header; BatchgateError `NOT_CONFIGURED` for a
 * workbook, if its reader is not installed.
 */
export async function readTable(bytes: Buffer, columns: Wanted): Promise<Table> {
  if (startsWith(bytes, OLE_FILE)) {
    const message = 'it is a workbook in the former format .xls, or with a password';
    throw new UnfitFile([{ line: 1, message, hint: 'Save it as .xlsx without a password, or as .csv' }]);
  }
  if (startsWith(bytes, WORKBOOK)) {
    const { rows, notes } = await workbookRows(bytes);
    return tableOf(rows, columns, { notes, ragged: true });
  }
  const { text, encoding } = decodeText(bytes);
  const rows = delimitedRows(text, (header) => isLikely(header, columns));
  return tableOf(rows, columns, { notes: encodingNotes(encoding), ragged: false });
}

export const encodingNotes = (encoding: string | undefined): string[] =>
  encoding === undefined ? [] : [`it is not UTF-8 and was read as ${encoding}`];

const isLikely = (header: readonly string[], columns: Wanted): boolean =>
  columns.required !== undefined && namesOf(header, columns).includes(columns.required);

/** The names of a header, without the blanks around them, also invisible ones. */
function namesOf(header: readonly string[], { known }: Wanted): string[] {
  const names = header.map((name) =>
    name.replace(/^[\s\p{Z}\p{Cf}]+|(?<![\s\p{Z}\p{Cf}])[\s\p{Z}\p{Cf}]+$/gu, ''),
  );
  return names.map((name) => {
    const key = name.toLowerCase().replace(/[ -]+/g, '_');
    return known.includes(key) && !names.includes(key) ? key : name;
  });
}

function tableOf(
  rows: readonly Row[],
  columns: Wanted,
  { notes, ragged }: { notes: string[]; ragged: boolean },
): Table {
  const first = rows.findIndex(({ cells }) => !isBlank(cells));
  const header = rows[first];
  if (!header) return { rows: [], column: () => undefined, notes };
  const names = namesOf(header.cells, columns);
  checkHeader(header, names, columns);
  const filled = rows.slice(first + 1).filter(({ cells }) => !isBlank(cells));
  const column = (name: string) => {
    const at = names.indexOf(name);
    return at === -1 ? undefined : columnName(at, header.cells[at]?.trim());
  };
  return { rows: namedRows(filled, { line: header.line, names, column, ragged }), column, notes };
}

interface Header {
  line: number;
  names: string[];
  column: (name: string) => string | undefined;
  /** Rows may end before the last column. */
  ragged: boolean;
}

function* namedRows(rows: readonly Row[], header: Header): Generator<TableRow> {
  const { names } = header;
  const reported = new Set<number>();
  const last = names.findLastIndex((name) => name !== '') + 1;
  for (const { line, cells, problems } of rows) {
    const nameless = cells.flatMap((cell, at) =>
      cell !== '' && (names[at] ?? '') === '' && !problems?.has(at) ? [at] : [],
    );
    const mistakes: FileMistake[] = [
      ...nameless.filter((at) => !reported.has(at)).map((at) => namelessMistake(line, cells, at, header)),
      ...problemMistakes({ line, problems }, names),
    ];
    nameless.filter((at) => at < names.length).forEach((at) => reported.add(at));
    if (cells.length < last && !header.ragged) mistakes.push(shortMistake(line, cells, header));
    const pairs = names.flatMap((name, at) => (name === '' ? [] : [[name, cells[at] ?? ''] as const]));
    yield { line, cells: Object.fromEntries(pairs), mistakes };
  }
}

const problemMistakes = ({ line, problems }: Pick<Row, 'line' | 'problems'>, names: readonly string[]) =>
  [...(problems ?? [])].map(([at, problem]): FileMistake => ({
    line,
    column: columnName(at, names[at]),
    ...problem,
  }));

function namelessMistake(line: number, cells: readonly string[], at: number, header: Header): FileMistake {
  const value = quoted(cells[at] ?? '');
  const place = { line, column: columnName(at) };
  if (at >= header.names.length) {
    const message = `${value} is beyond the ${header.names.length} column(s) of the header`;
    return { ...place, message, hint: 'Put quotes around a value that contains the separator' };
  }
  const message = `${value} stands in a column without a name: the header in line ${header.line} is empty there`;
  return { ...place, message, hint: `Name column ${columnName(at)} in the header, or empty it` };
}

function shortMistake(line: number, cells: readonly string[], { names }: Header): FileMistake {
  return {
    line,
    column: columnName(cells.length, names[cells.length]),
    message: `it has ${cells.length} field(s), and the header has ${names.length}`,
    hint: 'Add the missing fields; an empty one needs its separator too',
  };
}

function checkHeader(row: Row, names: readonly string[], { required }: Wanted): void {
  const { line, cells } = row;
  const [problem, ...others] = problemMistakes(row, []);
  if (problem) throw new UnfitFile([problem, ...others]);
  const again = names.findIndex((name, at) => name !== '' && names.indexOf(name) !== at);
  if (again !== -1) {
    const name = names[again] ?? '';
    const column = columnName(again, cells[again]);
    const message = `the header has the column ${name} twice; column ${columnName(names.indexOf(name))} is it already`;
    throw new UnfitFile([{ line, column, message, hint: 'Give each column its own name' }]);
  }
  if (required === undefined || names.includes(required)) return;
  const listed = names.filter((name) => name !== '').slice(0, 5);
  const has = listed.length === 0 ? '' : `; it has ${listed.map(quoted).join(', ')}`;
  throw new UnfitFile([
    {
      line,
      message: `the header has no column ${required}${has}`,
      hint: `Begin with a header that names the column ${required}`,
    },
  ]);
}
