import { withoutTrailing } from '../../../../src/contract/text';

/** A decimal number, without zeros at the ends of its digits. */
export interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?$/i;

/** Parses a number. Undefined if the text is not a number. */
export function numberIn(text: string): Decimal | undefined {
  const [, sign, integer = '', fraction = '', exponent = '0'] = NUMBER.exec(text.trim()) ?? [];
  if (integer + fraction === '') return undefined;
  const all = (integer + fraction).replace(/^0+/, '');
  const digits = withoutTrailing(all, '0');
  if (digits === '') return { negative: false, digits: '0', exponent: 0 };
  return {
    negative: sign === '-',
    digits,
    exponent: Number(exponent) - fraction.length + (all.length - digits.length),
  };
}

/** Returns true if a JavaScript number, as it is printed, has exactly this value. */
export const isExactly = (value: number, number: Decimal): boolean =>
  JSON.stringify(numberIn(String(value))) === JSON.stringify(number);
