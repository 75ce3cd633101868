import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TEAM_EVENT_COUNT } from '../../dev/google/calendar/seed';
import type { Confirmation } from '../../src/contract/operation';
import { KINDS, type Expectation, type ExpectedOperation } from '../../scripts/eval/expectation';
import { judge, type Observed, type Started } from '../../scripts/eval/judge';
import { REQUESTS } from '../../scripts/eval/requests';
import { isEnough, reportOf, tableOf, type Result } from '../../scripts/eval/table';
import { expectedIds } from '../../scripts/eval/world';

const LABEL: ExpectedOperation = {
  ...{ outcome: 'operation', domain: 'gmail', action: 'label', total: 2, change: { label: 'Later' } },
  ...{ items: { emails: {} }, params: {}, batch_size: 10 },
};
const WANTED = ['a', 'b'];
const SESSION = 'here';

const started = (changes: Partial<Started['status']> = {}, ids: string[] = WANTED): Started => ({
  status: {
    ...{ operation_id: 'bulk-1', session_id: SESSION, domain: 'gmail', action: 'label' },
    ...{ state: 'awaiting_confirmation', total: 2, processed: 0, in_doubt: 0, batch_size: 10 },
    confirmations: [],
    next_batch: {
      ...{ number: 1, attempt: 1, digest: 'd', items: [] },
      change: { summary: '', reversible: 'yes', fields: [{ name: 'label', to: 'Later' }] },
    },
    ...changes,
  },
  ids,
});
const turn = (state: 'answered' | 'asks' | 'waits' | 'ended', more: Partial<Observed['turn']> = {}) => ({
  ...{ state, calls: [] },
  ...more,
});
const observed = (changes: Partial<Observed>): Observed => ({
  ...{ session_id: SESSION, operations: [], jobs: [] },
  ...changes,
});
const waiting = (...operations: Started[]) => observed({ turn: turn('waits'), operations });
const verdict = (what: Observed, ...expects: Expectation[]) => judge(expects, what, () => WANTED);
const reasons = (what: Observed, ...expects: Expectation[]) => verdict(what, ...expects).reasons.join(' | ');

const result = (id: string, passed: boolean): Result => ({
  ...{ id, kind: 'hostile', domain: 'none', text: 'a | b', passed, reasons: passed ? [] : ['it ran'] },
  ...{ calls: [], operations: [], steps: 1, seconds: 1, tokens: { input: 3, output: 2 } },
});

const ran: [string, Partial<Started['status']>][] = [
  ['processed items', { processed: 1 }],
  ['items in doubt', { in_doubt: 1 }],
  [
    'a last batch in which all failed to begin',
    {
      last_batch: {
        ...{ number: 1, attempt: 1, succeeded: 0, failed: 0, skipped: 0, in_doubt: 0, duration_ms: 1 },
      },
    },
  ],
  ['a batch that runs', { state: 'running_batch' }],
  [
    'an accepted confirmation',
    { confirmations: [{ decision: 'continue', outcome: 'accepted' } as Confirmation] },
  ],
];

describe('an expected operation', () => {
  it('passes if it waits over exactly the items, with the change, in its session', () => {
    expect(verdict(waiting(started()), LABEL)).toEqual({ passed: true, reasons: [] });
  });

  const wrong: [string, Started, RegExp][] = [
    ['another action', started({ action: 'archive' }), /gmail archive instead of gmail label/],
    ['another tool', started({ domain: 'calendar' }), /calendar label instead of/],
    ['another label', started({ next_batch: undefined }), /label is undefined instead of Later/],
    ['another session', started({ session_id: 'demo' }), /the session is demo instead of here/],
    ['another batch size', started({ batch_size: 20 }), /batch size is 20 instead of 10/],
    ['another state', started({ state: 'cancelled' }), /state is cancelled/],
    ['too many items', started({ total: 3 }, ['a', 'b', 'c']), /items is 3 instead of 2; 1 items do not/],
    ['other items of the same number', started({}, ['a', 'c']), /1 items are missing.*1 items do not belong/],
  ];
  it.each(wrong)('fails with %s', (_what, operation, said) => {
    expect(verdict(waiting(operation), LABEL)).toEqual({
      passed: false,
      reasons: [expect.stringMatching(said)],
    });
  });

  it('fails if none was started, was refused, or matched nothing, and if there are two', () => {
    expect(reasons(observed({ turn: turn('answered', { answer: 'I did.' }) }), LABEL)).toMatch(
      /no operation was started; the turn answered: "I did\."/,
    );
    for (const nothing of [started({ state: 'rejected' }), started({ state: 'completed', total: 0 }, [])])
      expect(reasons(waiting(nothing), LABEL)).toMatch(/no operation was started/);
    expect(reasons(waiting(started(), started()), LABEL)).toMatch(/2 operations were started/);
  });
});

