import { z } from 'zod';
import { formatInstant, atWallClock, isZone } from '../../../src/core/shared/zoned-time';
import { invalid } from './api';

export interface Calendar {
  readonly id: string;
  readonly summary: string;
  readonly timeZone: string;
  readonly accessRole: 'owner' | 'writer' | 'reader';
  readonly primary?: true;
}

const zoneName = z.string().refine(isZone, 'is not a time zone');
const timed = z.strictObject({ dateTime: z.iso.datetime({ offset: true }), timeZone: zoneName.optional() });
const eventTime = z.union([timed, z.strictObject({ date: z.iso.date() })]);
export interface EventTimes {
  readonly start: z.output<typeof eventTime>;
  readonly end: z.output<typeof eventTime>;
}

const attendee = z.object({
  email: z.string().min(1),
  displayName: z.string().optional(),
  optional: z.boolean().optional(),
  responseStatus: z.enum(['needsAction', 'declined', 'tentative', 'accepted']).default('needsAction'),
});
const reminders = z.strictObject({
  useDefault: z.boolean(),
  overrides: z
    .array(
      z.strictObject({ method: z.enum(['email', 'popup']), minutes: z.number().int().min(0).max(40_320) }),
    )
    .max(5)
    .optional(),
});

/** The writable fields of an event. Google's other fields are not supported, and are refused. */
export const writableSchema = z.strictObject({
  summary: z.string().optional(),
  description: z.string().optional(),
  location: z.string().optional(),
  colorId: z
    .string()
    .regex(/^([1-9]|1[01])$/)
    .optional(),
  visibility: z.enum(['default', 'public', 'private', 'confidential']).optional(),
  transparency: z.enum(['opaque', 'transparent']).optional(),
  start: eventTime,
  end: eventTime,
  recurrence: z.array(z.string()).min(1).optional(),
  attendees: z.array(attendee).optional(),
  reminders: reminders.default({ useDefault: true }),
  guestsCanModify: z.boolean().optional(),
});
export type Writable = z.output<typeof writableSchema>;

export const storedSchema = z.object({
  ...writableSchema.shape,
  calendar: z.string(),
  id: z.string(),
  status: z.enum(['confirmed', 'cancelled']),
  version: z.number().int(),
  created: z.string(),
  updated: z.string(),
  sequence: z.number().int(),
  organizer: z.string(),
  creator: z.string(),
  /** The series of an occurrence that was changed separately. */
  recurringEventId: z.string().optional(),
  originalStartTime: eventTime.optional(),
});
export type Stored = z.output<typeof storedSchema>;

export const etagOf = ({ version }: Pick<Stored, 'version'>): string => `"${3_500_000_000_000 + version}"`;

/** Renders an event for its calendar. */
export function render(event: Stored, calendar: Calendar): Record<string, unknown> {
  const { id, status, created, updated, summary, description, location, colorId, sequence } = event;
  const kind = 'calendar#event';
  const series = {
    recurringEventId: event.recurringEventId,
    originalStartTime: event.originalStartTime && renderTime(event.originalStartTime, calendar),
  };
  // Deleted events keep only their ids.
  if (status === 'cancelled') return defined({ kind, etag: etagOf(event), id, status, ...series });
  const person = (email: string) => ({ email, ...(email === calendar.id && { self: true }) });
  return defined({
    kind,
    etag: etagOf(event),
    id,
    status,
    created,
    updated,
    summary,
    description,
    location,
    colorId,
    creator: person(event.creator),
    organizer: person(event.organizer),
    start: renderTime(event.start, calendar),
    end: renderTime(event.end, calendar),
    recurrence: event.recurrence,
    ...series,
    transparency: event.transparency === 'opaque' ? undefined : event.transparency,
    visibility: event.visibility === 'default' ? undefined : event.visibility,
    iCalUID: `${event.recurringEventId ?? id}@calendars.example`,
    sequence,
    attendees: event.attendees?.map((guest) => ({
      ...guest,
      ...person(guest.email),
      ...(guest.email === event.organizer && { organizer: true }),
    })),
    guestsCanModify: event.guestsCanModify,
    reminders: event.reminders,
    eventType: 'default',
  });
}

/** Renders a time with the offset of the calendar, independent of the zone of the event. */
function renderTime(time: EventTimes['start'], { timeZone }: Calendar) {
  return 'date' in time ? time : { ...time, dateTime: formatInstant(timeZone, Date.parse(time.dateTime)) };
}

const defined = (value: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined && field !== ''));

/** The instants at which an event begins and ends. Whole days are in the calendar's time zone. */
export function span({ start, end }: EventTimes, { timeZone }: Calendar): { from: number; to: number } {
  const instant = (time: EventTimes['start']) =>
    'date' in time ? atWallClock(timeZone, Date.parse(time.date)) : Date.parse(time.dateTime);
  return { from: instant(start), to: instant(end) };
}

/** Start and end must be of one kind and in order, and a series needs a time zone. */
export function checkTimes(event: Writable, calendar: Calendar): void {
  const { start, end, recurrence } = event;
  if ('date' in start !== 'date' in end)
    throw invalid('Start and end times must either both be date or both be dateTime.');
  const { from, to } = span(event, calendar);
  if (to < from || ('date' in start && to === from)) throw invalid('The specified time range is empty.');
  if (recurrence !== undefined && !('date' in start) && start.timeZone === undefined) {
    throw invalid('Missing time zone definition for start time.');
  }
}
