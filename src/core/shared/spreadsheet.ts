/** The characters that begin a spreadsheet formula, including the full-width forms of East Asian keyboards. */
const FORMULA = /^'*[=+\-@\t\r\uff0b\uff0d\uff1d\uff20]/;
const WRITTEN = /^'+[=+\-@\t\r\uff0b\uff0d\uff1d\uff20]/;

/** Escapes a cell of a table that a spreadsheet may open: puts an apostrophe before a formula. */
export const asCell = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** Readers of CSV drop blanks at the ends of a cell that is not in quotes. */
export const BLANK_EDGES = /^\s|\s$/;

/** Removes the apostrophe that `asCell` added. */
export const fromCell = (cell: string): string => (WRITTEN.test(cell) ? cell.slice(1) : cell);
