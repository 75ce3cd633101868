import type { Entry, ModelCall, Thought } from '../../src/contract/assistant';
import { beginningOf, tellEnd, tellText } from '../../src/core/assistant/place';
import { beginSession, beginTurn, receive, statusOf, type Session } from '../../src/core/assistant/session';
import { afterHearing, afterThinking, afterUsing } from '../../src/core/assistant/turn';

const NOW = 1_000;
const limits = {
  ...{ context_tokens: 1_000, output_tokens: 100, steps: 9, calls_per_step: 9, calls: 99, idle_seconds: 60 },
};

/** A session whose turn has heard a message. */
function hearing(): Session {
  const waiting = receive(beginSession({ session_id: 'S' }, NOW), { text: 'wish' }, NOW).session;
  const entry: Entry = { role: 'person', text: 'wish', tokens: 5 };
  return afterHearing(beginTurn(waiting, NOW), { limits, entry });
}

const call = (id: string, tool: string, args: ModelCall['args'] = {}): ModelCall => ({
  ...{ id, tool, args },
  traits: { read_only: false, idempotent: false },
});
const ask = (id: string, question: string) => call(id, 'ask_person', { question });
const thinking = (session: Session, more: Partial<Thought>) =>
  afterThinking(session, { text: '', calls: [], tokens: 9, used: { input: 1, output: 1 }, ...more }, NOW);
const answerOf = (session: Session) => statusOf(session).turns.at(-1)?.answer;

describe('an answer with questions', () => {
  it('has the text beside them first, and then each of them', () => {
    const asked = thinking(hearing(), {
      text: 'There are two Anas.',
      calls: [ask('a', 'Which one?'), ask('b', 'All mails?')],
    });
    expect(answerOf(asked)).toBe('There are two Anas.\n\nWhich one?\n\nAll mails?');
  });

  it('has no text of an earlier step', () => {
    const looked = thinking(hearing(), { text: 'I look.', calls: [call('a', 'look')] });
    const step = afterUsing(looked, call('a', 'look'), { output: 'two', tokens: 1 }, NOW);
    expect(answerOf(thinking(step, { calls: [ask('b', 'Which one?')] }))).toBe('Which one?');
  });

  it('has the text above the question about a macro, and its question even if the text is very long', () => {
    const proposal = { run_id: 'macro-1', question: 'Run it?', digest: 'd' };
    const proposed = (text: string) => {
      const session = thinking(hearing(), { text, calls: [call('a', 'propose_macro')] });
      const result = { output: 'asked', tokens: 1, proposal };
      return answerOf(afterUsing(session, call('a', 'propose_macro'), result, NOW)) ?? '';
    };
    expect(proposed('It sends two mails.')).toBe('It sends two mails.\n\nRun it?');
    expect(proposed('')).toBe('Run it?');
    expect(proposed('x'.repeat(50_000))).toMatch(/^x{15000,}…\n\nRun it\?$/);
  });

  it('continues the text that a reader already has', () => {
    const asked = thinking(hearing(), { text: 'There are two Anas.', calls: [ask('a', 'Which one?')] });
    const [turn] = statusOf(asked).turns;
    if (!turn) throw new Error('no turn');
    const streamed = tellText(beginningOf(1), { step: 0, text: 'There are two Anas.' });
    const [rest] = tellEnd(streamed?.place ?? beginningOf(1), turn, []);
    expect(rest?.event).toMatchObject({ event: 'text', data: { step: 0, at: 19, text: '\n\nWhich one?' } });
  });
});

describe('an answer that was cut', () => {
  it('has its calls refused, with a hint', () => {
    const calls: ModelCall[] = [
      { ...call('a', 'send'), cut: true },
      { ...ask('b', 'Which one?'), cut: true },
    ];
    const session = thinking(hearing(), { calls });
    expect(session.turn).toMatchObject({ state: 'working', pending: [] });
    expect(session.entries.slice(2)).toMatchObject(
      ['a', 'b'].map((call_id) => ({
        ...{ role: 'tool', call_id },
        output: { error: expect.stringMatching(/your answer was cut.* \[HINT\]: /) as string },
      })),
    );
  });
});
