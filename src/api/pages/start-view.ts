import { randomUUID } from 'node:crypto';
import type { AdapterDescription } from '../../contract/adapter';
import type { ErrorBody } from '../../contract/errors';
import type { ItemList } from '../../host/items/item-list';
import { ITEM_FILE_ENDINGS } from '../../host/items/item-list';
import { columnsOf } from '../../host/items/pasted-items';
import type { Principal } from '../principal';
import { notice } from './error-page';
import {
  controlAttributes,
  fieldId,
  fieldView,
  mistakeSummary,
  mistakeView,
  type Filled,
  type ShownField,
} from './fields';
import { text } from './forms';
import { formToken, html, layout, named, nothing, path, plural, type Html } from './html';
import { hasRows, rowsView, withCells } from './rows';
import { LIST, LIST_DIGEST, LIST_FILE, type SentForm, type StartAction } from './start-form';
import { actionName, toolName } from './vocabulary';

export const newOperationId = () => `bulk-${randomUUID()}`;

export function choicePage(adapters: readonly AdapterDescription[], principal: Principal): Html {
  return layout({
    title: 'Start an operation',
    principal,
    at: 'start',
    body: html`<h1>What do you want to do?</h1>
      <p class="lead">Nothing runs before you have seen the items and confirmed a batch of them.</p>
      ${adapters.map(
        ({ adapter, actions }) =>
          html`<section aria-labelledby="tool-${adapter}">
            <h2 id="tool-${adapter}">${toolName(adapter)}</h2>
            <ul class="list">
              ${actions.map(
                ({ action, description }) =>
                  html`<li>
                    <a class="row" href="${path('start', adapter, action)}"
                      ><span class="title">${actionName(action)}</span
                      ><span class="meta">${description}</span></a
                    >
                  </li>`,
              )}
            </ul>
          </section>`,
      )}`,
  });
}

export interface FormPage {
  start: StartAction;
  principal: Principal;
  /** The values to show in the form; undefined for an empty form. */
  sent?: SentForm | undefined;
  /** The guidance on the operation that this one revises. */
  said?: Html | undefined;
  /** The server's error for the form. */
  error?: ErrorBody | undefined;
  /** Suggested values, by field. */
  suggested?: ReadonlyMap<string, readonly string[]>;
}

/** Whether the tool may suggest values for a field. */
export const hasSuggestions = ({ name, kind }: Pick<ShownField, 'name' | 'kind'>): boolean =>
  kind === 'text' && !name.includes('.');

/** The form of an action, with the values and mistakes of its last submission. */
export function formPage({ start, principal, sent, said = nothing, error, suggested }: FormPage): Html {
  const { adapter, action, parameters, fields } = start;
  const own = path('start', adapter.adapter, action.action);
  const isBad = sent !== undefined && (sent.mistakes.length > 0 || error !== undefined);
  const labels = new Map(withCells(fields, sent?.fields).map(({ name, label }) => [name, label]));
  const title = `${actionName(action.action)} · ${toolName(adapter.adapter)}`;
  const isStructured = ({ kind, rows }: ShownField) => !rows && (kind === 'json' || kind === 'loose');
  const view = (field: ShownField) =>
    hasRows(field)
      ? rowsView(field, own, sent)
      : fieldView(
          field,
          sent,
          hasSuggestions(field)
            ? { address: `${own}/suggestions`, values: suggested?.get(field.name) ?? [] }
            : undefined,
        );
  return layout({
    title: isBad ? `Not started: ${title}` : title,
    principal,
    at: 'start',
    body: html`<p class="overline"><a href="/start">Start</a> · ${toolName(adapter.adapter)}</p>
      <h1>${action.description}</h1>
      ${said}
      ${sent && sent.mistakes.length > 0 ? mistakeSummary('Nothing was started', labels, sent) : nothing}
      ${error && sent?.mistakes.length === 0 ? notice(error, 'Nothing was started') : nothing}
      <form
        class="card start"
        method="post"
        action="${own}"
        enctype="multipart/form-data"
        autocomplete="off"
        novalidate
      >
        ${formToken(principal)}<input type="hidden" name="operation_id" value="${newOperationId()}" />
        ${parameters.filter((field) => !isStructured(field)).map(view)}
        ${structured(parameters.filter(isStructured).map(view), isFilled(sent, parameters.filter(isStructured)))}
        ${listView(start, sent)} ${start.own.filter(isReason).map((field) => fieldView(field, sent))}
        ${settingsView(start, sent)}
        <div class="actions">
          <button class="primary">Start with the first question</button>
          <button class="secondary" formaction="${own}/preview">Preview all ${adapter.item_noun.many}</button>
        </div>
        <p class="hint">Nothing is changed before you confirm a question.</p>
      </form>`,
  });
}

