import { z } from 'zod';
import { openLog } from '../log';
import { notFound } from './api';
import { storedSchema, type Calendar, type Stored } from './model';
import { occurrences, stamp } from './recurrence';
import { CALENDARS, seedEvents } from './seed';

/** The changes of one request, and the people whom Google would have notified. */
const entrySchema = z.object({
  request: z.string(),
  sendUpdates: z.string().optional(),
  events: z.array(storedSchema),
});

/** All events of all calendars: the sample events with the changes of the log. */
export type CalendarState = Awaited<ReturnType<typeof openState>>;

export async function openState(path: string) {
  const log = await openLog(path, entrySchema);
  const events = new Map<string, Stored>();
  const keep = (event: Stored) => events.set(`${event.calendar} ${event.id}`, event);
  const stored = (calendar: Calendar, id: string) => events.get(`${calendar.id} ${id}`);
  seedEvents().forEach(keep);
  log.entries.forEach((entry) => entry.events.forEach(keep));
  let version = Math.max(...[...events.values()].map((event) => event.version));
  return {
    calendars: CALENDARS,
    /** The calendar with the id of a path. */
    calendar(id: string): Calendar {
      const calendar = CALENDARS.find((entry) => entry.id === id || (id === 'primary' && entry.primary));
      if (calendar === undefined) throw notFound();
      return calendar;
    },
    /** In order of creation. */
    of: (calendar: Calendar): Stored[] =>
      [...events.values()].filter((event) => event.calendar === calendar.id),
    /** An event, a series, or one occurrence of a series, including deleted ones. */
    find(calendar: Calendar, id: string): Stored | undefined {
      const event = stored(calendar, id);
      const [, masterId] = /^(.+)_\d{8}(?:T\d{6}Z)?$/.exec(id) ?? [];
      const master = stored(calendar, event?.recurringEventId ?? masterId ?? '');
      if (master === undefined) return event;
      const own = event ?? expand(master).find((occurrence) => occurrence.id === id);
      return own && { ...own, status: master.status === 'cancelled' ? 'cancelled' : own.status };
    },
    /** Writes these events to the disk as new versions, which reads then return. */
    async put(request: string, sendUpdates: string | undefined, changed: Stored[]): Promise<void> {
      const updated = new Date().toISOString();
      const versions = changed.map((event, n) => ({ ...event, updated, version: version + n + 1 }));
      await log.append({ request, sendUpdates, events: versions });
      version += versions.length;
      versions.forEach(keep);
    },
    close: () => log.close(),
  };
}

/** The occurrences of a series according to its rule. */
export function expand(master: Stored): Stored[] {
  const { recurrence, ...event } = master;
  if (recurrence === undefined) return [];
  return occurrences(master, recurrence).map((times) => ({
    ...event,
    ...times,
    id: `${master.id}_${stamp(times.start)}`,
    recurringEventId: master.id,
    originalStartTime: times.start,
  }));
}
