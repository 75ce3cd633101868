import type { BatchProgress } from '../../contract/activities';
import type { ErrorBody } from '../../contract/errors';
import type { BulkStatus, ItemRow } from '../../contract/operation';
import type { Approver } from '../../contract/policy';
import { selectionOf, type Selection } from '../../core/approval/selection';
import { isOperator } from '../../core/access/permissions';
import { isClosed } from '../../core/bulk/transitions';
import { capitalized, oneLine } from '../../core/shared/plain-text';
import type { Noun } from '../item-nouns';
import type { Principal } from '../principal';
import type { Answered } from './answered';
import { notice, troubleView } from './error-page';
import {
  html,
  layout,
  countdown,
  live,
  type LivePart,
  moment,
  named,
  nothing,
  path,
  plural,
  prose,
  type Html,
} from './html';
import { followUps, otherDecisions, resolutions } from './operation-forms';
import { cancelForm, nextText, namesIn, questionView } from './question';
import { bar, decisionText, lastDecision, recordView } from './record';
import { requesterView } from './requester';
import { reviseForm } from './revise';
import { scheduledView } from './scheduled';
import { showingField, type Showing } from './showing';
import type { SigningView } from './signing';
import { typedWords, type Typed } from './typed';
import { actionName, STATE_WORDS, toolName } from './vocabulary';
import { doorOf } from './door';
import { forPeople, inWords } from './words';

export interface OperationPage {
  status: BulkStatus;
  rows: readonly ItemRow[];
  rows_total: number;
  /** The progress of a running batch. */
  progress?: BatchProgress;
  /** The changes that the page follows. */
  on: LivePart['on'];
  since: LivePart['since'];
  /** The items to resolve, or the first of them. */
  doubts: readonly ItemRow[];
  principal: Principal;
  approver: Approver;
  /** The positions of the ticked items of the open question; undefined for all. */
  kept?: readonly number[] | undefined;
  noun: Noun;
  showing: Showing;
  /** The result of a form, such as the reason why a decision was refused. */
  answered: Answered | undefined;
  temporalUi?: string;
  /** The signature that the open question needs, if any. */
  signing?: SigningView | undefined;
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
    body: html`${page.answered?.error ? refusal(page, page.answered, page.answered.error) : nothing}
    ${live({ own, on: page.on, since: page.since }, showingField(page.showing), liveBody(page, own))}`,
  });
}

function liveBody(page: OperationPage, own: string): Html {
  const { status, rows, rows_total, doubts, principal, kept, noun, showing, progress, temporalUi } = page;
  const { approver, answered: typed, signing } = page;
  const door = doorOf(principal, { base: own, noun, showing, approver, typed, signing });
  const gate = status.next_batch;
  const selection: Selection | undefined = gate && selectionOf(gate, kept);
  return html`<p class="overline">
      <span class="state ${status.state}">${stateWords(status)}</span>
      ${toolName(status.domain)} · ${actionName(status.action)}
      ${status.requested_by === undefined ? nothing : html` · asked for by ${named(status.requested_by, 80)}`}
      · ${moment(status.created_at)}
    </p>
    <div id="said" role="status">${lastDecision(status)} ${gate ? nextText(status) : sentence(status)}</div>
    ${door.mayDecide && !isClosed(status.state) ? html`${reviseForm(gate, door)} ${cancelForm(door, gate)}` : nothing}
    ${gate && selection ? questionView(status, selection, door) : standing(status, progress)}
    ${scheduledView(status, door)}
    ${gate ? nothing : html`<p class="links"><a href="/?next=${encodeURIComponent(status.operation_id)}">Next question</a></p>`}
    ${status.total > 0 ? bar(status) : nothing}
    ${doubts.length > 0 ? resolutions(status, doubts, door) : nothing}
    ${door.mayDecide ? otherDecisions(status, door) : nothing}
    ${isClosed(status.state) ? followUps(status, door, principal) : nothing}
    ${recordView(status, rows, rows_total)}
    ${facts(status, own, isOperator(principal.role) ? temporalUi : undefined)}`;
}

export { STATE_WORDS };

