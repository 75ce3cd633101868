import { CARDINALS, SMALL_WORDS } from './words';

/** An item by the words of its id and of its name. */
export interface PlainItem {
  id: string;
  name: string;
}

const CONNECTORS = new Set(['and', 'or', 'nor', 'the', 'also', 'plus']);
const OF_THEM =
  / (?:of|from|in) (?:them|these|those|it|all|the (?:batch|items|list|emails|cards|events|rows)|this batch|the next batch)$/;
const MAX_WORDS_OF_AN_ITEM = 16;

/**
 * The places of the items that are named, from 0; undefined unless every name means exactly one of them.
 * @param counted Whether a bare number counts items from the first one, as in "only two", instead of naming one.
 */
export function placesOf(
  words: string,
  items: readonly PlainItem[],
  counted = false,
  total: number = items.length,
): number[] | undefined {
  const batch = { items, total };
  const whole = placesOfOne(words, batch);
  const plain = words.replace(OF_THEM, '');
  const first = counted ? countOf(plain.replace(AFTER_A_COUNT, '')) : undefined;
  if (whole === undefined && first !== undefined) return first <= total ? upTo(0, first) : undefined;
  const places = whole ?? placesOfList(plain.split(' '), batch);
  return places && [...new Set(places)].sort((a, b) => a - b);
}

interface Batch {
  items: readonly PlainItem[];
  total: number;
}

/** Reads a list of names from the left, the longest name first. */
function placesOfList(words: readonly string[], batch: Batch): number[] | undefined {
  const numbers = placesOfNumbers(words, batch.total);
  if (numbers) return numbers;
  const places: number[] = [];
  for (let from = 0; from < words.length;) {
    if (CONNECTORS.has(words[from] ?? '')) {
      from += 1;
      continue;
    }
    let to = Math.min(words.length, from + MAX_WORDS_OF_AN_ITEM);
    let run: number[] | undefined;
    for (; to > from; to--) {
      run = placesOfOne(words.slice(from, to).join(' '), batch);
      if (run) break;
    }
    if (!run) return undefined;
    places.push(...run);
    from = to;
  }
  return places.length > 0 ? places : undefined;
}

/** "One and two": a number by itself, or "one or two", may be a count. */
function placesOfNumbers([first = '', ...rest]: readonly string[], total: number): number[] | undefined {
  const words = /^numbers?$/.test(first) ? rest : [first, ...rest];
  const places = words.filter((word) => word !== 'and').map((word) => (countOf(word) ?? 0) - 1);
  const isList = places.length > 1 && places.length < words.length;
  return isList && places.every((at) => at >= 0 && at < total) ? places : undefined;
}

const noun =
  '(?:ones?|items?|emails?|messages?|mails?|events?|cards?|rows?|things?|entries|entry|records?|letters?|files?|contacts?|invoices?|threads?|tasks?)';
/** The plurals of these. */
const nouns =
  '(?:ones|items|emails|messages|mails|events|cards|rows|things|entries|records|letters|files|contacts|invoices|threads|tasks)';
const AFTER_A_COUNT = new RegExp(` ${noun}$`);
const A_NUMBER = new RegExp(
  `^(?:(?:${noun} )?(?:numbers? |no |nr )?([1-9][0-9]{0,2})(?:st|nd|rd|th)?|(?:${noun}|numbers?) (${CARDINALS.join('|')}))$`,
);
const A_RANGE = /^(?:from )?(.+?) (?:to|through|till|until) (.+)$/;
const AN_END = /^(first|next|top|initial|last|final|bottom) (.+)$/;
/** The word order of other languages: "los dos primeros". */
const COUNT_FIRST = /^([a-z]+|[0-9]+) (first|last)$/;
const A_HALF = /^(?:the )?(?:(first|one|a|second|last|other|top|bottom|upper|lower) )?half$/;
const LAST_BUT_ONE = new RegExp(
  `^(?:second to last|next to last|last but one|penultimate|second last)(?: ${noun})?$`,
);
const ORDINALS = (
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth ' +
  'sixteenth seventeenth eighteenth nineteenth twentieth'
).split(' ');

/** One name, one place, or one run of places. */
function placesOfOne(text: string, batch: Batch): number[] | undefined {
  const words = text.replace(/^the /, '').replace(AFTER_A_COUNT, '');
  const exactly = matching(batch.items, (name) => name === text || name === words);
  if (exactly.length > 0) return exactly.length === 1 ? exactly : undefined;
  const placed = placeIn(text.replace(/^the /, ''), batch.total) ?? placeIn(words, batch.total);
  if (placed) return placed.every((at) => at >= 0 && at < batch.total) ? placed : undefined;
  return (
    placesOfDescribed(text, batch.items) ??
    placesCounted(text, batch.items) ??
    placesNamed(words, SEVERAL.test(text), batch.items)
  );
}

const SEVERAL = new RegExp(` ${nouns}$`);
/** "The two from Stefan", "the one about March", "emails from Anna". */
const DESCRIBED = new RegExp(
  `^(?:all )?(?:the )?(?:all )?(?:([a-z]+|[0-9]+) )??(${noun} )?(?:from|by|of|about|for|with|called|named|titled|that says?|saying) (.+)$`,
);

