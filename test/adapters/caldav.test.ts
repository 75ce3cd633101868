import type { HttpTap, TapAnswer } from '../../src/testing/http-tap';
import { failure } from '../helpers/failure';
import { icsOf } from '../helpers/radicale';
import {
  berlin,
  call,
  closeWorlds,
  limits,
  SERIES,
  STAMP,
  times,
  titled,
  event,
  world,
} from './caldav-setup';
import { stopRadicale } from './caldav-world';

afterEach(closeWorlds);
afterAll(stopRadicale);

const succeeded = { success: true };
/** Only those of the items, without the conditions of the server about its own. */
const writes = ({ requests }: HttpTap) =>
  requests.filter(({ method }) => !['PROPFIND', 'OPTIONS', 'REPORT'].includes(method));

describe('an event that somebody changed', () => {
  it('since the plan is left alone, and the result says what changed', async () => {
    const { plan, text, write } = await world({ 'a.ics': titled('a', 'Lunch') });
    const { run } = await plan('patch', { patch: { summary: 'Dinner' } });
    await write('a.ics', titled('a', 'Breakfast'));
    expect(await run()).toMatchObject([
      {
        success: false,
        changed_since_preview: true,
        error: expect.stringMatching(/“Lunch”.*“Breakfast”/) as string,
      },
    ]);
    expect(await text('a.ics')).toBe(titled('a', 'Breakfast'));
  });

  it.each(['patch', 'shift', 'delete'])(
    'while the batch runs is left alone by %s: every write has its version',
    async (action) => {
      const { plan, tap, text, write } = await world({ 'a.ics': titled('a', 'Lunch') });
      const more = { patch: { patch: { location: 'Room 1' } }, shift: { shift_minutes: 5 } }[action];
      const { run } = await plan(action, more);
      tap.rule = async (request, forward) => {
        if (['PUT', 'DELETE'].includes(request.method)) await write('a.ics', titled('a', 'Breakfast'));
        return forward();
      };
      expect(await run()).toMatchObject([{ success: false, changed_since_preview: true }]);
      expect(await text('a.ics')).toBe(titled('a', 'Breakfast'));
      expect(writes(tap).map(({ headers }) => headers['if-match'])).toEqual([
        expect.stringMatching(/^".+"$/),
      ]);
    },
  );
});

test('an event that somebody deleted since the plan is no success of ours', async () => {
  const { plan, tap, remove } = await world({ 'a.ics': titled('a', 'Lunch') });
  const { run } = await plan('delete');
  await remove('a.ics');
  expect(await run()).toMatchObject([
    { success: false, changed_since_preview: true, error: 'Changed since the preview: it is so by now' },
  ]);
  expect(writes(tap)).toHaveLength(1);
});

