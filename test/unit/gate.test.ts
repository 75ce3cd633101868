import { judgeContinue, namesGate, type Verdict } from '../../src/core/bulk/gate';
import { extended } from '../../src/core/bulk/deadlines';
import { closeAs, resolved, withOutcome } from '../../src/core/bulk/lifecycle';
import { refused } from '../../src/core/bulk/decisions';
import { gateDigest, openGate, type OperationState, withKnown } from '../../src/core/bulk/operation';
import { named } from '../../src/core/bulk/seal';
import { emails, ended, HOUR, MINUTE, planned, preparing, ran, running, START } from './lifecycle.fixtures';

const ACCEPTED = (key: string): Verdict => ({ kind: 'accepted', key });
const judge = (
  state: OperationState,
  request: Parameters<typeof judgeContinue>[1] = {},
  now = START + 2 * MINUTE,
) => judgeContinue(state, request, now);

function codeOf(verdict: Verdict): string {
  return verdict.kind === 'refused' ? verdict.error.code : verdict.kind;
}

describe('at the first question', () => {
  const state = planned(12, { batch_size: 5 });
  const digest = openGate(state)?.digest ?? '';

  it.each([
    ['nothing', {}],
    ['the batch', { batch: 1 }],
    ['the attempt', { attempt: 1 }],
    ['the digest', { digest }],
    ['batch, attempt and digest', { batch: 1, attempt: 1, digest }],
    ['a decision id', { decision_id: 'd1' }],
    ['an item to leave out', { exclude: [{ id: 'm3' }] }],
  ])('accepts a confirmation that names %s', (_, request) => {
    expect(judge(state, request)).toEqual(ACCEPTED('1.1'));
  });

  it.each([
    ['the next batch', { batch: 2 }],
    ['another attempt', { attempt: 2 }],
    ['another attempt of this batch', { batch: 1, attempt: 2 }],
    ['another digest', { digest: 'f'.repeat(64) }],
    ['the right batch with another digest', { batch: 1, attempt: 1, digest: 'f'.repeat(64) }],
    ['the right digest with another batch', { batch: 2, digest }],
  ])('refuses a confirmation of %s as stale, and says which question is open', (_, request) => {
    const verdict = judge(state, request);
    expect(verdict).toMatchObject({
      kind: 'refused',
      error: { code: 'STALE_CONFIRMATION', details: { batch: 1, attempt: 1, digest } },
    });
    expect(verdict).toMatchObject({ error: { hint: expect.stringContaining('nothing was run') } });
  });

  it('refuses to exclude an item of another batch, and names it', () => {
    const verdict = judge(state, { exclude: [{ id: 'm1' }, { id: 'm7' }, { id: 'nobody' }] });
    expect(codeOf(verdict)).toBe('INVALID_INPUT');
    expect(verdict).toMatchObject({ error: { message: 'Not in batch 1: m7, nobody.' } });
  });

  it('reports a confirmation of another batch as stale, not invalid, if it excludes items of that batch', () => {
    expect(codeOf(judge(state, { batch: 2, exclude: [{ id: 'm7' }] }))).toBe('STALE_CONFIRMATION');
  });

  it('accepts one that names neither gate nor decision only after the question has been open for two seconds', () => {
    const bare = [{}, { by: 'ana' }, { exclude: [{ id: 'm3' }] }];
    const named = [{ batch: 1 }, { attempt: 1 }, { digest }, { decision_id: 'd1' }];
    const codes = (requests: object[], ms: number) =>
      requests.map((request) => codeOf(judge(state, request, START + ms)));
    expect(codes(bare, 1_999)).toEqual(bare.map(() => 'STALE_CONFIRMATION'));
    expect(codes(bare, 2_000)).toEqual(bare.map(() => 'accepted'));
    expect(codes(named, 0)).toEqual(named.map(() => 'accepted'));
    expect(judge(state, {}, START)).toMatchObject({
      error: { details: { batch: 1, attempt: 1, digest }, hint: expect.stringContaining('{"batch": 1') },
    });
  });

  it('counts from when it was sent, which its door or the server knows, whatever it names besides its question', () => {
    const at = START + MINUTE;
    const codes = (ms: number, request: object) =>
      codeOf(judgeContinue(state, request, at, { arrived: START + ms }));
    expect([1_999, 2_000].map((ms) => codes(ms, {}))).toEqual(['STALE_CONFIRMATION', 'accepted']);
    expect([-1, 0].map((ms) => codes(ms, { decision_id: 'd1' }))).toEqual(['STALE_CONFIRMATION', 'accepted']);
    expect([-1, 0].map((ms) => codes(ms, { attempt: 1 }))).toEqual(['STALE_CONFIRMATION', 'accepted']);
    expect(codes(-1, { digest })).toBe('accepted');
    const passedOn = (sent_ago_ms: number) => codes(5_000, { digest, sent_ago_ms });
    expect([3_000, 3_001].map(passedOn)).toEqual(['accepted', 'STALE_CONFIRMATION']);
  });

  it('measures the two seconds from the opening of each gate, across a handover too', () => {
    const next = JSON.parse(JSON.stringify(ran(state))) as OperationState;
    expect(codeOf(judge(next, {}, START + MINUTE + 1_999))).toBe('STALE_CONFIRMATION');
    expect(codeOf(judge(next, {}, START + MINUTE + 2_000))).toBe('accepted');
  });

  it('accepts it until the deadline and not at it', () => {
    expect(codeOf(judge(state, {}, START + HOUR - 1))).toBe('accepted');
    expect(codeOf(judge(state, {}, START + HOUR))).toBe('OPERATION_CLOSED');
    expect(judge(state, {}, START + HOUR)).toMatchObject({
      error: { message: expect.stringMatching(/^The operation is expired; .* items were not run\.$/) },
    });
  });

  it('accepts it after the first deadline if someone extended the question', () => {
    const later = extended(state, { seconds: 60 }, START);
    expect(codeOf(judge(later, {}, START + HOUR))).toBe('accepted');
    expect(codeOf(judge(later, {}, START + HOUR + MINUTE))).toBe('OPERATION_CLOSED');
  });
});

