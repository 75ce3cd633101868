import type { Confirmation } from '../../src/contract/operation';
import { answersIn, questionsOf, timesOfAnswer } from '../../src/core/bulk/answers';
import { reportGroups, reportGroupText } from '../../src/core/bulk/report-groups';
import { momentOf } from '../../src/core/shared/moments';
import { spanText } from '../../src/core/shared/time-spans';

const iso = (ms: number) => new Date(ms).toISOString();
const NOW = Date.parse('2026-11-27T10:00:00.000Z');
const state = { opened_at: NOW - 60_000 };

describe('the record of a decision', () => {
  it('knows since when a person was shown exactly the question that was open, and nothing else', () => {
    const asked_at = iso(NOW - 60_000);
    const through = { door: 'page', digest: 'open', shown_ago_ms: 5_000 } as const;
    const times = (said: object, open: string | undefined = 'open') =>
      timesOfAnswer({ ...state, digest: open }, { ...through, ...said }, NOW);
    expect(times({})).toEqual({ door: 'page', asked_at, shown_at: iso(NOW - 5_000) });
    expect(times({ digest: 'another' })).toEqual({ door: 'page', asked_at });
    expect(times({ shown_ago_ms: undefined })).toEqual({ door: 'page', asked_at });
    // No question is shown before it is asked, whatever a door says.
    expect(times({ shown_ago_ms: 3_600_000 }).shown_at).toBe(asked_at);
    expect(timesOfAnswer(state, through, NOW)).toEqual({ door: 'page' });
    expect(timesOfAnswer({ ...state, digest: 'open' }, undefined, NOW)).toEqual({ asked_at });
  });

  const said = (decision: string, at: number, more: Partial<Confirmation> = {}) =>
    ({
      ...{ batch: 1, attempt: 1, decision, outcome: 'accepted', via: 'update', assurance: 'asserted' },
      ...{ at: iso(at), asked_at: iso(NOW), ...more },
    }) as Confirmation;

  it('takes every accepted decision for the answer, by any name, but those that leave the question open', () => {
    const names = ['extend', 'resolve', 'continue', 'edit', 'revise', 'anything'];
    const answers = answersIn([
      ...names.map((name) => said(name, NOW + 1_000)),
      said('continue', NOW, { outcome: 'STALE_CONFIRMATION' }),
      said('cancel', NOW, { asked_at: undefined }),
    ]);
    expect(answers.map(({ decision }) => decision)).toEqual(['continue', 'edit', 'revise', 'anything']);
  });

  it('lists each question once, the ledger and the status together, and the one without an answer', () => {
    const first = said('continue', NOW + 90_000, { by: 'ada', shown_at: iso(NOW + 50_000) });
    const second = said('cancel', NOW + 200_000, { batch: 2, asked_at: iso(NOW + 100_000) });
    const status = { confirmations: [first, second], updated_at: iso(NOW + 400_000) };
    const unanswered = { batch: 3, attempt: 1, asked_at: iso(NOW + 300_000) };
    const questions = questionsOf(answersIn([first]), { ...status, state: 'expired', unanswered }, iso(NOW));
    expect(questions).toMatchObject([
      { batch: 1, by: 'ada', decision: 'continue', waited_seconds: 90, read_seconds: 40 },
      { batch: 2, decision: 'cancel', waited_seconds: 100 },
      { batch: 3, waited_seconds: 100 },
    ]);
    expect(questions[1]).not.toHaveProperty('read_seconds');
    expect(questions[2]).not.toHaveProperty('decision');
  });
});

it('groups the items of a report by what became of them, outliers first, and leaves none out', () => {
  const row = (at: number, outcome: string, more: object = {}) =>
    ({ id: `i${at}`, display_name: `Item ${at}`, outcome, ...more }) as Parameters<
      typeof reportGroups
    >[0][number];
  const changed = { before: { label: 'none' }, after: { label: 'Later' } };
  const rows = [
    ...Array.from({ length: 180 }, (_, at) => row(at, 'succeeded', changed)),
    ...Array.from({ length: 9 }, (_, at) => row(200 + at, 'failed', { error: `no ${at}` })),
    ...[1, 2].map((at) => row(300 + at, 'failed', { error: 'rate limited' })),
    row(400, 'in_doubt', { error: 'lost' }),
    row(500, 'pending', changed),
  ];
  const groups = reportGroups(rows);
  expect(groups.map(reportGroupText)).toEqual([
    '1 in doubt: lost',
    '2 failed: rate limited',
    '9 failed: each its own reason',
    '1 pending: label: “none” → “Later”',
    '180 succeeded: label: “none” → “Later”',
  ]);
  expect(groups.flatMap(({ items }) => items).sort()).toEqual(rows.map(({ id }) => id).sort());
  expect(reportGroups([])).toEqual([]);
});

it('reads times as people write them, and says spans as people do', () => {
  expect(momentOf('7d', NOW)).toBe('2026-11-20T10:00:00.000Z');
  expect(momentOf('90m', NOW)).toBe('2026-11-27T08:30:00.000Z');
  expect(momentOf('2026-11-01', NOW)).toBe('2026-11-01T00:00:00.000Z');
  expect(momentOf('2026-11-01T10:00:00+02:00', NOW)).toBe('2026-11-01T08:00:00.000Z');
  for (const wrong of ['', '0d', '7', '7 days', 'yesterday', '2026-13-01', '-1d', '2026-11-01T10:00'])
    expect([wrong, momentOf(wrong, NOW)]).toEqual([wrong, undefined]);
  expect([0.4, 1, 59, 60, 150, 5_400, 86_400, 200_000].map(spanText)).toEqual([
    ...['less than a second', '1 second', '59 seconds', '1 minute', '3 minutes', '2 hours'],
    ...['1 day', '2 days'],
  ]);
});
