import { CsvError, parse } from 'csv-parse/sync';
import { columnName, UnfitFile } from './mistake';

export interface Row {
  /** The line where it begins, from 1. */
  line: number;
  cells: string[];
  /** The mistakes of single cells, by their index. */
  problems?: ReadonlyMap<number, { message: string; hint: string }>;
}

/** A limit on the part of the file that an unclosed quote includes. */
const MAX_RECORD_BYTES = 1_048_576;
const SEPARATORS = [',', ';', '\t', '|'] as const;
/** The number of characters from which the separator is detected. */
const SAMPLE = 65_536;
const SAMPLE_RECORDS = 20;
/** The line that declares the separator to spreadsheets. */
const DECLARED = /^(?:sep=([^"\r\n])|"sep=([^"\r\n])")[,;\t]*\r?\n/i;
/** Blanks that the library would trim too, although they distinguish ids; and the mark that protects them. */
const PROTECTED = /[^\S\t-\r ]|\u{10fffd}/gu;
const RESTORED = /\u{10fffd}(.)/gsu;
const MARK = '\u{10fffd}';
/** Private characters beyond 16 bits are no blanks, and no file can declare them as its separator. */
const PRIVATE = 0x100000;

/**
 * The rows of a text whose cells are separated by commas, semicolons, tabs or bars, with empty ones. `likely` returns
 * whether a row is the header that the reader needs; the separator that yields such a row is used.
 * @throws UnfitFile if the quoting is broken.
 */
export function delimitedRows(text: string, likely: (header: readonly string[]) => boolean): Row[] {
  const [first = '', bare, inQuotes] = DECLARED.exec(text) ?? [];
  const content = text.slice(first.length);
  const separator = bare ?? inQuotes ?? likelySeparator(content, likely);
  return parsedRows(content, separator, first === '' ? 1 : 2);
}

function likelySeparator(text: string, likely: (header: readonly string[]) => boolean): string {
  const sample = text.slice(0, SAMPLE);
  const ranked = SEPARATORS.map((separator) => ({ separator, rank: rankOf(sample, separator, likely) }));
  return ranked.reduce((best, next) => (isHigher(next.rank, best.rank) ? next : best)).separator;
}

const isHigher = (rank: readonly number[], other: readonly number[]): boolean => {
  const at = rank.findIndex((value, index) => value !== other[index]);
  return at !== -1 && (rank[at] ?? 0) > (other[at] ?? 0);
};

/** The rank of a separator: it yields the header, the first rows have its columns, and the number of columns. */
function rankOf(
  sample: string,
  separator: string,
  likely: (header: readonly string[]) => boolean,
): [number, number, number] {
  const records: string[][] = [];
  try {
    parse(sample, {
      ...OPTIONS,
      delimiter: separator,
      to: SAMPLE_RECORDS,
      on_record: (record: string[]) => void records.push(record),
    });
  } catch (error) {
    // The sample may end within quotes.
    if (!(error instanceof CsvError)) throw error;
  }
  const [header = [], ...rows] = records.filter((record) => !isBlank(record));
  const even = header.length > 1 && rows.every(({ length }) => length === header.length);
  return [likely(header) ? 1 : 0, even ? 1 : 0, header.length];
}

export const isBlank = (cells: readonly string[]): boolean => cells.every((cell) => cell === '');

const OPTIONS = {
  trim: true,
  relax_column_count: true,
  record_delimiter: ['\r\n', '\n', '\r'],
  max_record_size: MAX_RECORD_BYTES,
};

interface Parsed {
  record: string[];
  info: { bytes: number };
}

function parsedRows(text: string, separator: string, firstLine: number): Row[] {
  const bytes = Buffer.from(withoutBlanks(text, separator));
  const lines = new Lines(bytes, firstLine);
  let offset = 0;
  try {
    const records: unknown = parse(bytes, {
      ...OPTIONS,
      delimiter: separator,
      info: true,
      on_record: (record: string[]) => {
        offset = (record as unknown as Parsed).info.bytes;
        return record;
      },
    });
    let begin = 0;
    return (records as Parsed[]).map(({ record, info }) => {
      const line = lines.lineAt(begin);
      begin = info.bytes;
      return { line, cells: record.map(withBlanks) };
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw broken(error, lines.lineAt(offset));
  }
}

/** Puts the mark and a private character in the place of each blank to protect, and two marks in the place of one. */
const withoutBlanks = (text: string, separator: string): string =>
  text.replace(PROTECTED, (character) => {
    if (character === separator) return character;
    return `${MARK}${character === MARK ? MARK : String.fromCodePoint(PRIVATE + character.charCodeAt(0))}`;
  });

const withBlanks = (text: string): string =>
  text.replace(RESTORED, (_, character: string) =>
    character === MARK ? MARK : String.fromCodePoint((character.codePointAt(0) ?? PRIVATE) - PRIVATE),
  );

/** Maps offsets of bytes, in ascending order, to lines. The library itself counts a CRLF within quotes twice. */
class Lines {
  private at = 0;

  constructor(
    private readonly bytes: Buffer,
    private line: number,
  ) {}

  lineAt(offset: number): number {
    for (; this.at < offset; this.at++) {
      const byte = this.bytes[this.at];
      if (byte === LINE_FEED || (byte === CARRIAGE_RETURN && this.bytes[this.at + 1] !== LINE_FEED))
        this.line++;
    }
    return this.line;
  }
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

function broken(error: CsvError, line: number): UnfitFile {
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    return new UnfitFile([
      { line, message: 'a record is larger than 1 MiB', hint: 'Look for an unclosed quote' },
    ]);
  }
  const message = withBlanks(error.message).replace(/,? (at|on) line \d+/, '');
  const hint = 'Correct the quoting there; fields that contain the separator need quotes';
  const { index } = error as { index?: unknown };
  const column = typeof index === 'number' ? { column: columnName(index) } : {};
  return new UnfitFile([{ line, ...column, message, hint }]);
}
