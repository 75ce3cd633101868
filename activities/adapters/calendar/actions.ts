import { z } from 'zod';
import type { Change } from '../../../src/contract/change';
import { valueText } from '../../../src/core/bulk/change';
import { nameText, quoted } from '../../../src/core/shared/plain-text';
import type { ActionDefinition } from '../kit/types';
import { canonicalReminders, type CalendarChange, type EventState } from './events';
import {
  calendarName,
  everyChange,
  shiftMinutesSchema,
  patchFields,
  query,
  RESPONSES,
  type EventPatch,
  type EventSearch,
} from './parameters';
import { shifted, unshiftable } from './shift';

type Action = ActionDefinition<EventState, EventSearch, CalendarChange>;

/** The facts that decide whether this account may change an event. */
export interface EventFacts extends Record<string, unknown> {
  /** This calendar is the organizer's. */
  readonly own: boolean;
  /** It is somebody else's. */
  readonly guest: boolean;
  /** Guests may change what the event shows to everybody. */
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

/** A notice to a guest cannot be undone. */
const restorable = ({ send_updates }: CalendarChange): Change['reversible'] =>
  send_updates === 'none' ? 'yes' : 'partly';

/** `sentence`: what is done to `events`, as `each event of the calendar “Team”`. */
const action = (
  { change, ...definition }: Omit<Action, 'query' | 'summary'>,
  sentence: (place: string, change: CalendarChange) => string,
): Action => ({
  restores: (_state, prepared) => restorable(prepared),
  reversible: ({ change: made }) => ({ reversible: restorable(made) }),
  ...definition,
  query,
  change: change.extend(everyChange),
  selects: ['calendar'],
  values: (prepared) => [
    { name: 'calendar', to: prepared.change.calendar.name },
    ...(definition.values?.(prepared) ?? []),
    { name: 'guests told', to: prepared.change.send_updates },
  ],
  summary: (prepared) => {
    const { change: made, query: search } = prepared;
    const first = sentence(`of the calendar ${quoted(made.calendar.name)}${which(search)}`, made);
    const whole =
      search?.single_events === false ? ' A series is one event, its past occurrences included.' : '';
    return `${first}.${whole} ${TOLD[made.send_updates]}`;
  },
});

/** The search in words; named items have none. */
export function which({ text, time_min, time_max }: Partial<EventSearch> = {}): string {
  return [
    ...(text === undefined ? [] : [` that matches ${quoted(text)}`]),
    ...(time_min === undefined ? [] : [` after ${nameText(time_min)}`]),
    ...(time_max === undefined
      ? []
      : [`${time_min === undefined ? '' : ' and'} before ${nameText(time_max)}`]),
  ].join('');
}

const ORGANIZERS = 'Only the organizer of this event can change it';
/** The fields that Google shows to every guest of an event. */
const SHARED: readonly (keyof EventPatch)[] = ['summary', 'location'];
const NO_TIMES = new Set(['birthday', 'fromGmail']);

/** Event types that Google creates itself. They cannot be changed like other events. */
const madeByGoogle = (type: string): string => `Google does not let events of the type ${type} be changed so`;

export const CALENDAR_ACTIONS = {
  delete: action(
    {
      description: 'Delete events',
      change: z.strictObject({}),
      to: () => null,
      restores(_state, _change, item) {
        const { own, guests } = factsOf(item);
        if (!own) return 'no';
        return guests > 0 ? 'partly' : 'yes';
      },
      reversible: ({ change }) => ({ reversible: restorable(change), until: EMPTIED }),
    },
    (place) => `Delete each event ${place}`,
  ),
  move: action(
    {
      description: 'Move events to another calendar',
      change: z.strictObject({
        target_calendar: calendarName.describe('The calendar to move them to: name or id'),
      }),
      unconditional: true,
      to: (state, { target }) => ({ ...state, calendar: target?.id }),
      foresee(_state, _change, item) {
        const { guest, type, occurrence } = factsOf(item);
        if (occurrence)
          return 'An occurrence of a series cannot be moved; move the whole series (single_events: false)';
        if (type !== 'default') return madeByGoogle(type);
        return guest ? 'Only the calendar of its organizer can give this event away' : undefined;
      },
      values: ({ change: { calendar, target } }) => [
        { name: 'target calendar', from: calendar.name, to: target?.name ?? '' },
      ],
    },
    (place, { target }) => `Move each event ${place} to the calendar ${quoted(target?.name ?? '')}`,
  ),
  patch: action(
    {
      description: 'Set colour, visibility, availability, title, place or reminders of events',
      phrase: 'change {items}',
      shortName: 'change',
      change: z.strictObject({ patch: patchFields.describe("The fields to set, by Google's names") }),
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
      values: ({ change }) =>
        Object.entries(change.patch ?? {}).map(([name, value]) => ({ name, to: valueText(value) })),
    },
    (place, { patch = {} }) => `Set ${settings(patch)} on each event ${place}`,
  ),
  shift: action(
    {
      description: 'Shift events in time',
      change: z.strictObject({
        shift_minutes: shiftMinutesSchema,
      }),
      to: (state, { shift_minutes = 0 }) => shifted(state, shift_minutes),
      foresee(state, { shift_minutes = 0 }, item) {
        const { guest, open, type, series } = factsOf(item);
        if (NO_TIMES.has(type)) return madeByGoogle(type);
        return guest && !open ? ORGANIZERS : unshiftable(state, shift_minutes, series);
      },
      values: ({ change }) => [{ name: 'start and end', to: duration(change.shift_minutes ?? 0) }],
    },
    (place, { shift_minutes = 0 }) => `Make each event ${place} start and end ${duration(shift_minutes)}`,
  ),
  respond: action(
    {
      description: 'Answer invitations',
      phrase: 'answer the invitations to {items}',
      shortName: 'answer',
      change: z.strictObject({
        response: z.enum(RESPONSES).describe('The reply of this calendar to the invitation'),
      }),
      // The reply carries the whole guest list.
      unconditional: true,
      to: (state, { response }) => ({ ...state, response }),
      foresee: ({ response }) =>
        response === null ? 'This calendar is not invited to the event' : undefined,
      values: ({ change }) => [{ name: 'response', to: change.response ?? '' }],
    },
    (place, { response = '' }) => `Answer each invitation ${place} with ${quoted(response)}`,
  ),
} as const satisfies Record<string, Action>;

/** `colour to “red” and place to “Room 1”`. */
export function settings(patch: object): string {
  return Object.entries(patch)
    .map(([name, value]) => `${name} to ${quoted(valueText(value))}`)
    .join(' and ');
}

/** `1 day and 30 minutes later`. */
export function duration(minutes: number): string {
  const size = Math.abs(minutes);
  const parts: [number, string][] = [
    [Math.floor(size / 1_440), 'day'],
    [Math.floor((size % 1_440) / 60), 'hour'],
    [size % 60, 'minute'],
  ];
  const units = parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`);
  return `${units.join(' and ')} ${minutes < 0 ? 'earlier' : 'later'}`;
}
