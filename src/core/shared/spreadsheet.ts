/** The characters that begin a spreadsheet formula, including the full-width forms of East Asian keyboards. */
const SIGNS = String.raw`[=+\-@\uff0b\uff0d\uff1d\uff20]`;
const FORMULA = new RegExp(String.raw`^'*(?:${SIGNS}|[\t\r])`);
const WRITTEN = new RegExp(String.raw`^'+(?:${SIGNS}|[\t\r])`);

/**
 * A spreadsheet whose separator is not a comma splits within a cell, and drops quotes at the beginning of the parts:
 * https://owasp.org/www-community/attacks/CSV_Injection. A comma within our cells is in quotes where commas separate.
 */
const WITHIN = new RegExp(String.raw`([;\t|\r\n]["']*)(?=${SIGNS})`, 'g');
const WRITTEN_WITHIN = new RegExp(String.raw`([;\t|\r\n]["']*)'(?=${SIGNS})`, 'g');

/**
 * Escapes a cell of a table that a spreadsheet may open: puts an apostrophe before a formula, at the beginning and where
 * another separator would begin a cell.
 */
export function asCell(text: string): string {
  const parts = text.replace(WITHIN, "$1'");
  return FORMULA.test(parts) ? `'${parts}` : parts;
}

/** Readers of CSV drop blanks at the ends of a cell that is not in quotes. */
export const BLANK_EDGES = /^\s|\s$/;

/** Removes the apostrophes that `asCell` added. */
export const fromCell = (cell: string): string =>
  (WRITTEN.test(cell) ? cell.slice(1) : cell).replace(WRITTEN_WITHIN, '$1');
