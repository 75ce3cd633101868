import { Option, type Command } from 'commander';
import {
  getBulkErrors,
  getBulkItems,
  getCompletionGuard,
  findQuarantined,
  getJob,
  jobIdOf,
  jobTitle,
  listJobs,
  type JobRow,
  type JobStatus,
} from '../../client';
import {
  bulkStateSchema,
  itemOutcomeSchema,
  type BulkState,
  type BulkStatus,
  type ItemOutcome,
} from '../../contract/operation';
import { assistantStateSchema } from '../../contract/assistant';
import { macroStateSchema } from '../../contract/macro-run';
import { taskRunStateSchema } from '../../contract/task-run';
import { presentChangeFields } from '../../core/bulk/change';
import { oneLine, visibleText } from '../../core/shared/plain-text';
import { batchItemLines, presentBulkStatus } from '../../core/bulk/presenter';
import { presentBulkErrors } from '../../core/bulk/troubles';
import { verb, wholeNumber } from '../verb';
import { progressWords } from '../watch/bars';
import { localReader, print, printJson, table } from '../output';
import { bad, bold } from '../style';
import { withClient } from '../connect';
import { macroStateWord, showMacro } from '../macro/runs';
import { showAssistant } from '../chat/restoration';
import { showTask } from '../progress/task';
import { keepShown } from './shown-gate';
import { stateWord } from '../watch/frame';

/** The message of a status, and what the open question would run. */
function showStatus(status: BulkStatus): void {
  const sentence = visibleText(presentBulkStatus(status));
  print(status.needs_confirmation ? bold(sentence) : sentence);
  if (status.error && status.state === 'batch_failed')
    print(bad(visibleText(`Reason: ${status.error.message} ${status.error.hint}`)));
  print(`\noperation  ${oneLine(status.operation_id)}\nstate      ${stateWord(status.state)}`);
  print(`progress   ${progressWords(status)}`);
  if (status.undoes !== undefined) print(`undoes     ${oneLine(status.undoes)}`);
  if (status.undone_by !== undefined) print(`undone by  ${oneLine(status.undone_by)}`);
  if (status.next_batch) {
    const { number, attempt, digest, change } = status.next_batch;
    presentChangeFields(change).forEach((line, at) => print(`${at === 0 ? 'change' : '      '}     ${line}`));
    print(`question   batch ${number} of ${status.batches_total}, attempt ${attempt}, digest ${digest}`);
    for (const line of batchItemLines(status, localReader())) print(`           ${line}`);
  }
  if (status.expires_at) print(`expires    ${status.expires_at}`);
}

export function show(status: BulkStatus, json: boolean): void {
  keepShown(status);
  if (json) printJson(status);
  else showStatus(status);
}

async function list(json: boolean, options: { state?: string; session?: string }): Promise<void> {
  const filter = { state: options.state as JobRow['state'], session_id: options.session };
  const { rows, quarantined } = await withClient(async (client, taskQueue) => {
    if (json) return { rows: await listJobs(client, filter), quarantined: [] };
    // The rows do not include the sentinel, or what the filter leaves out.
    const quarantined = await findQuarantined(client, taskQueue);
    return { rows: await listJobs(client, filter, quarantined), quarantined };
  });
  if (json) return rows.forEach(printJson);
  const state = (cell: string, column: number) => (column === 2 ? jobStateWord(cell) : cell);
  print(table(['job', 'what', 'state', 'progress', 'session'], rows.map(listed), state));
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
    async (json, id: string) => {
      showJob(await withClient((client) => getJob(client, id)), json);
    },
  );

  addListVerb(program);

  verb(
    program,
    'errors <id>',
    'the failed items, and those in doubt',
    async (json, id: string, options: Page) => {
      const { errors, total } = await withClient((client) => getBulkErrors(client, id, page(options)));
      if (json) errors.forEach(printJson);
      else print(total === 0 ? 'No errors.' : presentBulkErrors(errors));
    },
  )
    .option('--offset <n>', 'skip this many', wholeNumber)
    .option('--limit <n>', 'show at most this many', wholeNumber);

  verb(
    program,
    'items <id>',
    'each planned item and its outcome',
    async (json, id: string, options: Page) => {
      const outcome = options.outcome as ItemOutcome | undefined;
      const { items } = await withClient((client) => getBulkItems(client, id, { ...page(options), outcome }));
      if (json) items.forEach(printJson);
      else {
        const rows = items.map((item) => [
          String(item.batch),
          item.outcome,
          item.id,
          item.display_name,
          item.error ?? '',
        ]);
        print(table(['batch', 'outcome', 'id', 'name', 'error'], rows));
      }
    },
  )
    .option('--offset <n>', 'skip this many', wholeNumber)
    .option('--limit <n>', 'show at most this many', wholeNumber)
    .addOption(
      new Option('--outcome <outcome>', 'only those with this outcome').choices(itemOutcomeSchema.options),
    );

  addGuardVerb(program);
}

function addListVerb(program: Command): void {
  verb(
    program,
    'list',
    'operations, macro runs, task runs and assistants; live ones first, then the newest',
    list,
  )
    .addOption(new Option('--state <state>', 'only those in this state').choices([...JOB_STATES]))
    .option('--session <id>', 'only those of this session');
}

function addGuardVerb(program: Command): void {
  verb(program, 'guard <id>', 'whether it can be completed', async (json, id: string) => {
    const guard = await withClient((client) => getCompletionGuard(client, id));
    if (json) printJson(guard);
    else
      print(
        guard.allowed
          ? 'It can be completed.'
          : visibleText(`${guard.reason} ${guard.suggested_next_action}`),
      );
  });
}

interface Page {
  offset?: number;
  limit?: number;
  outcome?: string;
}

const page = ({ offset, limit }: Page) => ({ offset, limit });

const JOB_STATES = new Set([
  ...bulkStateSchema.options,
  ...macroStateSchema.options,
  ...taskRunStateSchema.options,
  ...assistantStateSchema.options,
]);

const jobStateWord = (state: string): string =>
  bulkStateSchema.safeParse(state).success ? stateWord(state as BulkState) : macroStateWord(state);

/** A job of any kind, in the words of its kind. */
export function showJob(job: JobStatus, json: boolean): void {
  if (job.kind === 'macro') showMacro(job.status, json);
  else if (job.kind === 'task_run') showTask(job.status, json);
  else if (job.kind === 'assistant') showAssistant(job.status, job.open, json);
  else show(job.status, json);
}

function listed(row: JobRow): string[] {
  const { state = '', session_id = '' } = row;
  if (row.kind !== 'bulk_operation') return [jobIdOf(row), jobTitle(row), state, '', session_id];
  const { processed, total } = row.progress ?? {};
  return [
    row.operation_id,
    row.domain ?? '',
    state,
    total === undefined ? '' : `${processed}/${total}`,
    session_id,
  ];
}
