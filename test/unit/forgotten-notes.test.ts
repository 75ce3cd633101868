import { judgeMessage } from '../../src/core/intent/conversation';
import { statusOf } from '../../src/core/bulk/view';
import { MINUTE, planned, START } from './lifecycle.fixtures';

const status = statusOf(planned(12));
const at = (moment: number) => new Date(moment).toISOString();
const lost = at(START + MINUTE);
const note = { operation_id: status.operation_id, digest: status.next_batch?.digest ?? '' };

it('a bare yes is questioned if the note about the open question may be forgotten', () => {
  expect(judgeMessage(status, { text: 'yes' })).toEqual({ kind: 'continue' });
  expect(judgeMessage(status, { text: 'yes', remembers_since: lost })).toMatchObject({ said: 'asked' });
  expect(judgeMessage(status, { text: 'continue', remembers_since: lost })).toEqual({ kind: 'continue' });
});

it('a bare yes is accepted once the question was shown again, or is younger than the memory', () => {
  const shown = { ...note, said: 'shown' as const };
  expect(judgeMessage(status, { text: 'yes', remembers_since: lost, note: shown })).toEqual({
    kind: 'continue',
  });
  expect(judgeMessage(status, { text: 'yes', remembers_since: at(START) })).toEqual({ kind: 'continue' });
  const confirmation = { batch: 1, attempt: 1, decision: 'continue' as const, outcome: 'accepted' };
  const later = { ...confirmation, at: at(START + 2 * MINUTE), via: 'update' as const };
  const asked = { ...status, confirmations: [{ ...later, assurance: 'asserted' as const }] };
  expect(judgeMessage(asked, { text: 'yes', remembers_since: lost })).toEqual({ kind: 'continue' });
});
