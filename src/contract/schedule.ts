import { z } from 'zod';

/** The maximum time by which a batch can be postponed. */
export const MAX_AHEAD_DAYS = 30;

/** A time with its offset from UTC. Without an offset, it would depend on the machine. */
export const momentSchema = z.iso.datetime({
  offset: true,
  error: 'must be a date and time of ISO 8601 with its offset from UTC, such as 2026-11-27T22:00:00+01:00',
});

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const clock = (pattern: RegExp, example: string) =>
  z.string().regex(pattern, `must be a time of day, such as ${example}`);

/** A daily window in which batches of a domain may begin. If `to` is not after `from`, it ends on the next day. */
export const windowRuleSchema = z
  .strictObject({
    /** The days on which the window begins. Default: every day. */
    days: z.array(z.enum(WEEKDAYS)).min(1).optional(),
    from: clock(/^(?:[01]\d|2[0-3]):[0-5]\d$/, '22:00'),
    to: clock(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, '06:00'),
    /** A name of the IANA database of time zones. */
    zone: z.string().min(1),
  })
  .refine(({ from, to }) => from !== to, {
    path: ['to'],
    message: 'must differ from "from"; for a whole day, write 00:00 and 24:00',
  });
export type WindowRule = z.infer<typeof windowRuleSchema>;

/** The offsets of a zone from UTC in minutes, each with the instant from which it applies. */
export type ZoneOffsets = readonly (readonly [since: number, minutes: number])[];

/**
 * A window with the offsets of its zone at the start of the operation. A workflow reads no time zones, because the
 * tables of the worker that replays its history may differ.
 */
export type FrozenWindow = ScheduledWindow & { offsets: ZoneOffsets };

/** A window of the domain or of the policy. A batch may begin while one of each is open. */
export type ScheduledWindow = WindowRule & { policy?: true };

/** The possible start of a batch, as stated in its question. The digest of the question covers it. */
export interface Schedule {
  /** The `not_before` of the start. */
  not_before?: string;
  /** The tool refuses every request until then. */
  throttled_until?: string;
  windows?: ScheduledWindow[];
}
