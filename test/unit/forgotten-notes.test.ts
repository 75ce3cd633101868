import { judgeMessage, noteFor } from '../../src/core/intent/conversation';
import { statusOf } from '../../src/core/bulk/view';
import { beginSentinel, note as keep } from '../../src/core/sentinel/state';
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

it('a bare yes runs nothing, however often it comes, after a message that mentions an item and was not understood', () => {
  const words = 'is for the eyes of my lawyer, and for nobody besides that he would want to read it';
  const afterYes = (text: string) => {
    const move = judgeMessage(status, { text });
    if (move.kind !== 'apart') throw new Error(`it was understood: ${JSON.stringify(move)}`);
    const answer = judgeMessage(status, { text: 'yes', note: noteFor(status, 'apart', move) });
    if (answer.kind !== 'reply') throw new Error('it was not asked back');
    return (again: string) =>
      judgeMessage(status, { text: again, note: noteFor(status, answer.said, answer) });
  };
  expect(afterYes(`m3 ${words}`)('yes')).toMatchObject({ kind: 'reply', said: 'asked', limited: true });
  expect(afterYes(`m3 ${words}`)('continue')).toMatchObject({ kind: 'continue' });
  expect(afterYes(`it ${words}`)('yes')).toMatchObject({ kind: 'continue' });
});

it('the limits of a note hold on after an answer of the assistant about the same question, and only then', () => {
  const part = { exclude: [1], limited: true as const, not_before: at(START + 2 * MINUTE) };
  const limited = keep(
    beginSentinel('e', START),
    { ...note, ...part, session_id: 's', said: 'asked' },
    START,
  );
  const after = (more: object) => {
    const request = { ...note, session_id: 's', said: 'apart' as const, ...more };
    return Object.values(keep(limited, request, START).notes ?? {});
  };
  expect(after({ keeps_limits: true })).toEqual([{ ...note, ...part, said: 'apart' }]);
  expect(after({ keeps_limits: true, digest: 'e' })).toEqual([{ ...note, digest: 'e', said: 'apart' }]);
  expect(after({})).toEqual([{ ...note, said: 'apart' }]);
});
