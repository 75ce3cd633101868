import { isUtf8 } from 'node:buffer';
import { placeAt, UnfitFile } from './mistake';

export interface DecodedText {
  text: string;
  /** Unset for UTF-8. */
  encoding?: 'UTF-16' | 'Windows-1252';
}

const BYTE_ORDER_MARK = '\uFEFF';
/**
 * The characters of Windows-1252 from 0x80 on, in the place of the control characters of Latin-1. Five places are
 * empty.
 */
const WINDOWS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
/** Enough bytes to detect whether every second one is zero. */
const SAMPLE = 1_000;

/**
 * The text of a file in UTF-8, UTF-16 or Windows-1252, which older spreadsheets write.
 * @throws UnfitFile for a UTF-8 file with a broken character, and for a file in none of these encodings.
 */
export function decodeText(bytes: Buffer): DecodedText {
  const wide = wideOrder(bytes);
  if (wide !== undefined) return { text: withoutMark(decodeWide(bytes, wide)), encoding: 'UTF-16' };
  const text = bytes.toString('utf8');
  if (isUtf8(bytes)) return { text: withoutMark(text) };
  // A Windows-1252 text hardly ever contains valid UTF-8 sequences by chance.
  if (/[\u0080-\uFFFC]/.test(text)) throw unfit(text, '\uFFFD', 'it is not UTF-8', 'Save the file as UTF-8');
  const latin = bytes.toString('latin1');
  const decoded = latin.replace(/[\x80-\x9f]/g, (char) => WINDOWS[char.charCodeAt(0) - 0x80] ?? char);
  const [empty] = /[\x80-\x9f]/.exec(decoded) ?? [];
  if (empty === undefined) return { text: decoded, encoding: 'Windows-1252' };
  throw unfit(decoded, empty, 'it is neither UTF-8 nor Windows-1252', 'Save the file as UTF-8');
}

const withoutMark = (text: string) => (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);

/** The kind of UTF-16, by the byte order mark or the zero bytes of Latin letters; undefined if it is not UTF-16. */
function wideOrder(bytes: Buffer): 'little' | 'big' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'little';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'big';
  const sample = bytes.subarray(0, SAMPLE);
  const zeros = [0, 0];
  sample.forEach((byte, at) => {
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  const most = sample.length / 4;
  if (even === 0 && odd > most) return 'little';
  return odd === 0 && even > most ? 'big' : undefined;
}

function decodeWide(bytes: Buffer, order: 'little' | 'big'): string {
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 2));
  const text = (order === 'little' ? whole : Buffer.from(whole).swap16()).toString('utf16le');
  if (whole.length === bytes.length) return text;
  throw unfit(`${text}\0`, '\0', 'it ends in the middle of a character', 'Save the file again, as UTF-8');
}

function unfit(text: string, broken: string, message: string, hint: string): UnfitFile {
  return new UnfitFile([{ ...placeAt(text, text.indexOf(broken)), message, hint }]);
}
