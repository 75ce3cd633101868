import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { describeIssues } from '../../../src/contract/errors';
import { atWallClock, formatInstant, isZone } from '../../../src/core/shared/zoned-time';
import { ApiError, deleted, invalid, notFound, readParameters } from './api';
import { checkTimes, etagOf, writableSchema, type Calendar, type Stored, type Writable } from './model';
import { readRule } from './recurrence';
import type { CalendarState } from './state';

/** Only Google sets these; clients may send them back unchanged with an event. */
const READ_ONLY = 'kind etag id status htmlLink created updated creator organizer iCalUID sequence'
  .concat(' recurringEventId originalStartTime eventType attendeesOmitted')
  .split(' ');
/** The fields that a guest may set on a copy of another person's event. */
const OF_A_GUEST = ['attendees', 'colorId', 'reminders', 'transparency', 'visibility'];

/** One change: the events to store, and the id of the event in the answer. */
export interface Write {
  readonly id: string;
  /** The event's calendar after the change. */
  readonly calendar: Calendar;
  readonly events: Stored[];
  readonly sendUpdates?: string;
}

type Body = Record<string, unknown>;

export function insertEvent(
  state: CalendarState,
  calendar: Calendar,
  query: URLSearchParams,
  body: Body,
): Write {
  const sendUpdates = readSendUpdates(query);
  mayWrite(calendar);
  const id = z
    .string()
    .regex(/^[a-v0-9]{5,1024}$/)
    .default(() => randomBytes(13).toString('hex'))
    .safeParse(body['id']).data;
  if (id === undefined) throw invalid('Invalid resource id value.');
  if (state.find(calendar, id)) throw duplicate();
  const now = new Date().toISOString();
  const event: Stored = {
    ...readEvent(writable(body), calendar),
    ...{
      calendar: calendar.id,
      id,
      status: 'confirmed',
      version: 0,
      created: now,
      updated: now,
      sequence: 0,
    },
    ...{ organizer: calendar.id, creator: calendar.id },
  };
  return { id, calendar, events: [event], sendUpdates };
}

export function patchEvent(
  state: CalendarState,
  calendar: Calendar,
  id: string,
  query: URLSearchParams,
  body: Body,
  ifMatch: string | undefined,
): Write {
  const sendUpdates = readSendUpdates(query);
  const restores = body['status'] === 'confirmed';
  const event = forWriting(state, calendar, id, ifMatch, restores);
  const changes = writable(body);
  const isGuest = event.organizer !== calendar.id && event.guestsCanModify !== true;
  if (isGuest && Object.keys(changes).some((name) => !OF_A_GUEST.includes(name))) {
    throw new ApiError(
      403,
      'forbiddenForNonOrganizer',
      'Shared properties can only be changed by the organizer of the event.',
    );
  }
  const merged = readEvent(merge(pickWritable(event, true), changes), calendar);
  const onlyOwn = isGuest || body['attendeesOmitted'] === true;
  const attendees = onlyOwn ? ownAnswer(event, merged, calendar) : merged.attendees;
  const next = {
    ...(pickWritable(event, false) as Stored),
    ...merged,
    ...(attendees && { attendees }),
    ...(restores && { status: 'confirmed' as const }),
    sequence: event.sequence + 1,
  };
  return { id, calendar, events: [next], sendUpdates };
}

export function deleteEvent(
  state: CalendarState,
  calendar: Calendar,
  id: string,
  query: URLSearchParams,
  ifMatch: string | undefined,
): Write {
  const sendUpdates = readSendUpdates(query);
  const event = forWriting(state, calendar, id, ifMatch);
  return { id, calendar, events: [{ ...event, status: 'cancelled' }], sendUpdates };
}

export function moveEvent(
  state: CalendarState,
  calendar: Calendar,
  id: string,
  query: URLSearchParams,
): Write {
  const sendUpdates = readSendUpdates(query, ['destination']);
  const target = state.calendar(query.get('destination') ?? '');
  const event = forWriting(state, calendar, id, undefined);
  mayWrite(target);
  if (event.recurringEventId !== undefined) {
    throw new ApiError(400, 'cannotChangeOrganizerOfInstance', 'Cannot change the organizer of an instance.');
  }
  if (event.organizer !== calendar.id) {
    throw new ApiError(403, 'forbiddenForNonOrganizer', 'Only the organizer may move the event.');
  }
  if (target.id === calendar.id) throw invalid('The destination is the calendar of the event.');
  if ((state.find(target, id)?.status ?? 'cancelled') !== 'cancelled') throw duplicate();
  const parts = state.of(calendar).filter((part) => part.id === id || part.recurringEventId === id);
  const moved = parts.map((part) => ({ ...part, calendar: target.id, organizer: target.id }));
  const left = parts.map((part): Stored => ({ ...part, status: 'cancelled' }));
  return { id, calendar: target, events: [...moved, ...left], sendUpdates };
}

