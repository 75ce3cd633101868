import { batchOver, closeAs, settledLate } from '../../src/core/bulk/lifecycle';
import { askedWithout } from '../../src/core/bulk/approving';
import { assertedBy } from '../../src/core/bulk/approvers';
import { pendingPlaces, type OperationState } from '../../src/core/bulk/operation';
import { errorsPage, statusOf } from '../../src/core/bulk/view';
import { emails, planned, plannedWith, requirement, running, START } from './lifecycle.fixtures';

const error = { code: 'ADAPTER_UNAVAILABLE', message: 'The ledger is away', hint: 'Later.' } as const;

const UNREAD = 'It may have been touched before the batch died, and the ledger gave no answer.';

/** The end of a batch that no worker began, or of which nobody knows. */
function unbegun(state: OperationState, more: { unsettled?: number[] } = {}): OperationState {
  const indices = pendingPlaces(state, state.batch);
  const over = { indices, outcomes: { codes: '' }, started_at: START, error, unbegun: true as const };
  return batchOver(state, { ...over, ...more }, START);
}

describe('the items that a confirmation excludes', () => {
  const excluded = running(planned(5), { exclude: [{ id: 'm2' }] });

  it('are not run either if the operation ends before its batch is sent', () => {
    expect(excluded.codes).toBe('pkppp');
    for (const to of ['cancelled', 'completed'] as const) {
      const forced = to === 'completed' ? { reason: 'enough', at: '' } : undefined;
      expect(closeAs(excluded, to, START, forced)).toMatchObject({ state: to, codes: 'ppppp', details: {} });
    }
  });

  it('are asked about again if no worker began the batch, and never skipped', () => {
    const asked = unbegun(excluded);
    expect(asked).toMatchObject({ state: 'batch_failed', attempt: 2, error, last_batch: { skipped: 0 } });
    expect(closeAs(asked, 'expired', START).codes).toBe('ppppp');
    const whole = unbegun(running(planned(7, { batch_size: 5 }), { exclude: emails(5) }));
    expect(whole).toMatchObject({ state: 'batch_failed', batch: 1, attempt: 2, codes: 'ppppppp', error });
  });

  it('stay skipped if the ledger got them before the batch, when its last requests were settled', () => {
    const died = { indices: [0, 1, 2, 3, 4], outcomes: { codes: 's' }, started_at: START, unsettled: [2] };
    const asked = batchOver(running(planned(5)), died, START);
    const again = running(asked, { exclude: [{ id: 'm2' }, { id: 'm3' }] });
    const settled = settledLate(again, '1.2', { codes: 'k' });
    expect(closeAs(settled, 'cancelled', START).codes).toBe('skkpp');
    expect(unbegun(settled)).toMatchObject({ codes: 'skkpp', attempt: 3 });
  });

  it('are whatever the ledger has of them, if it did not answer after the batch', () => {
    const asked = unbegun(excluded, { unsettled: [0, 1, 2, 3, 4] });
    expect(asked.codes).toBe('ppppp');
    const again = running(asked, { exclude: [{ id: 'm3' }, { id: 'm4' }] });
    const settled = settledLate(again, '1.2', { codes: 'skpsd' });
    // m3 was not begun, and the ledger has no exclusion of it.
    expect(settled).toMatchObject({ codes: 'skksd', left_out: [2] });
    expect(closeAs(settled, 'cancelled', START).codes).toBe('skpsd');
    expect(closeAs(again, 'cancelled', START)).toMatchObject({
      codes: 'ddddd',
      details: { 2: { error: UNREAD } },
    });
  });
});

it('keeps what an approver left out of the question if no worker begins its batch', () => {
  const sender = { approver: assertedBy('ben') };
  const asked = plannedWith('ppp', {}, requirement());
  const without = askedWithout(asked, { by: 'ben', exclude: [{ id: 'm1' }] }, sender, START);
  const refused = unbegun(running(without, { exclude: [{ id: 'm3' }] }));
  expect(refused).toMatchObject({ state: 'batch_failed', codes: 'kpp', left_out: [0] });
  expect(closeAs(refused, 'cancelled', START).codes).toBe('ppp');
  expect(
    batchOver(running(refused), { indices: [1, 2], outcomes: { codes: 'ss' }, started_at: START }, START),
  ).toMatchObject({
    ...{ state: 'completed', codes: 'kss' },
  });
});

it('asks about what an approver left out again, if nothing else of the batch is left when no worker begins it', () => {
  const sender = { approver: assertedBy('ben') };
  const died = {
    indices: [0, 1, 2],
    outcomes: { codes: '' },
    started_at: START,
    unsettled: [0, 1, 2],
    error,
  };
  const asked = batchOver(running(plannedWith('pppppp', { batch_size: 3 }, requirement())), died, START);
  const without = askedWithout(asked, { by: 'ben', exclude: [{ id: 'm3' }] }, sender, START);
  const confirmed = running(without);
  expect(confirmed.accepted['1.3']).toMatchObject({ asked: [0, 1] });
  const settled = settledLate(confirmed, '1.3', { codes: 'ssp' });
  expect(settled).toMatchObject({ codes: 'sskppp', left_out: [2] });
  expect(unbegun(settled)).toMatchObject({ state: 'batch_failed', batch: 1, codes: 'sspppp', error });
});

it('leaves an item in doubt if the operation ends before anybody could read what became of it', () => {
  const unread = { indices: [0, 1], outcomes: { codes: '' }, started_at: START, unsettled: [0] };
  const end = closeAs(batchOver(running(planned(2)), unread, START), 'cancelled', START);
  expect(statusOf(end)).toMatchObject({ state: 'cancelled', in_doubt: 1, remaining: 1 });
  expect(errorsPage(end, {}).errors).toMatchObject([{ item_id: 'm1', error: `In doubt: ${UNREAD}` }]);
});
