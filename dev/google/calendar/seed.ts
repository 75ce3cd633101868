import { addDays, atWallClock, formatInstant } from '../../../src/core/shared/zoned-time';
import { MAILBOX_USER } from '../seed';
import type { Calendar, EventTimes, Stored } from './model';
import { stamp } from './recurrence';

/** The initial local calendars: always the same events, with the same ids. */

/** The calendar with exactly 80 events, counting each occurrence. */
const TEAM_CALENDAR = 'Team';
export const TEAM_EVENT_COUNT = 80;

const ZONE = 'Europe/Berlin';
const TEAM = 'team@calendars.example';
const ARCHIVE = 'archive@calendars.example';
const HOLIDAYS = 'holidays@calendars.example';
const ANA = 'ana.duarte@work.example';
const BEN = 'ben@work.example';

export const CALENDARS: readonly Calendar[] = [
  { id: MAILBOX_USER, summary: 'Sam', timeZone: ZONE, accessRole: 'owner', primary: true },
  { id: TEAM, summary: TEAM_CALENDAR, timeZone: ZONE, accessRole: 'owner' },
  { id: ARCHIVE, summary: 'Archive', timeZone: ZONE, accessRole: 'writer' },
  { id: HOLIDAYS, summary: 'Public holidays', timeZone: ZONE, accessRole: 'reader' },
];

/** A Monday. */
const FIRST_DAY = '2026-11-23';
const MADE = '2026-11-02T08:00:00.000Z';

type Content = Partial<Stored> & EventTimes;

/** On day `day` after the first, from `hour` for `minutes`. */
function at(day: number, hour: number, minutes = 60): EventTimes {
  const begins = atWallClock(ZONE, Date.parse(addDays(FIRST_DAY, day)) + hour * 3_600_000);
  const time = (instant: number) => ({ dateTime: formatInstant(ZONE, instant), timeZone: ZONE });
  return { start: time(begins), end: time(begins + minutes * 60_000) };
}

const allDay = (day: number, days = 1): EventTimes => ({
  start: { date: addDays(FIRST_DAY, day) },
  end: { date: addDays(FIRST_DAY, day + days) },
});

const series = (summary: string, times: EventTimes, rule: string, location?: string): Content => ({
  ...times,
  summary,
  location,
  recurrence: [`RRULE:${rule}`],
  attendees: [guest(ANA, 'accepted'), guest(BEN, 'accepted')],
});

function guest(email: string, responseStatus: 'accepted' | 'needsAction' = 'needsAction') {
  return { email, responseStatus };
}

const pick = <T>(list: readonly T[], n: number): T => list[n % list.length]!;
const CUSTOMERS = ['Northwind', 'Meridian Rail', 'Harbour Bank', 'Corner Shop'];
const TOPICS = ['Roadmap', 'Budget', 'Hiring', 'Support rota', 'Release notes'];

/** The kinds of a team's single events, one after another. */
const KINDS: ((n: number) => Partial<Stored>)[] = [
  (n) => ({
    summary: `Interview: candidate ${n + 1}`,
    location: 'Room Elm',
    visibility: 'private',
    attendees: [guest(ANA)],
  }),
  (n) => ({
    summary: `Call with ${pick(CUSTOMERS, n)}`,
    colorId: '5',
    attendees: [guest(BEN), guest(`contact@${pick(CUSTOMERS, n).toLowerCase().replace(' ', '-')}.example`)],
  }),
  (n) => ({
    summary: `${pick(TOPICS, n)} review`,
    location: 'Room Oak',
    attendees: [guest(ANA), guest(BEN)],
  }),
  (n) => ({
    summary: 'Focus time',
    transparency: 'opaque',
    description: `Please book around it (${n + 1}).`,
  }),
];

