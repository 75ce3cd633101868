import { extended } from '../../src/core/bulk/deadlines';
import { closeAs, rejected, snapshotOf } from '../../src/core/bulk/lifecycle';
import type { OperationState } from '../../src/core/bulk/operation';
import { presentBatchItems, presentBulkStatus } from '../../src/core/bulk/presenter';
import { duration } from '../../src/core/shared/quantities';
import { presentBulkErrors } from '../../src/core/bulk/troubles';
import { statusOf, turnOf } from '../../src/core/bulk/view';
import { HOUR, MINUTE, planned, preparing, ran, running, START } from './lifecycle.fixtures';

const say = (state: OperationState) => statusOf(state).message;
const noun = (one: string, many: string) => ({ noun: { one, many } });

describe('the first question', () => {
  it('names the action, the items and the batch size', () => {
    expect(say(planned(50))).toBe(
      "Ready to label 50 emails in batches of 10. Say 'continue' to start, or 'cancel' to abort.",
    );
  });

  it('uses the singular where there is one item', () => {
    expect(say(planned(1))).toBe(
      "Ready to label 1 email in batches of 10. Say 'continue' to start, or 'cancel' to abort.",
    );
  });

  it('names the action in the adapter’s words, and says items if the adapter has no name for them', () => {
    const words = { phrase: 'mark {items} as read', short_name: 'mark as read' };
    const state = { ...planned(3, { batch_size: 5 }), ...noun('item', 'items'), words };
    expect(say(state)).toBe(
      "Ready to mark 3 items as read in batches of 5. Say 'continue' to start, or 'cancel' to abort.",
    );
  });
});

describe('the question after a batch', () => {
  it('reports what ran, the progress and the remainder', () => {
    expect(say(ran(planned(50)))).toBe(
      "Processed 10 items (10/50 total). 40 items remaining. Say 'continue' to process the next batch, or 'cancel' to stop.",
    );
  });

  it('counts failed items as processed', () => {
    expect(say(ran(planned(50), 'ssssssssff'))).toMatch(/^Processed 10 items \(10\/50 total\)\. 40 items/);
  });

  it('counts skipped items separately, also in later batches and at a cancellation', () => {
    const state = ran(planned(50), 'ssssssss', { exclude: [{ id: 'm1' }, { id: 'm2' }] });
    const skipped = /^Processed .*\n2 item\(s\) were skipped\.$/;
    expect(say(state)).toMatch(/^Processed 8 items \(8\/50 total\)\. 40 items remaining\./);
    expect(say(state)).toMatch(skipped);
    expect(say(ran(state))).toMatch(skipped);
    expect(say(closeAs(state, 'cancelled', START))).toBe(
      'Bulk label on gmail cancelled. 8/50 items were processed before cancellation. 2 item(s) were skipped.',
    );
    expect(say(closeAs(state, 'expired', START))).toMatch(
      /8\/50 items were processed\. 2 item\(s\) were skipped\.$/,
    );
  });

  it('uses the singular for one item', () => {
    const exclude = Array.from({ length: 9 }, (_, at) => ({ id: `m${at + 1}` }));
    expect(say(ran(planned(11), 's', { exclude }))).toBe(
      "Processed 1 item (1/11 total). 1 item remaining. Say 'continue' to process the next batch, or 'cancel' to stop.\n9 item(s) were skipped.",
    );
  });

  it('warns first that too many failed, once the share exceeds the threshold', () => {
    const state = (codes: string) => ran(planned(50, { failure_threshold: 0.5 }), codes);
    expect(say(state('ssssffffff')).split('\n')[0]).toBe(
      "6 of 10 items failed so far. Processed 10 items (10/50 total). 40 items remaining. Say 'continue' to process the next batch, or 'cancel' to stop.",
    );
    expect(say(state('sssssfffff'))).toMatch(/^Processed 10 items/);
    expect(say(ran(planned(50), 'ffffffffff'))).toMatch(/^Processed 10 items/);
  });

  it('lists below the sentence the items of this batch that failed or are in doubt', () => {
    const state = { ...ran(planned(50), 'ssssssssfd') };
    expect(say({ ...state, details: { 8: { error: 'rate limited' }, 9: { error: 'no answer came' } } })).toBe(
      [
        "Processed 9 items (9/50 total). 40 items remaining. Say 'continue' to process the next batch, or 'cancel' to stop.",
        '1 item(s) had errors.',
        '- Message 9 (m9): rate limited',
        '1 item(s) are in doubt:',
        '- Message 10 (m10): no answer came',
      ].join('\n'),
    );
  });

  it('names the failed items of this batch only', () => {
    const second = ran(ran(planned(50), 'ffffffffff'), 'sssssssssf');
    expect(say(second).split('\n').slice(1)).toEqual([
      '1 item(s) had errors.',
      '- Message 20 (m20): Unknown error',
    ]);
    expect(say(ran(second))).not.toContain('\n');
  });

  it('lists at most ten items, and says where the others are', () => {
    const lines = say(ran(planned(50, { batch_size: 20 }), 'f'.repeat(20))).split('\n');
    expect(lines[1]).toBe('20 item(s) had errors.');
    expect(lines.slice(2, 12)).toHaveLength(10);
    expect(lines.slice(12)).toEqual(['… and 10 more: npx batchgate errors bulk-1, or the query errors.']);
  });

  it('asks for a decision if every batch ran and the contract does not allow completion', () => {
    const held = ran(planned(3, { contract: { failed_policy: 'block' } }), 'sfs');
    expect(say(held)).toBe(
      [
        'Every batch ran, and the contract does not allow completion: 2 succeeded, 1 failed, 0 skipped, 0 in doubt. Complete it with a reason, or cancel.',
        '1 item(s) had errors.',
        '- Message 2 (m2): Unknown error',
      ].join('\n'),
    );
  });
});

