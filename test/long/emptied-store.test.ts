import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { seedStore } from '../helpers/embedded';
import { startStage, touchesOf, type Stage } from '../helpers/fault-stage';
import { itemId } from '../helpers/worker-process';

let stage: Stage;
beforeEach(async () => {
  stage = await startStage({ settings: { call_timeout_ms: 5_000, heartbeat_timeout_ms: 4_000 } });
});
afterEach(() => stage.close());

/** Kills the worker and removes its store when three items of the second batch are done and a fourth is in progress. */
async function loseStoreInSecondBatch(kind: 'idempotent' | 'blind') {
  const worker = await stage.startWorker();
  const operation = await stage.begin(kind);
  await stage.confirm(operation);
  const trap = stage.target.trap('applied', 3);
  const turn = stage.confirm(operation);
  await trap.sprung;
  await worker.kill();
  trap.release('drop');
  await rm(join(stage.dataDir, 'store'), { recursive: true });
  await seedStore(stage.dataDir);
  await stage.startWorker();
  return { operation, turn: await turn };
}

it('puts the whole unfinished batch in doubt if the store is gone and the tool cannot be read back', async () => {
  const { operation, turn } = await loseStoreInSecondBatch('blind');
  expect(turn).toMatchObject({ succeeded: 10, in_doubt: 10, remaining: 30 });
  const status = await stage.finish(operation);
  expect(status).toMatchObject({ state: 'completed', succeeded: 40, failed: 0, in_doubt: 10 });
  const secondBatch = Array.from({ length: 10 }, (_, at) => itemId(operation, 10 + at));
  expect(await stage.doubts(operation)).toEqual(secondBatch);
  const asked = touchesOf(stage, operation).map((touches) => touches.asked);
  expect(asked).toEqual(Array.from({ length: 50 }, (_, index) => (index >= 14 && index < 20 ? 0 : 1)));
});

it('reads the unfinished batch back if the store is gone and the tool can be read', async () => {
  const { operation, turn } = await loseStoreInSecondBatch('idempotent');
  expect(turn).toMatchObject({ state: 'batch_failed', succeeded: 14, in_doubt: 0, remaining: 36 });
  const status = await stage.finish(operation);
  expect(status).toMatchObject({ state: 'completed', succeeded: 50, failed: 0, in_doubt: 0 });
  expect(touchesOf(stage, operation)).toEqual(Array(50).fill({ asked: 1, applied: 1 }));
});
