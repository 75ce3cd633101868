import { z } from 'zod';
import type { Change } from '../../../src/contract/change';
import { valueText } from '../../../src/core/bulk/change';
import { quoted } from '../../../src/core/shared/plain-text';
import { duration, settings, which } from '../calendar/actions';
import { calendarName, shiftMinutesSchema, RESPONSES } from '../calendar/parameters';
import type { ActionDefinition } from '../kit/types';
import { valueOf, type EventFacts, type EventState } from './events';
import { everyChange, patchFields, query, type CaldavChange, type CaldavSearch } from './parameters';
import { propertiesOf } from './icalendar';
import { DAY_MINUTES, endAfter, isDate, isOtherDay, isTime, later, laterOnClock } from './times';

type Action = ActionDefinition<EventState, CaldavSearch, CaldavChange>;
type Item = Parameters<NonNullable<Action['foresee']>>[2];
const factsOf = ({ facts }: Item) => facts as EventFacts & { alone: boolean };

const ALONE = 'It is a series, which is changed only as a whole here (single_events: false)';
const TOLD =
  'The server tells the guests of every change, so it cannot be made with send_updates none; use all';
const ORGANIZERS = 'Only the organizer of this event can change it';

/** A notice to a guest cannot be undone. */
const restorable = ({ schedules }: CaldavChange, guests = 1): Change['reversible'] =>
  schedules && guests > 0 ? 'partly' : 'yes';

function told({ schedules, send_updates }: CaldavChange): string {
  if (!schedules) return 'No guest is told.';
  return send_updates === 'all'
    ? 'The server tells their guests.'
    : 'Events with guests are left alone, because the server would tell them.';
}

/** `sentence`: what is done to `events`, as `each event of the calendar “Team”`. */
const action = (
  { change, foresee, ...definition }: Omit<Action, 'query' | 'summary'>,
  sentence: (place: string, change: CaldavChange) => string,
): Action => ({
  unconditional: true,
  restores: (_state, made, item) => restorable(made, factsOf(item).guests),
  reversible: ({ change: made }) => ({ reversible: restorable(made) }),
  ...definition,
  query,
  change: change.extend(everyChange),
  selects: ['calendar'],
  foresee(state, made, item) {
    const { series, alone, guests } = factsOf(item);
    if (series && alone) return ALONE;
    if (guests > 0 && made.schedules && made.send_updates === 'none') return TOLD;
    return foresee?.(state, made, item);
  },
  values: (prepared) => [
    { name: 'calendar', to: prepared.change.calendar.name },
    ...(definition.values?.(prepared) ?? []),
  ],
  summary: ({ change: made, query: search }) => {
    const first = sentence(`of the calendar ${quoted(made.calendar.name)}${which(search)}`, made);
    const whole =
      search?.single_events === false ? ' A series is one event, its past occurrences included.' : '';
    return `${first}.${whole} ${told(made)}`;
  },
});

/** A rule that names days would not move with the first occurrence. */
const NAMES_DAYS = /\bBY(?!SETPOS)[A-Z]+=|\bFREQ=(?:MONTHLY|YEARLY)/i;
const NAMES_TIMES =
  /\bBY(?:HOUR|MINUTE|SECOND)=|\bFREQ=(?:HOURLY|MINUTELY|SECONDLY)\b.*\bBY|\bBY.*FREQ=(?:HOURLY|MINUTELY|SECONDLY)/i;

function unshiftable({ start, end }: EventState, minutes: number, item: Item): string | undefined {
  const { main, series } = factsOf(item);
  if (!start || !isTime(start) || (end && !isTime(end))) return 'The event has no start that can be shifted';
  if (isDate(start) && minutes % DAY_MINUTES !== 0)
    return 'An all-day event can be shifted by whole days only';
  if (!series) return undefined;
  const rule = valueOf(main, 'RRULE') ?? '';
  if (NAMES_TIMES.test(rule) || propertiesOf(main, 'EXRULE').length > 0)
    return 'The rule of this series names times, which a shift would not move';
  if (propertiesOf(main, 'RDATE').some(({ value }) => value.includes('/')))
    return 'The series has occurrences of their own length, which cannot be shifted here';
  return NAMES_DAYS.test(rule) && isOtherDay(start, laterOnClock(start, minutes))
    ? 'The rule of this series names days: it can be shifted within its day only'
    : undefined;
}

function shifted({ start, end, ...state }: EventState, minutes: number, item: Item): EventState {
  if (!start) return { start, end, ...state };
  const isSeries = factsOf(item).series;
  const begins = isSeries ? laterOnClock(start, minutes) : later(start, minutes);
  const ends = isSeries ? end && laterOnClock(end, minutes) : end && endAfter(begins, end, start);
  return { ...state, start: begins, end: ends };
}

export const CALDAV_ACTIONS = {
  delete: action(
    {
      ...{
        description: 'Delete events',
        change: z.strictObject({}),
        to: () => null,
        unconditional: undefined,
      },
      restores: ({ data }, made, item) =>
        data === undefined ? 'no' : restorable(made, factsOf(item).guests),
    },
    (place) => `Delete each event ${place}`,
  ),
  move: action(
    {
      description: 'Move events to another calendar',
      change: z.strictObject({
        target_calendar: calendarName.describe('The calendar to move them to: its name or its address'),
      }),
      to: (state, { target }) => ({ ...state, calendar: target?.id }),
      values: ({ change: { calendar, target } }) => [
        { name: 'target calendar', from: calendar.name, to: target?.name ?? '' },
      ],
    },
    (place, { target }) => `Move each event ${place} to the calendar ${quoted(target?.name ?? '')}`,
  ),
  patch: action(
    {
      description: 'Set title, place, visibility, availability or colour of events',
      ...{ phrase: 'change {items}', shortName: 'change' },
      change: z.strictObject({ patch: patchFields.describe('The fields to set') }),
      to: (state, { patch }) => ({
        ...state,
        ...patch,
        ...(patch?.location === '' && { location: null }),
      }),
      foresee: (_state, { schedules, patch = {} }, item) =>
        schedules && factsOf(item).guest && ('summary' in patch || 'location' in patch)
          ? ORGANIZERS
          : undefined,
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
      to: (state, { shift_minutes = 0 }, item) => shifted(state, shift_minutes, item),
      foresee: (state, { schedules, shift_minutes = 0 }, item) =>
        schedules && factsOf(item).guest ? ORGANIZERS : unshiftable(state, shift_minutes, item),
      values: ({ change }) => [{ name: 'start and end', to: duration(change.shift_minutes ?? 0) }],
    },
    (place, { shift_minutes = 0 }) => `Make each event ${place} start and end ${duration(shift_minutes)}`,
  ),
  respond: action(
    {
      description: 'Answer invitations',
      ...{ phrase: 'answer the invitations to {items}', shortName: 'answer' },
      change: z.strictObject({
        response: z.enum(RESPONSES).describe('Your reply to the invitation'),
      }),
      to: (state, { response }) => ({ ...state, response }),
      foresee: ({ response }) => (response === null ? 'You are not invited to the event' : undefined),
      values: ({ change }) => [{ name: 'response', to: change.response ?? '' }],
    },
    (place, { response = '' }) => `Answer each invitation ${place} with ${quoted(response)}`,
  ),
} as const satisfies Record<string, Action>;
