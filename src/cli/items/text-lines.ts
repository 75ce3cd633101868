import { isUtf8 } from 'node:buffer';
import { openFile } from '../../host/files';

/** No item needs a longer line, and a file without line breaks is not a list. */
const MAX_LINE_BYTES = 1_048_576;
const LINE_FEED = 0x0a;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** A file that cannot be read further, with the number of the line where reading stopped. */
export class BrokenText extends Error {
  constructor(
    readonly line: number,
    what: string,
    readonly hint: string,
  ) {
    super(`line ${line}: ${what}`);
  }
}

/** One line with its end, and its number from 1. */
export interface TextLine {
  line: number;
  bytes: Buffer;
}

/** The content of a record, and the line where it begins. */
export interface Numbered<T = unknown> {
  line: number;
  value: T;
}

/**
 * The lines of a UTF-8 file, one at a time, without its byte order mark. A line ends at a line feed only: the Unicode
 * separators are part of a name, in JSON too.
 * @throws BrokenText where it is not UTF-8, or a line is too long.
 */
export async function* linesOf(path: string): AsyncGenerator<TextLine> {
  const file = await openFile(path);
  try {
    let line = 0;
    let rest = Buffer.alloc(0);
    for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
        yield checked(++line, Buffer.concat([rest, chunk.subarray(from, end + 1)]));
        rest = Buffer.alloc(0);
        from = end + 1;
      }
      rest = Buffer.concat([rest, chunk.subarray(from)]);
      if (rest.length > MAX_LINE_BYTES) checked(line + 1, rest);
    }
    if (rest.length > 0) yield checked(++line, rest);
  } finally {
    await file.close();
  }
}

function checked(line: number, bytes: Buffer): TextLine {
  if (bytes.length > MAX_LINE_BYTES) {
    throw new BrokenText(line, 'it is longer than 1 MiB', 'Write one item per line');
  }
  if (!isUtf8(bytes)) throw new BrokenText(line, 'it is not UTF-8', 'Save the file as UTF-8');
  const marked = line === 1 && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);
  return { line, bytes: marked ? bytes.subarray(3) : bytes };
}