describe('a series', () => {
  it('is shifted with its exceptions, its own occurrences and its end, and comes back as it was', async () => {
    const { plan, text } = await world({ 's.ics': SERIES });
    const { run, undo } = await plan('shift', { shift_minutes: 90 });
    const results = await run();
    expect(results).toMatchObject([succeeded]);
    expect(await text('s.ics')).toBe(
      SERIES.replaceAll('0301T10', '0301T113')
        .replaceAll('T11300', 'T1130')
        .replaceAll('0301T110000', '0301T123000')
        .replaceAll('0308T100000', '0308T113000')
        .replaceAll(
          'RECURRENCE-ID;TZID=Europe/Berlin:20270315T100000',
          'RECURRENCE-ID;TZID=Europe/Berlin:20270315T113000',
        )
        .replaceAll('0315T130000', '0315T143000')
        .replaceAll('0315T120000', '0315T133000')
        .replaceAll('0405T080000Z', '0405T093000Z'),
    );
    expect(await undo(results)).toMatchObject([succeeded]);
    expect(await text('s.ics')).toBe(SERIES);
  });

  it('keeps the title of an occurrence that has its own, and an undo restores both', async () => {
    const { plan, text } = await world({ 's.ics': SERIES });
    const { run, undo } = await plan('patch', {
      patch: { summary: 'Stand-up, with cake', location: 'Kitchen' },
    });
    const results = await run();
    expect(results).toMatchObject([succeeded]);
    const lines = (await text('s.ics')).split('\r\n');
    const count = (start: string) => lines.filter((line) => line.startsWith(start)).length;
    expect(count('SUMMARY:Stand-up\\, with cake')).toBe(2);
    expect([count('LOCATION:Kitchen'), count('EXDATE'), count('RRULE:FREQ=WEEKLY')]).toEqual([2, 1, 1]);
    expect(await undo(results)).toMatchObject([succeeded]);
    expect(await text('s.ics')).toBe(SERIES);
  });

  it('is deleted and made again to the last character', async () => {
    const { plan, text } = await world({ 's.ics': SERIES });
    const { run, undo, items } = await plan('delete');
    expect(items[0]?.display_name).toBe('Stand-up, 2027-03-01 10:00 (series until 2027-04-05)');
    const results = await run();
    expect([results[0]?.success, await text('s.ics')]).toEqual([true, '']);
    expect(await undo(results)).toMatchObject([succeeded]);
    expect(await text('s.ics')).toBe(SERIES);
  });

  it('is not sent where a change would alter when it occurs, or where only its occurrences were asked for', async () => {
    const { plan, tap } = await world({ 's.ics': SERIES });
    const day = await plan('shift', { shift_minutes: 1_440 });
    const evening = await plan('shift', { shift_minutes: 15 * 60 });
    const alone = await plan('delete', { single_events: true });
    expect([day, evening, alone].map(({ previews }) => previews[0]?.expected_error)).toEqual([
      'The rule of this series names days: it can be shifted within its day only',
      'The rule of this series names days: it can be shifted within its day only',
      'It is a series, which is changed only as a whole here (single_events: false)',
    ]);
    for (const { run } of [day, alone]) expect(await run()).toMatchObject([{ success: false }]);
    expect(writes(tap)).toEqual([]);
  });

  it('too large to be kept says before the question that its deletion cannot be undone', async () => {
    const noise = Array.from({ length: 400 }, (_one, at) => (at * 7_919 * 104_729).toString(36)).join('');
    const large = icsOf([...event('l'), `DESCRIPTION:${noise}`, 'SUMMARY:Large']);
    const { plan } = await world({ 'l.ics': large, 'a.ics': titled('a', 'Small') });
    const { previews, items } = await plan('delete');
    const reversible = Object.fromEntries(items.map(({ id }, at) => [id, previews[at]?.reversible]));
    expect(reversible).toEqual({ 'l.ics': 'no', 'a.ics': 'yes' });
  });
});

describe('a shift', () => {
  const start = async (text: (file: string) => Promise<string>) =>
    /UID:a\r\n(DTSTART.*)\r/.exec(await text('a.ics'))?.[1];

  it.each([
    [
      'over a change of the clocks by whole days',
      berlin('DTSTART', '20270327T090000'),
      1_440 * 2,
      berlin('DTSTART', '20270329T090000'),
    ],
    [
      'over a change of the clocks by hours',
      berlin('DTSTART', '20270328T010000'),
      120,
      berlin('DTSTART', '20270328T040000'),
    ],
    ['in UTC', 'DTSTART:20270301T233000Z', 45, 'DTSTART:20270302T001500Z'],
    ['without a zone', 'DTSTART:20270301T233000', 45, 'DTSTART:20270302T001500'],
    [
      'in a zone by the name of another program',
      'DTSTART;TZID=/other.example/Europe/Berlin:20270327T090000',
      1_440 * 2,
      'DTSTART;TZID=/other.example/Europe/Berlin:20270329T090000',
    ],
    ['of a whole day', 'DTSTART;VALUE=DATE:20270228', 1_440, 'DTSTART;VALUE=DATE:20270301'],
  ])('%s', async (_title, from, shift_minutes, to) => {
    const original = icsOf(['UID:a', from, STAMP, 'SUMMARY:A']);
    const { plan, text } = await world({ 'a.ics': original });
    const { run, undo } = await plan('shift', { shift_minutes });
    const results = await run();
    expect(results).toMatchObject([succeeded]);
    expect(await start(text)).toBe(to);
    expect(await undo(results)).toMatchObject([succeeded]);
    expect(await start(text)).toBe(from);
  });

  it('of a whole day by hours is refused by name', async () => {
    const { plan } = await world({
      'a.ics': icsOf(['UID:a', 'DTSTART;VALUE=DATE:20270228', STAMP, 'SUMMARY:A']),
    });
    const { previews } = await plan('shift', { shift_minutes: 90 });
    expect(previews).toMatchObject([
      { expected_error: 'An all-day event can be shifted by whole days only' },
    ]);
  });
});

