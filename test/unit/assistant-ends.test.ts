import type { Entry, ModelCall, Thought, Used } from '../../src/contract/assistant';
import { foldable, keptRequest } from '../../src/core/assistant/history';
import {
  beginSession,
  beginTurn,
  endTurn,
  hearOutcome,
  interruptCall,
  noteStart,
  receive,
  statusOf,
  watchUnsure,
  withoutOperation,
  type Session,
} from '../../src/core/assistant/session';
import { afterHearing, afterThinking, afterUsing, giveUp } from '../../src/core/assistant/turn';

const NOW = 1_000;
const limits = {
  ...{ context_tokens: 1_000, output_tokens: 100, steps: 9, calls_per_step: 9, calls: 99, idle_seconds: 60 },
};
const WISH: Entry = { role: 'person', text: 'wish', tokens: 5 };

/** A session whose turn has heard a message. */
function hearing(): Session {
  const waiting = receive(beginSession({ session_id: 'S' }, NOW), { text: 'wish' }, NOW).session;
  return afterHearing(beginTurn(waiting, NOW), { limits, entry: WISH });
}

const call = (id: string, tool: string, args: ModelCall['args'] = {}, read_only = false): ModelCall => ({
  ...{ id, tool, args },
  traits: { read_only, idempotent: read_only },
});
const thinking = (session: Session, more: Partial<Thought>) =>
  afterThinking(session, { text: '', calls: [], tokens: 9, used: { input: 1, output: 1 }, ...more }, NOW);
const answerOf = (session: Session) => statusOf(session).turns.at(-1)?.answer;
const failed = (scenario: string, ref?: string): Used => ({
  ...{ output: { error: 'no' }, tokens: 1 },
  failure: { scenario, said: 'It is away.', ...(ref !== undefined && { ref }) },
});

describe('the end of a turn', () => {
  it('tells the model that the person stopped it', () => {
    const stopped = endTurn(hearing(), { state: 'stopped' }, NOW);
    expect(stopped.entries).toEqual([
      WISH,
      {
        ...{ role: 'notice', aside: true, tokens: 24 },
        text: 'The person stopped this turn. Do not go on with it unless they ask again.',
      },
    ]);
  });

  it('tells the model the answer that batchgate gave in its place', () => {
    const asked = thinking(hearing(), { calls: [call('a', 'look', {}, true)] });
    const [given, missing] = [
      giveUp(hearing(), { kind: 'no_model', said: 'It is away.' }, NOW),
      afterUsing(asked, call('a', 'look'), failed('reference_missing', 'ref:list'), NOW),
    ];
    expect(given.entries.at(-1)).toMatchObject({ role: 'model', text: answerOf(given), calls: [] });
    expect(given.entries.at(-1)).toMatchObject({ text: expect.stringMatching(/^I stopped: It is away/) });
    expect(missing.entries.at(-1)).toMatchObject({ role: 'model', text: answerOf(missing), calls: [] });
    expect(answerOf(missing)).toContain("'ref:list' is not saved");
  });

  it('adds no entry for a message that the model never got, and none for an answer of the model', () => {
    const waiting = receive(beginSession({ session_id: 'S' }, NOW), { text: 'wish' }, NOW).session;
    expect(endTurn(beginTurn(waiting, NOW), { state: 'stopped' }, NOW).entries).toEqual([]);
    expect(thinking(hearing(), { text: 'Hello.' }).entries).toHaveLength(2);
  });
});

describe('a stop during a call', () => {
  const calls = [call('a', 'send'), call('b', 'send')];
  const ended = (session: Session) => endTurn(interruptCall(session), { state: 'stopped' }, NOW);

  it('says that the effect of the call is unknown, and that the later ones were not made', () => {
    const { entries } = ended(thinking(hearing(), { calls }));
    expect(entries.slice(2, 4)).toMatchObject([
      { call_id: 'a', output: { stopped: expect.stringContaining('Its effect is unknown') as string } },
      { call_id: 'b', output: { not_made: 'The turn ended before this call.' } },
    ]);
  });

  it('does not doubt the effect of a call that only reads', () => {
    const { entries } = ended(thinking(hearing(), { calls: [call('a', 'look', {}, true)] }));
    expect(entries[2]).toMatchObject({ output: { stopped: 'The turn was stopped during this call.' } });
  });

  it('watches a job that a call without an answer may have started, until it has ended or turns out not to exist', () => {
    const starting = thinking(hearing(), { calls: [call('a', 'start_bulk_operation')] });
    const session = watchUnsure(noteStart(starting, 'bulk-1'), 'bulk-1');
    expect(session).toMatchObject({ operations: ['bulk-1'], watched: ['bulk-1'], unsure: ['bulk-1'] });
    const none = { operations: [], watched: [], unsure: [] };
    expect(withoutOperation(session, 'bulk-1')).toMatchObject(none);
    expect(hearOutcome(session, { operation_id: 'bulk-1', sentence: 'Done.' }, NOW)).toMatchObject(none);
  });
});

describe('an empty answer of the model', () => {
  it('leaves no entry, which a provider would refuse', () => {
    expect(thinking(hearing(), { text: ' \n' }).entries).toMatchObject([
      WISH,
      { role: 'notice', aside: true, text: expect.stringContaining('Your answer was empty') as string },
    ]);
  });
});

describe('condensing', () => {
  const aside: Entry = { role: 'notice', text: 'Your answer was empty.', aside: true, tokens: 16 };
  const outcome: Entry = { role: 'notice', text: 'The operation has ended.', tokens: 16 };

  it('keeps the request of the person, not a remark to the model', () => {
    expect(keptRequest([WISH, aside], [])).toBe(WISH);
    expect(keptRequest([WISH, outcome, aside], [])).toBe(outcome);
    expect(keptRequest([WISH], [aside])).toBe(WISH);
    const model: Entry = { role: 'model', text: 'long', calls: [], tokens: 900 };
    expect(foldable([WISH, model, aside], 1_000)).toEqual([WISH, model]);
  });
});