describe('items in doubt after the last batch', () => {
  const held = ran(ran(planned(20)), 'ssssssssfd');
  const doubtful = { ...held, details: { ...held.details, 19: { error: 'no answer came' } } };

  it('prevent the end, and the message says how to resolve them', () => {
    expect(turnOf(doubtful)).toMatchObject({ state: 'awaiting_resolution', needs_confirmation: true });
    expect(say(doubtful)).toBe(
      [
        'All 20 items were tried. 1 item is in doubt:',
        '- Message 20 (m20): no answer came',
        "Look at it in gmail and say what became of it with resolve, complete the operation with a reason, or say 'cancel'.",
        'For example: npx batchgate resolve bulk-1 --item m20 --outcome succeeded --reason "seen in gmail"',
        '1 item(s) had errors.',
        '- Message 19 (m19): Unknown error',
      ].join('\n'),
    );
  });

  it('are counted and named if a person ends the operation nevertheless', () => {
    const forced = { reason: 'nobody can tell', at: '2026-11-21T12:00:00.000Z' };
    expect(say(closeAs(doubtful, 'completed', START, forced))).toBe(
      [
        '✅ Completed by decision with 1 item(s) in doubt: nobody can tell.',
        '1 item(s) had errors.',
        '- Message 19 (m19): Unknown error',
        '1 item(s) are in doubt:',
        '- Message 20 (m20): no answer came',
      ].join('\n'),
    );
    expect(say(closeAs(doubtful, 'expired', START))).toContain('1 item(s) are in doubt:\n- Message 20');
  });

  it('are among the errors, marked', () => {
    expect(statusOf(doubtful).errors).toMatchObject([
      { item_id: 'm19', error: 'Unknown error' },
      { item_id: 'm20', error: 'In doubt: no answer came', retryable: false },
    ]);
  });

  it('does not say that skipped items were tried', () => {
    const exclude = [{ id: 'm1' }, { id: 'm2' }];
    expect(say(ran(planned(5), 'ssd', { exclude }))).toMatch(
      /^All 3 items were tried\. 2 item\(s\) were skipped\. 1 item is in doubt:/,
    );
    const most = [...exclude, { id: 'm3' }, { id: 'm4' }];
    expect(say(ran(planned(5), 'd', { exclude: most }))).toMatch(/^1 email was tried\. 4 item\(s\)/);
  });
});

