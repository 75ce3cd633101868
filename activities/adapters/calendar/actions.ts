import { eventActions, ORGANIZERS, unlessTold } from './event-actions';
import { canonicalReminders, type CalendarChange, type EventState } from './events';
import { everyChange, patchFields, query, type EventPatch } from './parameters';
import { shifted, unshiftable } from './shift';

/** The facts that decide whether this account may change an event. */
export interface EventFacts extends Record<string, unknown> {
  /** Whether this calendar is the organizer's. */
  readonly own: boolean;
  /** Whether another calendar is the organizer's. */
  readonly guest: boolean;
  /** Whether guests may change the fields that every guest sees. */
  readonly open: boolean;
  readonly type: string;
  readonly series: boolean;
  readonly occurrence: boolean;
  readonly guests: number;
}
const factsOf = ({ facts }: { facts?: Readonly<Record<string, unknown>> }) => facts as EventFacts;

const TOLD = {
  all: 'Google tells all guests.',
  externalOnly: 'Google tells only the guests who do not use Google Calendar.',
  none: 'Google tells no guest.',
} as const;
const EMPTIED = 'Google empties the bin of the calendar, 30 days later';

const restorable = ({ send_updates }: CalendarChange) => unlessTold(send_updates !== 'none');

/** The fields that Google shows to every guest of an event. */
const SHARED: readonly (keyof EventPatch)[] = ['summary', 'location'];
const NO_TIMES = new Set(['birthday', 'fromGmail']);

/** Event types that Google creates itself. They cannot be changed like other events. */
const madeByGoogle = (type: string): string => `Google does not let events of the type ${type} be changed so`;

export const CALENDAR_ACTIONS = eventActions<EventState, CalendarChange>({
  ...{ query, everyChange },
  parameters: {
    target: 'name or id',
    response: 'The reply of this calendar to the invitation',
    patch: patchFields.describe("The fields to set, by Google's names"),
  },
  patched: 'colour, visibility, availability, title, place or reminders',
  told: ({ send_updates }) => TOLD[send_updates],
  toldField: ({ send_updates }) => [{ name: 'guests told', to: send_updates }],
  every: {
    restores: (_state, change) => restorable(change),
    reversible: ({ change }) => ({ reversible: restorable(change) }),
  },
  own: {
    delete: {
      to: () => null,
      restores(_state, _change, item) {
        const { own, guests } = factsOf(item);
        return own ? unlessTold(guests > 0) : 'no';
      },
      reversible: ({ change }) => ({ reversible: restorable(change), until: EMPTIED }),
    },
    move: {
      unconditional: true,
      to: (state, { target }) => ({ ...state, calendar: target?.id }),
      foresee(_state, _change, item) {
        const { guest, type, occurrence } = factsOf(item);
        if (occurrence)
          return 'An occurrence of a series cannot be moved; move the whole series (single_events: false)';
        if (type !== 'default') return madeByGoogle(type);
        return guest ? 'Only the calendar of its organizer can give this event away' : undefined;
      },
    },
    patch: {
      to: (state, { patch }) => ({
        ...state,
        ...patch,
        ...(patch?.reminders && { reminders: canonicalReminders(patch.reminders) }),
      }),
      foresee(_state, { patch = {} }, item) {
        const { guest, open, type } = factsOf(item);
        if (!SHARED.some((name) => name in patch)) return undefined;
        if (NO_TIMES.has(type)) return madeByGoogle(type);
        return guest && !open ? ORGANIZERS : undefined;
      },
    },
    shift: {
      to: (state, { shift_minutes = 0 }) => shifted(state, shift_minutes),
      foresee(state, { shift_minutes = 0 }, item) {
        const { guest, open, type, series } = factsOf(item);
        if (NO_TIMES.has(type)) return madeByGoogle(type);
        return guest && !open ? ORGANIZERS : unshiftable(state, shift_minutes, series);
      },
    },
    respond: {
      // The reply contains the whole guest list.
      unconditional: true,
      to: (state, { response }) => ({ ...state, response }),
      foresee: ({ response }) =>
        response === null ? 'This calendar is not invited to the event' : undefined,
    },
  },
});
