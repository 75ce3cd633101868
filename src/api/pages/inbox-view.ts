import type { AssistantRow, MacroRow, TaskRunRow } from '../../client';
import { bulkStateSchema, type BulkStatus } from '../../contract/operation';
import { oneLine } from '../../core/shared/plain-text';
import type { Principal } from '../principal';
import {
  countdown,
  formToken,
  html,
  layout,
  live,
  may,
  named,
  nothing,
  path,
  plural,
  prose,
  type Html,
} from './html';
import { assistantRow, macroRow, operationRow, taskRow, waitingRow, type InboxOperation } from './inbox-rows';
import { plain, sectionsView, type InboxFilter, type Place, type Section } from './inbox-sections';
import { STATE_WORDS, titleOf } from './operation-view';
import { decides, showingField, type Showing } from './showing';

export interface Inbox {
  waiting: InboxOperation[];
  /** Questions that wait only for approvals of others. */
  for_others: InboxOperation[];
  running: InboxOperation[];
  ended: InboxOperation[];
  macros: MacroRow[];
  tasks: TaskRunRow[];
  assistants: AssistantRow[];
  /** Whether more jobs ended today than are listed. */
  has_more_ended: boolean;
  /** Operations that expired with items remaining and were not continued. */
  interrupted: InboxOperation[];
  /** The number of waiting questions without the filter. */
  waiting_in_all: number;
  /** The number of jobs that were searched, and the number of them that match the filter. */
  searched: number;
  shown: number;
  domains: string[];
  sessions: string[];
}

export interface InboxPage {
  inbox: Inbox;
  filter: InboxFilter;
  place: Place;
  principal: Principal;
  showing: Showing;
  /** The position in the changes of all operations. */
  mark: string;
  /** The path of a new conversation with the assistant; undefined without an assistant. */
  talk?: string;
}

/** Jobs that wait for a person, jobs that run, and jobs that ended today. */
export function inboxPage({ inbox, filter, place, principal, showing, mark, talk }: InboxPage): Html {
  const count = inbox.waiting.length + inbox.macros.filter(asks).length;
  const isEmpty = count + inbox.for_others.length + inbox.running.length === 0 && !isFiltered(filter);
  return layout({
    title: count === 0 ? 'Inbox' : `${count} waiting`,
    principal,
    at: 'inbox',
    body: html`<h1>Inbox</h1>
      ${filters(inbox, filter)}
      ${live(
        { own: '/', on: { inbox: '' }, since: { mark }, fields: '#filters', delayMs: 500 },
        html`${showingField(showing)} ${placeFields(place)}`,
        html` <p class="lead" role="status" id="said">
            ${leadText(count, inbox, isFiltered(filter))} ${searchText(inbox, filter)}
            ${isEmpty && may(principal.role, 'GET /start') ? html`<a href="/start">Start an operation</a>` : nothing}
            ${talk === undefined ? nothing : html`<a href="${talk}">Talk to the assistant</a>`}
          </p>
          ${nextDeadline(inbox)} ${sectionsView(sectionsOf(inbox, { principal, showing }), place, filter)}`,
      )}
      <p class="links">
        <a href="/stats">Statistics</a>
        ${may(principal.role, 'GET /passkeys') ? html`<a href="/passkeys">Passkeys</a>` : nothing}
      </p>`,
  });
}

