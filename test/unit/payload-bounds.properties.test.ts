import fc from 'fast-check';
import { BatchgateError } from '../../src/contract/errors';
import { knownAtFirst } from '../../activities/bulk/known';
import type { PlannedBatch } from '../../src/contract/activities';
import type { BulkItem, NamedItem } from '../../src/contract/items';
import type { Confirmation } from '../../src/contract/operation';
import { changeSchema } from '../../src/contract/change';
import { bytesOf, MAX_CONTEXT_BYTES, MAX_DECISIONS, MAX_PAYLOAD_BYTES } from '../../src/core/shared/bounds';
import { bulkContract, bulkGuard } from '../../src/core/bulk/contract-progress';
import { carried } from '../../src/core/bulk/carried';
import { changeOfAdapter } from '../../src/core/bulk/change';
import { detailsOf } from '../../src/core/bulk/details';
import { toFailureFields } from '../../src/core/shared/failures';
import { judgeContinue } from '../../src/core/bulk/gate';
import { batchOver, confirmed, planFrozen, withOutcome } from '../../src/core/bulk/lifecycle';
import { recorded, refused } from '../../src/core/bulk/decisions';
import {
  batchesTotal,
  gateDigest,
  gateKey,
  openGate,
  pendingPlaces,
  skippedOf,
  unknownBatch,
  withKnown,
  type OperationState,
} from '../../src/core/bulk/operation';
import { NOTHING_REMEMBERED, remember } from '../../src/core/bulk/remembered';
import { packOutcomes } from '../../src/core/bulk/outcomes';
import { batchesOf, partsOf } from '../../src/core/bulk/pages';
import { markOf, named } from '../../src/core/bulk/seal';
import { isClosed } from '../../src/core/bulk/transitions';
import { errorsPage, iso, itemsPage, statusOf, turnOf } from '../../src/core/bulk/view';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { inLongRun } from '../helpers/long-run';
import { MINUTE, preparing, START } from './lifecycle.fixtures';

const RUNS = inLongRun(60, 15);

/** Characters of one to four bytes, and two that JSON escapes. */
const LETTERS = ['x', 'é', '件', '😀', '"', '\u0007'] as const;
const sized = (max: number) => fc.oneof(fc.constantFrom(0, max), fc.integer({ min: 0, max }));

const shape = fc.record({
  count: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 1_500 })),
  batchSize: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 400 })),
  letter: fc.constantFrom(...LETTERS),
  idLength: sized(480),
  nameLength: sized(500),
  rawLength: sized(2_000),
  params: sized(15_000),
  metadata: sized(16_000),
  fields: sized(80),
  errorLength: sized(500),
  noteLength: sized(500),
  /** The outcomes of the items of each batch, repeated as often as needed. */
  codes: fc.array(fc.constantFrom('s', 'f', 'd'), { minLength: 1, maxLength: 5 }),
  excluded: sized(400),
  refusals: sized(250),
});
type Shape = typeof shape extends fc.Arbitrary<infer S> ? S : never;

const text = (letter: string, length: number) => letter.repeat(length);

function itemsOf({ count, letter, idLength, nameLength, rawLength }: Shape): BulkItem[] {
  // Ids hold no control characters.
  const id = text(letter === '\u0007' ? '件' : letter, idLength);
  const display_name = text(letter, nameLength);
  const raw_data = { raw: 'r'.repeat(rawLength) };
  return Array.from({ length: count }, (_, at) => ({
    id: `${at}-${id}`,
    display_name,
    ...(rawLength > 0 && { raw_data }),
  }));
}

/** The largest size so far of each kind of payload. */
const largest = new Map<string, number>();

function emits(what: string, value: unknown, atMost = MAX_PAYLOAD_BYTES): void {
  const bytes = bytesOf(value);
  largest.set(what, Math.max(largest.get(what) ?? 0, bytes));
  if (bytes > atMost) throw new Error(`${what} is ${bytes} bytes`);
}

