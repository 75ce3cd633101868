import { TEAM_EVENT_COUNT } from '../../dev/google/calendar/seed';
import { bulkItemSchema, type BulkItem } from '../../src/contract/items';
import {
  adapter,
  ARCHIVE,
  bare,
  calendar,
  failure,
  fresh,
  planned,
  prepare,
  proxy,
  SAM,
  TEAM,
  useCalendar,
  within,
  ZONE,
} from './calendar-setup';
import { apiError } from './fault-proxy';

useCalendar();

const TEAM_ALL = { calendar: 'Team', single_events: true, send_updates: 'none' };

describe('prepare', () => {
  test('resolves names in any case to ids, splits the parameters, and reads no event', async () => {
    const params = { ...TEAM_ALL, calendar: ' tEAM ', text: 'Stand-up', target_calendar: 'archive' };
    expect(await prepare('move', params)).toEqual({
      tool_name: 'calendar',
      action: 'move',
      query_params: { text: 'Stand-up', single_events: true },
      action_params: {
        calendar: { id: TEAM, name: 'Team' },
        target: { id: ARCHIVE, name: 'Archive' },
        send_updates: 'none',
      },
    });
    expect(proxy.calls).toEqual(['GET calendarList']);
  });

  test.each([
    ['primary', SAM],
    [SAM, SAM],
    [TEAM, TEAM],
  ])('takes %s as an id', async (given, id) => {
    const { action_params } = await prepare('delete', { ...TEAM_ALL, calendar: given });
    expect(action_params).toMatchObject({ calendar: { id } });
  });

  test('suggests the calendars whose events the account may change', async () => {
    const suggest = (parameter: string) => adapter().suggest?.({ parameter, params: {} }, within());
    expect(await suggest('calendar')).toEqual(expect.arrayContaining(['Team', 'Archive']));
    expect(await suggest('target_calendar')).not.toContain('Public holidays');
    expect(await suggest('text')).toEqual([]);
  });

  test('reports a missing calendar, and similar names', async () => {
    const error = await failure(prepare('delete', { ...TEAM_ALL, calendar: 'Teem' }));
    expect(error.body).toMatchObject({ code: 'INVALID_INPUT', message: "Calendar 'Teem' not found" });
    expect(error.hint).toMatch(/^The nearest calendars: Team/);
    const strange = await failure(prepare('delete', { ...TEAM_ALL, calendar: 'xyz@elsewhere.example' }));
    expect(strange.hint).toContain('list of calendars');
  });

  test('refuses a name that several calendars have, over all pages of the list, and names their ids', async () => {
    const named = (id: string, summary: string) => ({ id, summary, accessRole: 'owner' });
    proxy.rule = ({ query }) => {
      const page = query.has('pageToken')
        ? { items: [named('b', 'Work'), { ...named('c', 'x'), summaryOverride: 'WORK' }] }
        : { items: [named('a', 'work')], nextPageToken: 'more' };
      return { status: 200, body: JSON.stringify(page) };
    };
    const error = await failure(prepare('delete', { ...TEAM_ALL, calendar: 'wORK' }));
    expect(error.body).toMatchObject({
      code: 'INVALID_INPUT',
      message: "Several calendars are named 'wORK'",
      hint: 'Give the id of one of them: a, b, c.',
    });
    const exact = await prepare('delete', { ...TEAM_ALL, calendar: 'Work' });
    expect(exact.action_params).toMatchObject({ calendar: { id: 'b' } });
  });

  test('refuses a read-only calendar, and a move to the calendar of the events', async () => {
    const readOnly = await failure(prepare('delete', { ...TEAM_ALL, calendar: 'Public holidays' }));
    expect(readOnly.message).toContain('read-only for this account (reader)');
    const nowhere = await failure(prepare('move', { ...TEAM_ALL, target_calendar: TEAM }));
    expect(nowhere.message).toBe("The events are already in 'Team'");
  });

  const { single_events: _single, ...noSingle } = TEAM_ALL;
  const { send_updates: _updates, ...noUpdates } = TEAM_ALL;
  test.each([
    ['burn', TEAM_ALL, false, /Unknown action for calendar: burn/],
    ['delete', noSingle, false, /Missing required parameters: single_events/],
    ['delete', noUpdates, false, /Missing required parameters: send_updates/],
    ['delete', noUpdates, true, /Explicit items together with query parameters: single_events/],
    ['delete', {}, true, /Missing required parameters: calendar, send_updates/],
    ['delete', { ...TEAM_ALL, send_updates: 'some' }, false, /send_updates/],
    ['delete', { ...TEAM_ALL, single_events: 'yes' }, false, /single_events/],
    ['delete', { ...TEAM_ALL, time_min: '2027-01-01' }, false, /time_min/],
    [
      'delete',
      { ...TEAM_ALL, time_min: '2027-01-02T00:00:00Z', time_max: '2027-01-02T01:00:00+01:00' },
      false,
      /time_max is not after time_min/,
    ],
    ['move', TEAM_ALL, false, /Missing required parameters: target_calendar/],
    ['patch', TEAM_ALL, false, /Missing required parameters: patch/],
    ['patch', { ...TEAM_ALL, patch: {} }, false, /patch: names no field/],
    ['patch', { ...TEAM_ALL, patch: { colour: '1' } }, false, /colour/],
    ['patch', { ...TEAM_ALL, patch: { colorId: '12' } }, false, /patch.colorId/],
    ['patch', { ...TEAM_ALL, patch: { attendees: [] } }, false, /attendees/],
    [
      'patch',
      {
        ...TEAM_ALL,
        patch: { reminders: { useDefault: true, overrides: [{ method: 'popup', minutes: 1 }] } },
      },
      false,
      /not both/,
    ],
    ['shift', { ...TEAM_ALL, shift_minutes: 0 }, false, /is 0/],
    ['shift', { ...TEAM_ALL, shift_minutes: 1.5 }, false, /shift_minutes/],
    ['respond', { ...TEAM_ALL, response: 'maybe' }, false, /response/],
    ['delete', { ...TEAM_ALL, response: 'accepted' }, false, /response/],
  ])(
    'refuses %s with %j (explicit items: %s), and sends nothing',
    async (action, params, explicit, message) => {
      const error = await failure(prepare(action, params, explicit));
      expect(error.code).toBe('INVALID_INPUT');
      expect(error.message).toMatch(message);
      expect(proxy.calls).toEqual([]);
    },
  );
});

