import { z } from 'zod';
import type { BulkItem } from '../../../src/contract/items';
import type { CalendarEvent } from './client';
import { eventName } from './describe';
import type { CalendarChange } from './parameters';
import { shifted } from './shift';

const time = z.object({ date: z.string(), dateTime: z.string(), timeZone: z.string() }).partial();
const frozenSchema = z.object({
  etag: z.string().min(1),
  /** For a shift: the times to set. */
  start: time.optional(),
  end: time.optional(),
  /** Why the change does not fit this event. */
  refused: z.string().optional(),
});

/** What the plan keeps of an event: the version that a person confirms, and what the change means for it. */
export type Frozen = z.output<typeof frozenSchema>;

export function freeze(event: CalendarEvent, change: CalendarChange): Frozen {
  return { etag: event.etag, ...(change.action === 'shift' && shifted(event, change.shift_minutes)) };
}

/** Undefined if the item was not planned by this adapter. */
export function frozenOf({ raw_data }: BulkItem): Frozen | undefined {
  return frozenSchema.safeParse(raw_data).data;
}

export function plannedItem(event: CalendarEvent, change: CalendarChange): BulkItem {
  return { id: event.id, display_name: eventName(event), raw_data: { ...freeze(event, change) } };
}
