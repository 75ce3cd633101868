import { z } from 'zod';

const moment = z.iso.datetime({ offset: true });

export const isInOrder = ({ time_min, time_max }: { time_min?: string; time_max?: string }): boolean =>
  time_min === undefined || time_max === undefined || Date.parse(time_min) < Date.parse(time_max);
export const NOT_IN_ORDER = { error: 'time_max is not after time_min' };

export const query = z
  .strictObject({
    text: z.string().trim().min(1).max(500).optional().describe('Words in the title, place, guests or notes'),
    time_min: moment.optional().describe('Events that end after this moment (RFC 3339)'),
    time_max: moment.optional().describe('Events that start before this moment (RFC 3339)'),
    single_events: z
      .boolean()
      .describe('true: each occurrence of a series is an item; false: a whole series is one item'),
  })
  .refine(isInOrder, NOT_IN_ORDER);
export type EventSearch = z.output<typeof query>;

export const SEND_UPDATES = ['all', 'externalOnly', 'none'] as const;
export const calendarName = z.string().trim().min(1).max(500);

/** Part of the change, although the search needs them too, because explicit items do not name their calendar. */
export const everyChange = {
  calendar: calendarName.describe('The calendar that the events are in: its name, its id, or "primary"'),
  send_updates: z
    .enum(SEND_UPDATES)
    .describe('Which guests Google notifies: all, externalOnly (those without Google Calendar), none'),
};

const reminders = z
  .strictObject({
    useDefault: z.boolean(),
    overrides: z
      .array(
        z.strictObject({ method: z.enum(['email', 'popup']), minutes: z.number().int().min(0).max(40_320) }),
      )
      .max(5)
      .optional(),
  })
  .refine(({ useDefault, overrides = [] }) => !useDefault || overrides.length === 0, {
    error: 'give useDefault or overrides, not both',
  });

/** Google's own names and values (https://developers.google.com/workspace/calendar/api/v3/reference/events). */
export const patchFields = z
  .strictObject({
    colorId: z
      .string()
      .regex(/^([1-9]|1[01])$/, '"1" to "11"')
      .optional(),
    visibility: z.enum(['default', 'public', 'private', 'confidential']).optional(),
    transparency: z.enum(['opaque', 'transparent']).optional(),
    summary: z.string().trim().min(1).max(500).optional(),
    location: z.string().trim().max(500).optional(),
    reminders: reminders.optional(),
  })
  .refine((fields) => Object.keys(fields).length > 0, 'names no field');
export type EventPatch = z.output<typeof patchFields>;

/** Ten years, in minutes. */
const MAX_SHIFT = 5_256_000;

export const shiftMinutesSchema = z
  .number()
  .int()
  .min(-MAX_SHIFT)
  .max(MAX_SHIFT)
  .refine((minutes) => minutes !== 0, 'is 0, which changes nothing')
  .describe('Positive is later, negative earlier; whole days keep the local time of the event');
export const RESPONSES = ['accepted', 'declined', 'tentative'] as const;

const named = z.object({ id: z.string().min(1), name: z.string() });

/** The change of a prepared request, with the ids of its calendars. */
export const preparedChange = z.object({
  calendar: named,
  target: named.optional(),
  shift_minutes: z.number().int().optional(),
  response: z.enum(RESPONSES).optional(),
});
