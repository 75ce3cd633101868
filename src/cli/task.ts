import { InvalidArgumentError, type Command } from 'commander';
import { completeTaskRun, getTaskRun, listTaskRuns, recordTaskRun, startTaskRun } from '../client';
import type { CompleteRequest } from '../contract/messages';
import type { TaskRunInput, TaskRunStatus } from '../contract/task-run';
import { guardBlocked } from './after';
import { cleanLine } from './clean';
import { withClient } from './connect';
import { print, printJson, table } from './output';
import { jsonObject, verb } from './verb';

/** Repetitive tasks of agents and backends, counted and guarded (seed 004). */
export function addTaskVerbs(program: Command): void {
  const task = program.command('task').description('repetitive tasks, counted and guarded');
  verb(task, 'start', 'begin a task run', async (json, flags: StartFlags) => {
    const { goal, session, id, contract } = flags;
    const input = { goal, session_id: session, contract: contract as TaskRunInput['contract'] };
    showTask(
      await withClient((client, task_queue) => startTaskRun(client, input, { task_run_id: id, task_queue })),
      json,
    );
  })
    .requiredOption('--goal <text>', 'what it is about')
    .option('--contract <json>', 'when it may be called complete, as {"expected_total": 3}', jsonObject)
    .option('--session <id>', 'the conversation it belongs to')
    .option('--id <id>', 'its id; the same again finds the same run');

  verb(
    task,
    'record <id>',
    'what was done; the same again changes nothing',
    async (json, id: string, flags: RecordFlags) => {
      const { completed, failed, skipped, cursor, stopConditionSatisfied } = flags;
      const request = {
        completed,
        failed,
        skipped,
        cursor,
        stop_condition_satisfied: stopConditionSatisfied,
      };
      showTask(await withClient((client) => recordTaskRun(client, id, request)), json);
    },
  )
    .option('--completed <items>', 'comma separated', list)
    .option('--failed <item=reason>', 'once for each item', reasons, [])
    .option('--skipped <item=reason>', 'once for each item', reasons, [])
    .option('--cursor <text>', 'where to go on')
    .option('--stop-condition-satisfied', 'what the contract waits for has come about');

  verb(task, 'complete <id>', 'call it complete; refused while its contract is not met', complete)
    .option('--force', 'complete although the contract is not met')
    .option('--reason <text>', 'why; needed with --force');

  verb(task, 'get <id>', 'where it stands', async (json, id: string, { items }: { items?: boolean }) => {
    showTask(await withClient((client) => getTaskRun(client, id, { items })), json);
  }).option('--items', 'everything recorded, and not only the latest; in --json');

  verb(task, 'list', 'task runs, newest first', async (json) => {
    const rows = await withClient((client) => listTaskRuns(client));
    if (json) rows.forEach(printJson);
    else
      print(
        table(
          ['task run', 'state', 'session', 'goal'],
          rows.map((row) => [row.task_run_id, row.state ?? '', row.session_id ?? '', row.goal ?? '']),
        ),
      );
  });
}

interface StartFlags {
  goal: string;
  contract?: Record<string, unknown>;
  session?: string;
  id?: string;
}

interface Reasoned {
  item: string;
  reason: string;
}

interface RecordFlags {
  completed?: string[];
  failed: Reasoned[];
  skipped: Reasoned[];
  cursor?: string;
  stopConditionSatisfied?: true;
}

async function complete(json: boolean, id: string, flags: CompleteRequest): Promise<void> {
  const guard = await withClient((client) => completeTaskRun(client, id, flags));
  if (!guard.allowed) throw guardBlocked(guard);
  if (json) printJson(guard);
  else print('Completed.');
}

export function showTask(status: TaskRunStatus, json: boolean): void {
  if (json) return printJson(status);
  const { completed_count, failed_count, skipped_count, expected_total, guard, cursor } = status;
  const of = expected_total === undefined ? '' : ` of ${expected_total}`;
  print(
    `${cleanLine(status.goal)}: ${status.state}, ${completed_count}${of} completed, ${failed_count} failed, ${skipped_count} skipped.`,
  );
  print(`task run   ${status.task_run_id}`);
  if (cursor !== undefined) print(`cursor     ${cleanLine(cursor)}`);
  if (status.state === 'running' && guard.reason !== undefined)
    print(`missing    ${cleanLine(guard.reason)} ${cleanLine(guard.suggested_next_action ?? '')}`);
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** An item or a reason may hold an equals sign; which one parts them is not guessed. */
function reasons(text: string, before: Reasoned[]): Reasoned[] {
  if (text.startsWith('{')) return [...before, jsonObject(text) as unknown as Reasoned];
  const [item = '', reason, ...more] = text.split('=');
  if (reason === undefined || item === '')
    throw new InvalidArgumentError('Give the item, an equals sign and the reason.');
  if (more.length > 0)
    throw new InvalidArgumentError('It has several equals signs; give it as {"item": "…", "reason": "…"}.');
  return [...before, { item, reason }];
}
