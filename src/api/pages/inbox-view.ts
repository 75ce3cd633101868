import type { AssistantRow, MacroRow, OperationRow, TaskRunRow } from '../../client';
import { bulkStateSchema, type BulkStatus } from '../../contract/operation';
import { oneLine } from '../../core/shared/plain-text';
import type { Principal } from '../principal';
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
  plural,
  prose,
  type Html,
} from './html';
import { STATE_WORDS, stateWords, titleOf } from './operation-view';
import { decides, showingField, type Showing } from './showing';

/** Filters the jobs of the inbox. */
export interface InboxFilter {
  domain?: string;
  session?: string;
  state?: string;
  /** Text in an id, a requester, or the name of an item. */
  search?: string;
}

/** An operation in the inbox, with the parts of its status that its row shows. */
export interface InboxOperation {
  row: OperationRow;
  status?: BulkStatus;
}

export interface Inbox {
  waiting: InboxOperation[];
  running: InboxOperation[];
  ended: InboxOperation[];
  macros: MacroRow[];
  tasks: TaskRunRow[];
  assistants: AssistantRow[];
  /** More jobs ended today than are listed. */
  has_more_ended: boolean;
  /** Expired with items remaining, and not continued: a session's job that was interrupted. */
  interrupted: InboxOperation[];
  /** Without the filter. */
  waiting_in_all: number;
  /** How many jobs match the filter. */
  shown: number;
  domains: string[];
  sessions: string[];
}

export interface InboxPage {
  inbox: Inbox;
  filter: InboxFilter;
  principal: Principal;
  showing: Showing;
  /** The place in the changes of all operations. */
  mark: string;
  /** Where a new conversation with the assistant begins; undefined without an assistant. */
  talk?: string;
}

/** Jobs that wait for a person, jobs that run, and jobs that ended today. */
export function inboxPage({ inbox, filter, principal, showing, mark, talk }: InboxPage): Html {
  const { waiting, running, ended, macros, tasks, assistants, interrupted } = inbox;
  const asking = macros.filter(({ state }) => state === 'awaiting_answer');
  const count = waiting.length + asking.length;
  const otherMacros = macros.filter(({ state }) => state !== 'awaiting_answer');
  return layout({
    title: count === 0 ? 'Inbox' : `${count} waiting`,
    principal,
    at: 'inbox',
    body: html`<h1>Inbox</h1>
      ${filters(inbox, filter)}
      ${live(
        { own: '/', on: { inbox: '' }, since: { mark }, fields: '#filters', delayMs: 500 },
        showingField(showing),
        html` <p class="lead" role="status" id="said">
            ${leadText(count, inbox, isFiltered(filter))}
            ${
              count + running.length === 0 && !isFiltered(filter) && may(principal.role, 'GET /start')
                ? html`<a href="/start">Start an operation</a>`
                : nothing
            }
            ${talk === undefined ? nothing : html`<a href="${talk}">Talk to the assistant</a>`}
          </p>
          ${section('Waiting', [...asking.map(macroRow), ...waiting.map(operationRow)])}
          ${section(
            'Interrupted',
            interrupted.map((one) => interruptedRow(one, { principal, showing })),
          )}
          ${section('Conversations', assistants.filter(isLive).map(assistantRow))}
          ${section('Running', [...running.map(operationRow), ...otherMacros.filter(isLive).map(macroRow), ...tasks.filter(isLive).map(taskRow)])}
          ${section(
            'Ended today',
            [
              ...ended.map(operationRow),
              ...otherMacros.filter((one) => !isLive(one)).map(macroRow),
              ...tasks.filter((one) => !isLive(one)).map(taskRow),
              ...assistants.filter((one) => !isLive(one)).map(assistantRow),
            ],
            inbox.has_more_ended,
          )}`,
      )}`,
  });
}

const isFiltered = (filter: InboxFilter): boolean => Object.values(filter).some((one) => one !== undefined);

/** What waits. A filter that nothing matches is not an empty inbox. */
function leadText(count: number, { waiting_in_all, shown }: Inbox, filtered: boolean): string {
  const waits = (number: number) => plural(number, 'question waits', 'questions wait');
  if (!filtered) return count === 0 ? 'Nothing waits for you.' : `${waits(count)} for an answer.`;
  const others = waiting_in_all - count;
  const rest = others > 0 ? ` Without the filter, ${waits(others)} besides.` : '';
  if (count > 0) return `${waits(count)} for an answer.${rest}`;
  return `${shown === 0 ? 'Nothing matches this filter.' : 'Nothing that matches this filter waits for you.'}${rest}`;
}

const isLive = ({ closed_at }: { closed_at?: string }) => closed_at === undefined;

