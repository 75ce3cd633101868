import type { BulkStatus, ItemRow } from '../../contract/operation';
import { isClosed } from '../../core/bulk/transitions';
import { oneLine } from '../../core/shared/plain-text';
import type { Principal } from '../principal';
import { delegateForm } from './delegate';
import type { Door } from './door';
import { html, may, named, nothing, plainName, plural, prose, type Html } from './html';
import { cancelDetails } from './question';
import { besides, decides } from './showing';
import { againLink } from './start-again';
import { openIf, typedIn } from './typed';

/** The items in doubt, each with a form that records its outcome. */
export function resolutions(
  { in_doubt }: BulkStatus,
  doubts: readonly ItemRow[],
  { base, token, mayDecide, showing, typed }: Door,
): Html {
  if (!mayDecide) return nothing;
  const typedFor = (id: string, name: string) =>
    typedIn(typed, 'resolve', 'item_id') === id ? typedIn(typed, 'resolve', name) : '';
  const outcome = (id: string, value: string, label: string) =>
    html`<label class="choice"
      ><input
        type="radio"
        name="outcome"
        value="${value}"
        required
        ${typedFor(id, 'outcome') === value ? 'checked' : ''}
      />
      ${label}</label
    >`;
  return html`<section aria-labelledby="doubt-title">
    <h2 id="doubt-title">What became of these items?</h2>
    <p class="hint">Look in the tool itself. Your answer and its reason go into the record.</p>
    ${in_doubt > doubts.length ? html`<p class="hint">The first ${doubts.length} of ${in_doubt}. The others follow.</p>` : nothing}
    ${doubts.map(
      ({ id, display_name, error }) =>
        html`<form class="card" id="doubt-${encodeURIComponent(id)}" method="post" action="${base}/resolve">
          ${decides(showing, 'resolve', id)} ${token}<input type="hidden" name="item_id" value="${id}" />
          <fieldset>
            <legend>
              ${named(display_name)}
              ${id === display_name ? nothing : html`<span class="id">${named(id, 120)}</span>`}
            </legend>
            ${error === undefined ? nothing : html`<p class="hint">${prose(oneLine(error))}</p>`}
            ${outcome(id, 'succeeded', 'It was done')} ${outcome(id, 'failed', 'It was not done')}
          </fieldset>
          <label for="why-${encodeURIComponent(id)}">How do you know?</label>
          <input
            id="why-${encodeURIComponent(id)}"
            name="reason"
            maxlength="500"
            required
            value="${typedFor(id, 'reason')}"
          />
          <button
            class="secondary"
            data-busy="Recording…"
            aria-label="Record this for ${plainName(display_name)}"
          >
            Record this
          </button>
        </form>`,
    )}
  </section>`;
}

const MORE_TIME = [
  ['3600', '1 hour'],
  ['28800', '8 hours'],
  ['86400', '1 day'],
  ['259200', '3 days'],
] as const;

/** The decisions besides the confirmation. While a batch runs they are disabled, and keep typed text. */
export function otherDecisions(status: BulkStatus, door: Door): Html {
  const { base, token, showing, typed } = door;
  if (isClosed(status.state)) return nothing;
  const waits = status.needs_confirmation ? nothing : html`disabled`;
  const open = status.remaining + status.in_doubt;
  const reason = typedIn(typed, 'complete', 'reason');
  const longer = typedIn(typed, 'extend', 'seconds');
  return html`<div class="others" id="others">
    ${status.next_batch ? nothing : cancelDetails({ typed })}
    <details id="complete" ${openIf(reason)}>
      <summary>Complete…</summary>
      <form class="card" method="post" action="${base}/complete">
        ${decides(showing, 'complete')} ${besides(showing, status.next_batch)} ${token}
        <label for="complete-reason">Why is it complete?</label
        ><input id="complete-reason" name="reason" maxlength="500" required value="${reason}" />
        ${
          open > 0
            ? html`<p class="hint">
                ${plural(open, 'item has', 'items have')} no outcome; the record will say that it was
                completed by decision.
              </p>`
            : nothing
        }
        <button class="secondary" data-busy="Completing…" ${waits}>Complete the operation</button>
      </form>
    </details>
    <details id="extend" ${openIf(longer)}>
      <summary>More time…</summary>
      <form class="card" method="post" action="${base}/extend">
        ${decides(showing, 'extend')} ${besides(showing, status.next_batch)} ${token}<label for="seconds"
          >Let it wait longer by</label
        >
        <select id="seconds" name="seconds">
          ${MORE_TIME.map(([seconds, words]) => html`<option value="${seconds}" ${seconds === longer ? 'selected' : ''}>${words}</option>`)}
        </select>
        <button class="secondary" data-busy="Adding time…" ${waits}>Let it wait longer</button>
      </form>
    </details>
    ${delegateForm(status, door)}
  </div>`;
}

/** The operations that can follow an ended one. */
export function followUps(status: BulkStatus, { base, token, showing }: Door, principal: Principal): Html {
  if (!may(principal.role, 'POST /operations/{operation_id}/retry-failed')) return nothing;
  const again = status.errors.filter(({ retryable }) => retryable).length;
  const form = (verb: string, label: string, kind: string) =>
    html`<form method="post" action="${base}/${verb}">
      ${decides(showing, verb)} ${token}<button class="${kind}" data-busy="Starting…">${label}</button>
    </form>`;
  const many = status.errors_truncated ? 'the failed items' : plural(again, 'failed item');
  return html`<div class="follow-ups">
    ${againLink(status, principal)} ${again > 0 ? form('retry-failed', `Retry ${many}`, 'primary') : nothing}
    ${
      status.state === 'expired' && status.remaining > 0
        ? form(
            'rest',
            `Run the ${plural(status.remaining, 'item')} left`,
            again > 0 ? 'secondary' : 'primary',
          )
        : nothing
    }
    ${canBeUndone(status) ? form('undo', 'Undo what was done', 'secondary') : nothing}
  </div>`;
}

/** Whether the operation made changes that can be undone, and was not undone before. */
const canBeUndone = ({ succeeded, already = 0, undone_by, reversible }: BulkStatus): boolean =>
  succeeded > already && undone_by === undefined && (reversible === 'yes' || reversible === 'partly');