describe('an answer that is lost', () => {
  it.each(['patch', 'delete', 'move'])('does not hide a %s that was made', async (action) => {
    const { plan, tap, adapter } = await world({ 'a.ics': titled('a', 'Lunch') });
    const more = { patch: { patch: { summary: 'Dinner' } }, move: { target_calendar: 'Archive' } }[action];
    const { run, items, context } = await plan(action, more);
    const rule = tap.rule!;
    tap.rule = async (request, forward) => {
      const answer = await rule(request, forward);
      return ['PUT', 'DELETE', 'MOVE'].includes(request.method) ? 'reset' : answer;
    };
    expect(await run()).toMatchObject([{ success: false, outcome_unknown: true }]);
    expect(writes(tap)).toHaveLength(1);
    expect(await adapter.reconcile!(items[0]!, context, call())).toBe('applied');
  });
});

describe('a multistatus', () => {
  const failed = (status: string, error = '') =>
    `<response><href>/x/a.ics</href><status>HTTP/1.1 ${status}</status>${error}</response>`;
  const headers = { 'content-type': 'application/xml' };

  it.each(['patch', 'delete'])(
    'with an error of the event does not show that it is gone after a %s that failed',
    async (action) => {
      const { plan, tap, text } = await world({ 'a.ics': titled('a', 'Lunch') });
      const { run } = await plan(action, { patch: { patch: { summary: 'Dinner' } } }[action]);
      const body = `<multistatus xmlns="DAV:">${failed('503 Service Unavailable')}</multistatus>`;
      tap.rule = ({ method }, forward) => {
        if (writes(tap).length === 0) return forward();
        return { status: method === 'REPORT' ? 207 : 503, body, headers };
      };
      const error = expect.stringContaining('answered 503') as string;
      expect(await run()).toMatchObject([{ success: false, outcome_unknown: true, error }]);
      expect(await text('a.ics')).toBe(titled('a', 'Lunch'));
    },
  );

  it('that does not list all events of a calendar is not taken for the whole list', async () => {
    const { plan, tap, adapter } = await world({ 'a.ics': titled('a', 'Lunch') });
    const { context } = await plan('delete');
    const error = '<error><number-of-matches-within-limits/></error>';
    const rule = tap.rule!;
    tap.rule = async (request, forward) => {
      const answer = (await rule(request, forward)) as Exclude<TapAnswer, string>;
      const rest = `${failed('507 Insufficient Storage', error)}</multistatus>`;
      return { ...answer, body: answer.body.replace('</multistatus>', rest) };
    };
    const { code, message } = await failure(adapter.getTotalCount(context, limits()));
    expect(code).toBe('ADAPTER_UNAVAILABLE');
    expect(message).toContain('answered 507: number of matches within limits');
  });
});

