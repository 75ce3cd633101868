import type { PreparedBulkContext } from '../../../src/contract/items';
import { displayName } from '../../../src/provider/names';
import type { CalendarEvent } from './client';
import { changeOf } from './parameters';
import type { CalendarChange } from './parameters';

const TOLD = {
  all: 'Google tells all guests.',
  externalOnly: 'Google tells only the guests who do not use Google Calendar.',
  none: 'Google tells no guest.',
} as const;

/** What happens to each event, and which of its guests are told. */
export function describeCalendarChange(context: PreparedBulkContext): string {
  const change = changeOf(context);
  return `${sentence(change)} ${TOLD[change.send_updates]}`;
}

function sentence(change: CalendarChange): string {
  const from = `calendar '${change.calendar_name}'`;
  switch (change.action) {
    case 'delete':
      return `Deletes each event from the ${from}.`;
    case 'move':
      return `Moves each event from the ${from} to '${change.target_name}'.`;
    case 'patch':
      return `Sets ${settings(change.patch)} on each event of the ${from}.`;
    case 'shift':
      return `Shifts each event of the ${from} by ${duration(change.shift_minutes)}.`;
    case 'respond':
      return `Answers each invitation of the ${from} with '${change.response}'.`;
  }
}

function settings(patch: object): string {
  return Object.entries(patch)
    .map(([name, value]) => `${name} to ${JSON.stringify(value)}`)
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

/** `Stand-up, 2026-11-23 09:00`, in the time that Google writes it in. */
export function eventName({ summary, start, recurrence }: CalendarEvent): string {
  const when = start?.dateTime?.slice(0, 16).replace('T', ' ') ?? start?.date;
  const suffix = [when === undefined ? '' : `, ${when}`, recurrence === undefined ? '' : ' (series)'].join(
    '',
  );
  return displayName(summary ?? '', '(no title)', suffix);
}
