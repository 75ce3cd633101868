import type { FormField } from '../../core/approval/schema-form';
import { html, nothing, type Html } from './html';

/** A field of a form with its previous value, if any. */
export function fieldView(field: FormField, given: string | undefined): Html {
  const { name, label, kind, hint } = field;
  const id = `field-${name.replaceAll('.', '-')}`;
  const described = hint === undefined ? nothing : html`<span class="hint" id="${id}-hint">${hint}</span>`;
  if (kind === 'yes_no' && !field.required) {
    return html`<div class="field">
      <label class="choice"
        ><input type="checkbox" name="${name}" value="true" ${given === 'true' ? 'checked' : ''} />
        ${label}</label
      >
      ${described}
    </div>`;
  }
  return html`<div class="field">
    <label for="${id}"
      >${label}${field.required ? nothing : html` <span class="hint">(optional)</span>`}</label
    >
    ${described} ${controlOf(field, id, given)}
  </div>`;
}

function controlOf(field: FormField, id: string, given = ''): Html {
  const { name, kind, choices, max_length, hint } = field;
  const shared = html`id="${id}" name="${name}" ${field.required ? 'required' : ''}
  ${hint === undefined ? '' : html`aria-describedby="${id}-hint"`}`;
  const option = (value: string, label: string) =>
    html`<option value="${value}" ${value === given ? 'selected' : ''}>${label}</option>`;
  switch (kind) {
    case 'choice':
      return html`<select ${shared}>
        ${option('', 'Choose…')} ${choices?.map((choice) => option(choice, choice))}
      </select>`;
    case 'yes_no':
      return html`<select ${shared}>
        ${option('', 'Choose…')} ${option('true', 'Yes')} ${option('false', 'No')}
      </select>`;
    case 'json':
    case 'loose':
      return html`<textarea
        ${shared}
        rows="3"
        spellcheck="false"
        placeholder="${kind === 'json' ? 'JSON' : ''}"
      >
${given}</textarea>`;
    case 'whole':
    case 'number':
      return html`<input ${shared} inputmode="numeric" value="${given}" />`;
    case 'time':
      return html`<input ${shared} value="${given}" placeholder="2026-12-24T18:00:00Z" />`;
    case 'text':
      return html`<input
        ${shared}
        value="${given}"
        ${max_length === undefined ? '' : html`maxlength="${max_length}"`}
      />`;
  }
}