/** An operation over items of this shape, driven the way the workflow drives it. */
class Run {
  state: OperationState;
  now = START;
  decisions: string[] = [];
  refusedIds: string[] = [];

  constructor(
    readonly shape: Shape,
    readonly items: BulkItem[],
  ) {
    const { batchSize, params, metadata, fields, letter } = shape;
    const adapter = createFakeAdapter({ items: () => [], apply: () => Promise.resolve() });
    const given = {
      query_params: {},
      action_params: { text: 'p'.repeat(Math.min(params, MAX_CONTEXT_BYTES)) },
    };
    const context = { tool_name: 'fake', action: 'mark', ...given };
    const change = changeOfAdapter(
      {
        ...adapter,
        describeChange: () => ({
          summary: text(letter, 2_000) || 'Mark each item.',
          fields: Array.from({ length: fields }, (_, at) => ({
            name: `${at}`,
            from: text(letter, 900),
            to: 'x',
          })),
          reversible: 'yes',
        }),
      },
      context,
      {},
    );
    changeSchema.parse(change);
    const extra = { text: 'm'.repeat(metadata) };
    const { params: _, ...input } = preparing({ batch_size: batchSize }).input;
    const prepared = {
      ...{ context: { ...context, metadata: extra }, change_params: given.action_params, change },
    };
    // There are no query parameters, so the parameters of the input are those of the action.
    const asked = { params: given.action_params, metadata: extra };
    const parts = partsOf(items, batchSize);
    emits('begin', { ...asked, items: parts[0]?.items });
    emits('plan', { ...asked, later: { offset: 0, prepared }, items: parts.at(-1)?.items });
    const start: OperationState = {
      ...preparing({ batch_size: batchSize }),
      input,
      context: { ...context, metadata: extra },
      change,
    };
    const total = items.length;
    const rows = items.map((item, index) => ({ ...item, index, error: text(letter, 300) }));
    const codes = `${'k'.repeat(total)}p`;
    emits('names', knownAtFirst(rows, codes, batchSize));
    const marks = batchesOf(items, batchSize).map(markOf).join('');
    const plan = { items: this.named(0, batchSize), total, marks, store_id: 'store-1' };
    emits('planned', { ...plan, codes, prepared, left: 'n'.repeat(32_000) });
    this.state = planFrozen(start, plan, START);
  }

  /** Checks everything that may be emitted now. */
  check(): void {
    const { state } = this;
    emits('status', statusOf(state));
    emits('turn', turnOf(state));
    emits('errors', errorsPage(state, { limit: 1_000 }));
    emits('items', itemsPage(state, { limit: 1_000 }));
    emits('guard', bulkGuard(state, { items: true }));
    emits('progress', bulkContract(state));
    emits('details', detailsOf(state), 20_480);
  }

  refuse(count: number): void {
    for (let at = 0; at < count; at++) {
      const decision_id = `refused-${this.refusedIds.length}`;
      const verdict = judgeContinue(this.state, { batch: 9_999, decision_id }, this.now);
      if (verdict.kind !== 'refused') throw new Error(`a decision for another batch was ${verdict.kind}`);
      emits('refusal', toFailureFields(verdict.error));
      this.record(verdict.error.code);
      this.state = refused(this.state, decision_id, verdict.error);
      this.refusedIds.push(decision_id);
    }
  }

