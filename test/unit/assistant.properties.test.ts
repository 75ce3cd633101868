import fc from '../helpers/properties';
import type { Entry, Heard, ModelCall, Thought, Used } from '../../src/contract/assistant';
import { foldable } from '../../src/core/assistant/history';
import {
  beginSession,
  beginTurn,
  endTurn,
  hearOutcome,
  receive,
  statusOf,
  stopTurn,
  type Session,
} from '../../src/core/assistant/session';
import {
  afterCondensing,
  afterHearing,
  afterThinking,
  afterUsing,
  giveUp,
  nextMove,
} from '../../src/core/assistant/turn';

const NOW = 1_000;
const limits: fc.Arbitrary<Heard['limits']> = fc.record({
  context_tokens: fc.integer({ min: 20, max: 400 }),
  output_tokens: fc.constant(100),
  steps: fc.integer({ min: 1, max: 6 }),
  calls_per_step: fc.integer({ min: 1, max: 4 }),
  calls: fc.integer({ min: 1, max: 8 }),
  idle_seconds: fc.constant(60),
});
const call = (id: string): fc.Arbitrary<ModelCall> =>
  fc.record({
    id: fc.constant(id),
    tool: fc.constantFrom('choose_tools', 'ask_person', 'start_bulk_operation', 'read', 'send'),
    args: fc.constantFrom<ModelCall['args']>(
      {},
      { categories: ['bulk'] },
      { question: 'Whose?' },
      { q: 'x' },
    ),
    traits: fc.constant({ read_only: false, idempotent: false }),
  });
const thought: fc.Arbitrary<Thought> = fc
  .tuple(fc.constantFrom('', 'said'), fc.integer({ min: 0, max: 6 }), fc.integer())
  .chain(([text, count, salt]) =>
    fc.record({
      text: fc.constant(text),
      calls: fc.tuple(...Array.from({ length: count }, (_, at) => call(`${salt}-${at}`))),
      tokens: fc.integer({ min: 1, max: 60 }),
      used: fc.constant({ input: 1, output: 1 }),
    }),
  );
const used: fc.Arbitrary<Used> = fc.oneof(
  fc.record({ output: fc.constant('fine'), tokens: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ output: fc.constant('live'), tokens: fc.constant(5), operation: fc.uuid() }),
  fc.record({
    output: fc.constant('failed'),
    tokens: fc.constant(5),
    failure: fc.record(
      {
        scenario: fc.constantFrom('execution_failure', 'reference_missing', 'missing_parameter'),
        said: fc.constant('it failed'),
        outcome_unknown: fc.constant(true as const),
        fallback: fc.constant({ tool: 'read', category: 'r', traits: { read_only: true, idempotent: true } }),
      },
      { requiredKeys: ['scenario', 'said'] },
    ),
  }),
);
const answers = fc.record({
  limits,
  thoughts: fc.array(thought, { minLength: 40, maxLength: 40 }),
  results: fc.array(used, { minLength: 200, maxLength: 200 }),
});

/** Drives one turn to its end, and records the calls that were made. */
function drive({
  limits: held,
  thoughts,
  results,
}: Pick<Heard, 'limits'> & {
  thoughts: Thought[];
  results: Used[];
}) {
  let session: Session = beginTurn(
    receive(beginSession({ session_id: 'S' }, NOW), { text: 'wish' }, NOW).session,
    NOW,
  );
  const made: { id: string; key: string; step: number; failed: boolean; unknown: boolean }[] = [];
  let thinks = 0;
  let folds = 0;
  for (let moves = 0; ; moves++) {
    if (moves > 500) throw new Error('the turn never ends');
    const move = nextMove(session);
    if (move.do === 'rest') return { session, made, thinks, folds };
    if (move.do === 'hear') {
      const entry: Entry = { role: 'person', text: 'wish', tokens: 5 };
      session = afterHearing(session, { limits: held, entry });
    } else if (move.do === 'think')
      session = afterThinking(session, thoughts[thinks++ % thoughts.length] as Thought, NOW);
    else if (move.do === 'use') {
      const result = results[made.length % results.length] as Used;
      const key = JSON.stringify([move.call.tool, move.call.args]);
      made.push({
        ...{ id: move.call.id, key, step: move.turn.steps },
        failed: result.failure !== undefined,
        unknown: result.failure?.outcome_unknown === true && !result.failure.fallback,
      });
      session = afterUsing(session, move.call, result, NOW);
    } else if (move.do === 'condense') {
      folds++;
      const entry: Entry = { role: 'summary', text: 'short', ref: 'r', tokens: 5 };
      session = afterCondensing(session, move.entries.length, { entry, used: { input: 1, output: 1 } });
    } else if (move.do === 'stop') session = endTurn(session, { state: 'stopped' }, NOW);
    else session = giveUp(session, move.because, NOW);
  }
}

