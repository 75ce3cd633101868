import { quotedId } from './plain-text';

/** The form in which a spreadsheet shows a number that is too long for it: 1.23457E+17. */
const SHORTENED = /^[+-]?\d([.,]\d+)?E\+\d{2,3}$/i;
/** Blanks other than the plain space, and characters without width. Joiners within a text belong to its letters. */
const INVISIBLE = /[^\P{Z} ]|^\p{Cf}|\p{Cf}$|[^\P{Cf}\u200c\u200d\u{e0020}-\u{e007f}]/u;

interface IdMistake {
  message: string;
  hint: string;
}

/** The mistake of an id that a spreadsheet shortened; undefined for any other id. */
export function shortenedId(id: string): IdMistake | undefined {
  if (!SHORTENED.test(id)) return undefined;
  return {
    message: `${quotedId(id)} is a number that a spreadsheet shortened; its digits are lost`,
    hint: 'Format the column as text before you paste or open the ids',
  };
}

/** The mistake of an id with an invisible character, which copying often adds, and which makes it another id. */
export function invisibleInId(id: string): IdMistake | undefined {
  if (!INVISIBLE.test(id)) return undefined;
  return {
    message: `the id ${quotedId(id)} contains an invisible character`,
    hint: 'Remove it, or give the items as .jsonl if it belongs to the id',
  };
}

/** Whether an id consists of blanks only: no person can tell it from an empty one. */
export const isBlankId = (id: string): boolean => id.trim() === '';
