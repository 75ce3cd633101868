import type { ZoneOffsets } from '../../contract/schedule';

/** Wall-clock time in a time zone, by the tables of `Intl` or by known offsets. */

const MINUTE_MS = 60_000;
export const DAY_MS = 1_440 * MINUTE_MS;

/** A name of the IANA database, a fixed offset from UTC in minutes, or the offsets of a zone with their times. */
export type Zone = string | number | ZoneOffsets;

const formats = new Map<string, Intl.DateTimeFormat | undefined>();

/** The format of a zone; undefined for a name that is not in the tables of `Intl`. */
function formatFor(zone: string): Intl.DateTimeFormat | undefined {
  if (!formats.has(zone)) {
    let format: Intl.DateTimeFormat | undefined;
    try {
      format = new Intl.DateTimeFormat('en-US', {
        timeZone: zone,
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      });
    } catch {
      format = undefined;
    }
    formats.set(zone, format);
  }
  return formats.get(zone);
}

export const isZone = (name: string): boolean => formatFor(name) !== undefined;

/** The offset of a zone from UTC at an instant, in minutes. */
export function offsetAt(zone: Zone, instant: number): number {
  if (typeof zone === 'number') return zone;
  if (typeof zone !== 'string') return (zone.findLast(([since]) => since <= instant) ?? zone[0])?.[1] ?? 0;
  const parts = formatFor(zone)?.formatToParts(instant);
  if (parts === undefined) throw new RangeError(`no time zone ${zone}`);
  const part = (type: string) => Number(parts.find((entry) => entry.type === type)?.value);
  const wall = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return Math.round((wall - Math.floor(instant / 1_000) * 1_000) / MINUTE_MS);
}

/** The local time of the zone at an instant, as the milliseconds of the same time in UTC. */
export const wallClock = (zone: Zone, instant: number): number =>
  instant + offsetAt(zone, instant) * MINUTE_MS;

/**
 * The instant at which the zone's local time is `wall`. A time that occurs twice means its first occurrence. A skipped
 * time is read with the offset before the change (RFC 5545, section 3.3.5).
 */
export function atWallClock(zone: Zone, wall: number): number {
  const [before, after] = [wall - DAY_MS, wall + DAY_MS].map((near) => offsetAt(zone, near));
  const candidates = [before!, after!].map((offset) => wall - offset * MINUTE_MS);
  return candidates.find((instant) => wallClock(zone, instant) === wall) ?? candidates[0]!;
}

/** Formats an instant by RFC 3339, in seconds and with the zone's offset. */
export function formatInstant(zone: Zone, instant: number): string {
  const offset = offsetAt(zone, instant);
  const local = new Date(instant + offset * MINUTE_MS).toISOString().slice(0, 19);
  if (offset === 0) return `${local}Z`;
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  const digits = (value: number) => String(value).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${digits(hours)}:${digits(minutes)}`;
}

/** Adds days to a date. */
export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
