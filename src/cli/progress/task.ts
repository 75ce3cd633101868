import type { Command } from 'commander';
import {
  cancelJob,
  completeTaskRun,
  getTaskRun,
  listTaskRuns,
  recordTaskRun,
  startTaskRun,
} from '../../client';
import { cancelTaskRunCommand, getTaskRunCommand, startTaskRunCommand } from '../../commands/task-runs';
import type { TaskRunInput, TaskRunStatus } from '../../contract/task-run';
import { oneLine, shellWord } from '../../core/shared/plain-text';
import { withClient } from '../connect';
import { noteNext, print, printJson, table } from '../output';
import { completeVerb, contractFlag, printMissing, printTerms, recordVerb } from './verbs';
import { flag, withFlags } from '../flags';
import { verb } from '../verb';
import { waiting } from '../wait-line';

/** Verbs for repetitive tasks of agents and backends, counted and guarded (specification T1). */
export function addTaskVerbs(program: Command): void {
  const task = program.command('task').description('repetitive tasks, counted and guarded');
  const startRun = async (json: boolean, { id, ...input }: TaskRunInput & { id?: string }) =>
    showTask(
      await withClient((client, task_queue) =>
        startTaskRun(client, input, { ...waiting(), task_run_id: id, task_queue }),
      ),
      json,
    );
  const start = verb(task, 'start', startTaskRunCommand, startRun)
    .addOption(flag(startTaskRunCommand, 'goal', '--goal <text>'))
    .option(...contractFlag);
  withFlags(start, startTaskRunCommand, {
    session_id: '--session <id>',
    idle_timeout_seconds: '--idle-timeout <seconds>',
  }).option('--id <id>', 'its id; if that run exists, it is used');

  recordVerb(task, async (json, id, request) => {
    showTask(await withClient((client) => recordTaskRun(client, id, request)), json);
  });

  completeVerb(task, (id, request) => withClient((client) => completeTaskRun(client, id, request)));

  verb(task, 'get <id>', getTaskRunCommand, async (json, id: string, { items }: { items?: boolean }) => {
    showTask(await withClient((client) => getTaskRun(client, id, { items })), json);
  }).option('--items', 'everything recorded, not only the latest; with --json');

  verb(task, 'cancel <id>', cancelTaskRunCommand, async (json, id: string) => {
    const status = await withClient(async (client) => {
      // Refuses a job of another kind, which has its own verb.
      await getTaskRun(client, id);
      await cancelJob(client, id);
      return getTaskRun(client, id);
    });
    showTask(status, json);
  });

  verb(task, 'list', 'task runs, live ones first, then the newest', async (json) => {
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

export function showTask(status: TaskRunStatus, json: boolean): void {
  if (json) return printJson(status);
  const { completed_count, failed_count, skipped_count, expected_total, guard, cursor } = status;
  const of = expected_total === undefined ? '' : ` of ${expected_total}`;
  print(
    `${oneLine(status.goal)}: ${status.state}, ${completed_count}${of} completed, ${failed_count} failed, ${skipped_count} skipped.`,
  );
  print(`task run   ${status.task_run_id}`);
  if (cursor !== undefined) print(`cursor     ${oneLine(cursor)}`);
  printTerms(status);
  if (status.state === 'running') printMissing(guard);
  noteNext(...nextForTask(status));
}

function nextForTask({ task_run_id, state, guard }: TaskRunStatus): string[] {
  const id = shellWord(task_run_id);
  if (state !== 'running') return [`task get ${id} --items --json`];
  return [guard.allowed ? `task complete ${id}` : `task record ${id} --completed ITEM`, `task cancel ${id}`];
}
