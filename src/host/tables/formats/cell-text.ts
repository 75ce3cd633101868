import { quoted } from '../../../core/shared/plain-text';
import { dateText, isoDate, serialOf } from './date-text';
import { has, numberSection, sectionsOf, textSection, type Section } from './format-code';
import { numberText, plainNumber } from './number-text';

/** From here on, a spreadsheet replaces further digits of a whole number by zeros. */
const LONGEST_EXACT = 1e15;

export interface Problem {
  message: string;
  hint: string;
}

/** The format of a cell, and the calendar of its workbook. */
export interface CellFormat {
  code: string;
  /** Undefined if a part of the code is not supported. */
  sections: Section[] | undefined;
  isGeneral: boolean;
  is1904: boolean;
}

export const cellFormat = (code: string, is1904: boolean): CellFormat => ({
  ...{ code, is1904, sections: sectionsOf(code), isGeneral: /^(general|@)$/i.test(code) },
});

/**
 * The text that a sheet shows for a value. A number that its format hides, or shows as a power of ten, has all its
 * digits, and a date in the format of the reader's own settings is written as in ISO 8601. A format that is not
 * supported is a problem, so that no value becomes another one.
 */
export function cellText(value: string | number | Date, format: CellFormat): string | Problem {
  if (typeof value === 'string') return textIn(value, format) ?? unsupported(format);
  if (typeof value !== 'number')
    return dateIn(value, format) ?? (mayBeDate(format) ? inexactDate(format) : unsupported(format));
  if (Math.abs(value) >= LONGEST_EXACT) return TOO_LONG;
  return numberIn(value, format) ?? unsupported(format);
}

const TOO_LONG: Problem = {
  message: 'it holds a number of more than 15 digits, of which a spreadsheet keeps 15',
  hint: 'Format the column as text, and enter the value again',
};

const unsupported = ({ code }: CellFormat): Problem => ({
  message: `its format ${quoted(code)} is not supported`,
  hint: 'Format the column as General or text',
});

const inexactDate = ({ code }: CellFormat): Problem => ({
  message: `it holds a date or a time that cannot be read exactly in its format ${quoted(code)}`,
  hint: 'Format the column as yyyy-mm-dd, or as text and enter the value again',
});

/** The library takes a number for a date if its currency is followed by a language such as `40D`. */
const mayBeDate = ({ sections, isGeneral }: CellFormat): boolean =>
  isGeneral || !sections || sections.some((section) => has(section, 'date', 'elapsed'));

function textIn(value: string, { sections }: CellFormat): string | undefined {
  const section = sections && textSection(sections);
  if (!section || section.parts.length === 0) return value;
  if (section.parts.some(({ kind }) => kind !== 'text' && kind !== 'literal')) return undefined;
  if (!has(section, 'text')) return undefined;
  return section.parts.map(({ kind, text }) => (kind === 'text' ? value : text)).join('');
}

function numberIn(value: number, { sections, isGeneral }: CellFormat): string | undefined {
  if (isGeneral) return plainNumber(value);
  const choice = sections && numberSection(sections, value);
  if (!choice) return undefined;
  if (has(choice.section, 'power')) return plainNumber(value);
  const text = numberText(choice.section, Math.abs(value));
  if (text === undefined) return undefined;
  if (text.trim() === '') return plainNumber(value);
  return value < 0 && !choice.isUnsigned ? `-${text}` : text;
}

function dateIn(value: Date, { sections, isGeneral, is1904 }: CellFormat): string | undefined {
  if (isGeneral) return isoDate(value, is1904);
  const choice = sections && numberSection(sections, serialOf(value, is1904));
  if (!choice || !has(choice.section, 'date', 'elapsed')) return undefined;
  return dateText(choice.section, value, is1904);
}