it('ends every turn within its steps and calls, whatever the model and the tools answer', () => {
  fc.assert(
    fc.property(answers, (given) => {
      const { session, made, thinks } = drive(given);
      expect(thinks).toBeLessThanOrEqual(given.limits.steps);
      expect(made.length).toBeLessThanOrEqual(given.limits.calls);
      const steps = new Map<number, number>();
      for (const { step } of made) steps.set(step, (steps.get(step) ?? 0) + 1);
      const [turn] = statusOf(session).turns;
      expect(turn?.state).not.toBe('working');
      expect(session.turn).toBeUndefined();
    }),
  );
});

it('gives each call exactly one result, in the order that a model accepts', () => {
  fc.assert(
    fc.property(answers, (given) => {
      const { session } = drive(given);
      let open: string[] = [];
      for (const entry of session.entries) {
        if (entry.role === 'tool') {
          expect(open).toContain(entry.call_id);
          open = open.filter((id) => id !== entry.call_id);
        } else {
          expect(open).toEqual([]);
          open = entry.role === 'model' ? entry.calls.map(({ id }) => id) : [];
        }
      }
      expect(open).toEqual([]);
    }),
  );
});

it.each<[Partial<ModelCall>, string]>([
  [{ args: {} }, 'ask_person: question: is missing. [HINT]: This field is mandatory.'],
  [{ args: { question: 7 } }, 'received number. [HINT]: Enclose the value in quotes.'],
  [{ tool: 'choose_tools', args: {} }, 'categories: is missing. [HINT]: This field is mandatory.'],
  [{ tool: 'choose_tools', args: { categories: 'web' } }, '[HINT]: Use [item1, item2] format.'],
  [{ tool: 'choose_tools', args: { categories: [7] } }, '[HINT]: Enclose the value in quotes.'],
  [{ args: {}, unreadable: 'd' }, 'its arguments are not a JSON object. [HINT]: Send a JSON object'],
  [{ args: {}, too_large: true }, 'at most 100 KB'],
])('refuses an own call with a mistake, with a prefix and its hint: %j', (call, said) => {
  const heard = { text: 'wish' };
  const held = { context_tokens: 100, output_tokens: 10, steps: 1, calls_per_step: 1, calls: 1 };
  const begun = beginTurn(receive(beginSession({ session_id: 'S' }, NOW), heard, NOW).session, NOW);
  const entry: Entry = { role: 'person', text: 'wish', tokens: 5 };
  const asking = afterHearing(begun, { limits: { ...held, idle_seconds: 60 }, entry });
  const calls: ModelCall[] = [{ id: 'one', tool: 'ask_person', args: {}, ...call }];
  const { entries } = afterThinking(
    asking,
    { text: '', calls, tokens: 1, used: { input: 1, output: 1 } },
    NOW,
  );
  expect(entries.at(-1)).toMatchObject({
    call_id: 'one',
    output: { error: expect.stringMatching(/^\[GATEWAY ERROR\] .* \[HINT\]: /) as string },
  });
  expect(JSON.stringify(entries.at(-1))).toContain(said);
});

it('says how many calls a graceful end does not list', () => {
  const heard = receive(beginSession({ session_id: 'S' }, NOW), { text: 'wish' }, NOW).session;
  const session = beginTurn(heard, NOW);
  const row = (at: number) => ({ tool: `look_${at}`, state: 'done' as const, read_only: true });
  const ended = (rows: number) => {
    const log = Array.from({ length: rows }, (_, at) => row(at));
    const turn = session.turn && { ...session.turn, log };
    return (
      giveUp({ ...session, turn }, { kind: 'context' }, NOW)
        .past.at(-1)
        ?.answer?.split('\n') ?? []
    );
  };
  const eight = ended(8);
  expect(eight).toContain('- 3 earlier calls, not listed here');
  expect(eight.filter((line) => line.startsWith('- look_'))).toHaveLength(5);
  expect(ended(6)).toContain('- 1 earlier call, not listed here');
  expect(ended(5).join()).not.toContain('earlier');
});

