import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { continueBulkOperation } from '../../src/client';
import { runBatchgate, startBatchgate } from '../helpers/command-line';
import { countingTool, gateway, startHarness, testServer, type Harness } from '../helpers/harness';

/** One turn of conversation from a terminal, as a process of its own. */
jest.setTimeout(120_000);

const held = new Map<string, Promise<void>>();
const tool = countingTool(15, { apply: async ({ id }) => held.get(id) });

let harness: Harness;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-say-'));
  harness = await startHarness({ adapters: [tool.adapter] });
});
afterAll(async () => {
  await harness.close();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => held.clear());

const settings = () => ({
  dataDir: folder,
  env: { TEMPORAL_ADDRESS: testServer().address, BATCHGATE_TASK_QUEUE: harness.taskQueue },
});
const run = (...args: string[]) => runBatchgate(args, settings());
const next = (id: string) => continueBulkOperation(harness.client, id, {});

it('means the question that was shown here last, also when another window answered it meanwhile', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5, session_id: 'two windows' });
  expect((await run('status', id)).stdout).toContain('batch 1 of 3');
  await next(id);
  const late = await run('say', 'continue', '--session', 'two windows');
  expect(late.code).toBe(1);
  expect(late.stderr).toContain('STALE_CONFIRMATION');
  expect(late.stdout).toContain('batch 2 of 3');
  expect(await harness.status(id)).toMatchObject({ processed: 5 });
  const now = await run('say', 'continue', '--session', 'two windows');
  expect(now).toMatchObject({ code: 0, stderr: '' });
  expect(now.stdout).toContain('(10/15 total)');
  const then = await run('say', 'continue', '--session', 'two windows', '--json');
  expect(JSON.parse(then.stdout)).toMatchObject({
    handled: true,
    status: { state: 'completed', processed: 15 },
  });
  expect(await run('say', 'continue', '--session', 'two windows')).toMatchObject({ code: 0, stdout: '' });
});

it('says a refused answer with its reason and exit code 1', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 5, session_id: 'talk' });
  const { opened, open } = gateway();
  held.set('item-001', opened);
  const first = startBatchgate(['say', '--session', 'talk', 'continue'], settings());
  const watching = startBatchgate(['watch', id], settings());
  await watching.says('running_batch');
  const refused = await run('say', '--session', 'talk', 'continue');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^(NOT_AWAITING|STALE)_CONFIRMATION: /);
  const object = await run('say', '--session', 'talk', 'continue', '--json');
  expect(object.code).toBe(1);
  expect(JSON.parse(object.stdout)).toMatchObject({ handled: true, error: { hint: expect.any(String) } });
  open();
  expect((await first.ended).code).toBe(0);
  await next(id);
  await next(id);
  await watching.ended;
});
