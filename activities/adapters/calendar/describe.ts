import type { Change } from '../../../src/contract/change';
import type { PreparedBulkContext } from '../../../src/contract/items';
import { valueText } from '../../../src/core/bulk/change';
import { nameText, quoted } from '../../../src/core/shared/plain-text';
import { displayName } from '../shared/names';
import type { CalendarEvent } from './client';
import { changeOf, searchIn, type CalendarChange, type EventSearch } from './parameters';

const TOLD = {
  all: 'Google tells all guests.',
  externalOnly: 'Google tells only the guests who do not use Google Calendar.',
  none: 'Google tells no guest.',
} as const;
const EMPTIED = 'Google empties the bin of the calendar, 30 days later';

/** What happens to each event, and which guests are notified. */
export function describeCalendarChange(context: PreparedBulkContext): Change {
  const change = changeOf(context);
  const told = change.send_updates !== 'none';
  return {
    summary: `${sentence(change, which(searchIn(context)))} ${TOLD[change.send_updates]}`,
    fields: [
      { name: 'calendar', to: change.calendar_name },
      ...fieldsOf(change),
      { name: 'guests told', to: change.send_updates },
    ],
    ...undo(change, told),
  };
}

/** A notice to a guest cannot be undone. */
function undo({ action }: CalendarChange, told: boolean): Pick<Change, 'reversible' | 'until'> {
  return { reversible: told ? 'partly' : 'yes', ...(action === 'delete' && { until: EMPTIED }) };
}

function sentence(change: CalendarChange, found: string): string {
  const place = `of the calendar ${quoted(change.calendar_name)}${found}`;
  switch (change.action) {
    case 'delete':
      return `Delete each event ${place}.`;
    case 'move':
      return `Move each event ${place} to the calendar ${quoted(change.target_name)}.`;
    case 'patch':
      return `Set ${settings(change.patch)} on each event ${place}.`;
    case 'shift':
      return `Make each event ${place} start and end ${duration(change.shift_minutes)}.`;
    case 'respond':
      return `Answer each invitation ${place} with ${quoted(change.response)}.`;
  }
}

/** The search in words; explicit items have none. */
function which({ text, time_min, time_max }: Partial<EventSearch>): string {
  return [
    ...(text === undefined ? [] : [` that matches ${quoted(text)}`]),
    ...(time_min === undefined ? [] : [` after ${nameText(time_min)}`]),
    ...(time_max === undefined
      ? []
      : [`${time_min === undefined ? '' : ' and'} before ${nameText(time_max)}`]),
  ].join('');
}

function fieldsOf(change: CalendarChange): Change['fields'] {
  switch (change.action) {
    case 'delete':
      return [];
    case 'move':
      return [{ name: 'target calendar', from: change.calendar_name, to: change.target_name }];
    case 'patch':
      return Object.entries(change.patch).map(([name, value]) => ({ name, to: valueText(value) }));
    case 'shift':
      return [{ name: 'start and end', to: duration(change.shift_minutes) }];
    case 'respond':
      return [{ name: 'response', to: change.response }];
  }
}

function settings(patch: object): string {
  return Object.entries(patch)
    .map(([name, value]) => `${name} to ${quoted(valueText(value))}`)
    .join(' and ');
}

/** `1 day and 30 minutes later`. */
function duration(minutes: number): string {
  const size = Math.abs(minutes);
  const parts: [number, string][] = [
    [Math.floor(size / 1_440), 'day'],
    [Math.floor((size % 1_440) / 60), 'hour'],
    [size % 60, 'minute'],
  ];
  const told = parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`);
  return `${told.join(' and ')} ${minutes < 0 ? 'earlier' : 'later'}`;
}

/** `Stand-up, 2026-11-23 09:00`, in the time zone that Google writes. */
export function eventName({ summary, start, recurrence }: CalendarEvent): string {
  const when = start?.dateTime?.slice(0, 16).replace('T', ' ') ?? start?.date;
  const suffix = [when === undefined ? '' : `, ${when}`, recurrence === undefined ? '' : ' (series)'].join(
    '',
  );
  return displayName(summary ?? '', '(no title)', suffix);
}
