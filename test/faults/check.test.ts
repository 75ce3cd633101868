import { checkRun } from '../../scripts/faults/check';
import { hoursFrom } from '../../scripts/faults/hours';
import { planFaults } from '../../scripts/faults/plan';
import { frozenWindows, openAt } from '../../src/core/bulk/windows';
import type { Account, OperationRecord, Sent, Touch } from '../../scripts/faults/record';

const ITEMS = ['op~0', 'op~1', 'op~2'];
const NOTHING = { unconfirmed: [], twice: [], lost: [], stuck: [] };

const touched = (item: string, at: number, applied = true): Touch => ({ operation: 'op', item, at, applied });
const confirmation = (over: Partial<Sent> = {}): Sent => ({
  by: 'op#1',
  sent_at: 100,
  gate: { batch: 1, attempt: 1, digest: 'd1' },
  shown: ITEMS,
  excluded: [],
  earliest: 0,
  acknowledged: true,
  ...over,
});
const accepted = (
  over: Partial<Account['confirmations'][number]> = {},
): Account['confirmations'][number] => ({
  ...{ batch: 1, attempt: 1, decision: 'continue', outcome: 'accepted', by: 'op#1', digest: 'd1' },
  ...over,
});
const row = (id: string, outcome: Account['rows'][number]['outcome'] = 'succeeded') => ({
  ...{ id, outcome, confirmed_by: 'op#1' },
});
const account = (over: Partial<Account> = {}): Account => ({
  state: 'completed',
  confirmations: [accepted()],
  confirmations_truncated: false,
  rows: ITEMS.map((id) => row(id)),
  differences: [],
  ...over,
});
const operation = (over: Partial<OperationRecord> = {}): OperationRecord => ({
  ...{ id: 'op', planned: ITEMS, needed: 1, sent: [confirmation()], account: account() },
  ...{ changed: new Map<string, { at: number }>(), doubted: new Set<string>() },
  ...over,
});
const ALL_TOUCHED = ITEMS.map((item) => touched(item, 200));

it('finds nothing if each item was changed once after its confirmation', () => {
  expect(checkRun([operation()], ALL_TOUCHED)).toEqual(NOTHING);
});

describe('reports an unconfirmed change', () => {
  it.each([
    { of: 'an operation that was never started', operations: [], touches: [touched('op~0', 200)] },
    {
      of: 'an item before its confirmation was sent',
      operations: [operation()],
      touches: [touched('op~0', 99), ...ALL_TOUCHED.slice(1)],
    },
    {
      of: 'an item a second time on one confirmation',
      operations: [operation()],
      touches: [...ALL_TOUCHED, touched('op~0', 300, false)],
    },
    {
      of: 'an item that was left out',
      operations: [operation({ sent: [confirmation({ excluded: ['op~0'] })] })],
      touches: ALL_TOUCHED,
    },
    {
      of: 'an item by a change that the gate did not show',
      operations: [operation()],
      touches: [{ ...touched('op~0', 200), edit: 'edit-1' }, ...ALL_TOUCHED.slice(1)],
    },
    {
      of: 'an item by the change before the edit that the gate showed',
      operations: [operation({ sent: [confirmation({ edit: 'edit-1' })] })],
      touches: ALL_TOUCHED,
    },
    {
      of: 'an item before the time for which it was confirmed',
      operations: [operation({ sent: [confirmation({ earliest: 201 })] })],
      touches: ALL_TOUCHED,
    },
    {
      of: 'an item that somebody else changed after it was shown',
      operations: [operation({ changed: new Map([['op~0', { at: 150 }]]) })],
      touches: ALL_TOUCHED,
    },
    {
      of: 'an item that the gate did not show',
      operations: [operation({ sent: [confirmation({ shown: ITEMS.slice(1) })] })],
      touches: ALL_TOUCHED,
    },
    {
      of: 'an operation that never ended and was never confirmed',
      operations: [operation({ sent: [], account: undefined })],
      touches: [touched('op~0', 200)],
    },
  ])('of $of', ({ operations, touches }) => {
    expect(checkRun(operations, touches).unconfirmed).toContainEqual(expect.stringMatching(/^op~0: /));
  });

  it.each([
    { of: 'somebody who sent none', decisions: [accepted({ by: 'somebody' })], found: /who sent none$/ },
    {
      of: 'one confirmation that ran two batches',
      decisions: [accepted(), accepted({ attempt: 2 })],
      found: /which had run another batch$/,
    },
    { of: 'another batch', decisions: [accepted({ batch: 2 })], found: /of another gate$/ },
    { of: 'another attempt', decisions: [accepted({ attempt: 2 })], found: /of another gate$/ },
    { of: 'another digest', decisions: [accepted({ digest: 'd2' })], found: /of another gate$/ },
  ])('according to $of', ({ decisions, found }) => {
    const { unconfirmed } = checkRun([operation({ account: account({ confirmations: decisions }) })], []);
    expect(unconfirmed).toEqual([expect.stringMatching(found)]);
  });
});