/** The state in words. An operation that ended without a change is not called completed. */
export const stateWords = (status: BulkStatus): string =>
  wasLeftOut(status) ? 'Nothing done' : status.sent_back ? 'Sent back' : STATE_WORDS[status.state];

const wasLeftOut = ({ state, total, skipped, forced }: BulkStatus): boolean =>
  state === 'completed' && total > 0 && skipped === total && !forced;

/** The reason why a decision changed nothing, and the decision that counts instead. */
function refusal({ status, kept }: OperationPage, form: Answered, error: ErrorBody): Html {
  const [batch, attempt] = ['batch', 'attempt'].map((name) => Number(form.fields.get(name)));
  const { confirmations } = status;
  const decision = confirmations.findLast(
    (entry) =>
      entry.outcome === 'accepted' &&
      (entry.decision === 'cancel' ||
        entry.decision === 'revise' ||
        entry.decision === 'complete' ||
        (entry.decision === 'continue' && entry.batch === batch && entry.attempt === attempt)),
  );
  return html`${notice(error, 'Nothing was run by your click', decision && decisionText(decision))}
  ${homeless(status, kept, form)}`;
}

/** The words typed in a form that the page no longer has. */
export function homeless(
  { state, next_batch }: BulkStatus,
  places: readonly number[] | undefined,
  { verb, fields }: Typed,
): Html {
  const asks = verb === 'continue' || verb === 'revise';
  if (isClosed(state) || (asks && !next_batch)) return typedWords(fields);
  const isWhole = places === undefined || places.length === next_batch?.items.length;
  return verb === 'continue' && isWhole ? typedWords(fields, ['reason']) : nothing;
}

/** The state of an operation without an open question, in a sentence. */
export function sentence(status: BulkStatus): Html {
  const [first = ''] = status.message.split('\n');
  const nothingDone = `Nothing was ${status.undoes === undefined ? 'done' : 'undone'}: all ${plural(status.total, 'item')} were left out.`;
  const text = wasLeftOut(status) ? nothingDone : forPeople(first, namesIn(status)) || failure(status);
  return html`<p class="sentence">${prose(text, namesIn(status))}</p>`;
}

/** The error in words, for a status whose message is for a terminal. */
const failure = ({ error }: BulkStatus): string => (error ? inWords(error).said : '');

/** Details of an operation without an open question, below that sentence. */
export function standing(status: BulkStatus, progress?: BatchProgress): Html {
  const below = status.message
    .split('\n')
    .slice(1)
    .map((line) => forPeople(line, namesIn(status)))
    .filter((line) => line !== '');
  return html`<section class="standing">
    <h1>${prose(capitalized(titleOf(status)))}</h1>
    ${requesterView(status)}
    ${progress ? html`<p class="hint">${progress.done} of ${plural(progress.total, 'item')} of this batch have ended.</p>` : nothing}
    ${below.length > 0 ? html`<pre>${prose(below.join('\n'), namesIn(status))}</pre>` : nothing}
    ${status.error ? troubleView(status.error, { said: true }) : nothing}
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

const fact = (name: string, value: string | undefined, show: (value: string) => Html): Html =>
  value === undefined
    ? nothing
    : html`<div>
        <dt>${name}</dt>
        <dd>${show(value)}</dd>
      </div>`;

function facts(status: BulkStatus, own: string, temporalUi: string | undefined): Html {
  const { operation_id, session_id, undoes, undone_by, revises, policy } = status;
  const linked = (id: string) => html`<a href="${path('operations', id)}">${named(id, 120)}</a>`;
  return html`<footer class="facts-list">
    <dl>
      <div>
        <dt>Operation</dt>
        <dd><code>${named(operation_id, 200)}</code></dd>
      </div>
      ${fact('Session', session_id, (id) => html`${named(id, 150)}`)} ${fact('Undoes', undoes, linked)}
      ${fact('Revises', revises, linked)} ${fact('Undone by', undone_by, linked)}
      ${fact('Policy', policy, prose)}
    </dl>
    <p class="links">
      <a href="${own}/report.csv" download>Download the report (CSV)</a>
      ${temporalUi === undefined ? nothing : html`<a href="${temporalUi}${path('workflows', operation_id)}" rel="noreferrer">Open in the Temporal UI</a>`}
    </p>
  </footer>`;
}
