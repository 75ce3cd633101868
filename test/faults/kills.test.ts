import { continueBulkOperation, editBulkOperation, getBulkStatus, undoBulkOperation } from '../../src/client';
import type { BulkTurn } from '../../src/contract/operation';
import { startStage, touchesOf, type Stage } from '../helpers/fault-stage';
import { inLongRun, itInLongRun } from '../helpers/long-run';
import { seeded, shuffled } from '../helpers/seeded';
import type { WorkerProcess } from '../helpers/spawn-worker';
import type { Moment, Trap } from '../helpers/touch-target';
import { itemId } from '../helpers/worker-process';

/**
 * When a worker is killed. `late`: the target carries out the held request once the worker is dead; otherwise it drops
 * the request. `then`: the next worker is killed too, while it determines the outcomes of the batch.
 */
interface Kill {
  moment: Moment | 'batch-recorded' | 'question';
  late?: true;
  then?: Moment;
}

/** In order, from before a batch is claimed to the next question. */
const MOMENTS: Kill[] = [
  { moment: 'claiming' },
  { moment: 'intended' },
  { moment: 'held' },
  { moment: 'held', late: true },
  { moment: 'applied' },
  { moment: 'answered' },
  { moment: 'recorded' },
  { moment: 'batch-recorded' },
  { moment: 'question' },
];
const TWICE: Record<'idempotent' | 'blind', Kill[]> = {
  idempotent: [
    { moment: 'applied', then: 'reading' },
    { moment: 'held', then: 'fenced' },
  ],
  blind: [{ moment: 'applied', then: 'fenced' }],
};
/** In each round the worker is killed once, with each operation at another moment, chosen at random. */
const ROUNDS = inLongRun(2, 1);
const ITEMS = inLongRun(30, 20);
/** At these moments an item may have been touched, and its result is not recorded. */
const BETWEEN: Kill['moment'][] = ['intended', 'held', 'applied', 'answered'];
/** Moments of an edit, in order. */
const REPLANNING: Moment[] = inLongRun(
  ['reading', 'replanning', 'replanned', 'adopting', 'adopted'],
  ['replanned'],
);
const SEED = 20_261_121;

let stage: Stage;
let worker: WorkerProcess;
let next: () => Promise<WorkerProcess>;
beforeAll(async () => {
  stage = await startStage();
  next = stage.loadWorker();
  await startNext();
});
afterAll(() => stage.close());

async function startNext(): Promise<void> {
  worker = await next();
  next = stage.loadWorker();
}

/** An operation at the moment of its kill. */
interface Victim {
  operation: string;
  kill: Kill;
  /** The item at which the worker was held, or the operation's id at a question. */
  item: string;
  trap?: Trap;
  turn: Promise<BulkTurn>;
}

/** The target knows an undo's items by the id of the undone operation, the ledger by the undo's own id. */
const own = (operation: string) => (id: string) =>
  id.startsWith(`${operation}~`) || id.startsWith(`${operation.replace(/\.undo$/, '')}~`);

/** Confirms until the operation reaches the moment, and holds it there. */
async function hold(operation: string, kill: Kill, leaveOut: number): Promise<Victim> {
  if (kill.moment === 'question') {
    const turn = stage.confirm(operation);
    await turn;
    return { operation, kill, item: operation, turn };
  }
  const isLast = (id: string) => own(operation)(id) && Number(id.split('~')[1]) % 10 === 9;
  const trap =
    kill.moment === 'batch-recorded'
      ? stage.target.trap('recorded', 0, isLast)
      : stage.target.trap(kill.moment, kill.moment === 'claiming' ? 0 : leaveOut, own(operation));
  for (;;) {
    const turn = stage.confirm(operation);
    const item = await Promise.race([trap.sprung, turn.then(() => undefined)]);
    if (item !== undefined) return { operation, kill, item, trap, turn };
    if (!(await turn).next_batch) throw new Error(`${operation} ended before it was ${kill.moment}`);
  }
}

/** Kills the worker while each operation is at another moment, and waits until all have recovered. */
async function strike(operations: string[], kills: Kill[], random: () => number): Promise<Victim[]> {
  const victims = await Promise.all(
    operations.map((operation, at) => hold(operation, kills[at] as Kill, Math.floor(random() * 6))),
  );
  await worker.kill();
  victims.forEach(({ kill, trap }) => trap?.release(kill.late ? 'go' : 'drop'));
  const again = victims.flatMap(({ operation, kill }) =>
    kill.then ? [stage.target.trap(kill.then, 0, own(operation))] : [],
  );
  await startNext();
  if (again.length > 0) {
    await Promise.all(again.map(({ sprung }) => sprung));
    await worker.kill();
    again.forEach((trap) => trap.release());
    await startNext();
  }
  await Promise.all(victims.map(({ turn }) => turn));
  return victims;
}

/** Kills at every moment. Returns by operation the items that had an intent and no result at a kill. */
async function killThrough(kind: 'idempotent' | 'blind'): Promise<Map<string, string[]>> {
  const random = seeded(SEED);
  const begin = (kills: Kill[]) => Promise.all(kills.map(() => stage.begin(kind, ITEMS)));
  const operations = await begin(MOMENTS);
  const victims: Victim[] = [];
  for (let round = 0; round < ROUNDS; round++)
    victims.push(...(await strike(operations, shuffled(MOMENTS, random), random)));
  const twice = inLongRun(TWICE[kind], []);
  if (twice.length > 0) victims.push(...(await strike(await begin(twice), twice, random)));
  const between = new Map<string, string[]>();
  for (const { operation, kill, item } of victims) {
    const items = between.get(operation) ?? [];
    between.set(operation, BETWEEN.includes(kill.moment) ? [...items, item] : items);
  }
  return between;
}

