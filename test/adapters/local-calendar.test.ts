import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOLIDAY_CALENDAR, SAM, serveCalendar, TEAM, ZONE, type ShownEvent } from './calendar-setup';
import { mistakesIn } from './discovery';

/** Our own server of the Calendar API, called the way any client would call it. */
let calendar: Awaited<ReturnType<typeof serveCalendar>>;
beforeEach(async () => (calendar = await serveCalendar()));
afterEach(() => calendar.close());

const timed = (from: string, to: string) => ({
  start: { dateTime: from, timeZone: ZONE },
  end: { dateTime: to, timeZone: ZONE },
});
const EVENT = { summary: 'Mine', ...timed('2027-05-03T10:00:00+02:00', '2027-05-03T11:00:00+02:00') };
const events = (calendarId = TEAM) => `calendars/${calendarId}/events`;
const reasonOf = ({ status, body }: { status: number; body: unknown }) =>
  `${status} ${(body as { error: { errors: { reason: string }[] } }).error.errors[0]?.reason}`;
const page = async (query: string) =>
  (await calendar.ask('GET', `${events()}?${query}`)).body as unknown as {
    items: ShownEvent[];
    nextPageToken?: string;
  };

it('answers like Google: the discovery document describes all of it', async () => {
  const id = await calendar.insert({
    ...EVENT,
    attendees: [{ email: TEAM }],
    recurrence: ['RRULE:FREQ=DAILY;COUNT=2'],
  });
  await calendar.ask('GET', 'users/me/calendarList?maxResults=2');
  await calendar.list('singleEvents=true');
  await calendar.list();
  await calendar.change(`${id}_20270503T080000Z`, { colorId: '2' });
  await calendar.ask('POST', `${events()}/${id}/move?destination=${SAM}&sendUpdates=none`);
  await calendar.remove(id, SAM);
  await calendar.remove(id, SAM);
  expect(calendar.mistakes).toEqual([]);

  const request = { method: 'GET', url: new URL('http://c/calendar/v3/calendars/a/events/b?x=1'), body: '' };
  const answer = JSON.stringify({ id: 7, start: { date: 'today' }, colour: 'red' });
  expect(mistakesIn({ ...request, status: 200, answer })).toEqual([
    'events.get: unknown parameter x',
    'events.get: answer.id is number, not string',
    'events.get: answer.start.date is no date: today',
    'events.get: answer.colour is unknown',
  ]);
});

it('gives a new event an id and an etag, and each change another etag', async () => {
  const id = await calendar.insert(EVENT);
  const first = await calendar.event(id);
  expect(first).toMatchObject({
    ...EVENT,
    kind: 'calendar#event',
    status: 'confirmed',
    organizer: { self: true },
  });
  await calendar.change(id, { colorId: '4' });
  const second = await calendar.event(id);
  expect(second).toMatchObject({ summary: 'Mine', colorId: '4' });
  expect(second.etag).not.toBe(first.etag);
  const stale = { 'if-match': first.etag };
  expect(reasonOf(await calendar.ask('PATCH', `${events()}/${id}`, {}, stale))).toBe('412 conditionNotMet');
  expect(reasonOf(await calendar.ask('DELETE', `${events()}/${id}`, undefined, stale))).toBe(
    '412 conditionNotMet',
  );
  expect(
    (await calendar.ask('DELETE', `${events()}/${id}`, undefined, { 'if-match': second.etag })).status,
  ).toBe(204);
  expect(reasonOf(await calendar.remove(id))).toBe('410 deleted');
  expect(await calendar.event(id)).toEqual({
    kind: 'calendar#event',
    id,
    etag: expect.any(String),
    status: 'cancelled',
  });
});

it('merges objects, replaces lists, and removes null fields', async () => {
  const guests = [{ email: 'one@a.example' }, { email: 'two@a.example' }];
  const id = await calendar.insert({ ...EVENT, location: 'Here', attendees: guests });
  await calendar.change(id, {
    location: null,
    attendees: [{ email: 'two@a.example', responseStatus: 'accepted' }],
    end: { dateTime: '2027-05-03T12:00:00+02:00' },
  });
  const event = await calendar.event(id);
  expect(event.location).toBeUndefined();
  expect(event.attendees).toEqual([{ email: 'two@a.example', responseStatus: 'accepted' }]);
  expect(event.end).toEqual({ dateTime: '2027-05-03T12:00:00+02:00', timeZone: ZONE });
});