describe('while nothing waits', () => {
  it('refuses early confirmations: they are never queued', () => {
    const verdict = judge(preparing());
    expect(codeOf(verdict)).toBe('NOT_AWAITING_CONFIRMATION');
    expect(verdict).toMatchObject({ error: { message: expect.stringContaining('still being prepared') } });
  });

  it.each([
    ['bare', {}],
    ['for the running batch', { batch: 1 }],
    ['for the next batch', { batch: 2, attempt: 1 }],
  ])('refuses a confirmation while a batch runs: %s', (_, request) => {
    const verdict = judge(running(planned(12)), request);
    expect(codeOf(verdict)).toBe('NOT_AWAITING_CONFIRMATION');
    expect(verdict).toMatchObject({ error: { message: expect.stringContaining('batch 1 is running') } });
  });

  it('refuses a confirmation if every batch has run and only the contract keeps the operation open', () => {
    const held = ran(planned(3, { contract: { failed_policy: 'block' } }), 'fss');
    expect(held.state).toBe('awaiting_confirmation');
    const verdict = judge(held);
    expect(codeOf(verdict)).toBe('NOT_AWAITING_CONFIRMATION');
    expect(verdict).toMatchObject({
      error: {
        message: expect.stringContaining('Every batch has run, and the contract'),
        hint: expect.stringContaining('Complete the operation with a reason, or cancel it'),
      },
    });
  });

  it.each([
    ['cancelled', 'npx batchgate resume'],
    ['expired', 'npx batchgate resume'],
    ['completed', 'status or report'],
  ] as const)('refuses everything once it is %s, and says what follows', (end, next) => {
    const verdict = judge(closeAs(planned(12), end, START), { batch: 1 });
    expect(verdict).toMatchObject({ kind: 'refused', error: { code: 'OPERATION_CLOSED' } });
    expect(verdict).toMatchObject({
      error: { message: expect.stringContaining(end), hint: expect.stringContaining(next) },
    });
  });
});