describe('names and ids', () => {
  it('in every script, with signs that iCalendar and addresses escape', async () => {
    const title = 'Ärger; "Zürich", \\o/ 😀, ' + 'lang '.repeat(30).trim();
    const names = ['ab xü+%.ics', 'e\u0301te.ics', '\u00e9te.ics', '日本.ics'];
    const events = Object.fromEntries(names.map((name, at) => [name, titled(`uid/${at}`, 'Old')]));
    const { plan, text, adapter } = await world({}, { 'Büro & Co': events });
    const calendar = 'büro & co';
    const { run, undo, items } = await plan('patch', {
      calendar,
      patch: { summary: title, location: 'a\\b' },
    });
    expect(items).toHaveLength(names.length);
    const results = await run();
    expect(results.map(({ success }) => success)).toEqual(names.map(() => true));
    expect(results.map(({ error }) => error)).toEqual(names.map(() => undefined));
    const again = await plan('patch', { calendar, patch: { summary: title } });
    expect(again.previews.map(({ already }) => already)).toEqual(names.map(() => true));
    const named = items.map(({ id }) => ({ id, display_name: id }));
    const explicit = await adapter.freezeItems!(named, again.context, limits());
    expect(explicit.map(({ id }) => id)).toEqual(named.map(({ id }) => id));
    expect((await undo(results)).map(({ success }) => success)).toEqual(names.map(() => true));
    for (const name of names) expect(await text(name, 'büro & co')).toBe(events[name]);
  });

  it.each(['..', '.', '', '%2e%2e', 'x/../../archive', '%2Fetc', 'a%ZZ'])(
    'that could be a path or nothing at all, like “%s”, are no event, and are never asked for',
    async (id) => {
      const { plan, tap } = await world({ 'a.ics': titled('a', 'Lunch') });
      const { previews, run } = await plan('delete', {}, [{ id, display_name: id }]);
      expect(previews).toMatchObject([{ expected_error: 'Event not found' }]);
      expect(await run()).toMatchObject([{ success: false, error: 'Event not found' }]);
      expect(tap.requests.filter(({ method }) => method === 'REPORT')).toEqual([]);
    },
  );

  it('that have a slash reach the server as one part of a path', async () => {
    const { plan, tap } = await world({});
    const { items } = await plan('delete', {}, [{ id: 'a%2Fb.ics', display_name: 'a' }]);
    expect(items[0]?.raw_data).toMatchObject({ missing: 'Event not found' });
    expect(tap.requests.at(-1)?.body).toMatch(/team\/a%2Fb\.ics</);
  });
});

it('does not replace an event of the target calendar at the same address', async () => {
  const { plan, text } = await world(
    { 'a.ics': titled('a', 'Ours') },
    { Archive: { 'a.ics': titled('b', 'Theirs') } },
  );
  const { run } = await plan('move', { target_calendar: 'Archive' });
  const error = 'The target calendar has an event at the same address';
  expect(await run()).toMatchObject([{ success: false, error }]);
  expect(await text('a.ics', 'archive')).toBe(titled('b', 'Theirs'));
});

it('sends nothing that a server would tell guests unless that was chosen', async () => {
  const guests = icsOf([
    'UID:a',
    ...times('20270301'),
    'ATTENDEE:mailto:ana@work.example',
    STAMP,
    'SUMMARY:A',
  ]);
  const { plan, tap, adapter } = await world({ 'a.ics': guests, 'b.ics': titled('b', 'B') });
  const dav = { status: 200, body: '', headers: { dav: '1, calendar-access, calendar-auto-schedule' } };
  tap.rule = (request, forward): Promise<TapAnswer> =>
    request.method === 'OPTIONS' ? Promise.resolve(dav) : forward();
  const none = await plan('delete');
  expect(none.previews.map(({ expected_error }) => expected_error !== undefined)).toEqual([true, false]);
  const all = await plan('delete', { send_updates: 'all' });
  expect(all.previews.map(({ reversible }) => reversible)).toEqual(['partly', 'yes']);
  const sentences = [none, all].map(({ context }) => adapter.describeChange!(context).summary);
  expect(sentences[0]).toContain('Events with guests are left alone, because the server would tell them.');
  expect(sentences[1]).toContain('The server tells their guests.');
});

it('leaves every file of a calendar alone that the request does not find', async () => {
  const { plan, tap } = await world({ 'a.ics': titled('a', 'Lunch'), 'b.ics': titled('b', 'Dinner') });
  const { run, items } = await plan('delete', { text: 'LUNCH' });
  expect(items.map(({ id }) => id)).toEqual(['a.ics']);
  await run();
  expect(tap.calls.filter((one) => one.startsWith('DELETE'))).toEqual(['DELETE a.ics']);
});
