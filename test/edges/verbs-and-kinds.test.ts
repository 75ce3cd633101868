import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getMacroTurn, startMacro, startTaskRun } from '../../src/client';
import type { ErrorBody } from '../../src/contract/errors';
import type { Step } from '../../src/contract/macro';
import { runBatchgate } from '../helpers/command-line';
import { countingTool, startHarness, testServer, type Harness } from '../helpers/harness';
import { caughtUp } from '../helpers/look-again';

/** Each verb on each kind of job, through the command line with one worker. */
type Kind = 'operation' | 'nested' | 'macro' | 'task';
const KINDS: Kind[] = ['operation', 'nested', 'macro', 'task'];

let dataDir: string;
let harness: Harness;
const ids: Partial<Record<Kind, string>> = {};
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-kinds-'));
  harness = await startHarness({ adapters: [countingTool(10).adapter] });
  const queue = { task_queue: harness.taskQueue };
  const begin = async (name: string, steps: Step[]) =>
    (await startMacro(harness.client, { macro: { name, steps }, session_id: name }, queue)).run_id;
  ids.operation = (await harness.start({ session_id: 'operation', batch_size: 5 })).operation_id;
  const contract = { expected_total: 2 };
  const task = await startTaskRun(harness.client, { goal: 'look', session_id: 'task', contract }, queue);
  ids.task = task.task_run_id;
  const question = { type: 'ask', of: 'person', prompt: 'Who?', output_variable: 'who' } as const;
  ids.macro = await begin('macro', [question, question, question]);
  const args = { domain: 'fake', action: 'mark', params: { group: 'all' }, batch_size: 5 };
  const wait = { operation_id: '{{.op.operation_id}}' };
  const parent = await begin('nested', [
    { type: 'command', command: 'start_bulk_operation', args, output_variable: 'op' },
    { type: 'command', command: 'wait_for_bulk_operation', args: wait },
  ]);
  const operations = async () => (await getMacroTurn(harness.client, parent)).operations ?? [];
  while (ids.nested === undefined) [ids.nested] = await operations();
  while ((await harness.status(ids.nested)).state !== 'awaiting_confirmation');
});
afterAll(async () => {
  await harness.close();
  await rm(dataDir, { recursive: true, force: true });
});

const run = (args: string[]) => {
  const env = { TEMPORAL_ADDRESS: testServer().address, BATCHGATE_TASK_QUEUE: harness.taskQueue };
  return runBatchgate([...args, '--json'], { dataDir, env });
};

/** The result of a verb on a kind of job: it works, or the error code. */
type Cell =
  'works' | 'NOT_FOUND' | 'INVALID_INPUT' | 'GUARD_BLOCKED' | 'STALE_CONFIRMATION' | 'OPERATION_CLOSED';
interface Row {
  verb: string;
  /** What follows the verb. ID and SESSION stand for the job's id and session. */
  args: string[];
  operation: Cell;
  nested: Cell;
  macro: Cell;
  task: Cell;
}

const ofOperations = (verb: string, args: string[] = [], cell: Cell = 'works'): Row => ({
  ...{ verb, args: ['ID', ...args] },
  ...{ operation: cell, nested: cell, macro: 'NOT_FOUND', task: 'NOT_FOUND' },
});
const ofMacros = (verb: string, args: string[] = []): Row => ({
  ...{ verb, args: ['ID', ...args] },
  ...{ operation: 'NOT_FOUND', nested: 'NOT_FOUND', macro: 'works', task: 'NOT_FOUND' },
});
const ofTasks = (verb: string, args: string[] = []): Row => ({
  ...{ verb, args: ['ID', ...args] },
  ...{ operation: 'NOT_FOUND', nested: 'NOT_FOUND', macro: 'NOT_FOUND', task: 'works' },
});
const ofAll = (verb: string, args = ['ID'], cell: Cell = 'works'): Row => ({
  ...{ verb, args },
  ...{ operation: cell, nested: cell, macro: cell, task: cell },
});

/** The order matters: the last verbs end the jobs. */
const ROWS: Row[] = [
  ofAll('status'),
  ofAll('list', ['--session', 'SESSION']),
  ofAll('resume', ['--session', 'SESSION']),
  ofOperations('errors'),
  ofOperations('items'),
  ofOperations('guard'),
  ofOperations('report'),
  ofOperations('extend', ['--seconds', '9']),
  ofOperations('resolve', ['--item', 'item-001', '--outcome', 'failed', '--reason', 'r'], 'INVALID_INPUT'),
  ofOperations('retry-failed', [], 'INVALID_INPUT'),
  { ...ofOperations('complete', [], 'GUARD_BLOCKED'), task: 'GUARD_BLOCKED' },
  ofOperations('continue'),
  ofOperations('continue', ['--batch', '9'], 'STALE_CONFIRMATION'),
  ofMacros('macro status'),
  ofMacros('macro trace'),
  ofMacros('macro pause'),
  ofMacros('macro resume'),
  ofMacros('macro answer', ['Ana']),
  ofTasks('task get'),
  ofTasks('task record', ['--completed', 'a']),
  { ...ofTasks('task complete'), task: 'GUARD_BLOCKED' },
  ofAll('say', ['--session', 'SESSION', 'What is it about?']),
  ofAll('end', ['ID', '--reason', 'r'], 'INVALID_INPUT'),
  ofMacros('macro cancel'),
  ofTasks('task cancel'),
  { ...ofAll('cancel'), macro: 'OPERATION_CLOSED' },
  ofAll('watch'),
];
const CELLS = ROWS.flatMap((row) => KINDS.map((kind) => [row.verb, kind, row[kind], row.args] as const));
/** The verbs that a hint may name for a job of this kind. */
const verbsFor = (kind: Kind) =>
  new Set(ROWS.filter((row) => row[kind] !== 'NOT_FOUND').map(({ verb }) => verb));

it.each(CELLS)('`%s` on a job of the kind %s: %s', async (verb, kind, cell, args) => {
  const given = args.map((arg) => (arg === 'ID' ? (ids[kind] ?? '') : arg === 'SESSION' ? kind : arg));
  const { code, stdout } = await run([...verb.split(' '), ...given]);
  if (cell === 'works') {
    expect(code).toBe(0);
    if (['resume', 'status', 'watch'].includes(verb)) expect(stdout).toContain(ids[kind]);
    if (verb === 'list')
      await caughtUp(async () => expect((await run([verb, ...given])).stdout).toContain(ids[kind]));
    return;
  }
  const { error } = JSON.parse(stdout) as { error: ErrorBody };
  expect([code, error.code]).toEqual([1, cell]);
  const named = [...error.hint.matchAll(/npx batchgate ((?:(?:macro|task) )?[a-z-]+)/g)].map(
    ([, name]) => name,
  );
  expect(named.filter((name = '') => !verbsFor(kind).has(name))).toEqual([]);
  if (cell === 'NOT_FOUND') expect(named).not.toEqual([]);
});