describe('the end', () => {
  it('says that everything was processed, and no more if nothing went wrong', () => {
    expect(say(ran(planned(5), 'sssss'))).toBe('✅ Completed! Processed 5/5 items.');
  });

  it('says how many had errors, and names those of all batches', () => {
    expect(say(ran(ran(planned(10, { batch_size: 5 }), 'sfsss'), 'sssff'))).toBe(
      [
        '✅ Completed! Processed 10/10 items. 3 item(s) had errors.',
        '- Message 2 (m2): Unknown error',
        '- Message 9 (m9): Unknown error',
        '- Message 10 (m10): Unknown error',
      ].join('\n'),
    );
  });

  it('says how many were skipped', () => {
    const exclude = ['m1', 'm2', 'm3'].map((id) => ({ id }));
    expect(say(ran(planned(10), 'ssssssf', { exclude })).split('\n')[0]).toBe(
      '✅ Completed! Processed 7/10 items. 1 item(s) had errors. 3 item(s) were skipped.',
    );
    expect(say(ran(planned(10), 'sssssss', { exclude }))).toBe(
      '✅ Completed! Processed 7/10 items. 3 item(s) were skipped.',
    );
  });

  it('says that nothing matched', () => {
    expect(say(planned(0))).toBe('✅ Completed! Nothing matches, so nothing was done.');
  });

  it('names the person who completed it while items were missing', () => {
    const forced = { by: 'ana', reason: 'the rest is spam', at: '2026-11-21T12:00:00.000Z' };
    expect(say(closeAs(ran(planned(20)), 'completed', START, forced))).toBe(
      '✅ Completed by decision with 10 item(s) missing: the rest is spam.',
    );
    const sentence = { ...forced, reason: 'The rest is spam.' };
    expect(say(closeAs(ran(planned(20)), 'completed', START, sentence))).toBe(
      '✅ Completed by decision with 10 item(s) missing: The rest is spam.',
    );
  });

  it('reports the progress of a cancelled operation', () => {
    const sentence = 'Bulk label on gmail cancelled. 20/50 items were processed before cancellation.';
    expect(say(closeAs(ran(ran(planned(50))), 'cancelled', START))).toBe(sentence);
    expect(say(closeAs(ran(ran(planned(50), 'fsssssssss')), 'cancelled', START))).toBe(
      `${sentence}\n1 item(s) had errors.\n- Message 1 (m1): Unknown error`,
    );
  });

  it.each([
    [3_600, '1 hour'],
    [7_200, '2 hours'],
    [5_400, '90 minutes'],
    [90, '90 seconds'],
    [1, '1 second'],
    [60, '1 minute'],
    [86_400, '1 day'],
    [604_800, '7 days'],
  ])('says after how long it expired: %d seconds', (idle_timeout_seconds, words) => {
    const state = ran(ran(planned(50, { idle_timeout_seconds })));
    expect(say(closeAs(state, 'expired', START))).toBe(
      `Bulk label on gmail expired after ${words} without a confirmation. 20/50 items were processed.`,
    );
  });

  it('counts the time by which someone extended it', () => {
    expect(say(closeAs(extended(planned(5), { seconds: 1_800 }, START), 'expired', START))).toBe(
      'Bulk label on gmail expired after 90 minutes without a confirmation. 0/5 items were processed.',
    );
  });

  it('gives the reason of a refusal', () => {
    const error = {
      code: 'TOO_MANY_ITEMS',
      message: '743 items match, and one bulk operation takes at most 200. Please narrow the request.',
      hint: '',
    } as const;
    expect(say(rejected(preparing(), error, START))).toBe(error.message);
  });
});

