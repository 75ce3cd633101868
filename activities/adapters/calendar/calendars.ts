import type { z } from 'zod';
import type { Asked, Prepared } from '../kit/types';
import { mistake } from '../shared/failure';
import { notFound, withName } from '../shared/names';
import type { CalendarEntry } from './client';
import type { EventSearch, preparedChange } from './parameters';

/** Google's API accepts this in place of the id of the account's own calendar. */
const PRIMARY = 'primary';
const MAY_WRITE = new Set(['owner', 'writer']);

/** Replaces the names of the calendars in a request by ids. @throws BatchgateError as `findCalendar`. */
export function withCalendars(
  calendars: readonly CalendarEntry[],
  { query, change: { calendar, target_calendar, ...change } }: Asked,
) {
  const entryNamed = (name: unknown) => {
    const entry = findCalendar(calendars, String(name));
    return { id: entry.id, name: calendarName(entry) };
  };
  const source = entryNamed(calendar);
  const target = target_calendar === undefined ? undefined : entryNamed(target_calendar);
  if (target?.id === source.id)
    throw mistake(`The events are already in '${target.name}'`, 'Name another target_calendar.');
  return { query: query as EventSearch, change: { ...change, calendar: source, ...(target && { target }) } };
}

type PreparedCalendars = Prepared<unknown, Pick<z.output<typeof preparedChange>, 'calendar' | 'target'>>;

/** Returns the names of the calendars of a change. */
export const calendarsNamed = ({ change: { calendar, target } }: PreparedCalendars) => ({
  calendar: calendar.name,
  ...(target && { target_calendar: target.name }),
});

/** Returns the ids of the calendars that can contain the event, the more likely one first. */
export function placesOf({ change: { calendar, target }, undo }: PreparedCalendars): string[] {
  const places = [calendar, target].flatMap((entry) => (entry ? [entry.id] : []));
  return undo ? places.reverse() : places;
}

/**
 * Returns the account's calendar with this id or name. Case is ignored in names.
 * @throws BatchgateError `INVALID_INPUT` if there is none, if several have the name, or if it is read-only.
 */
function findCalendar(calendars: readonly CalendarEntry[], name: string): CalendarEntry {
  const matches = matching(calendars, name);
  const [entry, ...others] = matches;
  if (others.length > 0) {
    const ids = matches.map(({ id }) => id).join(', ');
    throw mistake(`Several calendars are named '${name}'`, `Give the id of one of them: ${ids}.`);
  }
  if (entry === undefined) {
    const [names, otherwise] = [calendars.map(calendarName), NOT_LISTED];
    throw notFound(`Calendar '${name}' not found`, name, { names, kinds: 'calendars', otherwise });
  }
  if (mayWrite(entry)) return entry;
  throw mistake(
    `The calendar '${calendarName(entry)}' is read-only for this account (${entry.accessRole})`,
    'Choose another calendar, or ask its owner for permission to change events.',
  );
}

const NOT_LISTED =
  "Give a name or an id from the account's list of calendars. Add a shared calendar to that list first.";

const mayWrite = ({ accessRole }: CalendarEntry): boolean =>
  accessRole === undefined || MAY_WRITE.has(accessRole);

/** Returns the names of the calendars whose events this account may change. */
export const writableNames = (calendars: readonly CalendarEntry[]): string[] =>
  calendars.filter(mayWrite).map(calendarName);

/** Returns the account owner's own name for the calendar, if any. */
const calendarName = ({ id, summary, summaryOverride }: CalendarEntry): string =>
  summaryOverride ?? summary ?? id;

function matching(calendars: readonly CalendarEntry[], name: string): readonly CalendarEntry[] {
  const byId = calendars.filter(({ id, primary }) => id === name || (name === PRIMARY && primary === true));
  return byId.length > 0 ? byId : withName(calendars, name, calendarName);
}
