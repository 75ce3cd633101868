import { randomUUID } from 'node:crypto';
import { jobIdOf, jobTitle, listInterrupted, listJobs, type JobRow, type OperationRow } from '../../client';
import { bulkStateSchema, type BulkStatus } from '../../contract/operation';
import type { Approver } from '../../contract/policy';
import { mayInstruct } from '../../core/access/permissions';
import { waitsFor } from '../../core/bulk/approvers';
import { needsConfirmation } from '../../core/bulk/transitions';
import { approverOf } from '../approver';
import { principalOf, type Api, type ApiContext } from '../context';
import { queryOf, text, whole } from './forms';
import { path } from './html';
import type { InboxOperation } from './inbox-rows';
import type { InboxFilter } from './inbox-sections';
import { inboxPage, type Inbox } from './inbox-view';
import { sendPage } from './send';
import { showingOf } from './showing';
import { createStatuses } from './statuses';

const MAX_LIVE = 1_000;
const MAX_ENDED = 100;
/** The time for which an operation that expired with items left is offered. Milliseconds. */
const OFFERED_MS = 7 * 86_400_000;

export function addInbox(pages: Api, context: ApiContext): void {
  const { client, taskQueue: task_queue, access, hasModel } = context;
  const statuses = createStatuses(client);
  pages.get('/', { schema: { hide: true } }, async (request, reply) => {
    const query = queryOf(request);
    const filter = filterOf(query);
    // Read the mark first, so that a change during the other reads refreshes the page.
    const mark = await context.events.markOfAll();
    const expired_after = new Date(Date.now() - OFFERED_MS).toISOString();
    const [live, ended, interrupted] = await Promise.all([
      listJobs(client, { task_queue, live: true, limit: MAX_LIVE }),
      listJobs(client, { task_queue, closed_after: startOfDay(), limit: MAX_ENDED }),
      listInterrupted(client, { task_queue, expired_after }),
    ]);
    const offered = new Set(interrupted.map(({ operation_id }) => operation_id));
    // A run that ends between these reads is in several lists. One id may have had several runs.
    const rows = [
      ...live,
      ...ended,
      ...interrupted.map((row): JobRow => ({ kind: 'bulk_operation', ...row })),
    ];
    const jobs = [...new Map(rows.map((job) => [`${jobIdOf(job)} ${job.created_at}`, job])).values()];
    const hits =
      filter.search === undefined ? undefined : new Set(await access.findOperations(filter.search));
    const matching = jobs.filter((job) => isWanted(job, filter, hits) && isWorthARow(job, filter));
    const operations = matching.filter(({ kind }) => kind === 'bulk_operation') as OperationRow[];
    const statusById = await statuses.of(operations);
    const approver = approverOf(context, principalOf(request), principalOf(request).name);
    const inbox = sorted(operations, statusById, offered, approver);
    const after = query.get('next');
    if (after !== null) return reply.redirect(nextQuestion(inbox, after), 303);
    const facets = {
      domains: distinct(jobs.map((job) => (job.kind === 'bulk_operation' ? job.domain : undefined))),
      sessions: distinct(jobs.map(({ session_id }) => session_id)),
    };
    const others = {
      macros: matching.filter((job): job is JobRow & { kind: 'macro' } => job.kind === 'macro'),
      tasks: matching.filter((job): job is JobRow & { kind: 'task_run' } => job.kind === 'task_run'),
      assistants: matching.filter((job): job is JobRow & { kind: 'assistant' } => job.kind === 'assistant'),
    };
    const searched = jobs.filter((job) => isWorthARow(job, filter)).length;
    const counts = { waiting_in_all: jobs.filter(waits).length, searched, shown: matching.length };
    const page = { ...inbox, ...facets, ...others, ...counts, has_more_ended: ended.length >= MAX_ENDED };
    const principal = principalOf(request);
    const talk = hasModel && mayInstruct(principal) ? path('sessions', newSession()) : undefined;
    const showing = showingOf(context, principal.id, query);
    const place = { section: text(query, 'section'), from: whole(query, 'from') };
    return sendPage(reply, inboxPage({ inbox: page, filter, place, principal, showing, mark, talk }));
  });
}

/** The path of the question with the nearest deadline, except that of `after`; of the inbox if there is none. */
function nextQuestion({ waiting }: Pick<Inbox, 'waiting'>, after: string): string {
  const next = waiting.find(({ row }) => row.operation_id !== after);
  return next ? path('operations', next.row.operation_id) : '/';
}

const WAITING: ReadonlySet<string> = new Set([
  ...bulkStateSchema.options.filter((state) => needsConfirmation(state)),
  'awaiting_answer',
]);
const waits = ({ state, closed_at }: JobRow): boolean =>
  closed_at === undefined && state !== undefined && WAITING.has(state);

/** Whether a job is listed. A job refused before it began, as for a mistake in a form, was reported there. */
const isWorthARow = (job: JobRow, { state }: InboxFilter): boolean =>
  job.state !== 'rejected' || state === 'rejected';

/** The session id of a new conversation. */
const newSession = () => `talk-${randomUUID().slice(0, 8)}`;

function filterOf(query: URLSearchParams): InboxFilter {
  const [domain, session, state, search] = ['domain', 'session', 'state', 'q'].map((name) =>
    text(query, name),
  );
  return {
    domain,
    session,
    state,
    ...(search !== undefined && { search: search.slice(0, 200) }),
  };
}

function isWanted(job: JobRow, { domain, session, state, search }: InboxFilter, hits?: Set<string>): boolean {
  if (domain !== undefined && !(job.kind === 'bulk_operation' && job.domain === domain)) return false;
  if (session !== undefined && job.session_id !== session) return false;
  if (state !== undefined && job.state !== state) return false;
  if (search === undefined || hits?.has(jobIdOf(job))) return true;
  const label = `${jobIdOf(job)} ${jobTitle(job)}`.toLowerCase();
  return label.includes(search.toLowerCase());
}

function sorted(
  rows: OperationRow[],
  statuses: Map<string, BulkStatus>,
  offered: ReadonlySet<string>,
  approver: Approver,
): Pick<Inbox, 'waiting' | 'for_others' | 'running' | 'ended' | 'interrupted'> {
  const all = rows.map((row): InboxOperation => {
    const status = statuses.get(row.operation_id);
    return { row, status };
  });
  const stateOf = ({ row, status }: InboxOperation) => status?.state ?? row.state ?? 'preparing';
  const isLive = ({ row }: InboxOperation) => row.closed_at === undefined;
  const waiting = all.filter((operation) => isLive(operation) && needsConfirmation(stateOf(operation)));
  const ended = all.filter((operation) => !isLive(operation));
  const isInterrupted = ({ row }: InboxOperation) => offered.has(row.operation_id);
  waiting.sort((a, b) => ((a.status?.expires_at ?? '~') < (b.status?.expires_at ?? '~') ? -1 : 1));
  const now = Date.now();
  const isForOthers = ({ status }: InboxOperation) =>
    status !== undefined && !waitsFor(status, approver, now);
  return {
    waiting: waiting.filter((operation) => !isForOthers(operation)),
    for_others: waiting.filter(isForOthers),
    running: all.filter((operation) => isLive(operation) && !waiting.includes(operation)),
    ended: ended.filter((operation) => !isInterrupted(operation)),
    interrupted: ended.filter(isInterrupted),
  };
}

const distinct = (values: readonly (string | undefined)[]) =>
  [...new Set(values)].filter((value) => value !== undefined).sort();

function startOfDay(): string {
  const day = new Date();
  day.setHours(0, 0, 0, 0);
  return day.toISOString();
}