function sectionsOf(inbox: Inbox, page: Pick<InboxPage, 'principal' | 'showing'>): Section[] {
  const { waiting, for_others, running, ended, macros, tasks, assistants, interrupted, has_more_ended } =
    inbox;
  const others = macros.filter((macro) => !asks(macro));
  const hasEnded = (job: { closed_at?: string }) => !isLive(job);
  return [
    { title: 'Waiting', rows: [...plain(macros.filter(asks).map(macroRow)), ...waiting.map(waitingRow)] },
    { title: 'For others', rows: for_others.map(waitingRow) },
    { title: 'Interrupted', rows: plain(interrupted.map((operation) => interruptedRow(operation, page))) },
    { title: 'Conversations', rows: plain(assistants.filter(isLive).map(assistantRow)) },
    {
      title: 'Running',
      rows: plain([
        ...running.map(operationRow),
        ...others.filter(isLive).map(macroRow),
        ...tasks.filter(isLive).map(taskRow),
      ]),
    },
    {
      title: 'Ended today',
      rows: plain([
        ...ended.map(operationRow),
        ...others.filter(hasEnded).map(macroRow),
        ...tasks.filter(hasEnded).map(taskRow),
        ...assistants.filter(hasEnded).map(assistantRow),
      ]),
      hasMore: has_more_ended,
    },
  ];
}

const asks = ({ state }: Pick<MacroRow, 'state'>) => state === 'awaiting_answer';

/** The fields that the page sends when it refreshes itself, so that it stays at its place. */
const placeFields = ({ section, from }: Place): Html =>
  section === undefined
    ? nothing
    : html`<input type="hidden" class="part-page" name="section" value="${section}" />
        <input type="hidden" class="part-page" name="from" value="${from ?? 0}" />`;

/** The next deadline. It is outside the status line, so that its countdown is not announced. */
function nextDeadline({ waiting }: Inbox): Html {
  const [next] = waiting.flatMap(({ status }) => status?.expires_at ?? []);
  return next === undefined || waiting.length < 2
    ? nothing
    : html`<p class="hint">The next deadline is in ${countdown(next)}.</p>`;
}

/** The scope of a search, and its number of matches. */
const searchText = ({ searched, shown }: Inbox, { search }: InboxFilter): Html =>
  search === undefined
    ? nothing
    : html`${shown} of ${plural(searched, 'job')} that ${searched === 1 ? 'is' : 'are'} open, ended today, or
      expired this week have ${named(search, 100)} in the id, the action, the person or the name of an item.`;

const isFiltered = (filter: InboxFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined);

/** The number of waiting questions. A filter without a match does not mean an empty inbox. */
function leadText(count: number, { waiting_in_all, for_others, shown }: Inbox, filtered: boolean): string {
  const waits = (number: number) => plural(number, 'question waits', 'questions wait');
  if (!filtered) return count === 0 ? 'Nothing waits for you.' : `${waits(count)} for an answer.`;
  const others = waiting_in_all - count - for_others.length;
  const rest = others > 0 ? ` Without the filter, ${waits(others)} besides.` : '';
  if (count > 0) return `${waits(count)} for an answer.${rest}`;
  return `${shown === 0 ? 'Nothing matches this filter.' : 'Nothing that matches this filter waits for you.'}${rest}`;
}

const isLive = ({ closed_at }: { closed_at?: string }) => closed_at === undefined;

/** An interrupted job, which a person can continue with its whole context (specification S3). */
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
  const options = (values: readonly string[], choice: string | undefined, label: (value: string) => string) =>
    [...new Set([...values, ...(choice === undefined ? [] : [choice])])].map(
      (value) =>
        html`<option value="${value}" ${value === choice ? 'selected' : ''}>${label(value)}</option>`,
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
      <details class="more-filters" id="more-filters" ${isFiltered({ domain, session, state }) ? 'open' : ''}>
        <summary>Filters</summary>
        ${select('domain', 'Tool', options(domains, domain, oneLine))}
        ${select(
          'session',
          'Session',
          options(sessions, session, (name) => oneLine(name).slice(0, 60)),
        )}
        ${select(
          'state',
          'State',
          options(
            bulkStateSchema.options,
            state,
            (name) => STATE_WORDS[name as keyof typeof STATE_WORDS] ?? name,
          ),
        )}
      </details>
      <button class="secondary">Show these</button>
      ${isFiltered({ domain, session, state, search }) ? html`<a href="/">Show all</a>` : nothing}
    </form>
  </search>`;
}
