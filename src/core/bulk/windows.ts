import { z } from 'zod';
import { BatchgateError } from '../../contract/errors';
import {
  WEEKDAYS,
  windowRuleSchema,
  type FrozenWindow,
  type ScheduledWindow,
  type WindowRule,
  type ZoneOffsets,
} from '../../contract/schedule';
import { atWallClock, DAY_MS, isZone, offsetAt, wallClock } from '../shared/zoned-time';
import type { AdapterRegistry } from './registry';

/** Batches begin only within the windows of their domain. All times are milliseconds since the epoch. */

const MINUTE_MS = 60_000;
/** The number of days with known offsets: an operation may wait for a year. After that, the last offset applies. */
const KNOWN_DAYS = 800;
/** The number of days to search. Two weeks have every weekday, even if a clock change skips the window of one. */
const LOOK_DAYS = 15;

/** Alternative windows: a batch may begin in any of them. */
export const windowListSchema = z
  .array(
    windowRuleSchema.refine(({ zone }) => isZone(zone), {
      path: ['zone'],
      message: 'is not a name of the IANA database of time zones, such as Europe/Berlin',
    }),
  )
  .min(1)
  .max(20);

/** The windows of the configuration, by domain. */
export const windowsSchema = z.record(z.string().min(1), windowListSchema);
export type Windows = z.infer<typeof windowsSchema>;

/** @throws BatchgateError `NOT_CONFIGURED` for windows of a domain that no adapter has: they would limit nothing. */
export function refuseUnknownDomains(windows: Windows, adapters: AdapterRegistry): void {
  const domains = adapters.list().map(({ toolName }) => toolName);
  const unknown = Object.keys(windows).find((domain) => !domains.includes(domain));
  if (unknown === undefined) return;
  throw new BatchgateError(
    'NOT_CONFIGURED',
    `windows names the domain ${unknown}, and there is no such adapter.`,
    `Use one of: ${domains.sort().join(', ')}.`,
  );
}

/** The windows with the offsets of their zones from now on. */
export function frozenWindows(rules: readonly WindowRule[], now: number): FrozenWindow[] {
  return rules.map((rule) => ({ ...rule, offsets: offsetsOf(rule.zone, now) }));
}

function offsetsOf(zone: string, now: number): ZoneOffsets {
  const from = Math.floor(now / DAY_MS) * DAY_MS - 2 * DAY_MS;
  const offsets: [number, number][] = [[from, offsetAt(zone, from)]];
  for (let day = from; day < from + KNOWN_DAYS * DAY_MS; day += DAY_MS) {
    const [before, after] = [offsetAt(zone, day), offsetAt(zone, day + DAY_MS)];
    if (before !== after) offsets.push([changeBetween(zone, day, day + DAY_MS), after]);
  }
  return offsets;
}

/** The minute between two instants from which the offset of the later one applies. */
function changeBetween(zone: string, before: number, after: number): number {
  const offset = offsetAt(zone, after);
  let [low, high] = [before, after];
  while (high - low > MINUTE_MS) {
    const middle = Math.floor((low + high) / 2 / MINUTE_MS) * MINUTE_MS;
    if (offsetAt(zone, middle) === offset) high = middle;
    else low = middle;
  }
  return high;
}

/** The first instant at or after this one at which a batch may begin. */
export function openAt(windows: readonly FrozenWindow[] | undefined, instant: number): number {
  if (!windows?.length) return instant;
  const next = openings(windows, instant)[0];
  // The windows of the domain and the policy may overlap in later weeks, so the search continues there.
  return next ? Math.max(next.from, instant) : instant + LOOK_DAYS * DAY_MS;
}

/** Whether no batch could ever begin: the windows of the domain and of the policy do not overlap. */
export const neverOpens = (windows: readonly FrozenWindow[], now: number): boolean =>
  windows.length > 0 && openings(windows, now).length === 0;

/** The end of the window of a batch that begins at this instant; undefined if it can begin at any time. */
export function closesAt(windows: readonly FrozenWindow[] | undefined, instant: number): number | undefined {
  return windows?.length ? openings(windows, instant)[0]?.to : undefined;
}

interface Opening {
  from: number;
  to: number;
}

/** The openings from an instant on, in order. If the domain and the policy have windows, both must be open. */
function openings(windows: readonly FrozenWindow[], instant: number): Opening[] {
  return bySource(windows)
    .map((group) => joined(group.flatMap((window) => openingsOf(window, instant))))
    .reduce((some, others) =>
      some.flatMap((a) =>
        others.map((b) => ({ from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) })).filter(isOpen),
      ),
    )
    .filter(({ to }) => to > instant);
}

const isOpen = ({ from, to }: Opening): boolean => from < to;

/** The windows of the domain and those of the policy, without empty lists. */
const bySource = <W extends ScheduledWindow>(windows: readonly W[]): W[][] =>
  [undefined, true]
    .map((source) => windows.filter(({ policy }) => policy === source))
    .filter((group) => group.length > 0);

/** Sorts openings, and merges those that touch or overlap. */
function joined(all: readonly Opening[]): Opening[] {
  const whole: Opening[] = [];
  for (const opening of all.filter(isOpen).sort((a, b) => a.from - b.from)) {
    const last = whole.at(-1);
    if (last && opening.from <= last.to) last.to = Math.max(last.to, opening.to);
    else whole.push({ ...opening });
  }
  return whole;
}

function openingsOf({ days, from, to, offsets }: FrozenWindow, instant: number): Opening[] {
  const today = Math.floor(wallClock(offsets, instant) / DAY_MS) * DAY_MS;
  const [begin, end] = [minutesOf(from), minutesOf(to)];
  const length = end > begin ? 0 : DAY_MS;
  return Array.from({ length: LOOK_DAYS + 1 }, (_, at) => today + (at - 1) * DAY_MS)
    .filter((day) => days?.includes(weekdayOf(day)) ?? true)
    .map((day) => ({
      from: atWallClock(offsets, day + begin * MINUTE_MS),
      to: atWallClock(offsets, day + length + end * MINUTE_MS),
    }));
}

/** The first of January 1970 was a Thursday. */
const weekdayOf = (day: number): (typeof WEEKDAYS)[number] =>
  WEEKDAYS[(((day / DAY_MS + 3) % 7) + 7) % 7] ?? 'mon';

function minutesOf(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return hours * 60 + minutes;
}

const DAY_NAMES: Record<(typeof WEEKDAYS)[number], string> = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
};

/** The windows in a phrase: `from 22:00 to 06:00 (Europe/Berlin)`. */
export function windowWords(windows: readonly ScheduledWindow[]): string {
  return bySource(windows)
    .map((group) => group.map(oneWindow).join('; '))
    .join(', and by the policy only ');
}

function oneWindow({ days, from, to, zone }: WindowRule): string {
  const on = days && days.length < 7 ? `on ${days.map((day) => DAY_NAMES[day]).join(', ')} ` : '';
  return `${on}from ${from} to ${to} (${zone})`;
}
