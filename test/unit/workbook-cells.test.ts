import fc from '../helpers/properties';
import { cellFormat, cellText } from '../../src/host/tables/formats/cell-text';

const shown = (value: string | number | Date, code: string, is1904 = false) =>
  cellText(value, cellFormat(code, is1904));
const hinted = (hint: string) => ({
  message: expect.any(String) as string,
  hint: expect.stringContaining(hint) as string,
});
const at = (time: string) => new Date(`${time}Z`);
/** A time without a day. */
const clock = (time: string) => at(`1899-12-31T${time}`);

it.each<[number, string, string]>([
  [5, 'General', '5'],
  [5, 'General" kg"', '5 kg'],
  [-5.5, 'General" kg"', '-5.5 kg'],
  [5, '[Red]General', '5'],
  [-5, 'General;[RED]-General', '-5'],
  [0.1 + 0.2, 'General', '0.3'],
  [1e-7, 'General', '0.0000001'],
  [-2.5e-10, '@', '-0.00000000025'],
  [42, '00000', '00042'],
  [12.5, '0.0" %"', '12.5 %'],
  [12.5, '0.0\\%', '12.5%'],
  [0.125, '0.0%', '12.5%'],
  [0.285, '0%', '29%'],
  [2.675, '0.00', '2.68'],
  [1.005, '0.00', '1.01'],
  [0.5, '0', '1'],
  [-2.5, '0', '-3'],
  [1234.5, '#,##0.00', '1,234.50'],
  [5, '0,000', '0,005'],
  [1_234_567, '#,##0,', '1,235'],
  [1_234_567, '0.0,,"M"', '1.2M'],
  [-5, '"$"0.00', '-$5.00'],
  [-1234.5, '#,##0.00_);(#,##0.00)', '(1,234.50)'],
  [1234.5, '_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-', ' 1,234.50 € '],
  [-1234.5, '_-* #,##0.00\\ [$€-407]_-;\\-* #,##0.00\\ [$€-407]_-', '-1,234.50 € '],
  [123_456_789, '000-00-0000', '123-45-6789'],
  [1234, '000\\-000', '001-234'],
  [5_551_234, '[<=9999999]###-####;(###) ###-####', '555-1234'],
  [8_005_551_234, '[<=9999999]###-####;(###) ###-####', '(800) 555-1234'],
  [0, '0;-0;;@', '0'],
  [7, ';;;', '7'],
  [0, '#.##', '.'],
  [0.5, '#.##', '.5'],
  [1.5, '0.??', '1.5 '],
  [123_456, '0.00E+00', '123456'],
  [1, '[=1]"yes";[=0]"no"', 'yes'],
])('shows %d in the format %s as a spreadsheet does: %j', (value, code, text) => {
  expect(shown(value, code)).toBe(text);
});

it.each<[number, string]>([
  [0.5, '# ?/?'],
  [5, '0 Stk'],
  [5, '0.0.0'],
  [5, '[DBNum1]0'],
  [5, '[$-2000401]0'],
  [5, '"ID-"@'],
  [-5, '[>=0]0;-0'],
  [5, '[>9]0'],
  [5, '0"open'],
  [5, '#,##0"-"00'],
])('refuses %d in the format %s instead of another value', (value, code) => {
  expect(shown(value, code)).toMatchObject(hinted('Format the column as General or text'));
});

it('refuses a number of which a spreadsheet keeps 15 digits', () => {
  for (const value of [1e15, -123_456_789_012_345_678, 1e15 + 0.5])
    expect(shown(value, '0')).toMatchObject({ message: expect.stringContaining('15 digits') as string });
});

it('adds what a format says around a text', () => {
  expect(shown('A-17', 'General')).toBe('A-17');
  expect(shown('A-17', '0;-0;0;"ID "@')).toBe('ID A-17');
  expect(shown('A-17', '"ID "@')).toBe('ID A-17');
  expect(shown('A-17', ';;;')).toBe('A-17');
  expect(shown('A-17', '0;0;0;"text"')).toMatchObject(hinted('General or text'));
});

