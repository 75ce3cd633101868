/** The characters with which a formula of a spreadsheet begins, in the full width of East Asian keyboards too. */
const FORMULA = /^'*[=+\-@\t\r\uff0b\uff0d\uff1d\uff20]/;
const WRITTEN = /^'+[=+\-@\t\r\uff0b\uff0d\uff1d\uff20]/;

/** A text as a cell of a table that a spreadsheet may open: with an apostrophe before what it would compute. */
export const asCell = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** Readers of CSV drop blanks at the ends of a cell that is not in quotes. */
export const BLANK_EDGES = /^\s|\s$/;

/** The text that such a cell was written for. */
export const fromCell = (cell: string): string => (WRITTEN.test(cell) ? cell.slice(1) : cell);