itInLongRun('plans again within seconds if the worker is killed during planning', async () => {
  const trap = stage.target.trap('planning');
  const begun = stage.begin('idempotent', 10);
  await trap.sprung;
  await worker.kill();
  trap.release('drop');
  await startNext();
  const operation = await begun;
  const { raw } = await stage.client.workflow.getHandle(operation).describe();
  expect(await stage.finish(operation)).toMatchObject({ state: 'completed', succeeded: 10 });
  expect(raw.pendingActivities).toEqual([]);
});

it('asks about an edited change once, and runs nothing by it, whenever the worker is killed meanwhile', async () => {
  const count = 10;
  const operations = await Promise.all(REPLANNING.map(() => stage.begin('marked', count, 5)));
  await Promise.all(operations.map((id) => stage.confirm(id)));
  const asked = await Promise.all(operations.map((id) => getBulkStatus(stage.client, id)));
  const traps = REPLANNING.map((moment, at) => stage.target.trap(moment, 0, own(operations[at] ?? '')));
  const edits = asked.map(({ operation_id, next_batch: gate }) => {
    const edit = { change: { mark: 'archive' }, digest: gate?.digest, decision_id: 'edit', by: 'ana' };
    return editBulkOperation(stage.client, operation_id, edit);
  });
  await Promise.all(traps.map(({ sprung }) => sprung));
  await worker.kill();
  traps.forEach((trap) => trap.release('drop'));
  await startNext();
  await Promise.all(edits);
  for (const { operation_id: id, next_batch: gate } of asked) {
    const status = await getBulkStatus(stage.client, id);
    expect(status).toMatchObject({
      ...{ succeeded: 5, remaining: 5, edits: [{ by: 'ana', batch: 2, attempt: 1 }] },
      next_batch: { number: 2, attempt: 2, change: { fields: [{ to: 'archive' }] } },
    });
    await expect(continueBulkOperation(stage.client, id, { digest: gate?.digest })).rejects.toMatchObject({
      code: 'STALE_CONFIRMATION',
    });
    const touches = () => touchesOf(stage, id, count).map((touch) => touch.asked);
    expect(touches()).toEqual([...Array<number>(5).fill(1), ...Array<number>(5).fill(0)]);
    expect(await stage.finish(id)).toMatchObject({ state: 'completed', succeeded: count });
    expect(touches()).toEqual(Array(count).fill(1));
    const marks = Array.from({ length: count }, (_, at) => stage.target.marks.get(itemId(id, at)));
    expect(marks).toEqual([...Array<string>(5).fill('done'), ...Array<string>(5).fill('archive')]);
    const undo = await undoBulkOperation(stage.client, id);
    expect(await stage.finish(undo.operation_id)).toMatchObject({ state: 'completed', succeeded: count });
  }
  expect([...stage.target.marks]).toEqual([]);
  expect(await stage.unreplayable()).toEqual([]);
});

it('changes every item once in a target that can be read back, whenever its worker is killed', async () => {
  for (const operation of (await killThrough('idempotent')).keys()) {
    const status = await stage.finish(operation);
    expect(status).toMatchObject({
      state: 'completed',
      total: ITEMS,
      succeeded: ITEMS,
      failed: 0,
      in_doubt: 0,
    });
    expect(touchesOf(stage, operation, ITEMS).map(({ applied }) => applied)).toEqual(Array(ITEMS).fill(1));
    // No item is requested again once it is applied, so only the last request was applied.
    for (let index = 0; index < ITEMS; index++) {
      expect(stage.target.touches.get(itemId(operation, index))?.at(-1)).toEqual({ applied: true });
    }
  }
  expect(await stage.unreplayable()).toEqual([]);
});

itInLongRun(
  'requests no item twice from a target that cannot be read back, and names the items in doubt',
  async () => {
    const between = await killThrough('blind');
    for (const [operation, items] of between) {
      const status = await stage.finish(operation);
      // On a busy machine, the server may give up a batch of a living worker too.
      const doubts = await stage.doubts(operation);
      expect(doubts).toEqual(expect.arrayContaining(items));
      expect(status).toMatchObject({
        state: 'completed',
        total: ITEMS,
        succeeded: ITEMS - doubts.length,
        failed: 0,
        skipped: 0,
        in_doubt: doubts.length,
      });
      touchesOf(stage, operation, ITEMS).forEach(({ asked, applied }, index) => {
        if (doubts.includes(itemId(operation, index))) expect(asked).toBeLessThanOrEqual(1);
        else expect({ asked, applied }).toEqual({ asked: 1, applied: 1 });
      });
    }
    expect(await stage.unreplayable()).toEqual([]);
  },
);

itInLongRun('undoes every item once, whenever the worker of an undo is killed', async () => {
  const count = 10;
  const originals = await Promise.all(MOMENTS.map(() => stage.begin('marked', count)));
  await Promise.all(originals.map((id) => stage.finish(id)));
  expect(stage.target.marks.size).toBe(count * originals.length);
  const undos = await Promise.all(
    originals.map(async (id) => (await undoBulkOperation(stage.client, id)).operation_id),
  );
  await strike(undos, MOMENTS, () => 0);
  for (const [at, original] of originals.entries()) {
    expect(await stage.finish(undos[at] ?? '')).toMatchObject({
      ...{ state: 'completed', undoes: original },
      ...{ total: count, succeeded: count, skipped: 0, in_doubt: 0, errors: [] },
    });
    // Once for the change, and once for the undo.
    expect(touchesOf(stage, original, count).map(({ applied }) => applied)).toEqual(Array(count).fill(2));
  }
  expect([...stage.target.marks]).toEqual([]);
  expect(await stage.unreplayable(undos)).toEqual([]);
});
