import fc from '../helpers/properties';
import '../helpers/property-budget';
import { judgeContinue } from '../../src/core/bulk/gate';
import { closeAs, confirmed, planFrozen } from '../../src/core/bulk/lifecycle';
import { dueAt } from '../../src/core/bulk/due';
import { editAbandoned, editBegun, judgeEdit } from '../../src/core/bulk/edits';
import { gateKey, openGate, pendingPlaces, type OperationState } from '../../src/core/bulk/operation';
import { judgeWithdraw, missed, scheduledDigest, started, withdrawn } from '../../src/core/bulk/schedule';
import { isClosed } from '../../src/core/bulk/transitions';
import { countsOf, statusOf } from '../../src/core/bulk/view';
import { closesAt, frozenWindows, openAt } from '../../src/core/bulk/windows';
import { carried } from '../../src/core/bulk/carried';
import { adopted, emails, ended, HOUR, MINUTE, planOf, preparing, START } from './lifecycle.fixtures';

/**
 * Schedules, withdrawals, missed windows, edits, growing batches and new runs, in any order: a batch begins only under a
 * standing decision.
 */

const HOW = { via: 'update', assurance: 'asserted' } as const;

interface World {
  state: OperationState;
  now: number;
  /** The digests of the decisions that stand, by gate. */
  standing: Map<string, { digest: string; due: number }>;
  withdrawn: Set<string>;
  begun: string[];
}

const keyOf = ({ batch, attempt }: OperationState) => gateKey(batch, attempt);

/** A batch that begins has exactly one decision, which stands, on its digest, and its time has come. */
function begins(world: World): void {
  const key = keyOf(world.state);
  const decision = world.standing.get(key);
  expect(decision?.digest).toBe(world.state.accepted[key]?.digest);
  expect(world.withdrawn.has(key)).toBe(false);
  expect(world.begun).not.toContain(key);
  expect(world.now).toBeGreaterThanOrEqual(decision?.due ?? Infinity);
  expect(openAt(world.state.windows, world.now)).toBe(world.now);
  world.begun.push(key);
}

type Step = (world: World) => void;

const confirm = fc
  .record({ after: fc.nat({ max: 48 }), exclude: fc.boolean() })
  .map(({ after, exclude }): Step => (world) => {
    const { state, now } = world;
    const gate = openGate(state);
    const [first] = gate?.items ?? [];
    const request = {
      batch: state.batch,
      attempt: state.attempt,
      ...(after > 0 && { not_before: new Date(now + after * HOUR).toISOString() }),
      ...(exclude && first && { exclude: [{ id: first.id }] }),
    };
    const verdict = judgeContinue(state, request, now);
    expect(verdict.kind === 'accepted').toBe(gate !== undefined && now < (state.deadline ?? Infinity));
    if (verdict.kind !== 'accepted') return;
    const due = dueAt(state, request, now);
    world.standing.set(keyOf(state), { digest: gate?.digest ?? '', due });
    world.state = confirmed(state, request, HOW, now);
    expect(world.state.state).toBe(due > now ? 'scheduled' : 'running_batch');
    if (due <= now) begins(world);
  });

const takeBack: Step = (world) => {
  const { state, now } = world;
  const verdict = judgeWithdraw(state, {});
  expect(verdict.kind).toBe(state.state === 'scheduled' ? 'accepted' : 'refused');
  if (verdict.kind !== 'accepted') return;
  const digest = scheduledDigest(state);
  world.withdrawn.add(keyOf(state));
  world.state = withdrawn(state, {}, now);
  expect(openGate(world.state)?.digest).not.toBe(digest);
  expect(judgeContinue(world.state, { digest }, now).kind).not.toBe('accepted');
};

