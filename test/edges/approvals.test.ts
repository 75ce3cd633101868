import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBatchgate } from '../helpers/command-line';
import { countingTool, startHarness, testServer, type Harness } from '../helpers/harness';
import { caughtUp } from '../helpers/look-again';

/** Approvals of several people at the command line. */
const tool = countingTool(12);
let harness: Harness;
let folder: string;

beforeAll(async () => {
  harness = await startHarness({
    adapters: [tool.adapter],
    policies: [
      {
        name: 'two',
        when: 'true',
        require: { approvals: 2, from: ['person:ana', 'person:ben'], not_requester: true },
      },
    ],
  });
  folder = await mkdtemp(join(tmpdir(), 'batchgate-approvals-'));
});
afterAll(async () => {
  await harness?.close();
  await rm(folder, { recursive: true });
});

const run = (...args: string[]) =>
  runBatchgate(args, {
    dataDir: folder,
    env: { TEMPORAL_ADDRESS: testServer().address, BATCHGATE_TASK_QUEUE: harness.taskQueue },
  });
const errorOf = async (...args: string[]) =>
  JSON.parse((await run(...args, '--json')).stdout).error as { code: string; hint: string };
const START = ['start', '--domain', 'fake', '--action', 'mark', '--params', '{"group":"all"}'];

it('lists who has approved, and lets an approver delegate', async () => {
  expect(await errorOf(...START)).toMatchObject({
    ...{ code: 'INVALID_INPUT', hint: expect.stringContaining('--requested-by') as string },
  });
  const id = 'approvals-1';
  const session = ['--session', 'approvals'];
  expect((await run(...START, '--id', id, '--requested-by', 'rita', ...session)).code).toBe(0);
  const lists = (row: RegExp) =>
    caughtUp(async () => expect((await run('list', ...session)).stdout).toMatch(row));
  await lists(/^approvals-1 .*0 of 2; needs 2 of ana or ben$/m);
  expect((await run('continue', id, '--by', 'ana')).stdout).toContain('Approvals: 1 of 2 (“ana”).');
  await lists(/^approvals-1 .*1 of 2: ana; needs ben$/m);
  const delegate = (by: string, to: string, ahead = 3_600_000) => [
    'delegate',
    id,
    '--by',
    by,
    '--to',
    to,
    '--until',
    new Date(Date.now() + ahead).toISOString(),
  ];
  expect(await errorOf(...delegate('eve', 'fay'))).toMatchObject({ code: 'FORBIDDEN' });
  expect(await errorOf(...delegate('ben', 'rita'))).toMatchObject({ code: 'FORBIDDEN' });
  expect(await errorOf(...delegate('ben', 'fay', -1))).toMatchObject({ code: 'INVALID_INPUT' });
  expect((await run('delegate', id, '--to', 'fay')).code).toBe(2);
  const given = await run(...delegate('ben', 'fay'));
  expect([given.code, given.stdout]).toEqual([
    0,
    expect.stringContaining('“ben” lets “fay” approve in their place until'),
  ]);
  expect(tool.touched.size).toBe(0);
  const ran = JSON.parse((await run('continue', id, '--by', 'fay', '--json')).stdout);
  expect(ran).toMatchObject({ processed: 10, next_batch: { number: 2 } });
  expect((await run('cancel', id, '--by', 'rita')).code).toBe(0);
  await lists(/^approvals-1 (?!.*needs).*cancelled/m);
});

it('resumes with those who have approved, and continues with the rest that nobody has approved', async () => {
  const id = 'approvals-2';
  expect((await run(...START, '--id', id, '--requested-by', 'rita')).code).toBe(0);
  expect((await run('continue', id, '--by', 'ana')).code).toBe(0);
  expect((await run('resume', id)).stdout).toContain('Approvals: 1 of 2 (“ana”). Still needed: ben.');
  expect((await run('cancel', id, '--by', 'rita')).code).toBe(0);
  const rest = JSON.parse((await run('resume', id, '--json')).stdout);
  expect(rest).toMatchObject({
    ...{ operation_id: `${id}.rest`, total: 12, requested_by: 'rita' },
    approvals: { needed: 2, given: [], not_requester: true },
  });
  const decide = ['continue', `${id}.rest`, '--by'];
  expect(await errorOf(...decide, 'rita')).toMatchObject({ code: 'FORBIDDEN' });
  expect((await run(...decide, 'ana')).stdout).toContain('Still needed: ben.');
  expect((await run('resume', id)).stdout).toContain('Approvals: 1 of 2 (“ana”).');
  expect((await run(...decide, 'ben', '--json')).stdout).toContain('"processed":10');
  expect((await run('cancel', `${id}.rest`, '--by', 'rita')).code).toBe(0);
});
