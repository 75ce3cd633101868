import { statusOf } from '../../src/core/bulk/view';
import { noteFor } from '../../src/core/intent/conversation';
import { judgePassedOn, sentenceOf, type PassedOn } from '../../src/mcp/confirmation/person-message';
import { MINUTE, planned, START } from './lifecycle.fixtures';

/** What a message that an agent passes on does, by the rule of conversations. */
const status = statusOf(planned(12));
const clock = { now: START, zone: 'UTC' };
const ask = 'Ask the person this, word for word';

/** One message after another, each with the note of the answer before it. Returns the last reaction. */
function after(...texts: string[]): PassedOn {
  let move: PassedOn | undefined;
  for (const text of texts) {
    const note = move?.kind === 'reply' ? noteFor(status, move.said, move) : undefined;
    move = judgePassedOn(status, { text, note, clock });
  }
  if (!move) throw new Error('there was no message');
  return move;
}

it.each([
  ['skip the second one and continue', { exclude: [1] }],
  ['only the first two', { exclude: [2, 3, 4, 5, 6, 7, 8, 9] }],
])('a part of the batch, such as "%s", is asked back, and a yes runs that part only', (text, part) => {
  expect(after(text)).toMatchObject({ kind: 'reply', said: 'asked', ...part });
  expect(after(text, 'yes')).toEqual({ kind: 'continue', ...part });
  expect(after(text, 'tell me a joke')).toMatchObject({ kind: 'reply', said: 'asked', ...part });
  expect(after(text, 'tell me a joke', 'yes')).toEqual({ kind: 'continue', ...part });
});

it('a limit that is not understood holds on, and only a word that names the action confirms', () => {
  for (const between of [[], ['yes'], ['tell me a joke'], ['what will you do?'], ['not yet']])
    expect([between, after('only these two', ...between, 'yes')]).toEqual([
      between,
      expect.objectContaining({ kind: 'reply', limited: true }),
    ]);
  expect(after('only these two', 'continue')).toEqual({ kind: 'continue' });
});

it('sent back without words, asks for them, and a bare yes runs nothing', () => {
  expect(after('send it back')).toMatchObject({ kind: 'reply', said: 'proposed' });
  expect(after('send it back', 'yes')).toMatchObject({ kind: 'reply', said: 'asked' });
  expect(after('send it back: use another label')).toEqual({ kind: 'revise', note: 'use another label' });
});

it('a message about something else is asked back, and a yes to that confirms', () => {
  const move = after('tell me a joke');
  expect(move).toMatchObject({ said: 'asked', reply: expect.stringContaining('Did you mean to continue') });
  expect(after('tell me a joke', 'yes')).toEqual({ kind: 'continue' });
  expect(after('tell me a joke', 'no')).toMatchObject({ kind: 'reply', said: 'waits' });
});

it('plain answers decide', () => {
  expect(after('yes')).toEqual({ kind: 'continue' });
  expect(after('stop')).toEqual({ kind: 'cancel' });
  const lost = new Date(START + MINUTE).toISOString();
  expect(judgePassedOn(status, { text: 'yes', remembers_since: lost })).toMatchObject({ said: 'asked' });
});

it('the sentence for the agent has the question, unless that names items', () => {
  const sentence = (text: string) => {
    const move = after(text);
    if (move.kind !== 'reply') throw new Error(`it decided: ${move.kind}`);
    return sentenceOf(status, move);
  };
  expect(sentence('continue at 10 pm')).toMatch(/word for word.*Run batch 1 on .*22:00/);
  for (const text of ['only these two', 'tell me a joke', 'hmm']) expect(sentence(text)).toContain(ask);
  for (const text of ['skip the second one', 'what is in it?', 'send it back']) {
    expect([text, sentence(text)]).toEqual([text, expect.stringContaining('`reply`')]);
    expect(sentence(text)).not.toMatch(/Message|“/);
  }
  expect(sentence('not yet')).toContain('the question stays open');
});
