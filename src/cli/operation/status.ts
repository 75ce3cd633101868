import type { Client } from '@temporalio/client';
import { Option, type Command } from 'commander';
import {
  getBulkErrors,
  getBulkItems,
  getCompletionGuard,
  getPlannedItems,
  findQuarantined,
  getJob,
  jobIdOf,
  jobTitle,
  listJobs,
  type JobRow,
  type JobStatus,
} from '../../client';
import { bulkStateSchema, type BulkState, type BulkStatus, type ItemOutcome } from '../../contract/operation';
import { errorsCommand, guardCommand, itemsCommand, listCommand } from '../../commands/looks';
import type { ItemsRequest } from '../../contract/messages';
import { assistantStateSchema } from '../../contract/assistant';
import { macroStateSchema } from '../../contract/macro-run';
import { taskRunStateSchema } from '../../contract/task-run';
import { approvalsText } from '../../core/bulk/approval-words';
import { presentChangeFields } from '../../core/bulk/change';
import { groupLines, isMixed, itemGroups, planSummary } from '../../core/bulk/groups';
import { idText, oneLine, shellWord, visibleText } from '../../core/shared/plain-text';
import { batchItemLines, presentBulkStatus } from '../../core/bulk/presenter';
import { requesterLines } from '../../core/bulk/requester';
import { presentBulkErrors } from '../../core/bulk/troubles';
import { flag } from '../flags';
import { verb, wholeNumber } from '../verb';
import { progressWords } from '../watch/bars';
import { localReader, note, noteNext, print, printJson, table } from '../output';
import { bad, bold, dim } from '../style';
import { withClient } from '../connect';
import { macroStateWord, showMacro } from '../macro/runs';
import { showAssistant } from '../chat/restoration';
import { showTask } from '../progress/task';
import { keepShown } from './shown-gate';
import { nextCommands } from './next-commands';
import { about, stateWord } from '../watch/frame';
import { forPerson } from '../../core/shared/agent-errors';

/** Prints a status: its message, and what the open question would run. */
function showStatus(status: BulkStatus): void {
  print(`operation  ${oneLine(status.operation_id)}`);
  print(`action     ${oneLine(`${status.action} on ${status.domain}`)}`);
  print(`state      ${stateWord(status.state)}`);
  print(`started    ${agoWords(status.created_at)}`);
  print(`progress   ${progressWords(status)}`);
  if (status.undoes !== undefined) print(`undoes     ${oneLine(status.undoes)}`);
  if (status.revises !== undefined) print(`revises    ${oneLine(status.revises)}`);
  if (status.undone_by !== undefined) print(`undone by  ${oneLine(status.undone_by)}`);
  if (!status.next_batch) requesterLines(status).forEach((line) => print(`reason     ${line}`));
  if (!status.next_batch && status.policy !== undefined) print(`policy     ${oneLine(status.policy)}`);
  if (!status.next_batch && status.summary) print(`change     ${oneLine(status.summary)}`);
  if (status.next_batch) {
    const { number, attempt, digest, change } = status.next_batch;
    presentChangeFields(change).forEach((line, at) => print(`${at === 0 ? 'change' : '      '}     ${line}`));
    if (isMixed(status)) print(`plan       ${planSummary(status)}`);
    if (status.groups_truncated)
      print(`           for all of them: npx batchgate status ${shellWord(status.operation_id)} --groups`);
    print(`question   batch ${number} of ${status.batches_total}, attempt ${attempt}, digest ${digest}`);
    for (const line of batchItemLines(status, localReader())) print(`           ${line}`);
  }
  if (status.scheduled_batch) showScheduled(status);
  if (status.throttled_until) print(`throttled  until ${whenWords(status.throttled_until)}`);
  if (status.expires_at) print(`expires    ${status.expires_at}, ${inWords(status.expires_at)}`);
  const sentence = visibleText(presentBulkStatus(status));
  print(`\n${status.needs_confirmation ? bold(sentence) : sentence}`);
  if (status.error && status.state === 'batch_failed')
    print(bad(visibleText(`Reason: ${forPerson(status.error)}`)));
  const next = nextCommands(status);
  if (next.length > 0) print(dim(`\nNext: ${next.join('\n      ')}`));
}