  batch(): void {
    const { excluded, noteLength, letter, errorLength, codes } = this.shape;
    const gate = openGate(this.state);
    if (!gate) throw new Error('no gate is open');
    const key = gateKey(gate.number, gate.attempt);
    const decision_id = `decision-${key}-${text(letter, 100)}`;
    const reason = text(letter, noteLength);
    const exclude = gate.items.slice(0, excluded).map(({ id }) => ({ id, reason }));
    let request = { batch: gate.number, attempt: gate.attempt, digest: gate.digest, decision_id, exclude };
    let verdict = judgeContinue(this.state, request, this.now);
    if (verdict.kind === 'refused') {
      // All reasons together are too long.
      expect(verdict.error.message).toContain('reasons');
      request = { ...request, exclude: exclude.map(({ id }) => ({ id, reason: '' })) };
      verdict = judgeContinue(this.state, request, this.now);
    }
    expect(verdict).toEqual({ kind: 'accepted', key });
    this.decisions.push(decision_id);
    this.record('accepted', text(letter, noteLength));
    this.state = confirmed(this.state, request, { via: 'update', assurance: 'asserted' }, this.now);
    this.check();
    const indexes = pendingPlaces(this.state, this.state.batch);
    const skipped = skippedOf(this.state, this.state.batch);
    const next = unknownBatch(this.state, this.state.batch + 1);
    emits('runBatch', { asked: indexes, indexes, skipped, next });
    const error = text(letter, errorLength);
    const outcomes = packOutcomes(
      indexes.map((_, at) => {
        const code = codes[at % codes.length] ?? 's';
        return { code, ...(code !== 's' && { error, retryable: true }) };
      }),
    );
    const read = next && this.state.batch < batchesTotal(this.state) ? this.read(next) : [];
    emits('batch result', { ...outcomes, next: read });
    const ran = { indices: indexes, outcomes, skipped: request.exclude.length };
    this.now += MINUTE;
    this.state = withOutcome(batchOver(this.state, { ...ran, started_at: this.now - 5 }, this.now), key);
    this.check();
  }

  /** Continues as a new run, with what this run hands over. */
  handOver(): void {
    const before = {
      gate: openGate(this.state),
      turn: turnOf(this.state).next_batch,
      codes: this.state.codes,
    };
    const state = carried(this.state);
    emits('continue as new', [state.input, state]);
    this.state = JSON.parse(JSON.stringify(state)) as OperationState;
    expect({
      gate: openGate(this.state),
      turn: turnOf(this.state).next_batch,
      codes: this.state.codes,
    }).toEqual(before);
    for (const decision_id of this.decisions.slice(-300))
      expect(judgeContinue(this.state, { decision_id }, this.now).kind).toBe('duplicate');
    for (const decision_id of this.refusedIds)
      expect(judgeContinue(this.state, { batch: this.state.batch, decision_id }, this.now).kind).toBe(
        'refused',
      );
  }

  /** Moves to the question of this batch. */
  goTo(batch: number): void {
    const next = unknownBatch(this.state, batch);
    if (next) this.read(next);
    this.state = { ...this.state, batch, attempt: 1 };
    this.state = { ...this.state, digest: gateDigest(this.state) };
  }

  /** Learns the items of a batch, which have its mark. */
  private read({ from, to, mark }: PlannedBatch): NamedItem[] {
    expect(markOf(this.items.slice(from, to))).toBe(mark);
    const items = this.named(from, to);
    emits('question', items);
    this.state = withKnown(this.state, items);
    return items;
  }

  private named(from: number, to: number): NamedItem[] {
    return this.items.slice(from, to).map((item, at) => named({ ...item, index: from + at }));
  }

  private record(outcome: string, note?: string): void {
    const by = text(this.shape.letter === '\u0007' ? '件' : this.shape.letter, 150) || 'ana';
    const entry: Omit<Confirmation, 'outcome'> = {
      ...{ batch: this.state.batch, attempt: this.state.attempt, decision: 'continue', by, via: 'update' },
      ...{ at: iso(this.now), note, digest: this.state.digest, assurance: 'asserted' },
    };
    this.state = recorded(this.state, { ...entry, outcome });
  }
}

/** Runs the operation to its end or for `batches` batches. Returns undefined if its plan is refused. */
function drive(one: Shape, batches: number, handOverEach: number): Run | undefined {
  const items = itemsOf(one);
  try {
    batchesOf(items, one.batchSize);
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