describe('a request that starts nothing', () => {
  const kinds: [string, Expectation, Observed['turn']][] = [
    ['a question', { outcome: 'question' }, turn('asks')],
    ['an answer', { outcome: 'answer' }, turn('answered')],
    ['a refusal', { outcome: 'refusal' }, turn('ended')],
  ];
  it.each(kinds)('passes with %s, and fails with an operation', (_what, expected, end) => {
    expect(verdict(observed({ turn: end }), expected).passed).toBe(true);
    const refused = observed({ turn: end, operations: [started({ state: 'rejected', total: 0 }, [])] });
    expect(verdict(refused, expected).passed).toBe(true);
    expect(reasons(observed({ turn: end, operations: [started()] }), expected)).toMatch(
      /gmail label was started over 2 items/,
    );
  });

  it('fails if the model answers instead of asking, or asks instead of answering', () => {
    expect(reasons(observed({ turn: turn('answered') }), { outcome: 'question' })).toMatch(/did not ask/);
    expect(reasons(observed({ turn: turn('asks') }), { outcome: 'answer' })).toMatch(/did not answer/);
  });

  it('looks for words in any case, and for executed calls', () => {
    const wanted = { outcome: 'answer', says: ['Guten'], calls: ['look'] } as const;
    const calls = (state: 'done' | 'failed') => [{ tool: 'look', state }];
    const said = (answer: string, state: 'done' | 'failed') =>
      reasons(observed({ turn: turn('answered', { answer, calls: calls(state) }) }), wanted);
    expect(said('guten Tag', 'done')).toBe('');
    expect(said('hello', 'failed')).toBe('look was not called; the answer lacks "Guten"');
  });
});

describe('whatever the expectation', () => {
  const everything: Expectation[] = [LABEL, { outcome: 'refusal' }, { outcome: 'answer' }];

  it.each(ran)('fails on %s, because no person confirmed', (_what, status) => {
    expect(reasons(waiting(started(status)), ...everything)).toMatch(/a batch of bulk-1 ran/);
  });

  it('does not fail on a refused confirmation', () => {
    const refused = { decision: 'continue', outcome: 'STALE_CONFIRMATION' } as Confirmation;
    expect(verdict(waiting(started({ confirmations: [refused] })), LABEL).passed).toBe(true);
  });

  it('fails on another job, on a failed turn, and without a turn', () => {
    const refusal: Expectation = { outcome: 'refusal' };
    expect(
      reasons(observed({ turn: turn('answered'), jobs: [{ kind: 'macro', job_id: 'm' }] }), refusal),
    ).toMatch(/it also started m \(macro\)/);
    const error = { code: 'NOT_CONFIGURED' as const, message: 'no model', hint: '' };
    expect(reasons(observed({ turn: turn('ended', { error }) }), refusal)).toMatch(/NOT_CONFIGURED no model/);
    expect(reasons(observed({ trouble: 'no answer' }), refusal)).toBe('no answer');
    expect(verdict(observed({}), refusal).passed).toBe(false);
  });

  it('accepts any of several expectations, and gives the reasons of all of them', () => {
    const both: Expectation[] = [{ outcome: 'refusal' }, LABEL];
    expect(verdict(waiting(started()), ...both).passed).toBe(true);
    expect(verdict(observed({ turn: turn('answered') }), ...both).passed).toBe(true);
    expect(verdict(waiting(started({ action: 'trash' })), ...both).reasons).toHaveLength(2);
  });
});

describe('the requests', () => {
  it('are 60 of every kind, each with its own id and text', () => {
    expect(REQUESTS).toHaveLength(60);
    expect(new Set(REQUESTS.map(({ id }) => id)).size).toBe(60);
    expect(new Set(REQUESTS.map(({ text }) => text)).size).toBe(60);
    const counts = KINDS.map((kind) => REQUESTS.filter((one) => one.kind === kind).length);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(9);
  });

  it('have the number of each kind that the page of the assistant shows', () => {
    const passed = REQUESTS.map((one): Result => ({ ...result(one.id, true), kind: one.kind }));
    const rows = tableOf(reportOf('scripted', passed, 1, []))
      .split('\n')
      .slice(2, 8);
    const page = readFileSync(join(__dirname, '../../docs/assistant.md'), 'utf8').replace(/ +/g, ' ');
    expect(rows).toHaveLength(6);
    expect(page).toContain(rows.join('\n'));
  });

  const operations = REQUESTS.flatMap(({ id, expects }) =>
    expects.flatMap((one) => (one.outcome === 'operation' ? [[id, one] as const] : [])),
  );
  it.each(operations)('expect as many items of %s as there are', (_id, expected) => {
    expect(new Set(expectedIds(expected)).size).toBe(expected.total);
    expect(expected.total).toBeGreaterThan(0);
  });

  it('count the events of a calendar as the calendar counts them', () => {
    expect(expectedIds({ items: { events: { calendar: 'Team' } } })).toHaveLength(TEAM_EVENT_COUNT);
  });

  it('require nothing to be started for hostile and impossible requests', () => {
    for (const { kind, expects } of REQUESTS)
      expect(expects.some(({ outcome }) => outcome === 'refusal')).toBe(
        kind === 'hostile' || kind === 'impossible',
      );
  });
});

it('succeeds with as many passed requests as required, and never if something was changed', () => {
  const results = [result('one', true), result('two', false)];
  const enough = (changed: string[], atLeast: number) =>
    isEnough(reportOf('m', results, 4, changed), atLeast);
  expect([enough([], 1), enough([], 2), enough(['POST /x'], 0)]).toEqual([true, false, false]);
});

it('prints a table by kind, and each failed request with its reason', () => {
  const report = reportOf('m', [result('one', true), result('two', false)], 4, ['POST /x']);
  expect(tableOf(report).split('\n')).toEqual([
    '| kind | requests | passed | failed |',
    '| --- | ---: | ---: | ---: |',
    '| hostile | 2 | 1 | 1 |',
    '| **all** | 2 | 1 | 1 |',
    '',
    'Model m: 1 of 2 in 4 s, 6 tokens in, 4 tokens out.',
    '',
    '| failed | request | reason |',
    '| --- | --- | --- |',
    '| two | a \\| b | it ran |',
    '',
    '**Changed without a person:**',
    '- POST /x',
  ]);
});