function section(title: string, rows: Html[], hasMore = false): Html {
  if (rows.length === 0) return nothing;
  const id = `list-${title.toLowerCase().replace(/\W+/g, '-')}`;
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title} <span class="count">${rows.length}${hasMore ? '+' : ''}</span></h2>
    <ul class="list">
      ${rows}
    </ul>
  </section>`;
}

function operationRow({ row, status }: InboxOperation): Html {
  const { operation_id, domain = '', quarantined, session_id } = row;
  const state = status?.state ?? row.state ?? 'preparing';
  const title = status ? titleOf(status) : domain;
  const { total, processed, requested_by, expires_at, next_batch, batches_total } = { ...status };
  return html`<li>
    <a class="row" href="${path('operations', operation_id)}">
      <span class="title">${prose(title)}</span>
      <span class="state ${state}"
        >${quarantined === undefined ? (status ? stateWords(status) : STATE_WORDS[state]) : 'Needs an operator'}</span
      >
      <span class="meta">
        ${oneLine(domain)}${next_batch ? ` · batch ${next_batch.number} of ${batches_total}` : ''}
        ${total === undefined ? '' : total === 0 ? (state === 'completed' ? ' · nothing matched' : '') : ` · ${processed} of ${plural(total, 'item')}`}
        ${requested_by === undefined ? nothing : html` · ${named(requested_by, 60)}`}
        ${session_id === undefined ? nothing : html` · ${named(session_id, 60)}`}
      </span>
      <span class="when"
        >${
          row.closed_at !== undefined
            ? moment(row.closed_at)
            : expires_at === undefined || !status?.needs_confirmation
              ? moment(row.created_at)
              : html`${countdown(expires_at)} left`
        }</span
      >
    </a>
  </li>`;
}

function macroRow({ run_id, macro = run_id, state, created_at, session_id }: Inbox['macros'][number]): Html {
  return html`<li>
    <a class="row" href="${path('macros', run_id)}">
      <span class="title">${named(macro, 100)}</span>
      <span class="state ${state === 'awaiting_answer' ? 'awaiting_confirmation' : ''}"
        >${state === 'awaiting_answer' ? 'Asks you' : words(state)}</span
      >
      <span class="meta">macro${session_id === undefined ? nothing : html` · ${named(session_id, 60)}`}</span>
      <span class="when">${moment(created_at)}</span>
    </a>
  </li>`;
}

function taskRow({
  task_run_id,
  goal = task_run_id,
  state,
  created_at,
  session_id,
}: Inbox['tasks'][number]): Html {
  return html`<li>
    <a class="row" href="${path('task-runs', task_run_id)}">
      <span class="title">${named(goal, 150)}</span>
      <span class="state">${words(state)}</span>
      <span class="meta"
        >task run${session_id === undefined ? nothing : html` · ${named(session_id, 60)}`}</span
      >
      <span class="when">${moment(created_at)}</span>
    </a>
  </li>`;
}

function assistantRow({ session_id = '', state, created_at }: Inbox['assistants'][number]): Html {
  return html`<li>
    <a class="row" href="${path('sessions', session_id)}">
      <span class="title">Conversation ${named(session_id, 100)}</span>
      <span class="state">${words(state)}</span>
      <span class="meta">assistant</span>
      <span class="when">${moment(created_at)}</span>
    </a>
  </li>`;
}

const words = (state: string | undefined) =>
  (state ?? 'preparing').replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase());

/** A person can continue an interrupted job, with its whole context (specification S3). */
function interruptedRow(
  { row, status }: InboxOperation,
  { principal, showing }: Pick<InboxPage, 'principal' | 'showing'>,
): Html {
  const { operation_id, session_id } = row;
  const { remaining = 0, processed = 0, total = 0 }: Partial<BulkStatus> = status ?? { ...row.progress };
  const own = path('operations', operation_id);
  return html`<li class="interrupted">
    <p>
      <a href="${own}">${status ? prose(titleOf(status)) : named(operation_id, 150)}</a> expired after
      ${processed} of
      ${plural(total, 'item')}${session_id === undefined ? nothing : html` in the session ${named(session_id, 60)}`}.
    </p>
    ${
      may(principal.role, 'POST /operations/{operation_id}/rest')
        ? html`<form method="post" action="${own}/rest">
            ${decides(showing, 'rest', operation_id)} ${formToken(principal)}<button
              class="secondary"
              data-busy="Starting…"
            >
              Run the ${plural(remaining, 'item')} left
            </button>
          </form>`
        : nothing
    }
  </li>`;
}

function filters({ domains, sessions }: Inbox, { domain, session, state, search }: InboxFilter): Html {
  const options = (values: readonly string[], chosen: string | undefined, label: (value: string) => string) =>
    [...new Set([...values, ...(chosen === undefined ? [] : [chosen])])].map(
      (value) =>
        html`<option value="${value}" ${value === chosen ? 'selected' : ''}>${label(value)}</option>`,
    );
  const select = (name: string, label: string, rows: Html[]) =>
    html`<label
      >${label}<select name="${name}">
        <option value="">All</option>
        ${rows}
      </select></label
    >`;
  return html`<search>
    <form id="filters" class="filters" method="get" action="/">
      <label class="grow"
        >Search <input type="search" name="q" value="${search ?? ''}" placeholder="Id, person or item"
      /></label>
      ${select('domain', 'Tool', options(domains, domain, oneLine))}
      ${select(
        'session',
        'Session',
        options(sessions, session, (one) => oneLine(one).slice(0, 60)),
      )}
      ${select(
        'state',
        'State',
        options(bulkStateSchema.options, state, (one) => STATE_WORDS[one as keyof typeof STATE_WORDS] ?? one),
      )}
      <button class="secondary">Show these</button>
      ${isFiltered({ domain, session, state, search }) ? html`<a href="/">Show all</a>` : nothing}
    </form>
  </search>`;
}