it('reports a batch that died in the same way, whatever it did before', () => {
  const sentence = 'An error occurred while processing this batch. Please try again or cancel.';
  expect(say(ran(planned(50), 'pppppppppp'))).toBe(sentence);
  expect(say(ran(planned(50), 'ssssfdpppp')).split('\n')[0]).toBe(sentence);
});

it('describes what happens while no question is open', () => {
  expect(say(preparing())).toBe('Preparing to label on gmail.');
  expect(say(running(ran(planned(50))))).toBe('Running batch 2 of 5.');
});

it('reproduces the sentence of an earlier moment, whatever has happened since', () => {
  const first = ran(planned(50));
  const moment = snapshotOf(first);
  const cancelled = closeAs(ran(first, 'ffffffffff'), 'cancelled', START + HOUR);
  expect(turnOf(cancelled, moment)).toEqual(turnOf(first));
});

it('lists the errors, one line per item, and nothing if there were none', () => {
  expect(
    presentBulkErrors([
      { display_name: 'Invoice', item_id: 'm1', error: 'rate limited' },
      { display_name: '(no subject)', item_id: 'm2', error: 'Not Found' },
    ]),
  ).toBe('- Invoice (m1): rate limited\n- (no subject) (m2): Not Found');
  expect(presentBulkErrors([])).toBe('');
});

describe('the change', () => {
  it('is on the line above each question, and nowhere else', () => {
    const above = 'Add the label “Later”. Can be undone.\n';
    for (const state of [planned(5), ran(planned(50)), ran(planned(50), 'pppppppppp')]) {
      expect(presentBulkStatus(statusOf(state))).toBe(`${above}${say(state)}`);
      expect(presentBulkStatus(turnOf(state))).toBe(`${above}${say(state)}`);
    }
    for (const state of [preparing(), running(planned(5)), ran(planned(5))]) {
      expect(presentBulkStatus(statusOf(state))).toBe(say(state));
    }
  });
});

it('lists all items of the open batch by name and id, and none where no question is open', () => {
  expect(presentBatchItems(statusOf(ran(planned(12))))).toBe(
    'Batch 2 of 2, 2 items:\n1. Message 11 (m11)\n2. Message 12 (m12)',
  );
  expect(presentBatchItems(statusOf(running(planned(5))))).toBe('');
});

it.each([
  ['m9', 'Invoice (m1): already so', '1. “Invoice (m1): already so” (m9)'],
  ['m9', 'Invoice (m1)： already so', '1. “Invoice (m1)： already so” (m9)'],
  ['m9', '“Invoice” (m1); gone', '1. “‹U+201C›Invoice‹U+201D› (m1); gone” (m9)'],
  ['m9', 'Re: Bread (issue 150)', '1. Re: Bread (issue 150) (m9)'],
  ['m9): already so. (m8', 'Invoice', '1. Invoice (“m9): already so. (m8”)'],
])('quotes an id or a name only if it imitates our own words: %s, %s', (id, display_name, line) => {
  const { next_batch, batches_total } = statusOf(planned(1));
  if (!next_batch) throw new Error('no question is open');
  const items = [{ id, display_name }];
  const shown = presentBatchItems({ batches_total, next_batch: { ...next_batch, items } });
  expect(shown).toBe(`Batch 1 of 1, 1 item:\n${line}`);
});

it('gives a duration in the largest unit that expresses it exactly', () => {
  expect([0, 999, 1_000, 61_000, 2 * MINUTE, HOUR, 25 * HOUR, 48 * HOUR].map(duration)).toEqual([
    '0 seconds',
    '1 second',
    '1 second',
    '61 seconds',
    '2 minutes',
    '1 hour',
    '25 hours',
    '2 days',
  ]);
});
