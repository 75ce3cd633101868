import { classifyBulkIntent, speaksOfOperation, type IntentContext } from '../../src/core/intent/classifier';
import { CLEAR_IN_CONTEXT, CLEAR_NO, CLEAR_YES, NOT_YES } from './intent.heldout';

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