/** Few calls and many lost answers, so that the model and fallbacks repeat calls within a step and in later ones. */
const repeating = fc.record({
  limits: limits.map((held) => ({ ...held, context_tokens: 10_000, steps: 6, calls: 8 })),
  thoughts: fc.array(
    fc
      .tuple(
        fc.integer({ min: 1, max: 2 }),
        fc.integer(),
        fc.constantFrom('x', 'y'),
        fc.constantFrom('send', 'post'),
      )
      .map(([count, salt, q, tool]): Thought => ({
        ...{ text: '', tokens: 1, used: { input: 1, output: 1 } },
        calls: Array.from({ length: count }, (_, at) => ({
          id: `${salt}-${at}`,
          ...{ tool, args: { q }, traits: { read_only: false, idempotent: false } },
        })),
      })),
    { minLength: 6, maxLength: 6 },
  ),
  results: fc.array(
    fc.constantFrom<Used>(
      { output: 'fine', tokens: 1 },
      {
        ...{ output: 'lost', tokens: 1 },
        failure: { scenario: 'execution_failure', said: 'lost', outcome_unknown: true },
      },
      {
        ...{ output: 'down', tokens: 1 },
        failure: {
          ...{ scenario: 'execution_failure', said: 'down' },
          fallback: { tool: 'send', category: 's', traits: { read_only: false, idempotent: false } },
        },
      },
      {
        ...{ output: 'down', tokens: 1 },
        failure: {
          ...{ scenario: 'execution_failure', said: 'down' },
          fallback: { tool: 'post', category: 's', traits: { read_only: false, idempotent: false } },
        },
      },
    ),
    { minLength: 8, maxLength: 8 },
  ),
});

it('never repeats a call whose effect is unknown', () => {
  fc.assert(
    fc.property(fc.oneof(answers, repeating), (given) => {
      const { made } = drive(given);
      made.forEach(({ key, unknown }, at) => {
        const later = made.slice(at + 1);
        if (unknown) expect(later.map((one) => one.key)).not.toContain(key);
      });
    }),
  );
});

it('makes no call again that failed twice, and falls back to none that failed', () => {
  fc.assert(
    fc.property(fc.oneof(answers, repeating), (given) => {
      const { made } = drive(given);
      made.forEach(({ id, key, step }, at) => {
        const failed = made.slice(0, at).filter((one) => one.key === key && one.failed);
        // A fallback answers the call before it, which failed.
        const last = made[at - 1];
        const isFallback = last?.id === id && last.step === step;
        expect(failed.length).toBeLessThanOrEqual(isFallback ? 0 : 1);
      });
    }),
  );
});

it('condenses whole groups of a call and its results, and reports if that gains nothing', () => {
  fc.assert(
    fc.property(answers, fc.integer({ min: 10, max: 300 }), (given, limit) => {
      const { entries } = drive(given).session;
      const folded = foldable(entries, limit);
      if (!folded) return;
      expect(folded).toEqual(entries.slice(0, folded.length));
      expect(entries[folded.length]?.role).not.toBe('tool');
    }),
  );
});

it('accepts the same message once, refuses too many, and stops a waiting one without affecting the others', () => {
  let session = beginSession({ session_id: 'S' }, NOW);
  for (const message_id of ['a', 'b', 'a', 'c'])
    ({ session } = receive(session, { text: 'x', message_id }, NOW));
  expect(session.queue.map(({ number }) => number)).toEqual([1, 2, 3]);
  session = stopTurn(beginTurn(session, NOW), 2, NOW);
  expect(session.queue.map(({ number }) => number)).toEqual([3]);
  expect(session.turn?.number).toBe(1);
  expect(nextMove(stopTurn(session, undefined, NOW))).toEqual({ do: 'stop' });
  for (let at = 0; at < 19; at++) ({ session } = receive(session, { text: 'x' }, NOW));
  expect(() => receive(session, { text: 'x' }, NOW)).toThrow('messages wait for the assistant already');
  const heard = hearOutcome(
    { ...session, operations: ['op'], watched: ['op'] },
    { operation_id: 'op', sentence: 'Done.' },
    NOW,
  );
  expect(heard).toMatchObject({ operations: [], watched: [] });
});
