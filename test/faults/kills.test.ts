import { getBulkStatus } from '../../src/client';
import type { BulkTurn } from '../../src/contract/operation';
import { startStage, touchesOf, type Kind, type Stage } from '../helpers/fault-stage';
import { seeded, shuffled } from '../helpers/seeded';
import type { WorkerProcess } from '../helpers/spawn-worker';
import type { Moment } from '../helpers/touch-target';
import { itemId } from '../helpers/worker-process';

/**
 * When a worker is killed. `late`: the target carries the held request out once the worker is dead, and without it
 * never. `then`: the next worker is killed too, while it finds out what became of the batch.
 */
interface Kill {
  moment: Moment | 'batch-recorded' | 'question';
  late?: true;
  then?: Moment;
}

/** From before a batch is begun until after it is answered; thirty in all, over both kinds of target. */
const KILLS: Record<Kind, Kill[]> = {
  idempotent: [
    { moment: 'claiming' },
    { moment: 'intended' },
    { moment: 'intended' },
    { moment: 'held' },
    { moment: 'held', late: true },
    { moment: 'applied' },
    { moment: 'applied', then: 'reading' },
    { moment: 'held', then: 'fenced' },
    { moment: 'answered' },
    { moment: 'recorded' },
    { moment: 'recorded' },
    { moment: 'batch-recorded' },
    { moment: 'question' },
  ],
  blind: [
    { moment: 'claiming' },
    { moment: 'claiming' },
    { moment: 'intended' },
    { moment: 'intended' },
    { moment: 'held' },
    { moment: 'held', late: true },
    { moment: 'applied' },
    { moment: 'applied', then: 'fenced' },
    { moment: 'answered' },
    { moment: 'recorded' },
    { moment: 'recorded' },
    { moment: 'batch-recorded' },
    { moment: 'question' },
    { moment: 'question' },
  ],
};
/** Killed there, an item may have been touched, and no result of it was recorded. */
const BETWEEN: Kill['moment'][] = ['intended', 'held', 'applied', 'answered'];
const SEED = 20_261_121;

let stage: Stage;
let worker: WorkerProcess;
let next: () => Promise<WorkerProcess>;
let killed: number;
beforeEach(async () => {
  stage = await startStage();
  next = stage.loadWorker();
  killed = 0;
  await startNext();
});
afterEach(() => stage.close());

async function startNext(): Promise<void> {
  worker = await next();
  next = stage.loadWorker();
}

async function killWorker(): Promise<void> {
  await worker.kill();
  killed += 1;
}

/** Kills the worker at this moment of the operation. Answers the item; undefined when the operation ended first. */
async function killAt(operation: string, kill: Kill, leaveOut: number): Promise<string | undefined> {
  if (kill.moment === 'question') {
    await stage.confirm(operation);
    await killWorker();
    await startNext();
    return operation;
  }
  const trap =
    kill.moment === 'batch-recorded'
      ? stage.target.trap('recorded', 0, (id) => Number(id.split('~')[1]) % 10 === 9)
      : stage.target.trap(kill.moment, kill.moment === 'claiming' ? 0 : leaveOut);
  for (;;) {
    const turn = stage.confirm(operation);
    const item = await Promise.race([trap.sprung, turn.then(() => undefined)]);
    if (item !== undefined) {
      await killWorker();
      trap.release(kill.late ? 'go' : 'drop');
      await recover(kill, turn);
      return item;
    }
    if (!(await turn).next_batch) {
      trap.disarm();
      return undefined;
    }
  }
}

async function recover(kill: Kill, turn: Promise<BulkTurn>): Promise<void> {
  const again = kill.then && stage.target.trap(kill.then);
  await startNext();
  if (again) {
    await again.sprung;
    await killWorker();
    again.release();
    await startNext();
  }
  await turn;
}

/** Operations of fifty items until every kill was done. Answers what was in between at each, by operation. */
async function killThrough(kind: Kind): Promise<Map<string, string[]>> {
  const random = seeded(SEED);
  const kills = shuffled(KILLS[kind], random);
  const between = new Map<string, string[]>();
  while (kills.length > 0) {
    const operation = await stage.begin(kind);
    between.set(operation, []);
    for (let kill = kills[0]; kill !== undefined; kill = kills[0]) {
      const item = await killAt(operation, kill, Math.floor(random() * 6));
      if (item === undefined) break;
      kills.shift();
      if (BETWEEN.includes(kill.moment)) between.get(operation)?.push(item);
      if (!(await getBulkStatus(stage.client, operation)).next_batch) break;
    }
  }
  return between;
}

it('plans again within seconds when the worker is killed while it plans', async () => {
  const trap = stage.target.trap('planning');
  const begun = stage.begin('idempotent', 10);
  await trap.sprung;
  await killWorker();
  trap.release('drop');
  await startNext();
  const operation = await begun;
  const { raw } = await stage.client.workflow.getHandle(operation).describe();
  expect(await stage.finish(operation)).toMatchObject({ state: 'completed', succeeded: 10 });
  expect(raw.pendingActivities).toEqual([]);
});

it('does every item once at a target that can be read back, whenever its worker is killed', async () => {
  const operations = [...(await killThrough('idempotent')).keys()];
  expect(killed).toBe(15);
  for (const operation of operations) {
    const status = await stage.finish(operation);
    expect(status).toMatchObject({ state: 'completed', total: 50, succeeded: 50, failed: 0, in_doubt: 0 });
    expect(touchesOf(stage, operation).map(({ applied }) => applied)).toEqual(Array(50).fill(1));
    // Nothing asks for an item again that is done: what was asked before came to nothing.
    for (let index = 0; index < 50; index++) {
      expect(stage.target.touches.get(itemId(operation, index))?.at(-1)).toEqual({ applied: true });
    }
  }
  expect(await stage.unreplayable()).toEqual([]);
}, 600_000);

it('asks for no item twice at a target that cannot, and names what was in between', async () => {
  const between = await killThrough('blind');
  expect(killed).toBe(15);
  for (const [operation, items] of between) {
    const status = await stage.finish(operation);
    const doubts = await stage.doubts(operation);
    expect(doubts).toEqual(
      Array.from({ length: 50 }, (_, index) => itemId(operation, index)).filter((id) => items.includes(id)),
    );
    expect(status).toMatchObject({
      state: 'completed',
      total: 50,
      succeeded: 50 - items.length,
      failed: 0,
      skipped: 0,
      in_doubt: items.length,
    });
    touchesOf(stage, operation).forEach(({ asked, applied }, index) => {
      if (items.includes(itemId(operation, index))) expect(asked).toBeLessThanOrEqual(1);
      else expect({ asked, applied }).toEqual({ asked: 1, applied: 1 });
    });
  }
  expect(await stage.unreplayable()).toEqual([]);
}, 600_000);
