import { strToU8, zipSync } from 'fflate';

/** A cell of a workbook: a text, or a number with its display format. */
type WorkbookCell = string | number | { value: number | string; format?: string; type?: 'e' | 'b' };

interface WorkbookSheet {
  name: string;
  hidden?: boolean;
  /** Numbers of columns, from 1. */
  hiddenColumns?: number[];
  /** Ranges such as `A2:A3`. */
  merges?: string[];
  rows: WorkbookCell[][];
}

const escaped = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;');
const SPREADSHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';

/** The bytes of an XLSX file, written by hand, so that a reader is not tested against its own writer. */
export function workbook(sheets: WorkbookSheet[], { date1904 = false } = {}): Buffer {
  const formats = [...new Set(sheets.flatMap(({ rows }) => rows.flat().map(formatOf)))];
  const styles = [
    `<numFmts>${formats.map((code, at) => `<numFmt numFmtId="${200 + at}" formatCode="${escaped(code)}"/>`).join('')}</numFmts>`,
    '<fonts><font/></fonts><fills><fill/></fills><borders><border/></borders><cellStyleXfs><xf/></cellStyleXfs>',
    `<cellXfs>${formats.map((_, at) => `<xf numFmtId="${200 + at}" applyNumberFormat="1"/>`).join('')}</cellXfs>`,
  ].join('');
  const parts = sheets.map((sheet, at) => [`xl/worksheets/sheet${at + 1}.xml`, sheetOf(sheet, formats)]);
  const files = {
    '[Content_Types].xml': types(sheets),
    '_rels/.rels': relations([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<workbook ${SPREADSHEET} xmlns:r="${OFFICE}">${date1904 ? '<workbookPr date1904="1"/>' : ''}<sheets>${sheets.map(named).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([
      ...sheets.map((_, at): [string, string] => ['worksheet', `worksheets/sheet${at + 1}.xml`]),
      ['styles', 'styles.xml'],
    ]),
    'xl/styles.xml': `<styleSheet ${SPREADSHEET}>${styles}</styleSheet>`,
    ...(Object.fromEntries(parts) as Record<string, string>),
  };
  return Buffer.from(
    zipSync(Object.fromEntries(Object.entries(files).map(([name, xml]) => [name, strToU8(xml)]))),
  );
}

const formatOf = (cell: WorkbookCell): string =>
  typeof cell === 'object' && cell.format !== undefined ? cell.format : 'General';

const named = ({ name, hidden }: WorkbookSheet, at: number) =>
  `<sheet name="${escaped(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"${hidden === true ? ' state="hidden"' : ''}/>`;

const relations = (targets: [string, string][]) =>
  `<Relationships xmlns="${PACKAGE}/relationships">${targets
    .map(
      ([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`;

function types(sheets: WorkbookSheet[]): string {
  const main = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  const part = (name: string, type: string) =>
    `<Override PartName="/xl/${name}.xml" ContentType="${main}.${type}+xml"/>`;
  return [
    `<Types xmlns="${PACKAGE}/content-types">`,
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
    part('workbook', 'sheet.main'),
    part('styles', 'styles'),
    ...sheets.map((_, at) => part(`worksheets/sheet${at + 1}`, 'worksheet')),
    '</Types>',
  ].join('');
}

function sheetOf({ rows, hiddenColumns = [], merges = [] }: WorkbookSheet, formats: string[]): string {
  const cells = rows.map(
    (row, at) =>
      `<row r="${at + 1}">${row.map((cell, column) => cellOf(cell, `${String.fromCharCode(65 + column)}${at + 1}`, formats)).join('')}</row>`,
  );
  const columns = hiddenColumns.map((at) => `<col min="${at}" max="${at}" width="9" hidden="1"/>`);
  const ranges = merges.map((range) => `<mergeCell ref="${range}"/>`);
  return [
    `<worksheet ${SPREADSHEET}>`,
    columns.length > 0 ? `<cols>${columns.join('')}</cols>` : '',
    `<sheetData>${cells.join('')}</sheetData>`,
    ranges.length > 0 ? `<mergeCells>${ranges.join('')}</mergeCells>` : '',
    '</worksheet>',
  ].join('');
}

function cellOf(cell: WorkbookCell, place: string, formats: string[]): string {
  if (typeof cell === 'string')
    return cell === ''
      ? ''
      : `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`;
  const { value, type } = typeof cell === 'number' ? { value: cell, type: undefined } : cell;
  const style = formats.indexOf(formatOf(cell));
  return `<c r="${place}" s="${style}"${type === undefined ? '' : ` t="${type}"`}><v>${value}</v></c>`;
}
