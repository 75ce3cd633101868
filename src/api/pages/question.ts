import { randomUUID } from 'node:crypto';
import type { Change } from '../../contract/change';
import type { BulkStatus } from '../../contract/operation';
import type { ShownItem } from '../../contract/preview';
import { fingerprint, type Selection } from '../../core/approval/selection';
import { scopeText, undoText } from '../../core/bulk/change';
import { differences } from '../../core/bulk/preview-text';
import { nameText, oneLine, visibleText } from '../../core/shared/plain-text';
import { html, left, moment, named, nothing, plainName, plural, type Html } from './html';

/** The target of the forms that answer a question. */
export interface Door {
  /** The path to which `/continue` is added. */
  base: string;
  /** Fields that every form contains. */
  token: Html;
  mayDecide: boolean;
  /** The question is answered as a whole: items are excluded on the operation's own page. */
  whole?: boolean;
  /** The question that is already on the screen, and since when. */
  shown?: { digest: string; at: number };
}

/** The open question, with everything that a person needs to answer it. */
export function questionView(status: BulkStatus, selection: Selection, door: Door): Html {
  const { number, attempt, change } = selection.gate;
  const [said = '', ...below] = status.message.split('\n');
  const [asked = ''] = said.split("Say 'continue'");
  const before = asked.trimEnd();
  const failed = status.state === 'batch_failed' ? status.error : undefined;
  return html`<section class="question" aria-labelledby="question-title">
    <p class="overline">
      Batch ${number} of ${status.batches_total}${attempt > 1 ? `, attempt ${attempt}` : ''}
      ${dueText(status)}
    </p>
    <h1 id="question-title">${oneLine(change.summary)}</h1>
    <p class="facts">${factsOf(change)} ${before}</p>
    ${
      failed
        ? html`<p class="reason">
            <strong>Reason:</strong> ${visibleText(failed.message)} ${visibleText(failed.hint)}
          </p>`
        : nothing
    }
    ${below.length === 0 ? nothing : html`<pre class="said">${visibleText(below.join('\n'))}</pre>`}
    ${fieldsView(change)} ${answerForm(status, selection, door)}
  </section>`;
}

const dueText = ({ expires_at }: Pick<BulkStatus, 'expires_at'>): Html =>
  expires_at === undefined
    ? nothing
    : html`<span class="due">Waits ${left(expires_at)} more, until ${moment(expires_at)}</span>`;

/** What the items have in common, and whether the change can be undone. */
export const factsOf = (change: Change): Html =>
  html`${scopeText(change).join('')} <strong class="undo ${change.reversible}">${undoText(change)}.</strong>`;

export function fieldsView({ fields }: Change): Html {
  if (fields.length === 0) return nothing;
  const before = (from: string | undefined) =>
    from === undefined ? nothing : html`<del>${named(from)}</del> → `;
  return html`<dl class="fields">
    ${fields.map(
      ({ name, from, to }) =>
        html`<div>
          <dt>${named(name, 100)}</dt>
          <dd>${before(from)}<ins>${named(to)}</ins></dd>
        </div>`,
    )}
  </dl>`;
}

function answerForm(status: BulkStatus, selection: Selection, door: Door): Html {
  const { gate, kept, left_out } = selection;
  const all = plural(gate.items.length, 'item');
  return html`<form
    id="decide-${gate.digest.slice(0, 12)}"
    class="decide"
    method="post"
    action="${door.base}/continue"
    autocomplete="off"
  >
    ${door.token} ${hiddenFields(selection, door)}
    <fieldset>
      <legend>
        ${left_out.length === 0 ? `${all} in this batch` : `${kept.length} of ${all} in this batch`}
        ${door.mayDecide ? tickHint(door) : nothing}
      </legend>
      <ol class="items">
        ${gate.items.map((item, at) => itemRow(item, at, kept.includes(item), door))}
      </ol>
    </fieldset>
    ${left_out.length > 0 ? changedQuestion(selection) : nothing}
    ${door.mayDecide ? buttons(status, selection, door) : html`<p class="hint">Your role may look, and may not decide.</p>`}
  </form>`;
}

const tickHint = ({ whole, base }: Door): Html =>
  whole
    ? html`<a href="${base}">Leave items out</a>`
    : html`<span class="hint">Untick an item to leave it out.</span>`;

/** Since when a question is on the screen. A refresh does not restart the time of the same question. */
export const shownSince = (digest: string, shown: Door['shown']): number =>
  shown?.digest === digest ? shown.at : Date.now();

