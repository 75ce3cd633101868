import { randomUUID } from 'node:crypto';
import type { ErrorBody } from '../../contract/errors';
import type { BulkStatus, ItemRow } from '../../contract/operation';
import { selectionOf, type Selection } from '../../core/approval/selection';
import { isOperator } from '../../core/access/permissions';
import { isClosed } from '../../core/bulk/transitions';
import { oneLine, visibleText } from '../../core/shared/plain-text';
import type { Principal } from '../principal';
import { notice } from './error-page';
import {
  formToken,
  html,
  layout,
  left,
  live,
  may,
  moment,
  named,
  nothing,
  path,
  plainName,
  plural,
  type Html,
} from './html';
import { questionView, type Door } from './question';
import { bar, decisionText, lastDecision, recordView } from './record';

export interface OperationPage {
  status: BulkStatus;
  rows: readonly ItemRow[];
  rows_total: number;
  /** The items to resolve, or the first of them. */
  doubts: readonly ItemRow[];
  principal: Principal;
  /** The items of the open question that are kept. */
  kept?: readonly number[];
  /** The question that is already on the screen. */
  shown?: Door['shown'];
  /** Why a decision was refused, and the gate that it was for. */
  refused?: { error: ErrorBody; batch?: number; attempt?: number };
  temporalUi?: string;
}

export const titleOf = ({
  action,
  domain,
  summary = `${action.replaceAll('_', ' ')} on ${domain}`,
}: Pick<BulkStatus, 'action' | 'domain' | 'summary'>) => oneLine(summary);

export function operationPage(page: OperationPage): Html {
  const { status, principal } = page;
  const own = path('operations', status.operation_id);
  return layout({
    title: titleOf(status),
    principal,
    body: html`${page.refused ? refusal(status, page.refused) : nothing}
    ${live(own, `/v1${own}/events`, liveBody(page, own))}`,
  });
}

function liveBody(
  { status, rows, rows_total, doubts, principal, kept, shown, temporalUi }: OperationPage,
  own: string,
): Html {
  const door = {
    base: own,
    token: formToken(principal),
    mayDecide: may(principal.role, 'POST /operations/{operation_id}/continue'),
    shown,
  };
  const gate = status.next_batch;
  const selection: Selection | undefined = gate && selectionOf(gate, kept);
  return html`<p class="overline">
      <span class="state ${status.state}">${STATES[status.state]}</span>
      ${oneLine(status.domain)} · ${oneLine(status.action.replaceAll('_', ' '))}
      ${status.requested_by === undefined ? nothing : html` · asked for by ${named(status.requested_by, 80)}`}
      · ${moment(status.created_at)}
    </p>
    ${gate && selection ? questionView(status, selection, door) : standing(status)}
    <div role="status">${lastDecision(status)}</div>
    ${status.total > 0 ? bar(status) : nothing}
    ${doubts.length > 0 ? resolutions(status, doubts, door) : nothing}
    ${door.mayDecide ? otherDecisions(status, door) : nothing}
    ${isClosed(status.state) ? followUps(status, own, principal) : nothing}
    ${recordView(status, rows, rows_total)}
    ${facts(status, own, isOperator(principal.role) ? temporalUi : undefined)}`;
}

const STATES: Record<BulkStatus['state'], string> = {
  preparing: 'Preparing',
  awaiting_confirmation: 'Waits for you',
  running_batch: 'Running',
  batch_failed: 'Batch failed',
  awaiting_resolution: 'Items in doubt',
  completed: 'Completed',
  cancelled: 'Cancelled',
  expired: 'Expired',
  rejected: 'Refused',
};
export { STATES as STATE_WORDS };

/** Why a decision changed nothing, and who made the decision that counts. */
function refusal(
  { confirmations }: BulkStatus,
  { error, batch, attempt }: NonNullable<OperationPage['refused']>,
): Html {
  const taken = confirmations.findLast(
    (one) =>
      one.outcome === 'accepted' &&
      (one.decision === 'cancel' ||
        one.decision === 'complete' ||
        (one.decision === 'continue' && one.batch === batch && one.attempt === attempt)),
  );
  return notice(error, 'Nothing was run by your click', taken && decisionText(taken));
}

/** The state of an operation without an open question. */
export function standing(status: BulkStatus): Html {
  const [sentence = '', ...below] = status.message.split('\n');
  return html`<section class="standing">
    <h1>${titleOf(status).replace(/^./, (first) => first.toUpperCase())}</h1>
    <p class="sentence" role="status">${visibleText(sentence)}</p>
    ${below.length > 0 ? html`<pre>${visibleText(below.join('\n'))}</pre>` : nothing}
    ${status.error ? html`<p class="reason">${visibleText(status.error.hint)}</p>` : nothing}
    ${
      status.state === 'running_batch' || status.state === 'preparing'
        ? html`<noscript
            ><p><a class="button secondary" href="">Look again</a></p></noscript
          >`
        : nothing
    }
    ${
      status.state === 'awaiting_resolution' && status.expires_at
        ? html`<p class="due">Waits ${left(status.expires_at)} more, until ${moment(status.expires_at)}</p>`
        : nothing
    }
  </section>`;
}

