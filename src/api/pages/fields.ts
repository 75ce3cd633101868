import { localTime, nullName, type FieldMistake, type FormField } from '../../core/approval/schema-form';
import type { RowsShape } from '../../core/approval/row-form';
import { text, type Fields } from './forms';
import { html, nothing, prose, type Html } from './html';
import { hintForPeople } from './words';

/** A field with the words of its values. */
export interface ShownField extends FormField {
  /** The words of each value. The key `''` stands for no value. */
  values?: Readonly<Record<string, string>> | undefined;
  /** Whether it is required unless another part of the form is filled in. */
  alternative?: boolean;
  /** The rows with which it is filled in. */
  rows?: (RowsShape & { cells: ShownField[] }) | undefined;
}

/** The values of a form, and the mistakes in them. */
export interface Filled {
  fields: Fields;
  mistakes: readonly FieldMistake[];
}

const SERVER_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The time zone of a form: the person's, which the script on the page adds, or else the server's. */
export function zoneOf(fields: Fields): string {
  const zone = text(fields, 'zone') ?? SERVER_ZONE;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return SERVER_ZONE;
  }
}

export const fieldId = (name: string): string => `field-${name.replaceAll(/[^\w-]/g, '-')}`;

const mistakesOf = (name: string, filled: Filled | undefined): string[] =>
  filled?.mistakes.flatMap((mistake) => (mistake.name === name ? [mistake.message] : [])) ?? [];

/** Whether it is the first field with a mistake, which gets the focus. */
const isFirst = (name: string, filled: Filled | undefined): boolean => filled?.mistakes[0]?.name === name;

/** The attributes that all controls share: names, mistakes, and the elements that describe them. */
export function controlAttributes(
  name: string,
  { hint, required = false }: { hint?: boolean; required?: boolean },
  filled: Filled | undefined,
): Html {
  const id = fieldId(name);
  const isBad = mistakesOf(name, filled).length > 0;
  const describedBy = [...(hint ? [`${id}-hint`] : []), ...(isBad ? [`${id}-mistake`] : [])].join(' ');
  return html`id="${id}" name="${name}" ${required ? 'required' : ''}
  ${describedBy === '' ? '' : html`aria-describedby="${describedBy}"`}
  ${isBad ? html`aria-invalid="true"` : ''} ${isFirst(name, filled) ? 'autofocus' : ''}`;
}

/** The mistakes of a field, beside it. */
export function mistakeView(name: string, filled: Filled | undefined): Html {
  const messages = mistakesOf(name, filled);
  if (messages.length === 0) return nothing;
  return html`<p class="mistake" id="${fieldId(name)}-mistake">
    ${messages.map((message, at) => html`${at === 0 ? nothing : html`<br />`}${prose(message)}`)}
  </p>`;
}

/** The mistakes of a form, each with a link to its field. */
export function mistakeSummary(title: string, labels: ReadonlyMap<string, string>, filled: Filled): Html {
  const names = [...new Set(filled.mistakes.map(({ name }) => name))];
  return html`<section class="notice bad" role="alert" aria-labelledby="mistakes-title">
    <h2 id="mistakes-title">${title}</h2>
    <ul>
      ${names.map((name) => {
        const [first = '', ...others] = mistakesOf(name, filled);
        const more = others.length === 0 ? '' : ` And ${others.length} more.`;
        return html`<li>
          <a href="#${fieldId(name)}">${labels.get(name) ?? name}</a>: ${prose(`${first}${more}`)}
        </li>`;
      })}
    </ul>
  </section>`;
}

/** Suggested values of a field, and the address of those that depend on other fields. */
interface Suggested {
  address: string;
  values: readonly string[];
}

/** A field of a form with its previous value, if any. */
export function fieldView(field: ShownField, filled?: Filled, suggested?: Suggested): Html {
  const { name, label } = field;
  const id = fieldId(name);
  const described = { ...field, hint: hintOf(field) };
  return html`<div class="field">
    <label for="${id}"
      >${label}${isOptional(field) ? html` <span class="hint">(optional)</span>` : nothing}</label
    >
    ${described.hint === '' ? nothing : html`<span class="hint" id="${id}-hint">${prose(described.hint)}</span>`}
    ${mistakeView(name, filled)} ${controlOf(described, filled, suggested)} ${noneView(field, filled)}
  </div>`;
}

