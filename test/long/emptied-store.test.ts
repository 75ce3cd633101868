import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { seedStore } from '../helpers/embedded';
import { startStage, touchesOf, type Stage } from '../helpers/fault-stage';

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

it.each(['blind', 'idempotent'] as const)(
  'puts the whole unfinished batch in doubt, changes nothing more and ends if the store with its items is gone: %s',
  async (kind) => {
    const { operation, turn } = await loseStoreInSecondBatch(kind);
    expect(turn).toMatchObject({ state: 'cancelled', succeeded: 10, in_doubt: 10, remaining: 30 });
    const asked = touchesOf(stage, operation).map((touches) => touches.asked);
    expect(asked).toEqual(Array.from({ length: 50 }, (_, index) => (index < 14 ? 1 : 0)));
    expect(await stage.unreplayable()).toEqual([]);
  },
);
