import { z } from 'zod';
import type { AdapterAction } from '../../../src/contract/adapter';
import type { PreparedBulkContext } from '../../../src/contract/items';
import { notPrepared } from '../shared/actions';

const moment = z.iso.datetime({ offset: true });

const query = z
  .strictObject({
    text: z.string().trim().min(1).max(500).optional().describe('Words in the title, place, guests or notes'),
    time_min: moment.optional().describe('Events that end after this moment (RFC 3339)'),
    time_max: moment.optional().describe('Events that start before this moment (RFC 3339)'),
    single_events: z
      .boolean()
      .describe('true: each occurrence of a series is an item; false: a whole series is one item'),
  })
  .refine(
    ({ time_min, time_max }) =>
      time_min === undefined || time_max === undefined || Date.parse(time_min) < Date.parse(time_max),
    { error: 'time_max is not after time_min' },
  );
export type EventSearch = z.output<typeof query>;

const SEND_UPDATES = ['all', 'externalOnly', 'none'] as const;
const calendarName = z.string().trim().min(1).max(500);

/** In the change, although the search needs it too: explicit items do not name their calendar. */
const everyChange = {
  calendar: calendarName.describe('The calendar that the events are in: its name, its id, or "primary"'),
  send_updates: z
    .enum(SEND_UPDATES)
    .describe('Which guests Google notifies: all, externalOnly (those without Google Calendar), none'),
};

const reminders = z.strictObject({
  useDefault: z.boolean(),
  overrides: z
    .array(
      z.strictObject({ method: z.enum(['email', 'popup']), minutes: z.number().int().min(0).max(40_320) }),
    )
    .max(5)
    .optional(),
});

/** Google's own names and values (https://developers.google.com/workspace/calendar/api/v3/reference/events). */
const patchFields = z
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
const RESPONSES = ['accepted', 'declined', 'tentative'] as const;

const action = (
  description: string,
  change: z.ZodObject,
  words: Pick<AdapterAction, 'phrase' | 'shortName'> = {},
): AdapterAction => ({
  description,
  ...words,
  undo: true,
  query,
  change: change.extend(everyChange),
});

export const CALENDAR_ACTIONS = {
  delete: action('Delete events', z.strictObject({})),
  move: action(
    'Move events to another calendar',
    z.strictObject({ target_calendar: calendarName.describe('The calendar to move them to: name or id') }),
  ),
  patch: action(
    'Set colour, visibility, availability, title, place or reminders of events',
    z.strictObject({ patch: patchFields.describe("The fields to set, by Google's names") }),
    { phrase: 'change {items}', shortName: 'change' },
  ),
  shift: action(
    'Shift events in time',
    z.strictObject({
      shift_minutes: z
        .number()
        .int()
        .min(-MAX_SHIFT)
        .max(MAX_SHIFT)
        .refine((minutes) => minutes !== 0, 'is 0, which changes nothing')
        .describe('Positive is later, negative earlier; whole days keep the local time of the event'),
    }),
  ),
  respond: action(
    'Answer invitations',
    z.strictObject({ response: z.enum(RESPONSES).describe('The reply of this calendar to the invitation') }),
    { phrase: 'answer the invitations to {items}', shortName: 'answer' },
  ),
} as const satisfies Record<string, AdapterAction>;

const place = {
  calendar_id: z.string().min(1),
  calendar_name: z.string(),
  send_updates: z.enum(SEND_UPDATES),
};

/** The change of a prepared context, with the ids of its calendars. */
const changeSchema = z.discriminatedUnion('action', [
  z.object({ action: z.literal('delete'), ...place }),
  z.object({ action: z.literal('move'), ...place, target_id: z.string().min(1), target_name: z.string() }),
  z.object({ action: z.literal('patch'), ...place, patch: patchFields }),
  z.object({ action: z.literal('shift'), ...place, shift_minutes: z.number().int() }),
  z.object({ action: z.literal('respond'), ...place, response: z.enum(RESPONSES) }),
]);
export type CalendarChange = z.output<typeof changeSchema>;

/** @throws BatchgateError `INVALID_INPUT` when this adapter did not prepare the context. */
export function changeOf({ action: name, action_params }: PreparedBulkContext): CalendarChange {
  const parsed = changeSchema.safeParse({ ...action_params, action: name });
  if (parsed.success) return parsed.data;
  throw notPrepared('calendar', 'its change is incomplete');
}

/** @throws BatchgateError `INVALID_INPUT` when there is none, as for explicit items. */
export function searchOf({ query_params }: PreparedBulkContext): EventSearch {
  const parsed = query.safeParse(query_params);
  if (parsed.success) return parsed.data;
  throw notPrepared('calendar', 'its search is missing');
}

/** The parts of the search that a prepared context has. */
export function searchIn({ query_params }: PreparedBulkContext): Partial<EventSearch> {
  return query.safeParse(query_params).data ?? {};
}
