import { expand } from '../../dev/google/calendar/state';
import type { Stored } from '../../dev/google/calendar/model';
import { CALENDARS, seedEvents } from '../../dev/google/calendar/seed';
import { SEED_LABELS, seedMessages } from '../../dev/google/seed';
import type { EmailSelection, EventSelection, ExpectedOperation } from './expectation';

/** The ids of the items that an operation must have, computed from the seed of the local mailbox and calendars. */
export function expectedIds({ items }: Pick<ExpectedOperation, 'items'>): string[] {
  return 'emails' in items ? emailIds(items.emails) : eventIds(items.events);
}

function emailIds({ from, subject, unread, label }: EmailSelection): string[] {
  const labelId = SEED_LABELS.find(({ name }) => name === label)?.id ?? label;
  return seedMessages()
    .filter(({ label_ids }) => !label_ids.includes('SPAM') && !label_ids.includes('TRASH'))
    .filter((email) => from === undefined || email.from.includes(`<${from}>`))
    .filter((email) => subject === undefined || email.subject.toLowerCase().includes(subject.toLowerCase()))
    .filter(({ label_ids }) => unread === undefined || label_ids.includes('UNREAD') === unread)
    .filter(({ label_ids }) => labelId === undefined || label_ids.includes(labelId))
    .map(({ id }) => id);
}

function eventIds({ calendar, title, guest, days }: EventSelection): string[] {
  const id = CALENDARS.find(({ summary }) => summary === calendar)?.id;
  if (id === undefined) throw new Error(`there is no calendar ${calendar}`);
  const stored = seedEvents().filter((event) => event.calendar === id);
  const apart = new Set(stored.map((event) => event.id));
  return stored
    .flatMap((event) => (event.recurrence ? expand(event).filter((one) => !apart.has(one.id)) : [event]))
    .filter(({ status }) => status !== 'cancelled')
    .filter(({ summary }) => title === undefined || (summary ?? '').includes(title))
    .filter(({ attendees = [] }) => guest === undefined || attendees.some(({ email }) => email === guest))
    .filter((event) => days === undefined || isWithin(event, days))
    .map((event) => event.id);
}

/** Compares days in the calendar's own notation. */
function isWithin({ start, end }: Stored, { first, last }: NonNullable<EventSelection['days']>): boolean {
  // The end date of an all-day event is exclusive.
  const ends = 'date' in end ? end.date > first : end.dateTime.slice(0, 10) >= first;
  return ends && ('date' in start ? start.date : start.dateTime.slice(0, 10)) <= last;
}
