import type { ErrorBody } from '../../contract/errors';
import type { BulkStatus, ItemRow } from '../../contract/operation';
import { selectionOf, type Selection } from '../../core/approval/selection';
import { isOperator } from '../../core/access/permissions';
import { isClosed } from '../../core/bulk/transitions';
import { oneLine, visibleText } from '../../core/shared/plain-text';
import type { Noun } from '../item-nouns';
import type { Principal } from '../principal';
import { notice } from './error-page';
import {
  formToken,
  html,
  layout,
  countdown,
  live,
  may,
  moment,
  named,
  nothing,
  path,
  prose,
  type Html,
} from './html';
import { followUps, otherDecisions, resolutions } from './operation-forms';
import { namesIn, questionView, type Door } from './question';
import { bar, decisionText, lastDecision, recordView } from './record';
import { showingField, type Showing } from './showing';

export interface OperationPage {
  status: BulkStatus;
  rows: readonly ItemRow[];
  rows_total: number;
  /** The items to resolve, or the first of them. */
  doubts: readonly ItemRow[];
  principal: Principal;
  /** The items of the open question that are kept. */
  kept?: readonly number[];
  noun: Noun;
  showing: Showing;
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
    ${live({ own, events: `/v1${own}/events` }, showingField(page.showing), liveBody(page, own))}`,
  });
}

function liveBody(
  { status, rows, rows_total, doubts, principal, kept, noun, showing, temporalUi }: OperationPage,
  own: string,
): Html {
  const door: Door = {
    base: own,
    token: formToken(principal),
    mayDecide: may(principal.role, 'POST /operations/{operation_id}/continue'),
    ...{ noun, showing },
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
    ${isClosed(status.state) ? followUps(status, door, principal) : nothing}
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
    <h1>${prose(titleOf(status).replace(/^./, (first) => first.toUpperCase()))}</h1>
    <p class="sentence" role="status">${prose(visibleText(sentence), namesIn(status))}</p>
    ${below.length > 0 ? html`<pre>${prose(visibleText(below.join('\n')), namesIn(status))}</pre>` : nothing}
    ${status.error ? html`<p class="reason">${prose(visibleText(status.error.hint))}</p>` : nothing}
    ${
      status.state === 'running_batch' || status.state === 'preparing'
        ? html`<noscript
            ><p><a class="button secondary" href="">Look again</a></p></noscript
          >`
        : nothing
    }
    ${
      status.state === 'awaiting_resolution' && status.expires_at
        ? html`<p class="due">
            Waits ${countdown(status.expires_at)} more, until ${moment(status.expires_at)}
          </p>`
        : nothing
    }
  </section>`;
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