describe('after a batch', () => {
  it('refuses the confirmation of the batch that ran, by number and by digest', () => {
    const first = planned(12, { batch_size: 5 });
    const second = ran(first);
    expect(codeOf(judge(second, { batch: 1 }))).toBe('STALE_CONFIRMATION');
    expect(codeOf(judge(second, { digest: openGate(first)?.digest }))).toBe('STALE_CONFIRMATION');
    expect(judge(second, { batch: 2 })).toEqual(ACCEPTED('2.1'));
  });

  it('treats a batch without an attempt as its first attempt: an old click does not run the second', () => {
    const failed = ran(planned(12), 'ssppppppp'.padEnd(10, 'p'));
    expect(failed).toMatchObject({ state: 'batch_failed', batch: 1, attempt: 2 });
    expect(codeOf(judge(failed, { batch: 1 }))).toBe('STALE_CONFIRMATION');
    expect(codeOf(judge(failed, { batch: 1, attempt: 1 }))).toBe('STALE_CONFIRMATION');
    expect(judge(failed, { batch: 1, attempt: 2 })).toEqual(ACCEPTED('1.2'));
    expect(judge(failed, { attempt: 2 })).toEqual(ACCEPTED('1.2'));
    expect(judge(failed, {})).toEqual(ACCEPTED('1.2'));
  });

  it('asks only about the rest of a failed batch, and accepts no item that is done', () => {
    const failed = ran(planned(12), 'ss'.padEnd(10, 'p'));
    expect(openGate(failed)?.items.map(({ id }) => id)).toEqual(
      emails(10)
        .slice(2)
        .map(({ id }) => id),
    );
    expect(codeOf(judge(failed, { exclude: [{ id: 'm1' }] }))).toBe('INVALID_INPUT');
    expect(codeOf(judge(failed, { exclude: [{ id: 'm3' }] }))).toBe('accepted');
  });
});

describe('the same decision again', () => {
  const decided = withOutcome(ended(running(planned(12), { decision_id: 'd1' })), '1.1');
  const again = { kind: 'duplicate', first: { decision_id: 'd1', outcome: { succeeded: 10 } } };

  it.each([
    ['as it was', { decision_id: 'd1' }],
    ['for the batch that ran', { decision_id: 'd1', batch: 1, attempt: 1 }],
    ['for the batch that waits now', { decision_id: 'd1', batch: 2 }],
    ['with items that are not there', { decision_id: 'd1', exclude: [{ id: 'nobody' }] }],
  ])('is a duplicate, and returns the first outcome: %s', (_, request) => {
    expect(judge(decided, request)).toMatchObject(again);
  });

  it('is a duplicate while its batch still runs, too late, and after the end', () => {
    expect(judge(running(planned(12), { decision_id: 'd1' }), { decision_id: 'd1' }).kind).toBe('duplicate');
    expect(judge(decided, { decision_id: 'd1' }, START + 9 * HOUR)).toMatchObject(again);
    expect(judge(closeAs(decided, 'cancelled', START), { decision_id: 'd1' })).toMatchObject(again);
  });

  it('is known after many more batches, and after a round trip through JSON', () => {
    let state = planned(60, { batch_size: 5 });
    for (let batch = 1; batch <= 11; batch++)
      state = ended(running(state, { decision_id: `d${batch}` }), { codes: 'sssss' });
    const carried = JSON.parse(JSON.stringify(state)) as OperationState;
    for (let batch = 1; batch <= 11; batch++)
      expect(judge(carried, { decision_id: `d${batch}` }).kind).toBe('duplicate');
    expect(judge(carried, { decision_id: 'd12' })).toEqual(ACCEPTED('12.1'));
  });

  it('is refused again if the first was refused, even if it would be accepted now', () => {
    const verdict = judge(planned(12), { decision_id: 'd1', batch: 2 });
    if (verdict.kind !== 'refused') throw new Error(`it was ${verdict.kind}`);
    const second = ran(refused(planned(12), 'd1', verdict.error));
    expect(judge(second, { decision_id: 'd1', batch: 2 })).toEqual(verdict);
    expect(judge(second, { decision_id: 'd2', batch: 2 })).toEqual(ACCEPTED('2.1'));
  });

  it.each(['constructor', '__proto__', 'toString', '1'])(
    'is recognised by any id, also by %s',
    (decision_id) => {
      const state = planned(12);
      expect(judge(state, { decision_id })).toEqual(ACCEPTED('1.1'));
      const error = { code: 'STALE_CONFIRMATION', message: 'm', hint: 'h' } as const;
      const carried = JSON.parse(JSON.stringify(refused(state, decision_id, error))) as OperationState;
      expect(judge(carried, { decision_id })).toEqual({ kind: 'refused', error });
    },
  );
});

