import type { Change } from '../../contract/change';
import type { BulkStatus } from '../../contract/operation';
import type { ShownItem } from '../../contract/preview';
import { fingerprint, SETTLE_MS, type Selection } from '../../core/approval/selection';
import { scopeText, undoText } from '../../core/bulk/change';
import { isMixed, planSummary } from '../../core/bulk/groups';
import { idText, nameText, oneLine } from '../../core/shared/plain-text';
import { troubleView } from './error-page';
import {
  html,
  countdown,
  moment,
  named,
  nothing,
  plainName,
  plural,
  prose,
  valueView,
  type Html,
} from './html';
import { decideButton, leftOutWords } from './decide-button';
import { editLink } from './edit';
import { groupsLink } from './groups';
import { groupedItems } from './items';
import { requesterView } from './requester';
import { reviseDetails } from './revise';
import { laterField } from './scheduled';
import { besides, decides } from './showing';
import { openIf, typedIn } from './typed';
import { forPeople } from './words';
import type { Door } from './door';

/** The open question, with everything that a person needs to answer it. */
export function questionView(status: BulkStatus, selection: Selection, door: Door): Html {
  const { gate } = selection;
  const { change } = gate;
  const [first = '', ...below] = status.message.split('\n');
  const [intro = ''] = first.split("Say 'continue'");
  const before = intro.trimEnd();
  const failed = status.state === 'batch_failed' ? status.error : undefined;
  const lines = below.map((line) => forPeople(line, namesIn(status))).filter((line) => line !== '');
  return html`<section class="question" aria-labelledby="question-title">
    <form
      id="decide-${gate.digest.slice(0, 12)}"
      class="decide"
      method="post"
      action="${door.base}/continue"
      autocomplete="off"
      data-settle-ms="${SETTLE_MS}"
      ${signedWith(door)}
    >
      ${decides(door.showing, 'continue', gate.digest)} ${door.token} ${hiddenFields(selection, door)}
      <p class="overline">${gate.attempt > 1 ? `Attempt ${gate.attempt}` : nothing} ${dueText(status)}</p>
      <h1 id="question-title">${prose(oneLine(change.summary))}</h1>
      <p class="facts">${factsOf(change)} ${before}</p>
      ${requesterView(status)} ${failed ? troubleView(failed) : nothing}
      ${lines.length === 0 ? nothing : html`<pre class="said">${prose(lines.join('\n'), namesIn(status))}</pre>`}
      ${fieldsView(change)} ${planView(status, door.base)} ${itemsView(selection, door)}
      ${door.mayDecide ? decisionBar(status, selection, door) : html`<p class="hint">Your role may look, and may not decide.</p>`}
    </form>
  </section>`;
}

/** Attributes for the script, which asks for a passkey before it sends the form. */
const signedWith = ({ signing }: Door): Html =>
  signing?.with
    ? html`data-passkey="${signing.with.challenge}" data-passkey-origin="${signing.with.origin}"`
    : nothing;

/** A summary of what happens to all items of the plan, above the items of its first batch. */
const planView = (status: BulkStatus, base: string): Html =>
  isMixed(status)
    ? html`<p class="hint">All ${status.total} items: ${prose(planSummary(status))} ${groupsLink(base)}</p>`
    : nothing;

/** A note that the previous batch is done and that this is the next question. */
export function nextText({ state, last_batch, next_batch }: BulkStatus): Html {
  if (state !== 'awaiting_confirmation' || last_batch === undefined || !next_batch) return nothing;
  return html`<p class="next">Batch ${last_batch.number} is done. Next:</p>`;
}

/** The names and ids in the lines of a message. */
export const namesIn = ({ errors }: Pick<BulkStatus, 'errors'>): string[] =>
  errors.flatMap(({ item_id, display_name }) => [nameText(display_name), idText(item_id)]);

const dueText = ({ expires_at }: Pick<BulkStatus, 'expires_at'>): Html =>
  expires_at === undefined
    ? nothing
    : html`<span class="due">Waits ${countdown(expires_at)} more, until ${moment(expires_at)}</span>`;

/** The scope of the change, and whether it can be undone. */
export const factsOf = (change: Change): Html =>
  html`${prose(scopeText(change).join(''))}
    <strong class="undo ${change.reversible}">${undoText(change)}.</strong>`;

export function fieldsView({ fields }: Change): Html {
  if (fields.length === 0) return nothing;
  const before = (from: string | undefined) =>
    from === undefined ? nothing : html`<del>${valueView(from)}</del> → `;
  return html`<dl class="fields">
    ${fields.map(
      ({ name, from, to }) =>
        html`<div>
          <dt>${named(name, 100)}</dt>
          <dd>${before(from)}<ins>${valueView(to)}</ins></dd>
        </div>`,
    )}
  </dl>`;
}