function hiddenFields({ gate, digest }: Selection, { shown }: Door): Html {
  const field = (name: string, value: string | number) =>
    html`<input type="hidden" name="${name}" value="${value}" class="part-${name}" />`;
  return html`${field('decision_id', randomUUID())} ${field('batch', gate.number)}
  ${field('attempt', gate.attempt)} ${field('digest', gate.digest)} ${field('shown', digest)}
  ${field('shown_at', shownSince(digest, shown))}`;
}

/** Tells the person that the question has changed. */
function changedQuestion({ gate, digest, kept, left_out }: Selection): Html {
  return html`<div class="changed" role="status">
    <p>
      <strong>The question changed.</strong> ${plural(left_out.length, 'item is', 'items are')} left out, so
      Continue runs ${kept.length === 0 ? 'none of them' : plural(kept.length, 'item')}.
    </p>
    <p class="code">Fingerprint ${fingerprint(gate.digest)} is now ${fingerprint(digest)}</p>
    <label
      >Why? <span class="hint">Optional; it is kept with each of them.</span>
      <input name="reason" maxlength="200"
    /></label>
  </div>`;
}

function buttons({ state }: BulkStatus, { gate, kept, left_out, digest }: Selection, { base }: Door): Html {
  const label =
    kept.length === 0
      ? `Skip all ${plural(gate.items.length, 'item')}`
      : state === 'batch_failed'
        ? `Try again with ${plural(kept.length, 'item')}`
        : `Continue with ${plural(kept.length, 'item')}`;
  return html`<div class="actions">
    <button id="go-${digest.slice(0, 12)}" class="primary go">${label}</button>
    <noscript
      ><button formmethod="get" formaction="${base}" class="secondary">
        Show the question without them
      </button></noscript
    >
    ${left_out.length > 0 ? nothing : html`<span class="code" title="SHA-256 of exactly this question">Fingerprint ${fingerprint(digest)}</span>`}
  </div>`;
}

function itemRow(item: ShownItem, at: number, kept: boolean, { mayDecide, whole }: Door): Html {
  const { display_name } = item;
  return html`<li class="${kept ? 'in' : 'out'}">
    <label>
      ${mayDecide && whole ? html`<input type="hidden" name="keep" value="${at}" />` : nothing}
      ${
        mayDecide && !whole
          ? html`<input
              type="checkbox"
              class="part"
              name="keep"
              value="${at}"
              ${kept ? 'checked' : ''}
              aria-label="Run item ${at + 1}: ${plainName(display_name)}"
            />`
          : nothing
      }
      ${itemText(item)}
    </label>
  </li>`;
}

/** An item's name, and the effect of the change on it. */
export const itemText = (item: ShownItem): Html =>
  html`<span class="what">
    <span class="title">${named(item.display_name)}</span>
    ${item.id === item.display_name ? nothing : html`<span class="id">${named(item.id, 120)}</span>`}
    ${previewOf(item)}
  </span>`;

/** The effect of the change on this item: each field that changes, before and after. */
function previewOf(item: ShownItem): Html {
  const { before, after, already, expected_error, conflict, reversible, not_shown } = item;
  const names = (item.named ?? []).map(nameText).join(', ');
  const notes = [
    ...(names === '' ? [] : [`Named as ${names}.`]),
    ...(already ? ['No change needed.'] : []),
    ...(not_shown === undefined ? [] : [`Not shown: ${oneLine(not_shown)}`]),
    ...(expected_error === undefined ? [] : [`It will probably fail: ${oneLine(expected_error)}`]),
    ...(conflict === undefined ? [] : [`It was changed afterwards: ${oneLine(conflict)}`]),
    ...(reversible === 'no' ? ['This one cannot be undone.'] : []),
    ...(reversible === 'partly' ? ['This one can be undone in part.'] : []),
  ];
  const rows = already ? [] : differences(before, after);
  if (rows.length === 0 && notes.length === 0) return nothing;
  return html`<span class="preview">
    ${rows.map(
      ({ name, from, to }) =>
        html`<span class="diff"
          ><b>${name}</b> ${from === undefined ? nothing : html`<del>${from}</del>`}
          ${from !== undefined && to !== undefined ? '→' : ''}
          ${to === undefined ? nothing : html`<ins>${to}</ins>`}</span
        >`,
    )}
    ${notes.map((note) => html`<em>${note}</em>`)}
  </span>`;
}
