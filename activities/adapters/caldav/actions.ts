import { eventActions, ORGANIZERS, unlessTold } from '../calendar/event-actions';
import type { ToolItem } from '../kit/types';
import { valueOf, type EventFacts, type EventState } from './events';
import { everyChange, patchFields, query, type CaldavChange } from './parameters';
import { propertiesOf } from './icalendar';
import { DAY_MINUTES, endAfter, isDate, isOtherDay, isTime, later, laterOnClock } from './times';

type Item = ToolItem<EventState>;
const factsOf = ({ facts }: Item) => facts as EventFacts & { alone: boolean };

const ALONE = 'It is a series, which is changed only as a whole here (single_events: false)';
const TOLD =
  'The server tells the guests of every change, so it cannot be made with send_updates none; use all';

const restorable = ({ schedules }: CaldavChange, guests = 1) => unlessTold(schedules && guests > 0);

function told({ schedules, send_updates }: CaldavChange): string {
  if (!schedules) return 'No guest is told.';
  return send_updates === 'all'
    ? 'The server tells their guests.'
    : 'Events with guests are left alone, because the server would tell them.';
}

/** Returns a check with the reason that no action can change an event, or else the reason of `check`. */
const foreseen =
  (check: (state: EventState, change: CaldavChange, item: Item) => string | undefined = () => undefined) =>
  (state: EventState, change: CaldavChange, item: Item) => {
    const { series, alone, guests } = factsOf(item);
    if (series && alone) return ALONE;
    if (guests > 0 && change.schedules && change.send_updates === 'none') return TOLD;
    return check(state, change, item);
  };

/** Matches a rule that names days: it would not move with the first occurrence. */
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

export const CALDAV_ACTIONS = eventActions<EventState, CaldavChange>({
  ...{ query, everyChange },
  parameters: {
    target: 'its name or its address',
    response: 'Your reply to the invitation',
    patch: patchFields.describe('The fields to set'),
  },
  patched: 'title, place, visibility, availability or colour',
  told,
  every: {
    unconditional: true,
    restores: (_state, change, item) => restorable(change, factsOf(item).guests),
    reversible: ({ change }) => ({ reversible: restorable(change) }),
    foresee: foreseen(),
  },
  own: {
    delete: {
      to: () => null,
      unconditional: undefined,
      restores: ({ data }, change, item) =>
        data === undefined ? 'no' : restorable(change, factsOf(item).guests),
    },
    move: { to: (state, { target }) => ({ ...state, calendar: target?.id }) },
    patch: {
      to: (state, { patch }) => ({
        ...state,
        ...patch,
        ...(patch?.location === '' && { location: null }),
      }),
      foresee: foreseen((_state, { schedules, patch = {} }, item) =>
        schedules && factsOf(item).guest && ('summary' in patch || 'location' in patch)
          ? ORGANIZERS
          : undefined,
      ),
    },
    shift: {
      to: (state, { shift_minutes = 0 }, item) => shifted(state, shift_minutes, item),
      foresee: foreseen((state, { schedules, shift_minutes = 0 }, item) =>
        schedules && factsOf(item).guest ? ORGANIZERS : unshiftable(state, shift_minutes, item),
      ),
    },
    respond: {
      to: (state, { response }) => ({ ...state, response }),
      foresee: foreseen(({ response }) =>
        response === null ? 'You are not invited to the event' : undefined,
      ),
    },
  },
});