/** Undefined unless as many items as described have the words in their names. */
function placesOfDescribed(text: string, items: readonly PlainItem[]): number[] | undefined {
  const [, counted, kind = '', words = ''] = DESCRIBED.exec(text) ?? [];
  const count = counted === undefined ? undefined : countOf(counted);
  if (words === '' || (counted !== undefined && count === undefined)) return undefined;
  const many = count !== undefined || SEVERAL.test(` ${kind.trim()}`) || /^(?:all|those) /.test(text);
  const places = placesNamed(words.replace(/^the /, ''), many, items);
  return count === undefined || places?.length === count ? places : undefined;
}

/** "The two invoices", "both invoices": as many items as counted have the word in their names. */
const COUNTED = /^(?:the |all (?:the )?)?([a-z]+|[0-9]+) ([^ ].*)$/;

function placesCounted(text: string, items: readonly PlainItem[]): number[] | undefined {
  const [, counted = '', words = ''] = COUNTED.exec(text) ?? [];
  const count = counted === 'both' ? 2 : countOf(counted);
  const places = count === undefined ? undefined : placesNamed(words.replace(AFTER_A_COUNT, ''), true, items);
  return places?.length === count ? places : undefined;
}

/** @param many Whether the words may be in the names of several items. */
function placesNamed(words: string, many: boolean, items: readonly PlainItem[]): number[] | undefined {
  if (SMALL_WORDS.has(words) || CONNECTORS.has(words)) return undefined;
  const owner = words.replace(/'s$/, '');
  const within = matching(items, (name) => [words, owner].some((part) => ` ${name} `.includes(` ${part} `)));
  if (within.length === 1 || (many && within.length > 0)) return within;
  if (within.length > 0) return undefined;
  // "The invoices", "both lunches".
  for (const singular of singularsOf(words)) {
    const each = matching(items, (name) => ` ${name} `.includes(` ${singular} `));
    if (each.length > 0) return each;
  }
  return undefined;
}

const singularsOf = (words: string): string[] =>
  [/^([^ ]{3,})s$/, /^([^ ]{3,})es$/, /^([^ ]{3,})ies$/].flatMap((plural, at) => {
    const stem = plural.exec(words)?.[1];
    return stem === undefined ? [] : [at === 2 ? `${stem}y` : stem];
  });

/** Places by number and order; undefined for other words. A place beyond the batch is no place. */
function placeIn(words: string, total: number): number[] | undefined {
  if (words === 'last' || words === 'final') return [total - 1];
  if (words === 'next') return [0];
  if (LAST_BUT_ONE.test(words)) return [total - 2];
  const ordinal = ORDINALS.indexOf(words);
  if (ordinal >= 0) return [ordinal];
  const [, digits = '', word = ''] = A_NUMBER.exec(words) ?? [];
  const number = countOf(digits || word);
  if (number !== undefined) return [number - 1];
  const half = A_HALF.exec(words);
  if (half) return halfOf(half[1] ?? 'first', total);
  const [, end = '', count = ''] =
    AN_END.exec(words) ?? AN_END.exec(words.replace(COUNT_FIRST, '$2 $1')) ?? [];
  const many = countOf(count);
  if (many !== undefined) {
    const last = ['last', 'final', 'bottom'].includes(end);
    return many <= total ? upTo(last ? total - many : 0, many) : [total];
  }
  const [, from = '', to = ''] = A_RANGE.exec(words) ?? [];
  const [start, stop] = [from, to].map((word) =>
    word === '' ? undefined : placeIn(word.replace(/^the /, ''), total),
  );
  if (start?.length !== 1 || stop?.length !== 1) return undefined;
  const [low = 0, high = 0] = [start[0], stop[0]];
  return low <= high ? upTo(low, Math.min(high, total) - low + 1) : undefined;
}

function halfOf(which: string, total: number): number[] | undefined {
  const half = Math.floor(total / 2);
  if (half === 0) return undefined;
  return ['second', 'last', 'other', 'bottom', 'lower'].includes(which)
    ? upTo(half, total - half)
    : upTo(0, half);
}

export function countOf(words: string): number | undefined {
  if (/^[1-9][0-9]{0,2}$/.test(words)) return Number(words);
  const at = CARDINALS.indexOf(words);
  return at < 0 ? undefined : at + 1;
}

const upTo = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at);

function matching(items: readonly PlainItem[], matches: (text: string) => boolean): number[] {
  return items.flatMap(({ id, name }, at) => (matches(id) || matches(name) ? [at] : []));
}

/** A shorter word of a name may occur in a sentence about anything. */
const MIN_LETTERS_OF_A_NAME = 5;
const OF_ANY_SENTENCE = new Set(
  'about after again before could every other please should still their there these those today where which would'.split(
    ' ',
  ),
);

/** Whether a message has the id, the name, or a distinctive word of the name of an item. */
export function mentionsItem(plain: string, items: readonly PlainItem[]): boolean {
  const within = (words: string) => words !== '' && ` ${plain} `.includes(` ${words} `);
  const messageWords = new Set(plain.split(' '));
  const isDistinctive = (word: string) =>
    word.length >= MIN_LETTERS_OF_A_NAME &&
    !OF_ANY_SENTENCE.has(word) &&
    messageWords.has(word) &&
    items.filter(({ name }) => name.split(' ').includes(word)).length <= items.length / 2;
  return items.some(({ id, name }) => within(id) || within(name) || name.split(' ').some(isDistinctive));
}