describe('where two people must approve', () => {
  const twoSent = [confirmation({ earliest: 190 }), confirmation({ by: 'op#2', sent_at: 150 })];
  const [one, both] = [{ ...accepted(), decision: 'approve' as const }, { by: 'op#1, op#2' }];
  const of = (confirmations: Account['confirmations'], sent = twoSent) => {
    const rows = ITEMS.map((id) => ({ ...row(id), confirmed_by: both.by }));
    return operation({ needed: 2, sent, account: account({ confirmations, rows }) });
  };
  const last = accepted({ by: 'op#2' });

  it('finds nothing if two approved one question before its items were changed', () => {
    expect(checkRun([of([one, last])], ALL_TOUCHED)).toEqual(NOTHING);
  });

  it.each([
    { after: 'one approval', decisions: [last], found: /ran on 1 of 2 approvals$/ },
    { after: 'an approval of another digest', decisions: [{ ...one, digest: 'd0' }, last], found: /1 of 2/ },
    {
      after: 'items left out',
      decisions: [{ ...one, decision: 'leave_out' as const }, last],
      found: /1 of 2/,
    },
    { after: 'one person twice', decisions: [{ ...one, by: 'op#2' }, last], found: /had run another batch$/ },
    { after: 'somebody who sent none', decisions: [{ ...one, by: 'op#3' }, last], found: /who sent none$/ },
  ])('reports a batch that ran after $after', ({ decisions, found }) => {
    const { unconfirmed } = checkRun([of(decisions)], ALL_TOUCHED);
    expect(unconfirmed).toContainEqual(expect.stringMatching(found));
  });

  it('finds the confirmation of somebody who left items out on the record', () => {
    const left = { ...one, decision: 'leave_out' as const, by: 'op#3', digest: 'd0' };
    const sent = [...twoSent, confirmation({ by: 'op#3' })];
    expect(checkRun([of([left, one, last], sent)], ALL_TOUCHED)).toEqual(NOTHING);
    expect(checkRun([of([one, last], sent)], ALL_TOUCHED).lost).toEqual([
      expect.stringMatching(/op#3's confirmation was acknowledged and is not on record$/),
    ]);
  });

  it('reports a change before the time of either', () => {
    const early = ITEMS.map((item) => touched(item, 180));
    expect(checkRun([of([one, last])], early).unconfirmed).toHaveLength(ITEMS.length);
  });
});

it('opens and closes the hours as their rules say', () => {
  const hours = hoursFrom(Date.parse('2026-11-27T23:58:30Z'));
  const frozen = frozenWindows(hours.rules, Date.parse('2026-11-27T23:58:30Z'));
  const minutes = Array.from({ length: 24 * 60 - 2 }, (_, at) => at * 60_000 + 15_000);
  const differing = minutes
    .map((after) => Date.parse('2026-11-27T23:58:30Z') + after)
    .filter((at) => openAt(frozen, at) !== hours.from(at));
  expect(differing).toEqual([]);
});

it('permits as many changes of an item as there were confirmations of it before', () => {
  const again = confirmation({ by: 'op#2', sent_at: 250, gate: { batch: 1, attempt: 2, digest: 'd2' } });
  const confirmations = [accepted(), accepted({ by: 'op#2', attempt: 2, digest: 'd2' })];
  const record = operation({ sent: [confirmation(), again], account: account({ confirmations }) });
  const second = touched('op~0', 300, false);
  expect(checkRun([record], [...ALL_TOUCHED, second])).toEqual(NOTHING);
  expect(checkRun([record], [...ALL_TOUCHED, second, { ...second, at: 400 }]).unconfirmed).toHaveLength(1);
});

it('lets a bare confirmation run any open gate, once', () => {
  const bare = confirmation({ gate: undefined });
  expect(checkRun([operation({ sent: [bare] })], ALL_TOUCHED)).toEqual(NOTHING);
});

it('reports an item that was applied twice, unless it was named in doubt', () => {
  const touches = [...ALL_TOUCHED, touched('op~0', 300)];
  expect(checkRun([operation()], touches).twice).toEqual(['op~0: applied 2 times, and never named in doubt']);
  expect(checkRun([operation({ doubted: new Set(['op~0']) })], touches).twice).toEqual([]);
});

describe('reports as lost', () => {
  it.each([
    { what: 'an item said to have succeeded that was never applied', touches: ALL_TOUCHED.slice(1) },
    {
      what: 'an applied item that is said to have failed',
      over: { rows: [row('op~0', 'failed'), ...ITEMS.slice(1).map((id) => row(id))] },
    },
    { what: 'an item that the report leaves out', over: { rows: ITEMS.slice(1).map((id) => row(id)) } },
    {
      what: 'an item that still waits in a completed operation',
      over: { rows: [row('op~0', 'pending'), ...ITEMS.slice(1).map((id) => row(id))] },
      touches: ALL_TOUCHED.slice(1),
    },
    {
      what: 'whose word an item was applied on',
      over: { rows: ITEMS.map((id) => ({ ...row(id), confirmed_by: 'op#2' })) },
    },
    { what: 'items that nobody planned', over: { rows: [...ITEMS, 'op~3'].map((id) => row(id)) } },
    { what: 'items of which ledger and history disagree', over: { differences: ['op~0'] } },
    { what: 'a record that is cut', over: { confirmations_truncated: true } },
    { what: 'an operation that was accepted and then rejected', over: { state: 'rejected' }, touches: [] },
    { what: 'an operation that expired', over: { state: 'expired' } },
  ] satisfies { what: string; over?: Partial<Account>; touches?: Touch[] }[])('$what', (given) => {
    const { over, touches = ALL_TOUCHED }: { over?: Partial<Account>; touches?: Touch[] } = given;
    expect(checkRun([operation({ account: account(over) })], touches).lost).not.toEqual([]);
  });

  it('an acknowledged confirmation that is not recorded', () => {
    const forgotten = confirmation({ by: 'op#2' });
    const record = operation({ sent: [confirmation(), forgotten] });
    expect(checkRun([record], ALL_TOUCHED).lost).toEqual([
      "op: op#2's confirmation was acknowledged and is not on record",
    ]);
  });

  it('no item in doubt, applied or not', () => {
    const rows = [row('op~0', 'in_doubt'), ...ITEMS.slice(1).map((id) => row(id))];
    const record = operation({ account: account({ rows }), doubted: new Set(['op~0']) });
    expect(checkRun([record], ALL_TOUCHED)).toEqual(NOTHING);
    expect(checkRun([record], ALL_TOUCHED.slice(1))).toEqual(NOTHING);
  });
});

it('names a stuck operation', () => {
  const stuck = operation({ stuck: 'its batch: no answer', account: undefined });
  expect(checkRun([stuck], ALL_TOUCHED)).toEqual({ ...NOTHING, stuck: ['op: its batch: no answer'] });
});

it('plans the same faults for the same seed, and faults of every kind', () => {
  const links = ['temporal', 'database', 'target'] as const;
  expect(planFaults(30, 7, links)).toEqual(planFaults(30, 7, links));
  expect(planFaults(30, 7, links)).not.toEqual(planFaults(30, 8, links));
  const kinds = new Set(planFaults(6, 7, links).map(({ kind }) => kind));
  expect(kinds.size).toBe(6);
  expect(planFaults(200, 7, ['temporal', 'target']).map(({ kind }) => kind)).not.toContain('database killed');
});