test.each([
  ['delete', {}, 'all', 'Delete each event of the calendar “Team”. Google tells all guests.', 'partly'],
  [
    'move',
    { target_calendar: 'Archive' },
    'none',
    'Move each event of the calendar “Team” to the calendar “Archive”. Google tells no guest.',
    'yes',
  ],
  [
    'patch',
    { patch: { colorId: '11', visibility: 'private' } },
    'externalOnly',
    'Set colorId to “11” and visibility to “private” on each event of the calendar “Team”. ' +
      'Google tells only the guests who do not use Google Calendar.',
    'partly',
  ],
  [
    'shift',
    { shift_minutes: -1_530 },
    'none',
    'Make each event of the calendar “Team” start and end 1 day and 1 hour and 30 minutes earlier. Google tells no guest.',
    'yes',
  ],
  [
    'respond',
    { response: 'declined' },
    'all',
    'Answer each invitation of the calendar “Team” with “declined”. Google tells all guests.',
    'partly',
  ],
])(
  '%s with %j and updates to %s is described in words',
  async (action, params, send_updates, words, reversible) => {
    const context = await prepare(action, { calendar: 'team', send_updates, ...params }, true);
    expect(adapter().describeChange!(context)).toMatchObject({ summary: words, reversible });
  },
);

describe('counting and listing', () => {
  const countOf = async (params: object) =>
    adapter().getTotalCount(await prepare('delete', { ...TEAM_ALL, ...params }), within());
  const listOf = async (params: object, size = 500, action = 'delete') =>
    adapter().getNextBatch(await prepare(action, { ...TEAM_ALL, ...params }), size, 0, within());

  test('counts each occurrence of a series, or the series as one', async () => {
    expect(await countOf({ time_max: '2027-02-01T00:00:00Z' })).toBe(TEAM_EVENT_COUNT);
    expect(await countOf({ text: 'stand-up' })).toBe(29);
    expect(await countOf({ text: 'stand-up', single_events: false })).toBe(3);
    expect(await countOf({ text: 'no such words' })).toBe(0);
  });

  test('finds events that end after the start of a range and begin before its end', async () => {
    const day = { time_min: '2026-11-23T09:15:00+01:00', time_max: '2026-11-23T10:00:01+01:00' };
    expect((await listOf(day)).map(({ display_name }) => display_name)).toEqual([
      'Interview: candidate 1, 2026-11-23 10:00',
    ]);
    expect((await listOf({ ...day, time_min: '2026-11-23T09:14:59+01:00' })).length).toBe(2);
  });

  test('names events by title and start, also all-day ones, series and those without a title', async () => {
    const names = (await listOf({ single_events: false })).map(({ display_name }) => display_name);
    expect(names).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Stand-up, 2026-11-23 09:00 \(series (of|until) .+\)$/),
        'Team day, 2026-12-10',
        '(no title), 2027-01-28 14:00',
      ]),
    );
    expect(names.filter((name) => name.includes('late'))).toEqual([]);
    const [long] = await fresh(1, { summary: `${'é\n'.repeat(600)}😀`, location: 'for a long name' });
    const item = (await listOf({ text: 'for a long name' })).find(({ id }) => id === long);
    expect(item?.display_name.length).toBeLessThanOrEqual(500);
    expect(item?.display_name).toMatch(/é é.*…, 2027-02-01 10:00$/);
    expect(bulkItemSchema.safeParse(item).success).toBe(true);
  });

  test('pages through all events in the order of their start, with the etag of each', async () => {
    const context = await prepare('delete', TEAM_ALL);
    const seen: BulkItem[] = [];
    for (let page = [bare('')]; page.length > 0; seen.push(...page))
      page = await adapter().getNextBatch(context, 30, seen.length, within());
    const truth = await calendar.list('singleEvents=true&orderBy=startTime');
    expect(seen.map(({ id }) => id)).toEqual(truth.map(({ id }) => id));
    expect(seen.map(({ raw_data }) => raw_data)).toMatchObject(truth.map(({ etag }) => ({ version: etag })));
  });

  test('follows pages that are short or empty, and leaves cancelled and changed occurrences to their series', async () => {
    const one = (id: string, more: object = {}) => ({ id, etag: `"${id}"`, status: 'confirmed', ...more });
    const pages = [
      [one('a'), one('x', { status: 'cancelled' })],
      [],
      [one('y', { recurringEventId: 'a' }), one('b')],
      [one('c')],
    ];
    const context = await prepare('delete', { ...TEAM_ALL, single_events: false });
    proxy.reset();
    proxy.rule = ({ query }) => {
      const at = Number(query.get('pageToken') ?? 0);
      const next = at < 3 ? { nextPageToken: String(at + 1) } : {};
      const items = pages[at]!.length > 0 ? { items: pages[at] } : {};
      return { status: 200, body: JSON.stringify({ ...items, ...next }) };
    };
    expect(await adapter().getTotalCount(context, within())).toBe(3);
    expect(new Set(proxy.requests.map(({ query }) => query.get('maxResults')))).toEqual(new Set(['2500']));
    const idsOf = async (size: number, offset: number) =>
      (await adapter().getNextBatch(context, size, offset, within())).map(({ id }) => id);
    expect(await idsOf(2, 0)).toEqual(['a', 'b']);
    expect(await idsOf(2, 2)).toEqual(['c']);
    expect(await idsOf(2, 3)).toEqual([]);
  });

  test('refuses to count or list without the search, and with another context', async () => {
    const context = await prepare('delete', { calendar: 'Team', send_updates: 'none' }, true);
    const error = await failure(adapter().getTotalCount(context, within()));
    expect(error.body).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining('search') });
    const foreign = { ...context, query_params: { single_events: true }, action_params: {} };
    expect((await failure(adapter().getNextBatch(foreign, 5, 0, within()))).code).toBe('INVALID_INPUT');
  });

  test.each([
    [404, 'notFound', 'INVALID_INPUT'],
    [403, 'quotaExceeded', 'ADAPTER_UNAVAILABLE'],
    [403, 'forbidden', 'CREDENTIALS_INVALID'],
    [403, 'insufficientPermissions', 'CREDENTIALS_INVALID'],
    [503, 'backendError', 'ADAPTER_UNAVAILABLE'],
  ])('%s %s while counting is %s, with a hint', async (status, reason, code) => {
    const context = await prepare('delete', TEAM_ALL);
    proxy.rule = () => apiError(status, reason);
    const error = await failure(adapter().getTotalCount(context, within()));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/^Failed to count events: Google Calendar answered/);
    if (code === 'CREDENTIALS_INVALID') expect(error.hint).toContain('batchgate login google --for calendar');
  });
});

