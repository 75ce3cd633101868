import type { CalendarEvent, EventTime } from './client';
import type { Frozen } from './frozen';
import type { CalendarChange, EventPatch } from './parameters';

/** Whether an event that exists shows the change. */
export function isApplied(event: CalendarEvent, change: CalendarChange, frozen: Frozen | undefined): boolean {
  switch (change.action) {
    case 'delete':
      return false;
    case 'move':
      // A target that was a guest has an event with the same id before the move, too.
      return event.organizer?.self === true;
    case 'patch':
      return showsPatch(event, change.patch);
    case 'shift':
      // Without a plan the times were computed from the event during execution, and Google's answer counts.
      return frozen === undefined || (sameTime(event.start, frozen.start) && sameTime(event.end, frozen.end));
    case 'respond':
      return event.attendees?.find(({ self }) => self === true)?.responseStatus === change.response;
  }
}

/** Google omits these values from its answers. */
const DEFAULTS: Partial<Record<keyof EventPatch, string>> = {
  visibility: 'default',
  transparency: 'opaque',
  location: '',
};

function showsPatch(event: CalendarEvent, patch: EventPatch): boolean {
  const { reminders, ...texts } = patch;
  const names = Object.keys(texts) as (keyof typeof texts)[];
  return (
    names.every((name) => (event[name] ?? DEFAULTS[name]) === texts[name]) &&
    (reminders === undefined || reminderKey(event.reminders) === reminderKey(reminders))
  );
}

function reminderKey(reminders: CalendarEvent['reminders']): string {
  const overrides = (reminders?.overrides ?? []).map(({ method, minutes }) => `${method} ${minutes}`);
  return JSON.stringify([reminders?.useDefault ?? false, overrides.sort()]);
}

/** Google writes times in the calendar's offset, whatever offset was sent. */
function sameTime(one: EventTime | undefined, other: EventTime | undefined): boolean {
  if (one?.date !== undefined || other?.date !== undefined) return one?.date === other?.date;
  return Date.parse(one?.dateTime ?? '') === Date.parse(other?.dateTime ?? '');
}
