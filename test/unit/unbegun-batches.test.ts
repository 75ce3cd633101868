import { batchOver, closeAs } from '../../src/core/bulk/lifecycle';
import { errorsPage, statusOf } from '../../src/core/bulk/view';
import { planned, running, START } from './lifecycle.fixtures';

it('leaves an item in doubt if the operation ends before anybody could read what became of it', () => {
  const unread = { indices: [0, 1], outcomes: { codes: '' }, skipped: 0, started_at: START, unsettled: [0] };
  const end = closeAs(batchOver(running(planned(2)), unread, START), 'cancelled', START);
  expect(statusOf(end)).toMatchObject({ state: 'cancelled', in_doubt: 1, remaining: 1 });
  expect(errorsPage(end, {}).errors).toMatchObject([
    { item_id: 'm1', error: expect.stringContaining('the ledger gave no answer') as string },
  ]);
});
