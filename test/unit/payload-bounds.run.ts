import fc from '../helpers/properties';
import { knownAtFirst } from '../../activities/bulk/known';
import type { PlannedBatch } from '../../src/contract/activities';
import type { BulkItem, NamedItem } from '../../src/contract/items';
import type { Confirmation } from '../../src/contract/operation';
import { MAX_APPROVERS, type Requirement } from '../../src/contract/policy';
import { changeSchema } from '../../src/contract/change';
import { bytesOf, MAX_CONTEXT_BYTES, MAX_PAYLOAD_BYTES } from '../../src/core/shared/bounds';
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
import { packOutcomes } from '../../src/core/bulk/outcomes';
import { groupsOf, partsOf } from '../../src/core/bulk/pages';
import { rampOf } from '../../src/core/bulk/ramp';
import { askedItems, namedAgain } from '../../src/core/bulk/asked-items';
import { markOf, named } from '../../src/core/bulk/seal';
import { errorsPage, iso, itemsPage, statusOf, turnOf } from '../../src/core/bulk/view';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { MINUTE, preparing, START } from './lifecycle.fixtures';

/** Characters of one to four bytes, and two that JSON escapes. */
const LETTERS = ['x', 'é', '件', '😀', '"', '\u0007'] as const;
const sized = (max: number) => fc.oneof(fc.constantFrom(0, max), fc.integer({ min: 0, max }));

export const shape = fc.record({
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
  /** The sizes before the last, if batches grow. */
  before: fc.oneof(
    fc.constant(undefined),
    fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 3 }),
  ),
});
export type Shape = Omit<typeof shape extends fc.Arbitrary<infer S> ? S : never, 'before'> & {
  before?: number[] | undefined;
};

const sizesOf = ({ batchSize, before }: Shape): { batch_size: number } | { batch_sizes: number[] } =>
  before
    ? { batch_sizes: [...before.map((size) => Math.min(size, batchSize)), batchSize] }
    : { batch_size: batchSize };
export const rampOfShape = (one: Shape) => rampOf({ batch_size: one.batchSize, ...sizesOf(one) });

const text = (letter: string, length: number) => letter.repeat(length);

export function itemsOf({ count, letter, idLength, nameLength, rawLength }: Shape): BulkItem[] {
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

/** What the approvers of a start make, at most. */
function requirementOf(letter: string): Requirement {
  const name = text(letter === '\u0007' ? '件' : letter, 140);
  const from = Array.from({ length: MAX_APPROVERS }, (_, at) => `person:${at}${name}`);
  const rest = { not_requester: true, distinct: true, assurance: 'signed', on_refusal: 'hold' } as const;
  return { policy: text('p', 100), approvals: 2, from, ...rest };
}

/** The largest size so far of each kind of payload. */
export const largest = new Map<string, number>();

function emits(what: string, value: unknown, atMost = MAX_PAYLOAD_BYTES): void {
  const bytes = bytesOf(value);
  largest.set(what, Math.max(largest.get(what) ?? 0, bytes));
  if (bytes > atMost) throw new Error(`${what} is ${bytes} bytes`);
}

/** An operation over items of this shape, driven the way the workflow drives it. */
export class Run {
  state: OperationState;
  now = START;
  decisions: string[] = [];
  refusedIds: string[] = [];

  constructor(
    readonly shape: Shape,
    readonly items: BulkItem[],
  ) {
    const { batchSize, params, metadata, fields, letter } = shape;
    const ramp = rampOfShape(shape);
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
    const { params: _, ...input } = preparing(sizesOf(shape)).input;
    const prepared = {
      ...{ context: { ...context, metadata: extra }, change_params: given.action_params, change },
    };
    // There are no query parameters, so the parameters of the input are those of the action.
    const asked = { params: given.action_params, metadata: extra };
    const parts = partsOf(items, ramp);
    emits('begin', { ...asked, items: parts[0]?.items });
    emits('plan', { ...asked, later: { offset: 0, prepared }, items: parts.at(-1)?.items });
    const start: OperationState = {
      ...preparing(sizesOf(shape)),
      input,
      context: { ...context, metadata: extra },
      change,
      ...(fields % 2 === 1 && { requirement: requirementOf(letter) }),
    };
    const total = items.length;
    const rows = items.map((item, index) => ({ ...item, index, error: text(letter, 300) }));
    const codes = `${'k'.repeat(total)}p`;
    emits('names', knownAtFirst(rows, codes, ramp));
    const marks = groupsOf(items, ramp).map(markOf).join('');
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
    emits('runBatch', { indexes, skipped, next });
    const error = text(letter, errorLength);
    const outcomes = packOutcomes(
      indexes.map((_, at) => {
        const code = codes[at % codes.length] ?? 's';
        return { code, ...(code !== 's' && { error, retryable: true }) };
      }),
    );
    const read = next && this.state.batch < batchesTotal(this.state) ? this.read(next) : [];
    emits('batch result', { ...outcomes, next: next ? askedItems(read, next) : [] });
    const ran = { indices: indexes, outcomes };
    this.now += MINUTE;
    const over = () => batchOver(this.state, { ...ran, started_at: this.now - 5 }, this.now);
    const ahead = over();
    const more = unknownBatch(ahead, ahead.batch);
    if (more) this.read(more);
    this.state = withOutcome(over(), key);
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

  /** Learns the items of a batch, whose groups have their marks. */
  private read(batch: PlannedBatch): NamedItem[] {
    const { from, to, groups } = batch;
    const starts = Array.from(
      { length: Math.ceil((groups.to - groups.from) / groups.size) },
      (_, at) => groups.from + at * groups.size,
    );
    const end = (start: number) => Math.min(start + groups.size, groups.to);
    const marks = starts.map((start) => markOf(this.items.slice(start, end(start))));
    expect([marks.join(''), groups.from <= from, to <= groups.to]).toEqual([groups.marks, true, true]);
    const items = this.named(from, to);
    const asked = askedItems(items, batch);
    emits('question', asked);
    expect(namedAgain(this.state, batch, asked)).toEqual(items);
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