/** 29 stand-ups, 5 plannings, 6 whole days and 40 single events. */
function teamEvents(): Content[] {
  const wholeDays: [string, number, number][] = [
    ['Team day', 17, 1],
    ['Release freeze', 28, 5],
    ['Office closed', 31, 1],
    ['Office closed', 38, 1],
    ['Inventory', 44, 2],
    ['Conference in Ghent', 50, 3],
  ];
  return [
    series('Stand-up', at(0, 9, 15), 'FREQ=WEEKLY;COUNT=10', 'Room Elm'),
    series('Stand-up', at(2, 9, 15), 'FREQ=WEEKLY;COUNT=10', 'Room Elm'),
    series('Stand-up', at(4, 9, 15), 'FREQ=WEEKLY;COUNT=10', 'Room Elm'),
    series('Planning', at(1, 14, 90), 'FREQ=WEEKLY;INTERVAL=2;COUNT=5', 'Room Oak'),
    ...wholeDays.map(([summary, day, days]) => ({ summary, ...allDay(day, days), colorId: '8' })),
    ...Array.from({ length: 40 }, (_unused, n) => ({
      ...pick(KINDS, n)(Math.floor(n / KINDS.length)),
      ...at(Math.floor(n / 4) * 7 + (n % 4), 10 + (n % 5), 45),
      ...(n === 39 && { summary: '' }),
    })),
  ];
}

const invitations = (): Content[] =>
  Array.from({ length: 12 }, (_unused, n) => ({
    ...at(n * 2, 15 + (n % 2)),
    summary: `${pick(TOPICS, n)} with ${n % 2 === 0 ? 'Ana' : 'Ben'}`,
    organizer: n % 2 === 0 ? ANA : BEN,
    attendees: [guest(n % 2 === 0 ? ANA : BEN, 'accepted'), guest(MAILBOX_USER), guest('carla@work.example')],
  }));

const ownEvents = (): Content[] => [
  { ...at(1, 18), summary: 'Dentist', visibility: 'private' },
  { ...at(3, 19), summary: 'Choir' },
  { ...allDay(26, 4), summary: 'With the family' },
];

const holidays = (): Content[] =>
  [
    ['Christmas Day', 32],
    ['Second Day of Christmas', 33],
    ["New Year's Day", 39],
  ].map(([summary, day]) => ({ ...allDay(Number(day)), summary: String(summary) }));

/** Two occurrences of the stand-ups that were changed separately: one is cancelled, one begins later. */
function exceptions([, second, third]: Stored[]): Stored[] {
  const occurrence = (master: Stored, day: number): Stored => {
    const times = at(day, 9, 15);
    const { recurrence: _series, ...event } = master;
    return {
      ...event,
      ...times,
      id: `${master.id}_${stamp(times.start)}`,
      recurringEventId: master.id,
      originalStartTime: times.start,
    };
  };
  return [
    { ...occurrence(second!, 30), status: 'cancelled' },
    { ...occurrence(third!, 11), ...at(11, 10, 15), summary: 'Stand-up (late)' },
  ];
}

export function seedEvents(): Stored[] {
  const stored = (calendar: string, prefix: string, contents: Content[]) =>
    contents.map((content, n): Stored => ({
      calendar,
      id: `${prefix}${String(n + 1).padStart(4, '0')}`,
      status: 'confirmed',
      version: 0,
      created: MADE,
      updated: MADE,
      sequence: 0,
      organizer: calendar,
      creator: content.organizer ?? calendar,
      reminders: { useDefault: true },
      ...content,
    }));
  const team = stored(TEAM, 'team', teamEvents());
  const all = [
    ...team,
    ...exceptions(team),
    ...stored(MAILBOX_USER, 'invite', invitations()),
    ...stored(MAILBOX_USER, 'sam00', ownEvents()),
    ...stored(ARCHIVE, 'archive', [{ ...at(-14, 11), summary: 'Kick-off (last year)' }]),
    ...stored(HOLIDAYS, 'holiday', holidays()),
  ];
  return all.map((event, n) => ({ ...event, version: n + 1 }));
}
