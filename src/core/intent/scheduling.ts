import { MAX_AHEAD_DAYS } from '../../contract/schedule';
import { atWallClock, DAY_MS, formatInstant, wallClock } from '../shared/zoned-time';

const MINUTE_MS = 60_000;
/** The maximum length of a message in UTF-16 units. A longer one has other content too. */
const MAX_LENGTH = 120;

/** The clock of the person who writes. */
export interface PersonsClock {
  now: number;
  /** A name of the IANA database. */
  zone: string;
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const NUMBERS = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
const PARTS = '(?:morning|afternoon|evening|night)';
const DAY = String.raw`(?:on )?(?<day>today|tonight|this ${PARTS}|(?:the )?day after tomorrow|(?:tomorrow|${WEEKDAYS.join('|')})(?: ${PARTS})?|\d{4}-\d\d-\d\d)`;
const CLOCK = String.raw`(?<clock>noon|midday|midnight|\d{1,2}(?:[:.h]\d\d)?(?: ?(?:[ap]m|[ap]\.m\.?)| ?h| o'?clock)?)(?: (?<part>in the (?:morning|afternoon|evening)|at night))?`;
const FROM =
  '(?<from>at|from|after|not before|not? earlier than|not until|starting(?: at)?|as of|until|till|for|to)';
const COUNT = String.raw`in (?<count>half an|an?|${NUMBERS.join('|')}|\d{1,3}) (?<unit>minute|min|hour|hr|day)s?`;
const INSTANT = String.raw`(?<instant>\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d)?(?:z|[+-]\d\d:\d\d))`;
/** The words between a time and its act. */
const JOINT = String.raw`[ ,:]+(?:(?:but|only|and|just|instead) )*`;

const phrases = [
  `${FROM} ${INSTANT}`,
  `(?:${DAY},? )?${FROM} ${CLOCK}`,
  `${DAY},? ${CLOCK}`,
  `(?:${FROM} )?${CLOCK},? ${DAY}`,
  COUNT,
].flatMap((phrase) => [
  new RegExp(
    String.raw`^(?<act>.*?)${JOINT}${phrase}(?:[ ,]+(?:please|instead|thanks|thank you))*[.!]*$`,
    'u',
  ),
  new RegExp(String.raw`^(?:only )?${phrase}[ ,:]+(?<act>.*)$`, 'u'),
]);

/** Words that defer an act. Only these may precede `until` and `for`. */
const DEFERS =
  /^(?:(?:please|ok|okay|yes),? )*(?:(?:schedule|plan|postpone|delay|defer) (?:it|this|that|them|(?:the|this) batch)|put (?:it|this|that) off|wait(?: with (?:it|this|that))?|hold (?:it|this|that|off)|not now|later|(?:run|do|start) (?:it|this|that|them) later)(?: (?:until|till|for|to))?$/;
const UNTIL = new Set(['until', 'till', 'for', 'to']);

/**
 * The time of a message that confirms for a time ("continue at 10 pm", "run it tonight at 22:00", "confirm, but after
 * 18:00"), in ISO 8601 with the offset of the person's zone. `confirms` receives the message without its time.
 * Undefined for any other message, and for a time that is not exact, is over, or is too far ahead.
 */
export function readSchedule(
  text: string,
  clock: PersonsClock,
  confirms: (rest: string) => boolean,
): string | undefined {
  const plain = text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').replaceAll('’', "'").trim();
  if (plain.length > MAX_LENGTH) return undefined;
  for (const phrase of phrases) {
    const groups = phrase.exec(plain)?.groups;
    const act = groups?.['act']?.trim() ?? '';
    if (!groups || act === '') continue;
    const isMeant = DEFERS.test(act) || (!UNTIL.has(groups['from'] ?? '') && confirms(act));
    const at = isMeant ? instantOf(groups, clock) : undefined;
    if (at === undefined || at <= clock.now || at > clock.now + MAX_AHEAD_DAYS * DAY_MS) continue;
    return formatInstant(clock.zone, at);
  }
  return undefined;
}

type Said = Readonly<Record<string, string | undefined>>;

function instantOf({ instant, count, unit, day, clock = '', part }: Said, { now, zone }: PersonsClock) {
  if (instant !== undefined) return Date.parse(instant.toUpperCase().replace(' ', 'T'));
  if (count !== undefined)
    return Math.ceil((now + amountOf(count) * UNITS_MS[unit ?? '']!) / MINUTE_MS) * MINUTE_MS;
  // The midnight of another day is the one before it, or after it.
  if (clock === 'midnight' && day !== undefined && !/^to(?:day|night)$/.test(day)) return undefined;
  const minutes = minutesOf(clock, partOf(day, part));
  const today = Math.floor(wallClock(zone, now) / DAY_MS) * DAY_MS;
  const on = dayOf(day, today);
  if (minutes === undefined || Number.isNaN(on)) return undefined;
  // A day that a person names by its weekday may be today, and an hour without a day may be tomorrow's.
  const again = day === undefined ? DAY_MS : weekdayOf(day) === undefined ? 0 : 7 * DAY_MS;
  const at = atWallClock(zone, on + minutes * MINUTE_MS);
  return at > now ? at : atWallClock(zone, on + again + minutes * MINUTE_MS);
}

const UNITS_MS: Readonly<Record<string, number>> = {
  ...{ minute: MINUTE_MS, min: MINUTE_MS },
  ...{ hour: 60 * MINUTE_MS, hr: 60 * MINUTE_MS, day: DAY_MS },
};

function amountOf(count: string): number {
  if (count === 'half an') return 0.5;
  return count.startsWith('a') ? 1 : NUMBERS.indexOf(count) + 1 || Number(count);
}

type Half = 'morning' | 'afternoon' | 'night' | undefined;

function partOf(day = '', part = ''): Half {
  const words = `${day} ${part}`;
  if (words.includes('morning')) return 'morning';
  if (/afternoon|evening/.test(words)) return 'afternoon';
  return words.includes('night') ? 'night' : undefined;
}

const weekdayOf = (day: string): number | undefined => {
  const at = WEEKDAYS.indexOf(day.split(' ')[0] ?? '');
  return at < 0 ? undefined : at;
};

/** The beginning of a day, as wall-clock time. */
function dayOf(day: string | undefined, today: number): number {
  if (day === undefined || day === 'tonight' || /^(?:today|this)\b/.test(day)) return today;
  if (day.endsWith('after tomorrow')) return today + 2 * DAY_MS;
  if (day.startsWith('tomorrow')) return today + DAY_MS;
  const weekday = weekdayOf(day);
  if (weekday === undefined) {
    const date = new Date(`${day}T00:00:00Z`);
    return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day) ? date.getTime() : NaN;
  }
  // The first of January 1970 was a Thursday.
  return today + ((weekday - ((today / DAY_MS + 4) % 7) + 7) % 7) * DAY_MS;
}