describe('named events', () => {
  test('get their names and etags, at most five requests at once, and a missing one keeps its name', async () => {
    const ids = await fresh(7);
    await calendar.remove(ids[3]!);
    const context = await prepare('delete', { calendar: 'Team', send_updates: 'none' }, true);
    proxy.reset();
    const asked = [...ids, 'nosuchevent'].map((id) => ({ ...bare(id), raw_data: { column: 'of a file' } }));
    const frozen = await adapter().freezeItems!(asked, context, within());
    expect(frozen.map(({ id }) => id)).toEqual(asked.map(({ id }) => id));
    expect(frozen[0]).toEqual({
      id: ids[0],
      display_name: expect.stringMatching(/^Fresh \d+, 2027-02-01 10:00$/),
      raw_data: { state: {}, to: null, version: (await calendar.event(ids[0]!)).etag, restores: 'yes' },
    });
    const missing = { raw_data: { missing: 'Event not found' } };
    expect([frozen[3], frozen[7]]).toEqual([
      { ...bare(ids[3]!), ...missing },
      { ...bare('nosuchevent'), ...missing },
    ]);
    expect(proxy.most).toBeLessThanOrEqual(5);
  });

  test('may be single occurrences', async () => {
    const { items } = await planned('delete', {}, ['team0001_20261130T080000Z']);
    expect(items[0]?.display_name).toBe('Stand-up, 2026-11-30 09:00');
  });

  test('fail as a whole if Google does not answer', async () => {
    const context = await prepare('delete', { calendar: 'Team', send_updates: 'none' }, true);
    proxy.rule = () => 'reset';
    const error = await failure(adapter().freezeItems!([bare('team0011')], context, within()));
    expect(error.code).toBe('ADAPTER_UNAVAILABLE');
  });
});

test('the tests use the time zone of the calendar', async () => {
  const [id] = await fresh(1);
  expect((await calendar.event(id!)).start.timeZone).toBe(ZONE);
});