it.each<[string, string, string]>([
  ['2026-11-26T00:00:00', 'yyyy-mm-dd', '2026-11-26'],
  ['2026-11-26T14:05:09', 'dd.mm.yyyy hh:mm', '26.11.2026 14:05'],
  ['2026-11-26T14:05:09', 'yyyy\\-mm\\-dd"T"hh:mm:ss;@', '2026-11-26T14:05:09'],
  ['2026-11-26T14:05:09', '[$-409]h:mm\\ AM/PM;@', '2:05 PM'],
  ['2026-11-26T00:05:00', 'h:mm A/P', '12:05 A'],
  ['2026-09-06T00:00:00', 'd-mmm-yy', '6-Sep-26'],
  ['2026-09-06T00:00:00', '[$-en-US]dddd, mmmm d, yyyy', 'Sunday, September 6, 2026'],
  ['2026-11-26T12:00:59.600', 'h:mm:ss', '12:01:00'],
  ['2026-11-26T12:00:59.400', 'h:mm', '12:00'],
  ['2026-11-26T12:00:59.250', 'mm:ss.00', '00:59.25'],
  // In the format of the reader's own settings.
  ['2026-11-26T12:00:00', 'm/d/yyyy', '2026-11-26'],
  ['2026-11-26T12:00:00', 'm/d/yyyy h:mm', '2026-11-26T12:00:00'],
  ['2026-11-26T12:00:00', '[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy', '2026-11-26'],
  ['1899-12-31T14:30:00', '[$-F400]h:mm:ss\\ AM/PM', '14:30:00'],
  ['1899-12-31T00:00:00', '[$-x-systime]h:mm:ss\\ AM/PM', '00:00:00'],
])('shows %s in the format %s as %j', (time, code, text) => {
  expect(shown(at(time), code)).toBe(text);
});

it('shows elapsed time in both calendars', () => {
  expect(shown(clock('02:00:00'), '[h]:mm')).toBe('2:00');
  expect(shown(at('1900-01-01T12:30:00'), '[h]:mm:ss')).toBe('36:30:00');
  expect(shown(clock('01:01:30'), '[mm]:ss')).toBe('61:30');
  expect(shown(at('1904-01-02T12:30:00'), '[h]:mm', true)).toBe('36:30');
  expect(shown(at('1900-03-02T00:00:00'), '[h]')).toBe(String(62 * 24));
});

it.each<[string, string, boolean]>([
  ['2026-11-26T00:00:00', '[$-407]d. mmmm yyyy', false],
  ['2026-11-26T00:00:00', '[$-107041E]d/m/yyyy', false],
  ['2026-11-26T00:00:00', 'ggge"年"m"月"', false],
  // Only some spreadsheets count a 29 February 1900.
  ['1900-01-05T00:00:00', 'yyyy-mm-dd', false],
  ['1899-12-31T00:00:00', 'm/d/yyyy', false],
  ['1900-02-28T12:00:00', '[h]:mm', false],
  ['1899-12-30T12:00:00', 'h:mm', false],
  ['1903-12-31T12:00:00', '[h]:mm', true],
])('refuses %s in the format %s instead of another date', (time, code, is1904) => {
  expect(shown(at(time), code, is1904)).toMatchObject(hinted('Format the column as yyyy-mm-dd'));
});

it.each(['[$₪-40D] #,##0.00', '[$S/-280A] #,##0.00'])(
  'refuses a number in the format %s, which its reader takes for a date',
  (code) => {
    expect(shown(at('1903-05-18T00:00:00'), code)).toMatchObject(hinted('General or text'));
  },
);

it('refuses a date that does not exist', () => {
  expect(shown(new Date(NaN), 'yyyy-mm-dd')).toMatchObject(hinted('yyyy-mm-dd'));
  expect(shown(new Date(NaN), 'General')).toMatchObject(hinted('yyyy-mm-dd'));
});

it('gives one of two different numbers another text in every format that shows all of their digits', () => {
  const code = fc.constantFrom(
    'General',
    '0.000000',
    '#,##0.000000',
    '0.0000%',
    '"a"0.000000;"b"0.000000',
    '000-000.000000',
  );
  const number = fc.integer({ min: -999_999_999, max: 999_999_999 }).map((units) => units / 1_000_000);
  fc.assert(
    fc.property(number, number, code, (one, other, format) => {
      expect(shown(one, format) === shown(other, format)).toBe(one === other);
    }),
  );
});

it('never throws for a format, whatever it is', () => {
  const codes = fc.string({ unit: fc.constantFrom(...'0#?.,%;@"\\_*[]$-/ymdhsE+<=9GAP'), maxLength: 12 });
  const value = fc.oneof(fc.double({ noNaN: true }), fc.date({ noInvalidDate: false }), fc.string());
  fc.assert(
    fc.property(value, codes, fc.boolean(), (one, code, is1904) => {
      expect(shown(one, code, is1904)).toBeDefined();
    }),
  );
});
