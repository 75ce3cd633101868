import { calendar, execute, fresh, planned, reconcile, succeeded, useCalendar, ZONE } from './calendar-setup';

useCalendar();

interface Time {
  date?: string;
  dateTime?: string;
  timeZone?: string;
}
const timed = (from: string, to: string, timeZone = ZONE): { start: Time; end: Time } => ({
  start: { dateTime: from, timeZone },
  end: { dateTime: to, timeZone },
});

/** Shifts a new event, and reads its times from the calendar. */
async function shift(event: object, shift_minutes: number) {
  const [id] = await fresh(1, event);
  const change = await planned('shift', { shift_minutes }, [id!]);
  const results = await execute(change);
  const { start, end } = await calendar.event(id!);
  if (results[0]?.success) expect(await reconcile(change)).toEqual(['applied']);
  return { results, start, end, frozen: change.items[0]?.raw_data };
}

test('an hour later is an hour later, to the minute, in the zone that the event had', async () => {
  const event = timed('2027-02-10T09:00:00', '2027-02-10T09:45:00', 'America/New_York');
  const { start, end, frozen } = await shift(event, 60);
  expect(frozen).toMatchObject({
    to: timed('2027-02-10T10:00:00-05:00', '2027-02-10T10:45:00-05:00', 'America/New_York'),
  });
  // The calendar returns times with the offset of its own time zone.
  expect(start).toEqual({ dateTime: '2027-02-10T16:00:00+01:00', timeZone: 'America/New_York' });
  expect(end).toEqual({ dateTime: '2027-02-10T16:45:00+01:00', timeZone: 'America/New_York' });
});

test.each([
  // In Berlin, the clocks go forward on 28 March 2027, and back on 31 October.
  ['a week over the clocks going forward', '2027-03-24T09:00:00', 10_080, '2027-03-31T09:00:00+02:00'],
  ['a week over the clocks going back', '2027-10-27T09:00:00', 10_080, '2027-11-03T09:00:00+01:00'],
  ['a week earlier over the clocks', '2027-03-31T09:00:00', -10_080, '2027-03-24T09:00:00+01:00'],
  ['twelve hours over the clocks, exact', '2027-03-27T21:00:00', 720, '2027-03-28T10:00:00+02:00'],
  ['a day and an hour', '2027-03-27T09:00:00', 1_500, '2027-03-28T10:00:00+02:00'],
  ['a day, to a time that the clocks skip', '2027-03-27T02:30:00', 1_440, '2027-03-28T03:30:00+02:00'],
])('%s from %s by %s minutes is %s', async (_what, from, minutes, to) => {
  const { results, start, end } = await shift(timed(from, addMinutes(from, 45)), minutes);
  expect(results).toMatchObject([{ success: true }]);
  expect(start).toEqual({ dateTime: to, timeZone: ZONE });
  expect(Date.parse(end.dateTime!) - Date.parse(to)).toBe(45 * 60_000);
});

test('an event across a clock change keeps its duration', async () => {
  const { start, end } = await shift(timed('2027-03-27T22:00:00', '2027-03-28T06:00:00'), 10_080);
  expect(start.dateTime).toBe('2027-04-03T22:00:00+02:00');
  expect(Date.parse(end.dateTime!) - Date.parse(start.dateTime!)).toBe(7 * 3_600_000);
});

test('an all-day event is shifted by whole days', async () => {
  const days = { start: { date: '2027-02-27' }, end: { date: '2027-03-01' } };
  expect(await shift(days, 2 * 1_440)).toMatchObject({
    results: [{ success: true }],
    start: { date: '2027-03-01' },
    end: { date: '2027-03-03' },
  });
  expect(await shift(days, -1_440)).toMatchObject({
    start: { date: '2027-02-26' },
    end: { date: '2027-02-28' },
  });
});

test('an all-day event is not shifted by minutes, but the other events are', async () => {
  const [whole] = await fresh(1, { start: { date: '2027-02-27' }, end: { date: '2027-02-28' } });
  const [other] = await fresh(1);
  expect(await execute(await planned('shift', { shift_minutes: 1_450 }, [whole!, other!]))).toEqual([
    {
      item_id: whole,
      success: false,
      error: 'An all-day event can be shifted by whole days only',
      retryable: false,
    },
    { item_id: other, success: true },
  ]);
  expect((await calendar.event(whole!)).start).toEqual({ date: '2027-02-27' });
});

const series = (from: string, to: string) => ({
  ...timed(from, to),
  recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'],
});

test('a series is shifted within its day, and every occurrence keeps its own local time', async () => {
  const [id] = await fresh(1, {
    ...series('2027-03-17T09:00:00', '2027-03-17T10:00:00'),
    summary: 'Of a series',
  });
  expect(await execute(await planned('shift', { shift_minutes: -30 }, [id!]))).toEqual(succeeded([id!]));
  const occurrences = await calendar.list('singleEvents=true&orderBy=startTime&q=of+a+series');
  expect(occurrences.map(({ start }) => start.dateTime)).toEqual([
    '2027-03-17T08:30:00+01:00',
    '2027-03-24T08:30:00+01:00',
    '2027-03-31T08:30:00+02:00',
    '2027-04-07T08:30:00+02:00',
  ]);
});

test.each([
  ['to another day', series('2027-03-17T23:45:00', '2027-03-18T00:15:00'), 30],
  ['by days', series('2027-03-17T09:00:00', '2027-03-17T10:00:00'), 1_440],
  [
    'of whole days',
    { start: { date: '2027-03-17' }, end: { date: '2027-03-18' }, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] },
    1_440,
  ],
])(
  'a series is not shifted %s, because its rule would not be shifted with it',
  async (_what, event, minutes) => {
    const { results } = await shift(event, minutes);
    expect(results).toEqual([
      {
        item_id: expect.any(String),
        success: false,
        error: expect.stringMatching(/within its day only.*single_events: true/),
        retryable: false,
      },
    ]);
  },
);

test('an occurrence can be shifted alone, even to another day', async () => {
  const id = 'team0001_20261130T080000Z';
  const change = await planned('shift', { shift_minutes: 1_440 }, [id]);
  expect(await execute(change)).toEqual(succeeded([id]));
  const { start, originalStartTime } = await calendar.event(id);
  expect(start.dateTime).toBe('2026-12-01T09:00:00+01:00');
  expect(originalStartTime).toMatchObject({ dateTime: '2026-11-30T09:00:00+01:00' });
});

test('a repetition changes nothing more', async () => {
  const [id] = await fresh(1);
  const change = await planned('shift', { shift_minutes: 60 }, [id!]);
  expect(await execute(change)).toEqual(succeeded([id!]));
  expect(await execute(change)).toMatchObject([{ item_id: id, success: false, changed_since_preview: true }]);
  expect((await calendar.event(id!)).start.dateTime).toBe('2027-02-01T11:00:00+01:00');
});

const addMinutes = (time: string, minutes: number) =>
  new Date(Date.parse(`${time}Z`) + minutes * 60_000).toISOString().slice(0, 19);