it('expands series in their local time, and each occurrence may be changed separately', async () => {
  const id = await calendar.insert({
    ...EVENT,
    summary: 'Series',
    ...timed('2027-03-20T09:00:00', '2027-03-20T09:30:00'),
    recurrence: ['RRULE:FREQ=WEEKLY;INTERVAL=1;UNTIL=20270410T235959Z'],
  });
  const occurrences = async () =>
    (await calendar.list('singleEvents=true&orderBy=startTime&q=series')).map(({ start }) => start.dateTime);
  expect(await occurrences()).toEqual([
    '2027-03-20T09:00:00+01:00',
    '2027-03-27T09:00:00+01:00',
    '2027-04-03T09:00:00+02:00',
    '2027-04-10T09:00:00+02:00',
  ]);
  await calendar.remove(`${id}_20270327T080000Z`);
  await calendar.change(
    `${id}_20270403T070000Z`,
    timed('2027-04-05T09:00:00+02:00', '2027-04-05T09:30:00+02:00'),
  );
  expect(await occurrences()).toEqual([
    '2027-03-20T09:00:00+01:00',
    '2027-04-05T09:00:00+02:00',
    '2027-04-10T09:00:00+02:00',
  ]);
  const listed = (await calendar.list('q=series')).map(({ id: one, status }) => `${one} ${status}`);
  expect(listed).toEqual([
    `${id} confirmed`,
    `${id}_20270327T080000Z cancelled`,
    `${id}_20270403T070000Z confirmed`,
  ]);
  expect(
    (await calendar.list('timeMin=2027-04-09T00:00:00Z&timeMax=2027-04-11T00:00:00Z')).map((one) => one.id),
  ).toEqual([id]);
  await calendar.remove(id);
  expect(await occurrences()).toEqual([]);
  expect((await calendar.event(`${id}_20270320T080000Z`)).status).toBe('cancelled');
  expect((await calendar.ask('GET', `${events()}/${id}_20270321T080000Z`)).status).toBe(404);
});

it('returns short and empty pages before the last one', async () => {
  const found: string[] = [];
  const sizes: number[] = [];
  for (let token: string | undefined = ''; token !== undefined;) {
    const next = await page(`q=planning&maxResults=3${token === '' ? '' : `&pageToken=${token}`}`);
    found.push(...next.items.map(({ id }) => id));
    sizes.push(next.items.length);
    token = next.nextPageToken;
  }
  expect(found).toEqual(['team0004']);
  expect(sizes.slice(0, 3)).toEqual([0, 1, 0]);
});

it.each([
  ['GET', `${events()}?orderBy=startTime`, undefined, '400 invalid'],
  ['GET', `${events()}?syncToken=x`, undefined, '501 notImplemented'],
  ['GET', `${events()}?singleEvents=perhaps`, undefined, '400 invalid'],
  ['GET', `${events()}?maxResults=0`, undefined, '400 invalid'],
  ['GET', `${events()}?pageToken=%21`, undefined, '400 invalid'],
  ['GET', `${events()}?timeMin=2027-01-01`, undefined, '400 badRequest'],
  ['GET', `${events()}?fields=items(id`, undefined, '400 invalid'],
  ['GET', `${events('nobody@a.example')}`, undefined, '404 notFound'],
  ['GET', `${events()}/nosuchevent`, undefined, '404 notFound'],
  ['GET', 'colors', undefined, '501 notImplemented'],
  ['POST', events(), { ...EVENT, recurrence: ['RRULE:FREQ=MONTHLY;COUNT=2'] }, '400 invalid'],
  ['POST', events(), { ...EVENT, recurrence: ['RRULE:FREQ=DAILY'] }, '400 invalid'],
  ['POST', events(), { ...EVENT, hangoutLink: 'x', conferenceData: {} }, '400 invalid'],
  ['POST', events(), { ...EVENT, end: EVENT.start, start: EVENT.end }, '400 invalid'],
  ['POST', events(), { ...EVENT, start: { date: '2027-05-03' } }, '400 invalid'],
  ['POST', events(), { ...EVENT, id: 'team0011' }, '409 duplicate'],
  ['POST', events(HOLIDAY_CALENDAR), EVENT, '403 requiredAccessLevel'],
  ['PATCH', `${events(SAM)}/invite0001`, { summary: 'Mine now' }, '403 forbiddenForNonOrganizer'],
  ['PATCH', `${events()}/team0011?sendUpdates=some`, {}, '400 invalidParameter'],
  [
    'POST',
    `${events()}/team0001_20261123T080000Z/move?destination=${SAM}`,
    undefined,
    '400 cannotChangeOrganizerOfInstance',
  ],
  ['POST', `${events()}/team0011/move?destination=${HOLIDAY_CALENDAR}`, undefined, '403 requiredAccessLevel'],
  ['POST', `${events(SAM)}/invite0001/move?destination=${TEAM}`, undefined, '403 forbiddenForNonOrganizer'],
])('refuses %s %s with %j: %s', async (method, path, body, reason) => {
  const answer = await calendar.ask(method, path, body);
  expect(reasonOf(answer)).toBe(reason);
});

it('requires a token', async () => {
  const answer = await fetch(`${calendar.url}/calendar/v3/users/me/calendarList`);
  expect(answer.status).toBe(401);
});

it('has every change again after a restart, except an incomplete line, and records who would have been notified', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'batchgate-calendar-log-'));
  const path = join(folder, 'calendar.jsonl');
  try {
    const first = await serveCalendar(path);
    const id = await first.insert(EVENT);
    await first.ask('PATCH', `${events()}/team0011?sendUpdates=all`, { colorId: '9' });
    await first.ask('POST', `${events()}/team0004/move?destination=${SAM}`);
    await first.remove('team0002_20261202T080000Z');
    const before = await Promise.all([first.list('singleEvents=true'), first.list('', SAM)]);
    await first.close();
    await appendFile(path, '{"request":"DELETE cal');

    const second = await serveCalendar(path);
    expect(await Promise.all([second.list('singleEvents=true'), second.list('', SAM)])).toEqual(before);
    const etags = new Set(before.flat().map(({ etag }) => etag));
    await second.change(id, { colorId: '1' });
    expect(etags).not.toContain((await second.event(id)).etag);
    await second.close();
    expect(await readFile(path, 'utf8')).toContain('"sendUpdates":"all"');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