describe('the digest of a question', () => {
  const state = planned(12, { batch_size: 5 });

  it.each<[string, OperationState]>([
    ['another operation', { ...state, operation_id: 'bulk-2' }],
    ['another run of the operation', { ...state, first_run_id: 'run-2' }],
    ['another batch', ran(state)],
    ['another attempt', ran(state, 'ppppp')],
    ['another adapter', { ...state, context: { ...context(state), tool_name: 'calendar' } }],
    ['another action', { ...state, context: { ...context(state), action: 'trash' } }],
    ['other parameters', { ...state, context: { ...context(state), action_params: { label_id: 'L2' } } }],
    ['another search', { ...state, context: { ...context(state), query_params: { query: 'x' } } }],
    ['other metadata', { ...state, context: { ...context(state), metadata: { note: 'x' } } }],
    ['another change', { ...state, change: { summary: 'Else.', fields: [], reversible: 'no' } }],
    ['an item less', { ...state, codes: 'k'.padEnd(12, 'p') }],
    [
      'other data of an item',
      withKnown(state, [named({ index: 0, ...emails(1)[0]!, raw_data: { amount: 2 } })]),
    ],
    ['another name of an item', withKnown(state, [named({ index: 0, id: 'm1', display_name: 'x' })])],
  ])('differs for %s', (_, other) => {
    expect(gateDigest(other)).toMatch(/^[0-9a-f]{64}$/);
    expect(gateDigest(other)).not.toBe(gateDigest(state));
  });

  it.each<[string, OperationState]>([
    ['the first question', state],
    ['a later one', ran(state)],
    ['the rest of a failed batch', ran(state, 'spspp')],
    ['one after excluded items', ran(state, 'sss', { exclude: [{ id: 'm1' }, { id: 'm2' }] })],
  ])('is that of the items that would run now: %s', (_, asked) => {
    expect(openGate(asked)?.digest).toBe(gateDigest(asked));
  });

  it('stays the same while the question waits, whatever is recorded or resolved in the meantime', () => {
    const doubtful = ran(state, 'ssdss');
    const waiting = openGate(doubtful)?.digest;
    const digestOf = (of: OperationState) => openGate(of)?.digest;
    expect(digestOf(extended(doubtful, { seconds: 60 }, START))).toBe(waiting);
    expect(digestOf(resolved(doubtful, 2, 'succeeded', 'looked', START))).toBe(waiting);
    expect(digestOf(JSON.parse(JSON.stringify(doubtful)) as OperationState)).toBe(waiting);
  });

  it('exists only while a question is open', () => {
    expect(openGate(preparing())).toBeUndefined();
    expect(openGate(running(state))).toBeUndefined();
    expect(openGate(closeAs(state, 'cancelled', START))).toBeUndefined();
  });
});

it('distinguishes a confirmation that names its gate from one that does not', () => {
  expect(namesGate({})).toBe(false);
  expect(namesGate({ attempt: 1, decision_id: 'd1', by: 'ana', note: 'go', exclude: [] })).toBe(false);
  for (const request of [{ batch: 1 }, { digest: 'x' }]) expect(namesGate(request)).toBe(true);
});

function context(state: OperationState) {
  if (!state.context) throw new Error('the operation is planned');
  return state.context;
}
