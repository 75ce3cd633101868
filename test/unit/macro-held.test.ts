import { callsHeld, historyHeld } from '../../src/core/macro/limits';

/** The limits of a macro run while a transaction is open, because the run cannot continue as new then. */
it.each([
  ['calls', callsHeld(10_000), callsHeld(10_001), 'More than 10000 calls were made'],
  ['events', historyHeld(40_000, 0, 0), historyHeld(40_001, 0, 0), 'More than 40000 events were recorded'],
  [
    'bytes',
    historyHeld(0, 30_000_000, 0),
    historyHeld(0, 30_000_001, 0),
    'More than 30000000 bytes were sent and received',
  ],
  ['computing', historyHeld(0, 0, 300_000_000), historyHeld(0, 0, 300_000_001), 'Too much was computed'],
])('bounds the %s of an open transaction, and says how to commit earlier', (_what, within, beyond, words) => {
  expect(within).toBeUndefined();
  expect(beyond).toMatchObject({
    code: 'MACRO_FAILED',
    message: `[GATEWAY ERROR] ${words} while a transaction was open.`,
    hint: expect.stringContaining('manage_transaction'),
  });
});