function resolutions(
  { in_doubt }: BulkStatus,
  doubts: readonly ItemRow[],
  { base, token, mayDecide }: Door,
): Html {
  if (!mayDecide) return nothing;
  return html`<section aria-labelledby="doubt-title">
    <h2 id="doubt-title">What became of these items?</h2>
    <p class="hint">Look in the tool itself. Your answer and its reason go into the record.</p>
    ${in_doubt > doubts.length ? html`<p class="hint">The first ${doubts.length} of ${in_doubt}. The others follow.</p>` : nothing}
    ${doubts.map(
      ({ id, display_name, error }) =>
        html`<form class="card" id="doubt-${encodeURIComponent(id)}" method="post" action="${base}/resolve">
          ${token}<input type="hidden" name="item_id" value="${id}" />
          <fieldset>
            <legend>
              ${named(display_name)}
              ${id === display_name ? nothing : html`<span class="id">${named(id, 120)}</span>`}
            </legend>
            ${error === undefined ? nothing : html`<p class="hint">${oneLine(error)}</p>`}
            <label class="choice"
              ><input type="radio" name="outcome" value="succeeded" required /> It was done</label
            >
            <label class="choice"
              ><input type="radio" name="outcome" value="failed" required /> It was not done</label
            >
          </fieldset>
          <label for="why-${encodeURIComponent(id)}">How do you know?</label>
          <input id="why-${encodeURIComponent(id)}" name="reason" maxlength="500" required />
          <button class="secondary" aria-label="Record this for ${plainName(display_name)}">
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

function otherDecisions(status: BulkStatus, { base, token }: Door): Html {
  if (isClosed(status.state)) return nothing;
  const reason = (id: string, label: string, isRequired: boolean) =>
    html`<label for="${id}">${label}</label
      ><input id="${id}" name="reason" maxlength="500" ${isRequired ? 'required' : ''} />`;
  return html`<div class="others">
    <details>
      <summary>Cancel…</summary>
      <form class="card" method="post" action="${base}/cancel">
        ${token} ${reason('cancel-reason', 'Why? (optional)', false)}
        <p class="hint">What was done stays done. ${plural(status.remaining, 'item')} will not be run.</p>
        <button class="danger">Cancel the operation</button>
      </form>
    </details>
    ${
      status.needs_confirmation
        ? html`<details>
              <summary>Complete…</summary>
              <form class="card" method="post" action="${base}/complete">
                ${token} ${reason('complete-reason', 'Why is it complete?', true)}
                ${
                  status.remaining + status.in_doubt > 0
                    ? html`<p class="hint">
                        ${plural(status.remaining + status.in_doubt, 'item has', 'items have')} no outcome;
                        the record will say that it was completed by decision.
                      </p>`
                    : nothing
                }
                <button class="secondary">Complete the operation</button>
              </form>
            </details>
            <details>
              <summary>More time…</summary>
              <form class="card" method="post" action="${base}/extend">
                ${token}<input type="hidden" name="decision_id" value="${randomUUID()}" /><label for="seconds"
                  >Let it wait longer by</label
                >
                <select id="seconds" name="seconds">
                  ${MORE_TIME.map(([seconds, words]) => html`<option value="${seconds}">${words}</option>`)}
                </select>
                <button class="secondary">Let it wait longer</button>
              </form>
            </details>`
        : nothing
    }
  </div>`;
}

/** The operations that can follow an ended one. */
function followUps(status: BulkStatus, own: string, principal: Principal): Html {
  if (!may(principal.role, 'POST /operations/{operation_id}/retry-failed')) return nothing;
  const token = formToken(principal);
  const again = status.errors.filter(({ retryable }) => retryable).length;
  const form = (verb: string, label: string, kind: string) =>
    html`<form method="post" action="${own}/${verb}">
      ${token}<button class="${kind}">${label}</button>
    </form>`;
  const many = status.errors_truncated ? 'the failed items' : plural(again, 'failed item');
  return html`<div class="follow-ups">
    ${again > 0 ? form('retry-failed', `Retry ${many}`, 'primary') : nothing}
    ${
      status.state === 'expired' && status.remaining > 0
        ? form(
            'rest',
            `Run the ${plural(status.remaining, 'item')} left`,
            again > 0 ? 'secondary' : 'primary',
          )
        : nothing
    }
    ${status.succeeded > 0 && status.undone_by === undefined && status.reversible !== 'no' ? form('undo', 'Undo what was done', 'secondary') : nothing}
  </div>`;
}

function facts(status: BulkStatus, own: string, temporalUi: string | undefined): Html {
  const { operation_id, session_id, undoes, undone_by } = status;
  const linked = (id: string) => html`<a href="${path('operations', id)}">${named(id, 120)}</a>`;
  return html`<footer class="facts-list">
    <dl>
      <div>
        <dt>Operation</dt>
        <dd><code>${named(operation_id, 200)}</code></dd>
      </div>
      ${
        session_id === undefined
          ? nothing
          : html`<div>
              <dt>Session</dt>
              <dd>${named(session_id, 150)}</dd>
            </div>`
      }
      ${
        undoes === undefined
          ? nothing
          : html`<div>
              <dt>Undoes</dt>
              <dd>${linked(undoes)}</dd>
            </div>`
      }
      ${
        undone_by === undefined
          ? nothing
          : html`<div>
              <dt>Undone by</dt>
              <dd>${linked(undone_by)}</dd>
            </div>`
      }
    </dl>
    <p class="links">
      <a href="${own}/report.csv" download>Download the report (CSV)</a>
      ${temporalUi === undefined ? nothing : html`<a href="${temporalUi}${path('workflows', operation_id)}" rel="noreferrer">Open in the Temporal UI</a>`}
    </p>
  </footer>`;
}
