import { stripVTControlCharacters } from 'node:util';

/** Besides the C0 and C1 controls: what turns the direction of writing, or hides that it does. */
const UNSAFE = /[\p{Cc}\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Foreign text for a terminal: its line breaks stay, and nothing in it moves the cursor, changes a colour or writes
 * backwards. Names and errors come from other people's emails and files.
 */
export function clean(text: string): string {
  return stripVTControlCharacters(text).replaceAll(UNSAFE, (found) =>
    found === '\n' ? '\n' : found === '\t' || found === '\r' ? ' ' : '\ufffd',
  );
}

/** The same, as one line: for names and cells. */
export function cleanLine(text: string): string {
  return clean(text.replaceAll(/[\t\n\v\f\r]+/g, ' '));
}

/** JSON leaves some controls as they are, and escapes mean the same. */
export function cleanJson(value: unknown): string {
  const escape = (found: string) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replaceAll(UNSAFE, escape);
}
