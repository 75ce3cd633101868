import type { z } from 'zod';
import type { Asked, Prepared } from '../kit/types';
import { mistake } from '../shared/failure';
import { notFound, withName } from '../shared/names';
import type { CalendarEntry } from './client';
import type { EventSearch, preparedChange } from './parameters';

/** Google's word for the account's own calendar, where its API takes a calendar's id. */
const PRIMARY = 'primary';
const MAY_WRITE = new Set(['owner', 'writer']);

/** A request with ids for the names of its calendars. @throws BatchgateError as `findCalendar`. */
export function withCalendars(
  calendars: readonly CalendarEntry[],
  { query, change: { calendar, target_calendar, ...change } }: Asked,
) {
  const named = (wanted: unknown) => {
    const one = findCalendar(calendars, String(wanted));
    return { id: one.id, name: calendarName(one) };
  };
  const source = named(calendar);
  const target = target_calendar === undefined ? undefined : named(target_calendar);
  if (target?.id === source.id)
    throw mistake(`The events are already in '${target.name}'`, 'Name another target_calendar.');
  return { query: query as EventSearch, change: { ...change, calendar: source, ...(target && { target }) } };
}

/** The calendars in which an event may be, the likely one first. */
export function placesOf({
  change: { calendar, target },
  undo,
}: Prepared<unknown, Pick<z.output<typeof preparedChange>, 'calendar' | 'target'>>): string[] {
  const places = [calendar, target].flatMap((one) => (one ? [one.id] : []));
  return undo ? places.reverse() : places;
}

/**
 * The account's calendar with this id or name, names in any case.
 * @throws BatchgateError `INVALID_INPUT` if there is none, if several have the name, or if it is read-only.
 */
function findCalendar(calendars: readonly CalendarEntry[], wanted: string): CalendarEntry {
  const matches = matching(calendars, wanted);
  const [one, ...others] = matches;
  if (others.length > 0) {
    const ids = matches.map(({ id }) => id).join(', ');
    throw mistake(`Several calendars are named '${wanted}'`, `Give the id of one of them: ${ids}.`);
  }
  if (one === undefined) {
    const [names, otherwise] = [calendars.map(calendarName), NOT_LISTED];
    throw notFound(`Calendar '${wanted}' not found`, wanted, { names, kinds: 'calendars', otherwise });
  }
  if (mayWrite(one)) return one;
  throw mistake(
    `The calendar '${calendarName(one)}' is read-only for this account (${one.accessRole})`,
    'Choose another calendar, or ask its owner for permission to change events.',
  );
}

const NOT_LISTED =
  "Give a name or an id from the account's list of calendars. Add a shared calendar to that list first.";

const mayWrite = ({ accessRole }: CalendarEntry): boolean =>
  accessRole === undefined || MAY_WRITE.has(accessRole);

/** The names of the calendars whose events this account may change. */
export const writableNames = (calendars: readonly CalendarEntry[]): string[] =>
  calendars.filter(mayWrite).map(calendarName);

/** The name that the account's owner gave it. */
const calendarName = ({ id, summary, summaryOverride }: CalendarEntry): string =>
  summaryOverride ?? summary ?? id;

function matching(calendars: readonly CalendarEntry[], wanted: string): readonly CalendarEntry[] {
  const byId = calendars.filter(
    ({ id, primary }) => id === wanted || (wanted === PRIMARY && primary === true),
  );
  return byId.length > 0 ? byId : withName(calendars, wanted, calendarName);
}
