import fc from '../helpers/properties';
import { BatchgateError } from '../../src/contract/errors';
import { MAX_DECISIONS } from '../../src/core/shared/bounds';
import { judgeContinue } from '../../src/core/bulk/gate';
import { openGate } from '../../src/core/bulk/operation';
import { groupsOf } from '../../src/core/bulk/pages';
import { NOTHING_REMEMBERED, remember } from '../../src/core/bulk/remembered';
import { isClosed } from '../../src/core/bulk/transitions';
import { inLongRun } from '../helpers/long-run';
import { itemsOf, largest, rampOfShape, Run, shape, type Shape } from './payload-bounds.run';

const RUNS = inLongRun(60, 15);

/** Runs the operation to its end or for `batches` batches. Returns undefined if its plan is refused. */
function drive(one: Shape, batches: number, handOverEach: number): Run | undefined {
  const items = itemsOf(one);
  try {
    groupsOf(items, rampOfShape(one));
  } catch (error) {
    if (!(error instanceof BatchgateError)) throw error;
    expect(error.message).toMatch(/^A batch of \d+ of these items is \d+ bytes/);
    return undefined;
  }
  const run = new Run(one, items);
  run.check();
  for (let at = 1; at <= batches && openGate(run.state); at++) {
    run.refuse(at === 1 ? one.refusals : 1);
    run.batch();
    if (at % handOverEach === 0 && !isClosed(run.state.state)) run.handOver();
  }
  return run;
}

/** Large batches, all of whose items fail. */
const LONG_NAMES: Shape = {
  ...{ count: 66, batchSize: 22, letter: '件', idLength: 480, nameLength: 500, rawLength: 0 },
  ...{ params: 15_000, metadata: 16_000, fields: 80, errorLength: 500, noteLength: 500 },
  ...{ codes: ['f'], excluded: 0, refusals: 250 },
};

it('keeps every payload of an operation below 256 KB, whatever the sizes', () => {
  const seen = { ran: 0, refused: 0 };
  fc.assert(
    fc.property(shape, fc.integer({ min: 1, max: 4 }), (one, handOverEach) => {
      seen[drive(one, 8, handOverEach) ? 'ran' : 'refused']++;
    }),
    { seed: 20261122, numRuns: RUNS, examples: [[LONG_NAMES, 1]] },
  );
  expect(seen.ran).toBeGreaterThan(RUNS / 2);
  expect(seen.refused).toBeGreaterThan(inLongRun(5, 0));
  // Some payloads come near the limits: small ones would prove nothing.
  expect(largest.get('continue as new')).toBeGreaterThan(150_000);
  expect(largest.get('batch result')).toBeGreaterThan(80_000);
});

it('takes an operation of the largest size to its end within the same bound, and forgets no decision', () => {
  const one: Shape = {
    ...{ count: 26_000, batchSize: 5, letter: '件', idLength: 100, nameLength: 100, rawLength: 0 },
    ...{ params: 15_000, metadata: 16_000, fields: 80, errorLength: 500, noteLength: 500 },
    ...{ codes: ['s', 'f'], excluded: 1, refusals: 1_000 },
  };
  const run = new Run(one, itemsOf(one));
  run.check = () => undefined;
  run.refuse(one.refusals);
  run.batch();
  // Records the next 5,100 batches as succeeded, each with its own decision.
  const done = 5_101;
  for (let at = 2; at <= done; at++) run.decisions.push(`decision-${at}`);
  const before = run.decisions
    .slice(1)
    .reduce((kept, id) => remember(kept, id, MAX_DECISIONS), NOTHING_REMEMBERED);
  const items = done * one.batchSize;
  const codes = 's'.repeat(items).padEnd(one.count, 'p');
  run.state = { ...run.state, accepted_before: before, codes };
  run.goTo(done + 1);
  for (let at = 1; openGate(run.state); at++) {
    run.batch();
    if (at % 30 === 0 && openGate(run.state)) run.handOver();
  }
  expect(run.state.state).toBe('completed');
  expect(Object.keys(run.state.accepted).length + run.state.accepted_before.count).toBe(5_200);
  const again = run.decisions.map((decision_id) => judgeContinue(run.state, { decision_id }, run.now).kind);
  expect(new Set(again)).toEqual(new Set(['duplicate']));
});

it('hands over an operation whose batches began again after each of as many as it takes', () => {
  const one: Shape = {
    ...{
      count: 26_000,
      batchSize: 5,
      before: [4],
      letter: '件',
      idLength: 100,
      nameLength: 100,
      rawLength: 0,
    },
    ...{ params: 15_000, metadata: 16_000, fields: 80, errorLength: 500, noteLength: 500 },
    ...{ codes: ['f'], excluded: 1, refusals: 1_000 },
  };
  const run = new Run(one, itemsOf(one));
  run.refuse(one.refusals);
  run.batch();
  const done = MAX_DECISIONS - 10;
  const before = Array.from({ length: done }, (_, at) => `decision-${at + 2}`).reduce(
    (kept, id) => remember(kept, id, MAX_DECISIONS),
    NOTHING_REMEMBERED,
  );
  const restarts = Array.from({ length: done }, (_, at) => at + 2);
  const codes = 'f'.repeat(done * 4).padEnd(one.count, 'p');
  run.state = { ...run.state, accepted_before: before, codes, restarts };
  run.goTo(done + 1);
  run.handOver();
  run.batch();
  expect(openGate(run.state)?.items.map(({ index }) => index)).toEqual(
    [4, 5, 6, 7].map((at) => done * 4 + at),
  );
});
