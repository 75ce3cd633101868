import { cellName, countRows, MAX_ROWS, readRows } from '../../core/approval/row-form';
import { nullName, putAt, type FieldMistake } from '../../core/approval/schema-form';
import { fieldId, fieldView, mistakeView, type Filled, type ShownField } from './fields';
import { text, type Fields } from './forms';
import { html, nothing, prose, type Html } from './html';
import { hintForPeople } from './words';

/** A field that a form shows as rows. */
export interface RowsField extends ShownField {
  rows: NonNullable<ShownField['rows']>;
}

export const hasRows = (field: ShownField): field is RowsField => field.rows !== undefined;

/** The number of rows to show: those filled in or those requested, and at least one. */
const shownRows = ({ name }: ShownField, fields: Fields | undefined): number =>
  Math.max(1, fields ? countRows(name, fields.keys()) : 0, Number(fields?.get(wantedName(name)) ?? 0) || 0);

const wantedName = (name: string): string => `${name}:rows`;

/** The cells of each row, as fields of their own. */
const cellsOf = (field: RowsField, fields: Fields | undefined): ShownField[] =>
  Array.from({ length: Math.min(MAX_ROWS, shownRows(field, fields)) }, (_, at) =>
    field.rows.cells.map((cell) => ({
      ...cell,
      ...{ name: cellName(field.name, at, cell.name), label: `${field.label} ${at + 1}: ${cell.label}` },
    })),
  ).flat();

/** All fields. The cells of rows come before the field that they belong to. */
export const withCells = (all: readonly ShownField[], fields: Fields | undefined): ShownField[] =>
  all.flatMap((field) => (hasRows(field) ? [...cellsOf(field, fields), field] : [field]));

/** The field that a cell belongs to; any other field itself. */
export const ownerOf = (name: string, all: readonly ShownField[]): string =>
  all.filter(hasRows).find((field) => name.startsWith(`${field.name}.`))?.name ?? name;

/** Whether the field was filled in, as rows or as JSON. */
export const isGiven = (field: ShownField, fields: Fields): boolean =>
  text(fields, field.name) !== undefined ||
  (hasRows(field) &&
    cellsOf(field, fields).some(
      ({ name }) => text(fields, name) !== undefined || fields.has(nullName(name)),
    ));

/** Removes empty rows, so that the numbers of the others match their positions in the value. */
function closeUp({ name, rows: { cells } }: RowsField, fields: Fields): void {
  const count = countRows(name, fields.keys());
  let next = 0;
  for (let at = 0; at < count; at++) {
    const names = cells.flatMap((cell) => [
      cellName(name, at, cell.name),
      nullName(cellName(name, at, cell.name)),
    ]);
    const values = names.map((key) => fields.get(key));
    for (const key of names) fields.delete(key);
    if (values.every((value) => (value ?? '').trim() === '')) continue;
    const to = cells.flatMap((cell) => [
      cellName(name, next, cell.name),
      nullName(cellName(name, next, cell.name)),
    ]);
    to.forEach((key, place) => values[place] !== null && fields.set(key, values[place] ?? ''));
    next++;
  }
}

/** Adds the rows of these fields to `values`, which already has the fields filled in as JSON. Returns mistakes. */
export function readAllRows(
  all: readonly ShownField[],
  fields: Fields,
  zone: string,
  values: Record<string, unknown>,
): FieldMistake[] {
  const mistakes: FieldMistake[] = [];
  for (const field of all.filter(hasRows)) {
    const { name, rows } = field;
    if (text(fields, name) !== undefined) continue;
    closeUp(field, fields);
    const result = readRows(name, rows, countRows(name, fields.keys()), (key) => text(fields, key), zone);
    mistakes.push(...result.mistakes);
    if ('value' in result) putAt(values, name, result.value);
  }
  return mistakes;
}

/** Adds an empty row to the form. */
export function addRow(fields: Fields, all: readonly ShownField[], name: string | null): void {
  const field = all.filter(hasRows).find((candidate) => candidate.name === name);
  if (field) fields.set(wantedName(field.name), String(shownRows(field, fields) + 1));
}

/** The rows of a field, and a button for one more. `own`: the address of the form. */
export function rowsView(field: RowsField, own: string, filled: Filled | undefined): Html {
  const { name, label, rows, required, alternative } = field;
  const count = shownRows(field, filled?.fields);
  const hint = hintForPeople(field.hint ?? '');
  const id = fieldId(name);
  const [first] = rows.cells;
  const next = fieldId(cellName(name, count, first?.name ?? ''));
  const json = filled?.fields.get(name) ?? '';
  return html`<fieldset class="field rows" id="${id}">
    <legend>
      ${label}${required || alternative ? nothing : html` <span class="hint">(optional)</span>`}
    </legend>
    ${hint === '' ? nothing : html`<p class="hint">${prose(/[.!?]$/.test(hint) ? hint : `${hint}.`)}</p>`}
    ${mistakeView(name, filled)}
    ${Array.from(
      { length: Math.min(MAX_ROWS, count) },
      (_, at) =>
        html`<div class="row-of-fields" role="group" aria-label="${label}, row ${at + 1}">
          ${rows.cells.map((cell) => {
            const rowCell = {
              ...cell,
              name: cellName(name, at, cell.name),
              required: false,
              alternative: true,
            };
            // Show the hint of a column once.
            return fieldView(at === 0 ? rowCell : { ...rowCell, hint: '' }, filled);
          })}
        </div>`,
    )}
    ${json === '' ? nothing : fieldView({ ...field, label: 'As programs write it', hint: '' }, filled)}
    <input type="hidden" name="${wantedName(name)}" value="${count}" />
    ${
      count < MAX_ROWS
        ? html`<button
              class="secondary"
              formnovalidate
              formaction="${own}/change?add=${encodeURIComponent(name)}#${next}"
            >
              Add a row
            </button>
            <span class="hint">A row that is empty says nothing.</span>`
        : nothing
    }
  </fieldset>`;
}