/** Prints the scheduled batch, and who confirmed it. */
function showScheduled({ scheduled_for = '', scheduled_batch, batches_total }: BulkStatus): void {
  if (!scheduled_batch) return;
  const { number, attempt, digest, items, by } = scheduled_batch;
  print(`scheduled  ${whenWords(scheduled_for)}, in ${about(Date.parse(scheduled_for) - Date.now())}`);
  print(`batch      ${number} of ${batches_total}, attempt ${attempt}, digest ${digest}`);
  if (by !== undefined) print(`confirmed  by ${oneLine(by)}`);
  const next_batch = { number, attempt, digest, items, change: scheduled_batch.change };
  for (const line of batchItemLines({ next_batch }, localReader())) print(`           ${line}`);
}

/** A time in the zone of this terminal. */
const whenWords = (at: string): string =>
  new Date(at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

const agoWords = (at: string) => `${about(Date.now() - Date.parse(at))} ago`;
const inWords = (at: string) => `in ${about(Date.parse(at) - Date.now())}`;

export function show(status: BulkStatus, json: boolean): void {
  keepShown(status, json);
  if (json) printJson(status);
  else showStatus(status);
}

const LISTED = 100;
const LARGEST_LIST = 20_000;

async function list(
  json: boolean,
  { state: inState, session, limit = LISTED }: { state?: string; session?: string; limit?: number },
): Promise<void> {
  // One more than is listed, to detect whether there are more.
  const most = limit && Math.min(limit + 1, LARGEST_LIST);
  const filter = { state: inState as JobRow['state'], session_id: session, limit: most };
  const { jobs, quarantined } = await withClient(async (client, taskQueue) => {
    if (json) return { jobs: await listJobs(client, filter), quarantined: [] };
    // The rows exclude the sentinel, and runs that the filter leaves out.
    const quarantined = await findQuarantined(client, taskQueue);
    return { jobs: await listJobs(client, filter, quarantined), quarantined };
  });
  const rows = jobs.slice(0, limit);
  if (jobs.length > limit) note(`Only the first ${limit} are listed. For more, add --limit ${limit * 10}.`);
  if (json) return rows.forEach(printJson);
  const state = (cell: string, column: number) => (column === 2 ? jobStateWord(cell) : cell);
  const cells = rows.map(listed);
  const last = cells.some(([, , , , , , approvals]) => approvals !== '') ? ['approvals'] : [];
  print(table(['job', 'what', 'state', 'progress', 'started', 'session', ...last], cells, state));
  const [first] = rows;
  noteNext(...(first ? [`status ${shellWord(jobIdOf(first))}`] : ['start --help']));
  for (const { workflow_id, type, failures, reason } of quarantined) {
    const what = `Quarantined: ${workflow_id} (${type}), whose workflow task failed ${failures} times in a row. ${reason}`;
    print(bad(visibleText(what)));
    print(`End it: npx batchgate end ${oneLine(workflow_id)} --reason "…"`);
  }
}

export function addLookVerbs(program: Command): void {
  verb(
    program,
    'status <id>',
    'show the state of an operation, a macro run or a task run',
    async (json, id: string, { groups }: { groups?: true }) => {
      if (groups) return showGroups(json, id);
      showJob(await withClient((client) => getJob(client, id)), json);
    },
  ).option('--groups', 'instead: all items of an operation by what happens to them, outliers first');

  addListVerb(program);

  verb(
    program,
    'errors <id>',
    'the failed items, and those in doubt',
    async (json, id: string, options: Page) => {
      const errors = await rowsOf(options, async (client, { offset, limit }) => {
        const { errors: rows, total } = await getBulkErrors(client, id, { offset, limit });
        return { rows, total };
      });
      if (json) return errors.forEach(printJson);
      print(errors.length === 0 ? 'No errors.' : presentBulkErrors(errors));
      const again = errors.some(({ retryable }) => retryable) ? [`retry-failed ${shellWord(id)}`] : [];
      noteNext(`status ${shellWord(id)}`, ...again);
    },
  )
    .addOption(flag(errorsCommand, 'offset', '--offset <n>'))
    .option('--limit <n>', 'how many at most; without it, all', wholeNumber);

  verb(
    program,
    'items <id>',
    'each planned item and its outcome',
    async (json, id: string, options: Page) => {
      const read = async (client: Client, page: ItemsRequest) => {
        const { items: rows, total } = await getBulkItems(client, id, page);
        return { rows, total };
      };
      const items = await rowsOf(options, read, (item) => item.outcome);
      if (json) items.forEach(printJson);
      else {
        const rows = items.map((item) => [
          String(item.batch),
          item.outcome,
          idText(item.id),
          item.display_name,
          item.error ?? '',
        ]);
        print(table(['batch', 'outcome', 'id', 'name', 'error'], rows));
        noteNext(`status ${shellWord(id)}`, `report ${shellWord(id)}`);
      }
    },
  )
    .addOption(flag(itemsCommand, 'offset', '--offset <n>'))
    .option('--limit <n>', 'how many at most; without it, all', wholeNumber)
    .addOption(flag(itemsCommand, 'outcome', '--outcome <outcome>'));

  addGuardVerb(program);
}

/** Prints all items of a plan, grouped by what happens to them. As JSON, one group a line, with all its ids. */
async function showGroups(json: boolean, id: string): Promise<void> {
  const items = await withClient((client) => getPlannedItems(client, id));
  if (json) return itemGroups(items).forEach(printJson);
  groupLines(items, localReader()).forEach((line) => print(visibleText(line)));
  noteNext(`status ${shellWord(id)}`, `report ${shellWord(id)}`);
}

function addListVerb(program: Command): void {
  verb(
    program,
    'list',
    'operations, macro runs, task runs and assistants; live ones first, then the newest',
    list,
  )
    .addOption(new Option('--state <state>', 'only those in this state').choices([...JOB_STATES]))
    .addOption(flag(listCommand, 'session_id', '--session <id>'))
    .option('--limit <n>', 'show at most this many', wholeNumber, LISTED);
}

function addGuardVerb(program: Command): void {
  verb(program, 'guard <id>', guardCommand, async (json, id: string) => {
    const guard = await withClient((client) => getCompletionGuard(client, id));
    if (json) return printJson(guard);
    print(
      guard.allowed ? 'It can be completed.' : visibleText(`${guard.reason} ${guard.suggested_next_action}`),
    );
    noteNext(guard.allowed ? `complete ${shellWord(id)}` : `status ${shellWord(id)}`);
  });
}

interface Page {
  offset?: number;
  limit?: number;
  outcome?: ItemOutcome;
}

/** The largest page of one request. */
const LARGEST_PAGE = 1_000;

/** The requested page; without a limit, all rows, in as many requests as necessary. */
async function rowsOf<R>(
  { offset = 0, limit, outcome }: Page,
  read: (client: Client, page: ItemsRequest) => Promise<{ rows: R[]; total: number }>,
  outcomeOf: (row: R) => ItemOutcome | undefined = () => undefined,
): Promise<R[]> {
  return withClient(async (client) => {
    if (limit !== undefined) return (await read(client, { offset, limit, outcome })).rows;
    const all: R[] = [];
    for (let more = true; more;) {
      const { rows, total } = await read(client, { offset: all.length, limit: LARGEST_PAGE });
      all.push(...rows);
      more = rows.length > 0 && all.length < total;
    }
    // Filtered here: on the server, a batch that runs meanwhile would shift the offsets of the rows.
    return all.filter((row) => outcome === undefined || outcomeOf(row) === outcome).slice(offset);
  });
}

const JOB_STATES = new Set([
  ...bulkStateSchema.options,
  ...macroStateSchema.options,
  ...taskRunStateSchema.options,
  ...assistantStateSchema.options,
]);

const jobStateWord = (state: string): string =>
  bulkStateSchema.safeParse(state).success ? stateWord(state as BulkState) : macroStateWord(state);

/** Prints a job in the format of its kind. */
export function showJob(job: JobStatus, json: boolean): void {
  if (job.kind === 'macro') showMacro(job.status, json);
  else if (job.kind === 'task_run') showTask(job.status, json);
  else if (job.kind === 'assistant') showAssistant(job.status, job.open, json);
  else show(job.status, json);
}

function listed(row: JobRow): string[] {
  const { state = '', session_id = '', created_at } = row;
  const progress = row.kind === 'bulk_operation' ? progressCell(row.progress) : '';
  const { approvals } = row.kind === 'bulk_operation' ? row : {};
  const approvalCell = (approvals && approvalsText(approvals)) ?? '';
  return [jobIdOf(row), jobTitle(row), state, progress, agoWords(created_at), session_id, approvalCell];
}

function progressCell({ total, processed, failed = 0, in_doubt = 0 }: Record<string, number> = {}): string {
  if (total === undefined) return '';
  const troubles = [failed > 0 && `${failed} failed`, in_doubt > 0 && `${in_doubt} in doubt`].filter(Boolean);
  return [`${processed}/${total}`, ...troubles].join(', ');
}
