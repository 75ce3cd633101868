import { z } from 'zod';
import {
  calendarName,
  isInOrder,
  NOT_IN_ORDER,
  preparedChange,
  query as inGoogle,
} from '../calendar/parameters';

export const query = z
  .strictObject({
    ...inGoogle.shape,
    single_events: z
      .boolean()
      .describe('false: a whole series is one item; true: series are listed and not changed'),
  })
  .refine(isInOrder, NOT_IN_ORDER);

/** Part of the change, although the search needs them too, because explicit items do not name their calendar. */
export const everyChange = {
  calendar: calendarName.describe('The calendar that the events are in: its name or its address'),
  send_updates: z
    .enum(['all', 'none'])
    .describe('Whether a server that sends notices to guests may send them: all, none'),
};

/** The fields that a patch sets, each with its property and the default of that property. */
export const PATCHED: Readonly<Record<keyof z.output<typeof patchFields>, [string, usual?: string]>> = {
  ...{ summary: ['SUMMARY'], location: ['LOCATION'], visibility: ['CLASS', 'default'] },
  ...{ transparency: ['TRANSP', 'opaque'], color: ['COLOR'] },
};

export const patchFields = z
  .strictObject({
    summary: z.string().trim().min(1).max(500).optional(),
    location: z.string().trim().max(500).optional(),
    visibility: z.enum(['default', 'public', 'private', 'confidential']).optional(),
    transparency: z.enum(['opaque', 'transparent']).optional(),
    /** RFC 7986, section 5.9. */
    color: z
      .string()
      .regex(/^[a-z]{3,20}$/, 'must be a colour of CSS, such as tomato')
      .optional(),
  })
  .refine((fields) => Object.keys(fields).length > 0, 'names no field');

export const changeSchema = preparedChange.extend({
  send_updates: everyChange.send_updates,
  /** Whether the server itself notifies guests of every change. */
  schedules: z.boolean(),
  /** The addresses that events use for this person. */
  addresses: z.array(z.string()),
  patch: patchFields.optional(),
});
export type CaldavChange = z.output<typeof changeSchema>;
