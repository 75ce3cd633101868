import { getBulkStatus } from '../../src/client';
import { openStore, type Store } from '../../src/postgres/store/open';
import { exported, newAuditKey, useVerifiers } from '../helpers/audit';
import { confirmOpen } from '../helpers/confirm';
import { startStage, touchesOf, type Stage } from '../helpers/fault-stage';
import { inLongRun } from '../helpers/long-run';
import type { WorkerProcess } from '../helpers/spawn-worker';
import { newStoreUrl } from '../helpers/store';
import type { Moment } from '../helpers/touch-target';

/** The record of two approvals, whose worker is killed after the first one, and while the batch of the second one runs. */
const MOMENTS: Moment[] = inLongRun(
  ['claiming', 'intended', 'held', 'applied', 'answered', 'recorded'],
  ['claiming', 'intended', 'applied', 'recorded'],
);
const COUNT = 10;
const keys = { current: newAuditKey() };
const verifiers = useVerifiers();
let stage: Stage;
let store: Store;
let worker: WorkerProcess;

beforeAll(async () => {
  const databaseUrl = await newStoreUrl();
  store = await openStore({ dataDir: '', databaseUrl });
  stage = await startStage({
    databaseUrl,
    policies: [{ name: 'two', when: 'true', require: { approvals: 2, from: ['person:ana', 'person:ben'] } }],
  });
  worker = await stage.startWorker();
});
afterAll(async () => {
  await stage?.close();
  await store?.close();
});

const decide = (id: string, by: string) => confirmOpen(stage.client, id, { by });

it('has each decision once, and verifies, whenever the worker is killed', async () => {
  const operations = await Promise.all(MOMENTS.map(() => stage.begin('idempotent', COUNT, 5)));
  await Promise.all(operations.map((id) => decide(id, 'ana')));
  await worker.kill();
  worker = await stage.startWorker();
  const traps = MOMENTS.map((moment, at) =>
    stage.target.trap(moment, 0, (id) => id.startsWith(`${operations[at]}~`)),
  );
  const turns = operations.map((id) => decide(id, 'ben'));
  await Promise.all(traps.map(({ sprung }) => sprung));
  await worker.kill();
  traps.forEach((trap) => trap.release('drop'));
  worker = await stage.startWorker();
  await Promise.all(turns);
  for (const id of operations) {
    while ((await getBulkStatus(stage.client, id)).needs_confirmation)
      for (const by of ['ana', 'ben']) await decide(id, by);
    expect(await getBulkStatus(stage.client, id)).toMatchObject({ state: 'completed', succeeded: COUNT });
    expect(touchesOf(stage, id, COUNT).map(({ applied }) => applied)).toEqual(Array(COUNT).fill(1));
    await stage.client.workflow.getHandle(id).result();
    const lines = await exported(store, keys, { operation_id: id });
    const { failures, rows = [] } = await verifiers.both(lines, [keys.current.public_key]);
    expect([id, failures]).toEqual([id, []]);
    const decisions = rows
      .filter(({ said }) => said.kind === 'decision')
      .map(({ said: { data }, opened }) => {
        const [, { by }] = JSON.parse(opened[data.sealed ?? ''] ?? '[]') as [string, { by?: string }];
        return JSON.stringify([data['batch'], data['attempt'], data['decision'], data['outcome'], by]);
      });
    expect(decisions.length).toBeGreaterThanOrEqual(4);
    expect(decisions.toSorted()).toEqual([...new Set(decisions)].toSorted());
    // A batch that was asked about again had a second pair.
    expect(decisions).toContain(JSON.stringify([1, 1, 'approve', 'accepted', 'ana']));
    expect(decisions).toContain(JSON.stringify([1, 1, 'continue', 'accepted', 'ben']));
  }
  expect(await stage.unreplayable()).toEqual([]);
});
