import { classifyBulkIntent, speaksOfOperation, type IntentContext } from '../../src/core/intent/classifier';
import { CLEAR_IN_CONTEXT, CLEAR_NO, CLEAR_YES, NOT_YES } from './intent.heldout';
import { MORE_NO, MORE_YES } from './intent.rounds';
import { NO_DECISION } from './intent.undecided';

const contexts: (IntentContext | undefined)[] = [undefined, ...CLEAR_IN_CONTEXT.map(([context]) => context)];
const clear = [
  ...CLEAR_YES.map((message) => ({ message, context: undefined, intent: 'continue' })),
  ...CLEAR_NO.map((message) => ({ message, context: undefined, intent: 'cancel' })),
  ...CLEAR_IN_CONTEXT.flatMap(([context, messages]) =>
    messages.map((message) => ({ message, context, intent: 'continue' })),
  ),
];

it('recognises 97% of the clear messages', () => {
  const missed = clear.filter(
    ({ message, context, intent }) => classifyBulkIntent(message, context) !== intent,
  );
  const share = 1 - missed.length / clear.length;
  if (share < 0.97) throw new Error(`${share}: ${missed.map(({ message }) => message).join(' | ')}`);
  expect(clear.length).toBeGreaterThan(400);
});

it('never takes a refusal for a confirmation, or a confirmation for a refusal', () => {
  const wrong = clear.filter(({ message, context, intent }) => {
    const read = classifyBulkIntent(message, context);
    return read !== intent && read !== 'unknown';
  });
  expect(wrong).toEqual([]);
  const confirmed = CLEAR_NO.filter((message) =>
    contexts.some((context) => classifyBulkIntent(message, context) === 'continue'),
  );
  expect(confirmed).toEqual([]);
});

it('confirms with no other message', () => {
  const confirmed = NOT_YES.flatMap((message) =>
    contexts
      .filter((context) => classifyBulkIntent(message, context) === 'continue')
      .map((context) => ({ message, context })),
  );
  expect(confirmed).toEqual([]);
});

it('asks back for every clear message that it does not recognise', () => {
  expect(clear.filter(({ message }) => !speaksOfOperation(message)).map(({ message }) => message)).toEqual(
    [],
  );
});

describe('more rounds of messages', () => {
  const read = (messages: string[], intent: string) =>
    messages.filter((message) => classifyBulkIntent(message) === intent);

  it('are recognised in nine cases of ten', () => {
    const recognised = read(MORE_YES, 'continue').length + read(MORE_NO, 'cancel').length;
    expect(recognised / (MORE_YES.length + MORE_NO.length)).toBeGreaterThan(0.9);
  });

  it('are never taken for the opposite', () => {
    expect([...read(MORE_NO, 'continue'), ...read(MORE_YES, 'cancel')]).toEqual([]);
  });

  it('decide nothing where they are unclear', () => {
    expect(NO_DECISION.length).toBeGreaterThan(800);
    expect(NO_DECISION.filter((message) => classifyBulkIntent(message) !== 'unknown')).toEqual([]);
    const contexts: IntentContext[] = [
      { batch: 7, size: 9, batches_left: 2 },
      { state: 'batch_failed', batch: 7 },
    ];
    const confirmed = NO_DECISION.filter((message) =>
      contexts.some((context) => classifyBulkIntent(message, context) === 'continue'),
    );
    expect(confirmed.filter((message) => !/retry|again|redo/i.test(message))).toEqual([]);
  });
});