/** Whether one of the fields has a value or a mistake. */
const isFilled = (form: Filled | undefined, fields: readonly { name: string }[]): boolean =>
  form !== undefined &&
  fields.some(
    ({ name }) =>
      text(form.fields, name) !== undefined || form.mistakes.some((mistake) => mistake.name === name),
  );

/** The fields for structured values, folded because only technical people can write them. */
function structured(fields: readonly Html[], isOpen: boolean): Html {
  if (fields.length === 0) return nothing;
  return html`<details ${isOpen ? 'open' : ''}>
    <summary>For technical people</summary>
    <p class="hint">These values have several parts. They are written in a notation of programs.</p>
    ${fields}
  </details>`;
}

function listView({ adapter, action, searching }: StartAction, form: SentForm | undefined): Html {
  const { many } = adapter.item_noun;
  const isOpen = isFilled(form, [{ name: LIST }]) || searching.size === 0;
  const own = path('start', adapter.adapter, action.action);
  const file = fieldId(LIST_FILE);
  const digest = form?.fields.get(LIST_DIGEST) ?? '';
  return html`<details ${isOpen ? 'open' : ''}>
    <summary>Name the ${many} yourself</summary>
    <div class="field">
      <label for="${fieldId(LIST)}">One item per line: its id, then a comma or a tab and its name</label>
      <span class="hint" id="${fieldId(LIST)}-hint"
        >Or paste a table from a spreadsheet: its first line names the columns, and one of them is
        id.${searching.size === 0 ? '' : ` Then the fields that search for ${many} stay empty.`}</span
      >
      ${mistakeView(LIST, form)}
      <textarea ${controlAttributes(LIST, { hint: true }, form)} rows="6" spellcheck="false">
${form?.fields.get(LIST) ?? ''}</textarea>
      ${digest === '' ? nothing : html`<input type="hidden" name="${LIST_DIGEST}" value="${digest}" />`}
    </div>
    <div class="field">
      <label for="${file}">Or choose a file <span class="hint">(a table or a workbook)</span></label>
      <input type="file" id="${file}" name="${LIST_FILE}" accept="${ITEM_FILE_ENDINGS.join(',')}" />
    </div>
    <button class="secondary" formaction="${own}/change">Check the list</button>
    ${form?.list ? listPreview(form.list, adapter.item_noun) : nothing}
  </details>`;
}

const SHOWN_ITEMS = 5;
const SHOWN_LINES = 10;

/** The columns and the first items of a list, as it was parsed. */
export function listPreview(
  { items, repeated, notes }: ItemList,
  { one, many }: { one: string; many: string },
): Html {
  const columns = columnsOf(items);
  const lines = repeated.slice(0, SHOWN_LINES).join(', ');
  const more = repeated.length > SHOWN_LINES ? ' and others' : '';
  const isAll = items.length <= SHOWN_ITEMS;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="The list">
      <table>
        <caption>
          ${plural(items.length, one, many)}${isAll ? '' : `, of which the first ${SHOWN_ITEMS} are shown`}
        </caption>
        <thead>
          <tr>
            ${['Id', 'Name', ...columns].map((name) => html`<th scope="col">${named(name, 60)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${items.slice(0, SHOWN_ITEMS).map(
            ({ id, display_name = id, raw_data }) =>
              html`<tr>
                ${[id, display_name, ...columns.map((name) => cellText(raw_data?.[name]))].map(
                  (cell) => html`<td>${named(cell, 80)}</td>`,
                )}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    ${notes.map((note) => html`<p class="hint">About the file: ${note}.</p>`)}
    ${repeated.length === 0 ? nothing : html`<p class="hint">An id that comes again counts once: line ${lines}${more}.</p>`}`;
}

const cellText = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

function settingsView({ own }: StartAction, form: SentForm | undefined): Html {
  const settings = own.filter((field) => !isReason(field));
  return html`<details ${isFilled(form, settings) ? 'open' : ''}>
    <summary>More settings</summary>
    ${settings.map((field) => fieldView(field, form))}
  </details>`;
}

const isReason = ({ name }: ShownField) => name === 'reason';
