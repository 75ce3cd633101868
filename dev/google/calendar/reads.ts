import { cutPage, flag, invalid, moment, pageSize, readParameters } from './api';
import { etagOf, render, span, type Calendar, type Stored } from './model';
import { expand, type CalendarState } from './state';

const DEFAULT_REMINDERS = [{ method: 'popup', minutes: 10 }];
const LIST_PARAMETERS = ['maxResults', 'pageToken'];

export function listCalendars({ calendars }: CalendarState, query: URLSearchParams): object {
  const parameters = readParameters(query, [
    ...LIST_PARAMETERS,
    'showHidden',
    'showDeleted',
    'minAccessRole',
  ]);
  const { page, next } = cutPage(parameters, calendars, pageSize(parameters, 100, 250));
  return {
    kind: 'calendar#calendarList',
    etag: '"p1"',
    ...next,
    items: page.map(({ id, summary, timeZone, accessRole, primary }) => ({
      kind: 'calendar#calendarListEntry',
      etag: '"1"',
      id,
      summary,
      timeZone,
      accessRole,
      ...(primary && { primary }),
      selected: true,
      defaultReminders: DEFAULT_REMINDERS,
    })),
  };
}

/** `events.list` without synchronisation and without deleted events. */
export function listEvents(state: CalendarState, calendar: Calendar, query: URLSearchParams): object {
  const parameters = readParameters(query, [
    ...LIST_PARAMETERS,
    'orderBy',
    'q',
    'showDeleted',
    'singleEvents',
    'timeMax',
    'timeMin',
  ]);
  const single = flag(parameters, 'singleEvents');
  if (flag(parameters, 'showDeleted')) throw invalid('The local calendar does not list deleted events');
  const orderBy = parameters.get('orderBy');
  if (orderBy !== undefined && !(orderBy === 'startTime' && single)) {
    throw invalid('The requested ordering is not available for the particular query.');
  }
  const [timeMin, timeMax] = [moment(parameters, 'timeMin'), moment(parameters, 'timeMax')];
  if (timeMin !== undefined && timeMax !== undefined && timeMin >= timeMax) {
    throw invalid('The specified time range is empty.');
  }
  const words = (parameters.get('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const all = single ? singleEvents(state, calendar) : ownEvents(state, calendar);
  if (orderBy === 'startTime') all.sort(byStart(calendar));
  const { page, next } = cutPage(parameters, all, pageSize(parameters, 250, 2_500));
  const within = (event: Stored) => {
    const { from, to } = span(event, calendar);
    return to > (timeMin ?? -Infinity) && from < (timeMax ?? Infinity);
  };
  const events = page
    .filter((event) => words.every((word) => textOf(event).includes(word)))
    .filter((event) => (event.recurrence === undefined ? within(event) : expand(event).some(within)));
  return {
    kind: 'calendar#events',
    etag: etagOf({ version: Math.max(0, ...all.map(({ version }) => version)) }),
    summary: calendar.summary,
    updated:
      all
        .map(({ updated }) => updated)
        .sort()
        .at(-1) ?? new Date(0).toISOString(),
    timeZone: calendar.timeZone,
    accessRole: calendar.accessRole,
    defaultReminders: DEFAULT_REMINDERS,
    ...next,
    items: events.map((event) => render(event, calendar)),
  };
}

/** Events and series, with the changed and cancelled occurrences of a series, as in Google's list. */
function ownEvents(state: CalendarState, calendar: Calendar): Stored[] {
  const all = state.of(calendar);
  const live = new Set(all.filter(({ status }) => status !== 'cancelled').map(({ id }) => id));
  return all.filter(({ id, recurringEventId }) => live.has(recurringEventId ?? id));
}

function singleEvents(state: CalendarState, calendar: Calendar): Stored[] {
  const own = ownEvents(state, calendar);
  const stored = new Set(own.map(({ id }) => id));
  return own
    .flatMap((event) =>
      event.recurrence === undefined ? [event] : expand(event).filter(({ id }) => !stored.has(id)),
    )
    .filter(({ status }) => status !== 'cancelled');
}

const byStart = (calendar: Calendar) => (one: Stored, other: Stored) =>
  span(one, calendar).from - span(other, calendar).from || (one.id < other.id ? -1 : 1);

function textOf({ summary, description, location, attendees = [] }: Stored): string {
  const guests = attendees.flatMap(({ email, displayName }) => [email, displayName]);
  return [summary, description, location, ...guests].filter(Boolean).join('\n').toLowerCase();
}
