import { quoted } from '../../core/shared/plain-text';

/** One mistake in a file, at a place that an editor or a spreadsheet shows. */
export interface FileMistake {
  /** From 1. In a workbook, the number of the row. */
  line: number;
  /** The column in the form of `columnName`, or the place of a character in its line, from 1. */
  column?: string | number;
  message: string;
  hint: string;
}

/** A file that cannot be read as a whole. */
export class UnfitFile extends Error {
  constructor(readonly mistakes: readonly [FileMistake, ...FileMistake[]]) {
    super(mistakes.map(mistakeText).join('; '));
  }
}

const placeText = ({ line, column }: Pick<FileMistake, 'line' | 'column'>): string =>
  `line ${line}${column === undefined ? '' : `, column ${column}`}`;

export const mistakeText = (mistake: FileMistake): string => `${placeText(mistake)}: ${mistake.message}`;

/** The letters that a spreadsheet gives a column, and its name where it has one: `B “reason”`. */
export function columnName(index: number, name = ''): string {
  let letters = '';
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  return name === '' ? letters : `${letters} ${quoted(name)}`;
}

/** The place of a character of a text. */
export function placeAt(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