const isOptional = ({ required, alternative }: ShownField): boolean => !required && !alternative;

const hintOf = ({ hint = '', kind }: FormField): string =>
  [hintForPeople(hint), ...(kind === 'list' ? ['One on each line.'] : [])]
    .filter(
      (sentence, at, all) =>
        sentence !== '' && !all.slice(0, at).some((other) => other.includes('each line')),
    )
    .map((sentence) => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`))
    .join(' ');

/** A checkbox for a null value, if it differs from an empty field. */
function noneView({ name, label, nullable }: FormField, filled: Filled | undefined): Html {
  if (!nullable) return nothing;
  const none = nullName(name);
  return html`<label class="choice"
    ><input type="checkbox" name="${none}" value="true" ${filled?.fields.has(none) ? 'checked' : ''} /> None:
    clear “${label}”</label
  >`;
}

function controlOf(
  field: ShownField & { hint: string },
  filled: Filled | undefined,
  suggested?: Suggested,
): Html {
  const { name, kind, max_length } = field;
  const current = filled?.fields.get(name) ?? '';
  const required = field.required && !field.nullable;
  const shared = controlAttributes(name, { hint: field.hint !== '', required }, filled);
  switch (kind) {
    case 'choice':
    case 'yes_no':
      return html`<select ${shared}>
        ${optionsOf(field).map(([value, label]) => html`<option value="${value}" ${value === current ? 'selected' : ''}>${label}</option>`)}
      </select>`;
    case 'list':
      return html`<textarea ${shared} rows="2">${current}</textarea>`;
    case 'json':
    case 'loose':
      return html`<textarea ${shared} class="code" rows="3" spellcheck="false">${current}</textarea>`;
    case 'whole':
    case 'number':
      return html`<input
        ${shared}
        inputmode="${field.minimum === undefined || field.minimum < 0 ? 'text' : 'numeric'}"
        value="${current}"
      />`;
    case 'time':
      return timeControl(shared, current, zoneOf(filled?.fields ?? new URLSearchParams()));
    case 'date':
      return html`<input
        ${shared}
        type="${/^(\d{4}-\d\d-\d\d)?$/.test(current) ? 'date' : 'text'}"
        value="${current}"
      />`;
    case 'text':
      return html`<input
          ${shared}
          value="${current}"
          ${max_length === undefined ? '' : html`maxlength="${max_length}"`}
          ${suggested ? html`data-suggest="${suggested.address}" list="${fieldId(name)}-values"` : ''}
        />${suggested ? valuesOf(name, suggested) : nothing}`;
  }
}

const valuesOf = (name: string, { values }: Suggested): Html =>
  html`<datalist id="${fieldId(name)}-values">
    ${values.map((value) => html`<option value="${value}"></option>`)}
  </datalist>`;

/** The options of a choice. If the field is optional, no value differs from yes and no. */
function optionsOf(field: ShownField): (readonly [string, string])[] {
  const { kind, choices = [], values = {} } = field;
  const open = ['', values[''] ?? (isOptional(field) ? 'Not set' : 'Choose…')] as const;
  if (kind === 'yes_no') return [open, ['true', values['true'] ?? 'Yes'], ['false', values['false'] ?? 'No']];
  const words = (value: string) => values[value] ?? value.replaceAll('_', ' ');
  return [open, ...choices.map((choice) => [choice, words(choice)] as const)];
}

/** The same name as in assets/times.js. */
const zoneName = (zone: string): string =>
  /^(Etc\/)?UTC$/.test(zone)
    ? 'Coordinated Universal Time'
    : (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');

/** A time in the reader's zone. Text that is not a time stays as it was typed. */
function timeControl(shared: Html, value: string, zone: string): Html {
  const local = value === '' ? '' : localTime(value, zone);
  return html`<input
      ${shared}
      ${local !== undefined && local !== value && value !== '' ? html`data-instant="${value}"` : ''}
      type="${local === undefined ? 'text' : 'datetime-local'}"
      value="${local ?? value}"
    />
    <span class="hint">Time zone: <span data-zone>${zoneName(zone)}</span></span>
    <input type="hidden" name="zone" value="${zone}" data-zone />`;
}
