import { z } from 'zod';
import type { Change } from '../../../src/contract/change';
import { valueText } from '../../../src/core/bulk/change';
import { nameText, quoted } from '../../../src/core/shared/plain-text';
import type { ActionDefinition, State } from '../kit/types';
import { calendarName, RESPONSES, shiftMinutesSchema, type EventSearch } from './parameters';

type Named = Readonly<Record<'id' | 'name', string>>;

/** The common members of the changes of events, with their names resolved. */
interface EventChange {
  readonly calendar: Named;
  readonly target?: Named | undefined;
  readonly patch?: object | undefined;
  readonly shift_minutes?: number | undefined;
  readonly response?: string | undefined;
}

type Own<S extends State, C> = Partial<ActionDefinition<S, EventSearch, C>>;
type Action = 'delete' | 'move' | 'patch' | 'shift' | 'respond';

/**
 * The differences between calendars: the descriptions and schemas of `parameters`, the guests that are notified, the
 * members that `every` action shares, and the `own` members of each action.
 */
interface Calendar<S extends State, C extends EventChange> {
  readonly query: z.ZodObject;
  readonly everyChange: z.ZodRawShape;
  readonly parameters: { readonly target: string; readonly response: string; readonly patch: z.ZodType };
  /** The fields that a patch can set, in words. */
  readonly patched: string;
  readonly told: (change: C) => string;
  readonly toldField?: (change: C) => Change['fields'];
  readonly every: Own<S, C>;
  readonly own: Readonly<Record<Action, Own<S, C> & Pick<ActionDefinition<S, EventSearch, C>, 'to'>>>;
}

/** `sentence`: describes the change, given the events as `of the calendar “Team”`. */
const actionOf =
  <S extends State, C extends EventChange>({
    query,
    everyChange,
    told,
    toldField,
    every,
    own,
  }: Calendar<S, C>) =>
  (
    name: Action,
    definition: Pick<Own<S, C>, 'phrase' | 'shortName'> & { description: string; change: z.ZodObject },
    sentence: (place: string, change: C) => string,
    values: (change: C) => Change['fields'] = () => [],
  ) => ({
    ...every,
    ...own[name],
    ...definition,
    query,
    change: definition.change.extend(everyChange),
    selects: ['calendar'],
    values: ({ change }: { change: C }) => [
      { name: 'calendar', to: change.calendar.name },
      ...values(change),
      ...(toldField?.(change) ?? []),
    ],
    summary: ({ change, query: search }: { change: C; query?: EventSearch }) => {
      const first = sentence(`of the calendar ${quoted(change.calendar.name)}${which(search)}`, change);
      const note =
        search?.single_events === false ? ' A series is one event, its past occurrences included.' : '';
      return `${first}.${note} ${told(change)}`;
    },
  });

/** Creates the actions on the events of a calendar. */
export function eventActions<S extends State, C extends EventChange>(
  calendar: Calendar<S, C>,
): Record<Action, ActionDefinition<S, EventSearch, C> & { query: z.ZodObject }> {
  const { parameters } = calendar;
  const action = actionOf(calendar);
  return {
    delete: action(
      'delete',
      { description: 'Delete events', change: z.strictObject({}) },
      (place) => `Delete each event ${place}`,
    ),
    move: action(
      'move',
      {
        description: 'Move events to another calendar',
        change: z.strictObject({
          target_calendar: calendarName.describe(`The calendar to move them to: ${parameters.target}`),
        }),
      },
      (place, { target }) => `Move each event ${place} to the calendar ${quoted(target?.name ?? '')}`,
      ({ calendar: from, target }) => [{ name: 'target calendar', from: from.name, to: target?.name ?? '' }],
    ),
    patch: action(
      'patch',
      {
        description: `Set ${calendar.patched} of events`,
        ...{ phrase: 'change {items}', shortName: 'change' },
        change: z.strictObject({ patch: parameters.patch }),
      },
      (place, { patch = {} }) => `Set ${settings(patch)} on each event ${place}`,
      ({ patch = {} }) => Object.entries(patch).map(([name, value]) => ({ name, to: valueText(value) })),
    ),
    shift: action(
      'shift',
      {
        description: 'Shift events in time',
        change: z.strictObject({ shift_minutes: shiftMinutesSchema }),
      },
      (place, { shift_minutes = 0 }) => `Make each event ${place} start and end ${duration(shift_minutes)}`,
      ({ shift_minutes = 0 }) => [{ name: 'start and end', to: duration(shift_minutes) }],
    ),
    respond: action(
      'respond',
      {
        description: 'Answer invitations',
        ...{ phrase: 'answer the invitations to {items}', shortName: 'answer' },
        change: z.strictObject({ response: z.enum(RESPONSES).describe(parameters.response) }),
      },
      (place, { response = '' }) => `Answer each invitation ${place} with ${quoted(response)}`,
      ({ response = '' }) => [{ name: 'response', to: response }],
    ),
  };
}

/** Returns the extent to which an undo restores a change: a notice to a guest cannot be undone. */
export const unlessTold = (isTold: boolean): Change['reversible'] => (isTold ? 'partly' : 'yes');

export const ORGANIZERS = 'Only the organizer of this event can change it';

/** Returns the search in words; empty for named items. */
function which({ text, time_min, time_max }: Partial<EventSearch> = {}): string {
  return [
    ...(text === undefined ? [] : [` that matches ${quoted(text)}`]),
    ...(time_min === undefined ? [] : [` after ${nameText(time_min)}`]),
    ...(time_max === undefined
      ? []
      : [`${time_min === undefined ? '' : ' and'} before ${nameText(time_max)}`]),
  ].join('');
}

/** Returns the patch in words: `colour to “red” and place to “Room 1”`. */
function settings(patch: object): string {
  return Object.entries(patch)
    .map(([name, value]) => `${name} to ${quoted(valueText(value))}`)
    .join(' and ');
}

/** Returns the shift in words: `1 day and 30 minutes later`. */
function duration(minutes: number): string {
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