/** The minutes since the beginning of the day; undefined if it may be one of two times. */
function minutesOf(clock: string, half: Half): number | undefined {
  if (clock === 'midnight') return half === undefined || half === 'night' ? 1_440 : undefined;
  if (clock === 'noon' || clock === 'midday') return 720;
  const [, hours = '', minutes, suffix = ''] = /^(\d+)(?:[:.h](\d\d))? ?(\D*)$/.exec(clock) ?? [];
  const [hour, minute] = [Number(hours), Number(minutes ?? 0)];
  if (hour > 23 || minute > 59) return undefined;
  const of = (exact: number | undefined) => (exact === undefined ? undefined : exact * 60 + minute);
  if (/^[ap]/.test(suffix)) {
    const isMorning = suffix.startsWith('a');
    const fits = half === undefined || (half === 'morning') === isMorning;
    return hour >= 1 && hour <= 12 && fits ? of((hour % 12) + (isMorning ? 0 : 12)) : undefined;
  }
  if (hour === 0 && half === 'night') return of(24);
  if (hour > 12 || hour === 0) return half === 'morning' && hour > 12 ? undefined : of(hour);
  if (half === 'night') return hour < 5 ? of(hour + 24) : hour === 5 ? undefined : of(hour + 12);
  if (half !== undefined) return of((hour % 12) + (half === 'morning' ? 0 : 12));
  return minutes === undefined && suffix !== 'h' ? undefined : of(hour);
}

/** A time for a person: `Friday, 27 November 2026, 22:00 (+01:00)`. */
export function exactTime(iso: string): string {
  const [, sign = '+', hours = '00', minutes = '00'] = /([+-])(\d\d):(\d\d)$/.exec(iso) ?? [];
  const offset = Number(`${sign}${Number(hours) * 60 + Number(minutes)}`);
  const wall = new Date(Date.parse(iso) + offset * MINUTE_MS);
  const words = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  const day = new Intl.DateTimeFormat('en-GB', words).format(wall).replace(/^(\w+) /, '$1, ');
  return `${day}, ${wall.toISOString().slice(11, 16)} (${sign}${hours}:${minutes})`;
}

const AGAIN = '(?: after all| any ?more| then| yet)*';
const WHEN = '(?:tonight|today|tomorrow|at that time|(?:this|that|so) (?:late|early|soon))';
const IT = '(?: (?:it|that|this|them|the batch))';
/** A plain wish that the scheduled batch does not run, in the form of `plainWords`. */
const TAKE_BACK = new RegExp(
  `^(?:(?:please|no|actually|sorry|ok|wait) )*(?:${[
    `withdraw(?:${IT}| my (?:yes|confirmation|approval|consent))?`,
    'take (?:it|that|this|my (?:yes|confirmation|approval)|the confirmation) back',
    'take back (?:it|that|my (?:yes|confirmation|approval)|the confirmation)',
    'i (?:withdraw|revoke|take back) my (?:yes|confirmation|approval|consent)',
    `unschedule${IT}?`,
    `not ${WHEN}${AGAIN}`,
    `(?:don't|do not) (?:run|do|start|begin|continue|execute)${IT}? ${WHEN}${AGAIN}`,
  ].join('|')})(?: please)?$`,
);

export const asksToTakeBack = (plain: string): boolean => TAKE_BACK.test(plain);

/** Words of an answer for now, in the form of `plainWords`. */
export const SAYS_NOW = /\b(?:now|immediately|at once|right away)\b/;
