import { quotedId } from './plain-text';

/** A number that is too long for a spreadsheet, in its form: 1.23457E+17. */
const SHORTENED = /^[+-]?\d([.,]\d+)?E\+\d{2,3}$/i;
/** Blanks other than the usual one, and what has no width; joiners within a text belong to its letters. */
const INVISIBLE = /[^\P{Z} ]|^\p{Cf}|\p{Cf}$|[^\P{Cf}\u200c\u200d\u{e0020}-\u{e007f}]/u;

interface IdMistake {
  message: string;
  hint: string;
}

/** An id that a spreadsheet shortened. */
export function shortenedId(id: string): IdMistake | undefined {
  if (!SHORTENED.test(id)) return undefined;
  return {
    message: `${quotedId(id)} is a number that a spreadsheet shortened; its digits are lost`,
    hint: 'Format the column as text before you paste or open the ids',
  };
}

/** An id with a character that is not seen, which copying often adds, and which makes it another id. */
export function invisibleInId(id: string): IdMistake | undefined {
  if (!INVISIBLE.test(id)) return undefined;
  return {
    message: `the id ${quotedId(id)} contains an invisible character`,
    hint: 'Remove it, or give the items as .jsonl if it belongs to the id',
  };
}
