import fc from '../helpers/properties';
import { inLongRun } from '../helpers/long-run';
import { anything } from './lifecycle.commands';
import { Driver, mayComplete, toWork, type Model } from './lifecycle.model';
import { planned, plannedWith, requirement, START } from './lifecycle.fixtures';

const policy = fc.option(fc.constantFrom('block', 'allow', 'allow_with_reason'), { nil: undefined });
const contract = fc.record(
  {
    failed_policy: policy,
    skipped_policy: policy,
    min_completed: fc.constantFrom(undefined, 0, 3),
    expected_total: fc.constantFrom(undefined, 2, 19),
  },
  { requiredKeys: [] },
);
type Contract = Model['contract'];
const impossible = ({ min_completed = 0, expected_total = Infinity }: Contract) =>
  min_completed > expected_total;
const operation = fc.record({
  codes: fc
    .array(fc.constantFrom<('p' | 'k')[]>('p', 'p', 'p', 'k'), { maxLength: 18 })
    .map((letters) => letters.join('')),
  sizes: fc.oneof(
    fc.integer({ min: 1, max: 7 }).map((size) => [size]),
    fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }),
  ),
  threshold: fc.constantFrom(undefined, 0, 0.5),
  idleSeconds: fc.constantFrom(60, 3_600),
  contract: contract.filter((one) => !impossible(one)),
  needed: fc.constantFrom(...Array<undefined>(5).fill(undefined), 1, 2, 2, 3),
});

it('keeps every promise under any order of decisions, batches, crashes and time', () => {
  const ends = new Map<string, number>();
  fc.assert(
    fc.property(
      operation,
      anything,
      ({ codes, sizes, threshold, idleSeconds, contract, needed }, commands) => {
        const size = sizes.length === 1 ? { batch_size: sizes[0] } : { batch_sizes: sizes };
        const input = { ...size, failure_threshold: threshold, idle_timeout_seconds: idleSeconds, contract };
        const model: Model = {
          outcomes: [...codes] as Model['outcomes'],
          sizes,
          threshold: threshold ?? 0.1,
          from: 0,
          step: 0,
          contract,
          state: 'awaiting_confirmation',
          batch: 1,
          attempt: 1,
          now: START,
          idle: idleSeconds * 1_000,
          deadline: START + idleSeconds * 1_000,
          openedAt: START,
          decided: new Set(),
          closedBy: [],
          extensions: [],
          edits: [],
          refused: new Map(),
          accepted: 0,
          batchesOver: 0,
          ending: undefined,
          forced: false,
          needed,
          given: [],
          left: [],
          excluded: [],
          superseded: new Set(),
        };
        toWork(model);
        if (!codes.includes('p') && mayComplete(model))
          Object.assign(model, { state: 'completed', deadline: undefined });
        const required = needed === undefined ? undefined : requirement({ approvals: needed });
        const driver = new Driver(plannedWith(codes, input, required), START);
        driver.verify(model);
        fc.modelRun(() => ({ model, real: driver }), commands);
        ends.set(model.state, (ends.get(model.state) ?? 0) + 1);
      },
    ),
    // All of them, on a slow machine too: what the runs end in is looked at below.
    { seed: 20261121, numRuns: inLongRun(1_000, 260), interruptAfterTimeLimit: 300_000 },
  );
  // The runs end in every state: a model that stops at the first question would prove nothing.
  expect([...ends.keys()].sort()).toEqual([
    'awaiting_confirmation',
    'awaiting_resolution',
    'batch_failed',
    'cancelled',
    'completed',
    'expired',
    'preparing',
    'running_batch',
  ]);
  expect(Math.min(...ends.values())).toBeGreaterThan(inLongRun(5, 0));
});

it('refuses only a contract whose minimum is above its total', () => {
  const seen = { refused: 0, begun: 0 };
  fc.assert(
    fc.property(contract, (one) => {
      if (impossible(one)) {
        seen.refused += 1;
        expect(() => planned(1, { contract: one })).toThrow('The contract can never be completed.');
      } else {
        seen.begun += 1;
        expect(planned(1, { contract: one }).state).toBe('awaiting_confirmation');
      }
    }),
    { seed: 20261121, numRuns: 200 },
  );
  expect(Math.min(seen.refused, seen.begun)).toBeGreaterThan(5);
});
