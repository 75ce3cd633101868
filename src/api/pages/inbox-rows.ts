import { jobTitle, type AssistantRow, type MacroRow, type OperationRow, type TaskRunRow } from '../../client';
import type { BulkStatus } from '../../contract/operation';
import { approvalsText } from '../../core/bulk/approval-words';
import { oneLine } from '../../core/shared/plain-text';
import { countdown, html, moment, named, nothing, path, plural, prose, type Html } from './html';
import { STATE_WORDS, stateWords, titleOf } from './operation-view';
import { sentenceCase } from './vocabulary';

/** An operation in the inbox, with the parts of its status that its row shows. */
export interface InboxOperation {
  row: OperationRow;
  status?: BulkStatus;
}

/** A row of the inbox. Rows with the same `below` are grouped under it, and do not repeat it. */
export interface Row {
  below?: string;
  show: (isBelow: boolean) => Html;
}

/** The row of a question, with its deadline, and a mark if it cannot be undone. */
export function waitingRow({ row, status }: InboxOperation): Row {
  const { operation_id, quarantined, domain = '', session_id } = row;
  const {
    expires_at,
    total = 0,
    processed,
    next_batch,
    batches_total,
    requested_by,
    approvals,
  } = {
    ...status,
  };
  const approved = approvals && approvalsText(approvals);
  const below = status ? jobTitle({ kind: 'bulk_operation', ...row }) : undefined;
  const facts = [
    oneLine(domain),
    ...(next_batch ? [`batch ${next_batch.number} of ${batches_total}`] : []),
    ...(total === 0 ? [] : [`${processed} of ${plural(total, 'item')}`]),
    ...(requested_by === undefined ? [] : [named(requested_by, 60)]),
    ...(session_id === undefined ? [] : [named(session_id, 60)]),
    ...(approved === undefined ? [] : [prose(approved)]),
  ];
  const show = (isBelow: boolean) =>
    html`<li>
      <a class="row" href="${path('operations', operation_id)}">
        <span class="title">${status ? prose(titleOf(status)) : oneLine(domain)}</span>
        <span class="meta"
          >${facts.filter((_, at) => at > 0 || !isBelow).map((fact, at) => html`${at > 0 ? ' · ' : ''}${fact}`)}</span
        >
        <span class="marks">
          ${quarantined === undefined ? warning(status) : html`<span class="state">Needs an operator</span>`}
        </span>
        <span class="when"
          >${expires_at === undefined ? moment(row.created_at) : countdown(expires_at, 'short')}</span
        >
      </a>
    </li>`;
  return { below, show };
}

/** Marks for a question after a failure, and for one that cannot be undone. */
function warning(status: BulkStatus | undefined): Html {
  if (!status) return nothing;
  const { state, reversible } = status;
  return html`${
    state === 'awaiting_confirmation'
      ? nothing
      : html`<span class="state ${state}">${stateWords(status)}</span>`
  }
  ${reversible === 'no' ? html`<span class="undo no">cannot be undone</span>` : nothing}
  ${reversible === 'partly' ? html`<span class="undo partly">can be undone in part</span>` : nothing}`;
}

/** The row of an operation that runs or has ended. */
export function operationRow({ row, status }: InboxOperation): Html {
  const { operation_id, domain = '', quarantined, session_id } = row;
  const state = status?.state ?? row.state ?? 'preparing';
  const { total, processed, requested_by, undoes, scheduled_for } = { ...status };
  const nothingDone = undoes === undefined ? ' · nothing matched' : ' · nothing to undo';
  return jobRow({
    href: path('operations', operation_id),
    title: status ? prose(titleOf(status)) : oneLine(domain),
    state,
    words:
      quarantined === undefined ? (status ? stateWords(status) : STATE_WORDS[state]) : 'Needs an operator',
    meta: html`${oneLine(domain)}
    ${total === undefined ? '' : total === 0 ? (state === 'completed' ? nothingDone : '') : ` · ${processed} of ${plural(total, 'item')}`}
    ${scheduled_for === undefined ? nothing : html` · runs at ${moment(scheduled_for)}`}
    ${requested_by === undefined ? nothing : html` · ${named(requested_by, 60)}`}`,
    session_id,
    at: row.closed_at ?? row.created_at,
  });
}

export function macroRow({ run_id, macro = run_id, state, created_at, session_id }: MacroRow): Html {
  const asks = state === 'awaiting_answer';
  return jobRow({
    href: path('macros', run_id),
    title: named(macro, 100),
    state: asks ? 'awaiting_confirmation' : '',
    words: asks ? 'Asks you' : words(state),
    meta: 'macro',
    session_id,
    at: created_at,
  });
}

export const taskRow = ({
  task_run_id,
  goal = task_run_id,
  state,
  created_at,
  session_id,
}: TaskRunRow): Html =>
  jobRow({
    href: path('task-runs', task_run_id),
    title: named(goal, 150),
    words: words(state),
    meta: 'task run',
    session_id,
    at: created_at,
  });

export const assistantRow = ({ session_id = '', state, created_at }: AssistantRow): Html =>
  jobRow({
    href: path('sessions', session_id),
    title: html`Conversation ${named(session_id, 100)}`,
    words: words(state),
    meta: 'assistant',
    at: created_at,
  });

interface JobRowParts {
  href: string;
  title: Html | string;
  state?: string;
  words: string;
  meta: Html | string;
  session_id?: string;
  at: string;
}

const jobRow = ({ href, title, state = '', words: label, meta, session_id, at }: JobRowParts): Html =>
  html`<li>
    <a class="row" href="${href}">
      <span class="title">${title}</span>
      <span class="meta"
        >${meta}${session_id === undefined ? nothing : html` · ${named(session_id, 60)}`}</span
      >
      <span class="marks"><span class="state ${state}">${label}</span></span>
      <span class="when">${moment(at)}</span>
    </a>
  </li>`;

const words = (state: string | undefined) => sentenceCase(state ?? 'preparing');