/** The question that an edit closes confirms nothing any more, unless no new plan could be made. */
const edit = fc
  .record({ fails: fc.boolean(), conflicts: fc.array(fc.boolean(), { maxLength: 12 }) })
  .map(({ fails, conflicts }): Step => (world) => {
    const { state, now } = world;
    const gate = openGate(state);
    const verdict = judgeEdit(state, { change: { label_name: 'Archive' }, digest: gate?.digest }, now);
    expect(verdict.kind === 'accepted').toBe(gate !== undefined && now < (state.deadline ?? Infinity));
    if (verdict.kind !== 'accepted') return;
    const digest = gate?.digest;
    const editing = editBegun(state, undefined, now);
    expect(judgeContinue(editing, { digest }, now).kind).toBe('refused');
    const rest = [...state.codes].flatMap((code, at) => (code === 'p' ? [at] : []));
    const codes = [...state.codes].map((code, at) => (conflicts[rest.indexOf(at)] ? 'k' : code)).join('');
    world.state = fails ? editAbandoned(editing, now) : adopted(editing, now, codes);
    expect(judgeContinue(world.state, { digest }, now).kind).toBe(fails ? 'accepted' : 'refused');
  });

const wait = fc.nat({ max: 30 * 60 }).map((minutes): Step => (world) => {
  world.now += minutes * MINUTE;
  if (world.state.state !== 'scheduled' || world.now < (world.state.scheduled?.at ?? 0)) return;
  const at = world.state.scheduled?.at;
  world.state = started(world.state, world.now);
  if (world.state.state === 'running_batch') begins(world);
  else expect(world.state.scheduled?.at).toBeGreaterThan(at ?? 0);
});

/** The batch runs, or no worker takes it before its window closes. */
const run = fc
  .record({ taken: fc.boolean(), fails: fc.boolean() })
  .map(({ taken, fails }): Step => (world) => {
    const { state, now } = world;
    if (state.state !== 'running_batch') return;
    const closes = closesAt(state.windows, now);
    if (!taken && closes !== undefined) {
      world.now = closes;
      const waits = missed(state, closes);
      expect(waits.state).toBe('scheduled');
      world.state = waits;
      world.begun.pop();
      return;
    }
    world.now += MINUTE;
    const failing = { codes: 'p'.repeat(pendingPlaces(state, state.batch).length) };
    world.state = ended(state, fails ? failing : {}, world.now);
  });

const cancel: Step = (world) => {
  const { state } = world;
  if (isClosed(state.state) || state.state === 'running_batch') return;
  const { processed } = countsOf(state);
  world.state = closeAs(state, 'cancelled', world.now);
  expect(countsOf(world.state)).toMatchObject({ processed });
};

const goOn: Step = (world) => {
  world.state = carried(world.state);
};

const windows = fc.constantFrom(
  undefined,
  frozenWindows([{ from: '22:00', to: '02:00', zone: 'Europe/Berlin' }], START),
  frozenWindows([{ days: ['mon', 'thu'], from: '08:00', to: '09:30', zone: 'America/New_York' }], START),
);

const sizes = fc.constantFrom({}, { batch_sizes: [1, 3, 10] });

it('begins each batch once, at its time, under the one decision on exactly its question that stands', () => {
  const steps = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: confirm },
      { weight: 3, arbitrary: wait },
      { weight: 3, arbitrary: run },
      { weight: 2, arbitrary: fc.constant(takeBack) },
      { weight: 2, arbitrary: edit },
      { weight: 1, arbitrary: fc.constant(goOn) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 9 }).map((at) => (at === 0 ? cancel : goOn)) },
    ),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(windows, fc.nat({ max: 24 }), sizes, steps, (given, after, ramp, all) => {
      const input = {
        ...ramp,
        idle_timeout_seconds: 31_536_000,
        ...(after > 0 && { not_before: new Date(START + after * HOUR).toISOString() }),
      };
      const prepared = { ...preparing(input), ...(given && { windows: given }) };
      const world: World = {
        state: planFrozen(prepared, planOf(emails(30)), START),
        now: START,
        standing: new Map(),
        withdrawn: new Set(),
        begun: [],
      };
      for (const step of all) {
        step(world);
        const status = statusOf(world.state);
        expect(status.scheduled_for === undefined).toBe(world.state.state !== 'scheduled');
        expect(status.next_batch !== undefined && status.scheduled_batch !== undefined).toBe(false);
      }
      expect(new Set(world.begun).size).toBe(world.begun.length);
    }),
  );
});
