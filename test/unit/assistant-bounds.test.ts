import type { Entry, ModelCall, Used } from '../../src/contract/assistant';
import { cutTo, fits } from '../../activities/assistant/tokens';
import { foldable, outputRoom } from '../../src/core/assistant/history';
import {
  beginSession,
  beginTurn,
  canBeCarried,
  endTurn,
  receive,
  statusOf,
  type Session,
} from '../../src/core/assistant/session';
import { afterHearing, afterThinking, afterUsing, giveUp } from '../../src/core/assistant/turn';
import { bytesOf } from '../../src/core/shared/bounds';

const NOW = 1_000;
const limits = {
  ...{ context_tokens: 2_000_000, output_tokens: 100_000, steps: 100 },
  ...{ calls_per_step: 50, calls: 100_000, idle_seconds: 60 },
};
const used = { input: 1, output: 1 };

/** A session whose turn has heard this message. */
function hearing(session: Session, text: string): Session {
  const turn = beginTurn(receive(session, { text }, NOW).session, NOW);
  return afterHearing(turn, { limits, entry: { role: 'person', text: 'as kept', tokens: 5 } });
}

const begun = (text = 'look') => hearing(beginSession({ session_id: 'S' }, NOW), text);

/** The session after one step with these calls, whose results are the same. */
function afterStep(session: Session, calls: ModelCall[], result: Used): Session {
  const asked = afterThinking(session, { text: '', calls, tokens: 5, used }, NOW);
  return calls.reduce((before, call) => afterUsing(before, call, result, NOW), asked);
}

const callsOf = (count: number, step = 0): ModelCall[] =>
  Array.from({ length: count }, (_, at) => ({
    ...{ id: `${step}-${at}`, tool: 'lookup', args: { at, step } },
    traits: { read_only: true, idempotent: true },
  }));

it.each([1, 7, 50])('leaves room for each of the results of a step with %d calls', (count) => {
  const entries: Entry[] = [{ role: 'model', text: '', calls: callsOf(count), tokens: 5 }];
  for (let pending = count; pending > 0; pending--) {
    const room = outputRoom(entries, pending);
    expect(room).toBeGreaterThan(5_000);
    const output = 'x'.repeat(room - 2);
    entries.push({ role: 'tool', call_id: String(pending), tool: 'lookup', output, tokens: 5 });
  }
  expect(bytesOf(entries.slice(1))).toBeLessThan(310_000);
});

it('keeps each row of a long turn, but the words of the latest ones only', () => {
  let session = begun();
  for (let step = 0; step < 6; step++)
    session = afterStep(session, callsOf(50, step), { output: 'x'.repeat(1_000), tokens: 5 });
  const { calls = [] } = statusOf(session).turns.at(-1) ?? {};
  expect(calls).toHaveLength(300);
  expect(calls.findIndex(({ said }) => said !== undefined)).toBe(200);
  expect(calls.filter(({ said }) => said === undefined)).toHaveLength(200);
});

it('stays small enough to be carried over, however long its turns were', () => {
  let session = beginSession({ session_id: 'S' }, NOW);
  for (let turn = 1; turn <= 30; turn++) {
    session = hearing(session, '件'.repeat(200_000));
    expect(bytesOf(session.turn)).toBeLessThan(3_000);
    for (let step = 0; step < 3; step++)
      session = afterStep(session, callsOf(50, step), { output: 'x'.repeat(1_000), tokens: 5 });
    session = endTurn({ ...session, entries: [] }, { state: 'answered', answer: '件'.repeat(50_000) }, NOW);
    expect(statusOf(session).turns.at(-1)).toMatchObject({ number: turn, state: 'answered' });
    expect(bytesOf(session)).toBeLessThan(350_000);
  }
  expect(statusOf(session).turns.length).toBeGreaterThan(3);
  const huge: Entry = { role: 'person', text: 'x'.repeat(2_000_000), tokens: 5 };
  expect(canBeCarried({ ...session, entries: [huge] })).toBe(false);
});

it('does not say that nothing was changed if the effect of a call is unknown', () => {
  const [call] = callsOf(1).map((one) => ({ ...one, traits: { read_only: false, idempotent: false } }));
  const failure = { scenario: 'execution_failure', said: 'lookup: no answer came.' };
  const answerOf = (result: Used) => {
    const session = giveUp(afterStep(begun(), call ? [call] : [], result), { kind: 'steps', limit: 1 }, NOW);
    return statusOf(session).turns.at(-1)?.answer;
  };
  const output = { error: failure.said };
  expect(answerOf({ output, tokens: 5, failure })).toContain('Done: nothing was changed by this turn.');
  expect(answerOf({ output, tokens: 5, failure: { ...failure, outcome_unknown: true } })).toContain(
    'Done: it is unknown whether this turn changed anything.\nFailed:\n- lookup: lookup: no answer came.',
  );
});

it('drops the oldest entries, and says so, if no turn could condense them', () => {
  let session = beginSession({ session_id: 'S' }, NOW);
  for (let turn = 1; turn <= 12; turn++) {
    session = beginTurn(receive(session, { text: 'look' }, NOW).session, NOW);
    const entry: Entry = { role: 'person', text: `${turn} ${'x'.repeat(400_000)}`, tokens: 5 };
    session = afterHearing(session, { limits, entry });
    expect(bytesOf(session)).toBeLessThan(1_900_000);
    expect(bytesOf(foldable(session.entries, limits.context_tokens) ?? [])).toBeLessThan(1_000_000);
    session = giveUp(session, { kind: 'no_model', said: 'It is away.' }, NOW);
    expect(session.entries.at(-2)).toEqual(entry);
  }
  expect(session.entries[0]).toMatchObject({ role: 'notice', text: expect.stringContaining('dropped') });
  expect(canBeCarried(session)).toBe(true);
});

it.each([300, 400, 500, 600, 700])(
  'finds room beside a long request and a summary, whatever the results take: %d tokens',
  (tokens) => {
    const entries: Entry[] = [
      { role: 'summary', text: 'before', tokens: 200 },
      { role: 'person', text: 'a long request', tokens: 700 },
      { role: 'model', text: '', calls: callsOf(1), tokens: 5 },
      { role: 'tool', call_id: '0-0', tool: 'lookup', output: 'long', tokens },
    ];
    expect(foldable(entries, 1_000)).toEqual(entries);
  },
);

it('condenses at most four times the context at once, and never splits a call from its results', () => {
  const step = (at: number): Entry[] => [
    { role: 'model', text: '', calls: callsOf(1, at), tokens: 100 },
    { role: 'tool', call_id: `${at}-0`, tool: 'lookup', output: 'long', tokens: 800 },
  ];
  const entries = [
    { role: 'person' as const, text: 'look', tokens: 100 },
    ...[1, 2, 3, 4, 5, 6].flatMap(step),
  ];
  expect(foldable(entries, 1_000)).toEqual(entries.slice(0, 9));
});

it.each([
  ['words', 'word '.repeat(100_000)],
  ['spaces', ' '.repeat(400_000)],
  ['signs', '件'.repeat(100_000)],
  ['what JSON escapes', '\n"'.repeat(100_000)],
  ['rows', Array.from({ length: 5_000 }, (_, row) => ({ row, name: `Row ${row}`, done: false }))],
])('cuts %s to the limits, and uses them', (_, value) => {
  const limits = { tokens: 4_000, bytes: 30_000 };
  const cut = cutTo({ value }, limits);
  expect(fits(cut, limits)).toBe(true);
  const used = { tokens: limits.tokens * 0.6, bytes: limits.bytes * 0.5 };
  expect(fits(cut, used)).toBe(false);
});
