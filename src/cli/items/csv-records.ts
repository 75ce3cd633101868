import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { BrokenText, type Numbered, type TextLine } from './text-lines';

/** A quote that is never closed would swallow the rest of the file. */
const MAX_RECORD_BYTES = 1_048_576;
const SPACE = 0x20;

/**
 * The records of a CSV with a header, each with the line where it begins. The parser's own line numbers are not those
 * of an editor once a quoted field holds a CRLF, so they are found by its byte counts.
 * A record with too few or too many fields is a SyntaxError in its place.
 * @throws BrokenText naming the line from which on there are no records.
 */
export async function* csvRecords(
  lines: AsyncIterable<TextLine>,
): AsyncGenerator<Numbered<Record<string, string> | SyntaxError>> {
  const places = new LinePlaces();
  // Records wait in the parser until they are asked for; an error does not wait behind them.
  let parsed = 0;
  const parser = parse({
    skip_empty_lines: true,
    trim: true,
    info: true,
    relax_column_count: true,
    max_record_size: MAX_RECORD_BYTES,
    on_record: (record: string[]) => {
      parsed = (record as unknown as Parsed).info.bytes;
      return record;
    },
  });
  // What goes wrong while reading reaches the loop below through the parser.
  pipeline(Readable.from(placed(lines, places)), parser, () => undefined);
  let header: string[] | undefined;
  let end = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      const line = places.lineAt(end);
      end = info.bytes;
      if (header) {
        yield { line, value: named(header, record) };
      } else header = checkedHeader(record, line);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw broken(error, places.lineAt(parsed));
  }
}

function named(header: string[], record: string[]): Record<string, string> | SyntaxError {
  if (record.length === header.length) {
    return Object.fromEntries(header.map((name, at) => [name, record[at] ?? '']));
  }
  return new SyntaxError(`it has ${record.length} field(s), and the header has ${header.length}`);
}

interface Parsed {
  record: string[];
  info: { bytes: number };
}

async function* placed(lines: AsyncIterable<TextLine>, places: LinePlaces): AsyncGenerator<Buffer> {
  for await (const line of lines) {
    places.add(line);
    yield line.bytes;
  }
}

/** Maps bytes to lines. Lines before the last one asked for are forgotten. */
class LinePlaces {
  private readonly lines: { line: number; end: number; blank: boolean }[] = [];
  private bytes = 0;

  add({ line, bytes }: TextLine): void {
    this.bytes += bytes.length;
    this.lines.push({ line, end: this.bytes, blank: bytes.every((byte) => byte <= SPACE) });
  }

  /** The line of the record that begins at this byte or, after empty lines, behind it. */
  lineAt(byte: number): number {
    while ((this.lines[0]?.end ?? Infinity) <= byte) this.lines.shift();
    return (this.lines.find(({ blank }) => !blank) ?? this.lines[0])?.line ?? 1;
  }
}

function checkedHeader(header: string[], line: number): string[] {
  const twice = header.find((name, at) => header.indexOf(name) !== at);
  if (twice !== undefined) {
    throw new BrokenText(line, `the header has the column ${twice} twice`, 'Give each column its own name');
  }
  if (!header.includes('id')) {
    throw new BrokenText(
      line,
      'the header has no column id',
      'Begin with a header that names the column id, columns separated by commas',
    );
  }
  return header;
}

function broken({ code, message }: CsvError, line: number): BrokenText {
  if (code === 'CSV_MAX_RECORD_SIZE') {
    return new BrokenText(line, 'a record is larger than 1 MiB', 'Look for an unclosed quote');
  }
  const what = message.replace(/,? (at|on) line \d+/, '');
  return new BrokenText(line, what, 'Correct the quoting there; fields with commas in them need quotes');
}