function itemsView({ gate, kept, left_out }: Selection, door: Door): Html {
  const all = plural(gate.items.length, 'item');
  return html`<fieldset>
    <legend>
      ${left_out.length === 0 ? `${all} in this batch` : `${kept.length} of ${all} in this batch`}
      ${door.mayDecide ? tickHint(door) : nothing}
    </legend>
    ${groupedItems(gate.items, {
      id: `group-${gate.digest.slice(0, 12)}`,
      row: (item, at, text) => itemRow(item, at, text, { kept: kept.includes(item), door }),
      isKept: (at) => kept.some((item) => item === gate.items[at]),
    })}
  </fieldset>`;
}

const tickHint = ({ whole, base }: Door): Html =>
  whole
    ? html`<a href="${base}">Leave items out</a>`
    : html`<span class="hint">Untick an item to leave it out.</span>`;

function hiddenFields({ gate, digest }: Selection, { showing }: Door): Html {
  const field = (name: string, value: string | number) =>
    html`<input type="hidden" name="${name}" value="${value}" class="part-${name}" />`;
  return html`${field('batch', gate.number)} ${field('attempt', gate.attempt)} ${field('digest', gate.digest)}
  ${field('shown', digest)} ${field('shown_at', showing.stampOf(gate.digest))}`;
}

/** A notice that the question has changed, with a field for the reason. */
function changedQuestion(words: string, { typed }: Door): Html {
  return html`<div class="changed">
    <p role="status"><strong>The question changed.</strong> ${words}</p>
    <label
      >Why? <span class="hint">Optional; it is kept with each of them.</span>
      <input
        id="left-out-reason"
        name="reason"
        maxlength="200"
        value="${typedIn(typed, 'continue', 'reason')}"
    /></label>
  </div>`;
}

/** The decision and its buttons: always in view, and never over the element with the focus (assets/reading.js). */
function decisionBar(status: BulkStatus, selection: Selection, door: Door): Html {
  const { gate, kept, left_out, digest } = selection;
  const { noun } = door;
  const note = typedIn(door.typed, 'continue', 'note');
  const undo = undoText(gate.change);
  return html`<div class="decision-bar">
    ${left_out.length > 0 ? changedQuestion(leftOutWords(status, selection), door) : nothing}
    <p class="sum">
      Batch ${gate.number} of ${status.batches_total} · ${plural(kept.length, noun.one, noun.many)} ·
      <span class="undo ${gate.change.reversible}">${undo.replace(/^C/, 'c')}</span>
      ${status.expires_at === undefined ? nothing : html`· ${countdown(status.expires_at, 'short')}`}
    </p>
    <p class="why-off" id="why-off-${gate.digest.slice(0, 12)}"></p>
    ${decideButton(status, selection, door)}
    ${door.whole ? nothing : html`${editLink(door.base, status)} ${reviseDetails(gate, door)} ${cancelDetails(door)}`}
    <details class="more" id="more-of-the-answer" ${openIf(note)}>
      <summary>Note…</summary>
      <label for="note">A note for the record (optional)</label>
      <input id="note" name="note" maxlength="500" value="${note}" />
      <p class="code" title="SHA-256 of exactly this question">Fingerprint ${fingerprint(digest)}</p>
    </details>
    ${laterField(door)}
  </div>`;
}

/** The field and the button of `cancelForm`. They keep typed text wherever the page moves them. */
export function cancelDetails({ typed }: Pick<Door, 'typed'>): Html {
  const reason = typedIn(typed, 'cancel', 'reason');
  return html`<details class="cancel" id="cancel" ${openIf(reason)}>
    <summary>Cancel…</summary>
    <label for="cancel-reason">Why? (optional)</label>
    <input id="cancel-reason" name="reason" form="cancel-form" maxlength="500" value="${reason}" />
    <p class="hint">What was done stays done. What is left will not be run.</p>
    <button class="danger" form="cancel-form" data-busy="Cancelling…">Cancel the operation</button>
  </details>`;
}

/** The form of a cancellation. It comes before its button, so that Enter in its field presses nothing. */
export const cancelForm = ({ base, token, showing }: Door, gate?: { digest: string }): Html =>
  html`<form id="cancel-form" method="post" action="${base}/cancel">
    ${decides(showing, 'cancel')} ${besides(showing, gate)} ${token}
  </form>`;

function itemRow(
  { display_name }: ShownItem,
  at: number,
  text: Html,
  { kept, door: { mayDecide, whole } }: { kept: boolean; door: Door },
): Html {
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
      ${text}
    </label>
  </li>`;
}