function mayWrite({ accessRole }: Calendar): void {
  if (accessRole !== 'reader') return;
  throw new ApiError(403, 'requiredAccessLevel', 'You need to have writer access to this calendar.');
}

function forWriting(
  state: CalendarState,
  calendar: Calendar,
  id: string,
  ifMatch: string | undefined,
  restores = false,
): Stored {
  const event = state.find(calendar, id);
  if (event === undefined) throw notFound();
  mayWrite(calendar);
  // The organizer's deleted events can be restored.
  if (event.status === 'cancelled' && !(restores && event.organizer === calendar.id)) throw deleted();
  if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== etagOf(event)) {
    const where = { location: 'If-Match', locationType: 'header' };
    throw new ApiError(412, 'conditionNotMet', 'Precondition Failed', where);
  }
  return event;
}

/** This calendar sends no notifications; the log records whom Google would have notified. */
function readSendUpdates(query: URLSearchParams, others: string[] = []): string | undefined {
  const value = readParameters(query, ['sendUpdates', ...others]).get('sendUpdates');
  if (value === undefined || ['all', 'externalOnly', 'none'].includes(value)) return value;
  throw new ApiError(
    400,
    'invalidParameter',
    `Invalid string value: '${value}'. Allowed values: [all, externalOnly, none]`,
  );
}

const writable = (body: Body): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !READ_ONLY.includes(name)));

const pickWritable = (event: Stored, isWritable: boolean): Body =>
  Object.fromEntries(Object.entries(event).filter(([name]) => name in writableSchema.shape === isWritable));

/** Merges objects by field, and replaces lists; null removes a field. */
function merge(before: Body, changes: Body): Body {
  const isObject = (value: unknown): value is Body =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  return Object.fromEntries(
    Object.entries({ ...before, ...changes }).flatMap(([name, value]) => {
      if (value === null) return [];
      const old = before[name];
      return [[name, name in changes && isObject(value) && isObject(old) ? merge(old, value) : value]];
    }),
  );
}

function readEvent(body: Body, calendar: Calendar): Writable {
  const parsed = writableSchema.safeParse({
    ...body,
    start: withOffset(body['start']),
    end: withOffset(body['end']),
  });
  if (!parsed.success)
    throw invalid(`Invalid event, or more than the local calendar keeps: ${describeIssues(parsed.error)}`);
  checkTimes(parsed.data, calendar);
  const { useDefault, overrides = [] } = parsed.data.reminders;
  if (useDefault && overrides.length > 0) throw bothReminders();
  if (parsed.data.recurrence !== undefined) readRule(parsed.data.recurrence);
  return parsed.data;
}

/** A time may be written as local time of its zone, without an offset. */
function withOffset(time: unknown): unknown {
  const { dateTime, timeZone } = (time ?? {}) as { dateTime?: unknown; timeZone?: unknown };
  if (typeof dateTime !== 'string' || typeof timeZone !== 'string' || !isZone(timeZone)) return time;
  const local = /(Z|[+-]\d\d:\d\d)$/.test(dateTime);
  const instant = local ? Date.parse(dateTime) : atWallClock(timeZone, Date.parse(`${dateTime}Z`));
  return Number.isNaN(instant) ? time : { ...(time as object), dateTime: formatInstant(timeZone, instant) };
}

/** The stored guests, with this calendar's own reply from the request. */
function ownAnswer(before: Stored, { attendees }: Writable, { id }: Calendar): Stored['attendees'] {
  const own = attendees?.find(({ email }) => email === id);
  return before.attendees?.map((guest) =>
    guest.email === id && own !== undefined ? { ...guest, responseStatus: own.responseStatus } : guest,
  );
}

const bothReminders = () =>
  new ApiError(
    400,
    'cannotUseDefaultRemindersAndSpecifyOverride',
    'Cannot specify both default reminders and overrides at the same time.',
  );

const duplicate = () => new ApiError(409, 'duplicate', 'The requested identifier already exists.');
