import { SMALL_WORDS } from './words';

/** An item by the words of its id and of its name. */
export interface PlainItem {
  id: string;
  name: string;
}

/**
 * The part of the open batch that a message asks for: the places, from 0, of the items to leave out. `unclear`: it
 * limits the batch in a way that is not understood; `named` is the part that matches no items.
 */
export type Selection = { exclude: number[] } | { unclear: true; named?: string };

/** A longer message names no items. In UTF-16 units; the patterns below are only tried on shorter ones. */
const MAX_LENGTH = 400;

const lead =
  "(?:(?:yes|yep|yeah|ok|okay|sure|fine|alright|please|pls|no|nope|actually|wait|sorry|and|but|so|then|well|oh|also|plus|(?:can|could|would) you|let'?s|i want(?: you)? to|i'd like(?: you)? to|you can|i mean|i meant|rather|instead) )*";
const tail = '(?: (?:please|pls|thanks|too|as well|also|now|then|instead|for now))*';
const verb =
  '(?:include|run|do|touch|process|change|label|unlabel|archive|unarchive|delete|move|trash|star|mark|remove|update|assign|send|send to)';
const go = `(?:(?:continue|proceed|go on|go ahead|carry on|resume|keep going|start|begin|run|do|process|execute|take|approve|confirm|yes)(?: (?:it|them|the batch|this batch|batch [0-9]+))?(?: (?:with|on|for|and|then|just|but))*)`;
const all =
  '(?:all|all of (?:them|it)|everything|everyone|each|the whole batch|the batch|the rest|the others)';
const firmly = '(?:skip(?:ping)?|exclud(?:e|ing)|omit(?:ting)?)';
const loosely = `(?:ignor(?:e|ing)|drop(?:ping)?|minus|without|except(?: for)?|apart from|aside from|other than|besides|save for|not(?: for| including| with)?|(?:do not|don't|dont|never) ${verb})`;
const before = `(?:${go} )?(?:${all} )?(?:(?:but|and|just|please) )*`;
const goOn = `(?: (?:and|then|but))* ${lead}(?:continue|proceed|go on|go ahead|carry on|resume|run|do)(?: with)?(?: (?:${all}|it|the remaining ones))?`;
const out = '(?:out(?: of (?:it|this))?|alone|be|off|as (?:it is|they are|is)|untouched|unchanged)';
const solely = '(?:only|just|nothing but|no more than|at most|up to)';
const nothingElse =
  '(?:only|alone|and (?:nothing|no one|no) (?:else|more)|(?:and|but|then)(?: then)? (?:stop|(?:leave|skip|not) the (?:rest|others)))';

/** The forms of a message about a part of the batch. The first group has the words for that part. */
const FORMS: readonly { kind: 'without' | 'only' | 'back'; firm: boolean; pattern: RegExp }[] = [
  {
    kind: 'back',
    firm: false,
    said: `(?:include|add|bring back|put back|do|run|(?:do not|don't) (?:skip|exclude|omit)) (.+?)(?: (?:back|in|again|after all))*`,
  },
  { kind: 'without', firm: true, said: `${before}(?:leave|keep) (.+?) ${out}(?:${goOn})?` },
  { kind: 'without', firm: true, said: `${before}${firmly} (.+?)(?: ${out})?(?:${goOn})?` },
  {
    kind: 'without',
    firm: true,
    said: `(?:${go} |${go} ${all} |${all} )(?:(?:but|and|please) )*${loosely} (.+?)(?:${goOn})?`,
  },
  { kind: 'without', firm: true, said: `(?:${go} )?${all} but (.+?)` },
  { kind: 'without', firm: false, said: `${loosely} (.+?)(?:${goOn})?` },
  { kind: 'only', firm: true, said: `${go} ${solely} (?:with )?(.+?)` },
  { kind: 'only', firm: false, said: `${solely} (?:(?:do|run|process|with|for) )?(.+?)` },
  { kind: 'only', firm: false, said: `(?:${go} )?(.+?) ${nothingElse}` },
].map(({ kind, firm, said }) => ({
  kind: kind as 'without' | 'only' | 'back',
  firm,
  pattern: new RegExp(`^${lead}${said}${tail}$`, 'u'),
}));
/** "Do the next 3", "the first half": a part by itself, so only where all of it is understood. */
const BARE = new RegExp(`^${lead}(?:(${go}) )?(.+?)${tail}$`, 'u');
const ALSO = /(?:^| )(?:also|too|as well|plus|and)(?: |$)/;
const INSTEAD = /^(?:no|nope|rather|instead|actually)(?: |$)| instead$/;

/** Words that limit what runs, or when: an answer with one of them asks for less than the whole batch now. */
const LIMIT = new RegExp(
  '(?:^| )(?:only|just|except|excluding|exclude|excluded|without|skip|skipping|omit|ignore|minus|apart from|other than|but|half' +
    '|(?:some|few|most|one|none|part) of|a few|at most|up to|first|second|third|fourth|fifth|last|next [0-9]+|[0-9]+(?:st|nd|rd|th)?' +
    '|two|three|four|five|six|seven|eight|nine|ten|twenty|if|unless|until|once|while|when|after|before|provided|as long as' +
    '|not (?:the|that|this|those|these|for|all|every|number|item)|leave .{1,80} (?:out|alone)' +
    '|nur|ohne|außer|aber|sauf|sans|seulement|mais|solo|sin|excepto|menos|pero|senza|tranne|ma|só|sem|exceto|mas|alleen|zonder|behalve|maar)(?: |$)' +
    // "Continue with the unread ones": a kind of items.
    '|^(?:(?:yes|ok|okay|please) )*(?:continue|proceed|go on|go ahead|carry on|start|run|do|process)(?: with| for)?(?: (?:the|these|those|my))? (?!next |remaining |all )[^ ]+ (?:ones|items|emails|messages|mails|events|cards|rows)(?: |$)' +
    '|^(?:continue|proceed|go|run|start|yes|ok|okay|sure|confirm)(?: [^ ]+){0,6} (?:tomorrow|tonight|later|soon|in an?|at noon)(?: |$)',
  'u',
);

/** Whether a message that is not understood may ask for less than the open batch; then a bare yes would drop that. */
export function limitsTheBatch(plain: string): boolean {
  return plain.length <= MAX_LENGTH && LIMIT.test(plain);
}

/**
 * Reads a message that names items of the open batch or counts them; undefined for a message that does not.
 * @param plain Its words, as `plainWords` (classifier.ts) gives them.
 * @param pending The places that an earlier message asked to leave out.
 */
export function readSelection(
  plain: string,
  items: readonly PlainItem[],
  pending: readonly number[] = [],
): Selection | undefined {
  if (plain.length > MAX_LENGTH) return undefined;
  const everyPlace = items.map((_, at) => at);
  const leaving = (exclude: readonly number[]): Selection =>
    exclude.length < items.length
      ? { exclude: everyPlace.filter((at) => exclude.includes(at)) }
      : { unclear: true };
  const kept = INSTEAD.test(plain) ? [] : pending;
  let named: string | undefined;
  for (const { kind, firm, pattern } of FORMS) {
    const words = pattern.exec(plain)?.[1];
    if (words === undefined || (kind === 'back' && pending.length === 0)) continue;
    const places = placesOf(words, items, kind === 'only');
    if (!places) {
      if (firm) named ??= words;
    } else if (kind === 'without') return leaving([...kept, ...places]);
    else if (kind === 'only') return leaving(everyPlace.filter((at) => !places.includes(at)));
    else if (places.every((at) => pending.includes(at)))
      return leaving(pending.filter((at) => !places.includes(at)));
  }
  if (named !== undefined) return { unclear: true, named };
  return readBare(plain, items, pending, leaving);
}

function readBare(
  plain: string,
  items: readonly PlainItem[],
  pending: readonly number[],
  leaving: (exclude: readonly number[]) => Selection,
): Selection | undefined {
  const [, act, words = ''] = BARE.exec(plain) ?? [];
  // A number by itself may be about anything, and "next" is the whole batch.
  if (words === 'next' || (act === undefined && countOf(words) !== undefined)) return undefined;
  const places = placesOf(words, act === undefined ? [] : items, true, items.length);
  if (!places) return undefined;
  if (pending.length > 0 && act === undefined && ALSO.test(plain)) {
    const without = places.filter((at) => pending.includes(at));
    if (without.length === 0) return leaving([...pending, ...places]);
    return without.length < places.length
      ? { unclear: true }
      : leaving(pending.filter((at) => !places.includes(at)));
  }
  return leaving(items.map((_, at) => at).filter((at) => !places.includes(at)));
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
  named: string,
  items: readonly PlainItem[],
  counted = false,
  total: number = items.length,
): number[] | undefined {
  const batch = { items, total };
  const whole = placesOfOne(named, batch);
  const stripped = named.replace(OF_THEM, '');
  const first = counted ? countOf(stripped.replace(AFTER_A_COUNT, '')) : undefined;
  if (whole === undefined && first !== undefined) return first <= total ? upTo(0, first) : undefined;
  const places = whole ?? placesOfList(stripped.split(' '), batch);
  return places && [...new Set(places)].sort((a, b) => a - b);
}

interface Batch {
  items: readonly PlainItem[];
  total: number;
}

/** Reads from the left, the longest name first. */
function placesOfList(words: readonly string[], batch: Batch): number[] | undefined {
  const places: number[] = [];
  for (let from = 0; from < words.length;) {
    if (CONNECTORS.has(words[from] ?? '')) {
      from += 1;
      continue;
    }
    let to = Math.min(words.length, from + MAX_WORDS_OF_AN_ITEM);
    let one: number[] | undefined;
    for (; to > from; to--) {
      one = placesOfOne(words.slice(from, to).join(' '), batch);
      if (one) break;
    }
    if (!one) return undefined;
    places.push(...one);
    from = to;
  }
  return places.length > 0 ? places : undefined;
}

const noun =
  '(?:ones?|items?|emails?|messages?|mails?|events?|cards?|rows?|things?|entries|entry|records?|letters?|files?|contacts?|invoices?|threads?|tasks?)';
const AFTER_A_COUNT = new RegExp(` ${noun}$`);
const A_NUMBER = new RegExp(`^(?:${noun} |numbers? |no |nr )?([1-9][0-9]{0,2})(?:st|nd|rd|th)?$`);
const A_RANGE = /^(?:from )?(.+?) (?:to|through|till|until) (.+)$/;
const AN_END = /^(first|next|top|initial|last|final|bottom) (.+)$/;
const A_HALF = /^(?:the )?(?:(first|one|a|second|last|other) )?half$/;
const LAST_BUT_ONE = /^(?:second to last|next to last|last but one|penultimate|second last)$/;
const CARDINALS = (
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
  'eighteen nineteen twenty'
).split(' ');
const ORDINALS = (
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth ' +
  'sixteenth seventeenth eighteenth nineteenth twentieth'
).split(' ');

/** One name, one place, or one run of places. */
function placesOfOne(text: string, batch: Batch): number[] | undefined {
  const wanted = text.replace(/^the /, '').replace(AFTER_A_COUNT, '');
  const exactly = matching(batch.items, (name) => name === text || name === wanted);
  if (exactly.length > 0) return exactly.length === 1 ? exactly : undefined;
  const placed = placeIn(wanted, batch.total);
  if (placed) return placed.every((at) => at >= 0 && at < batch.total) ? placed : undefined;
  if (SMALL_WORDS.has(wanted) || CONNECTORS.has(wanted)) return undefined;
  const within = matching(batch.items, (name) => ` ${name} `.includes(` ${wanted} `));
  return within.length === 1 ? within : undefined;
}

/** Places by number and order; undefined for other words. A place beyond the batch is no place. */
function placeIn(wanted: string, total: number): number[] | undefined {
  if (wanted === 'last' || wanted === 'final') return [total - 1];
  if (wanted === 'next') return [0];
  if (LAST_BUT_ONE.test(wanted)) return [total - 2];
  const ordinal = ORDINALS.indexOf(wanted);
  if (ordinal >= 0) return [ordinal];
  const digits = A_NUMBER.exec(wanted)?.[1];
  if (digits !== undefined) return [Number(digits) - 1];
  const half = A_HALF.exec(wanted);
  if (half) return halfOf(half[1] ?? 'first', total);
  const [, end = '', count = ''] = AN_END.exec(wanted) ?? [];
  const many = countOf(count);
  if (many !== undefined) {
    const last = ['last', 'final', 'bottom'].includes(end);
    return many <= total ? upTo(last ? total - many : 0, many) : [total];
  }
  const [, from = '', to = ''] = A_RANGE.exec(wanted) ?? [];
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
  return ['second', 'last', 'other'].includes(which) ? upTo(half, total - half) : upTo(0, half);
}

function countOf(words: string): number | undefined {
  if (/^[1-9][0-9]{0,2}$/.test(words)) return Number(words);
  const at = CARDINALS.indexOf(words);
  return at < 0 ? undefined : at + 1;
}

const upTo = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at);

function matching(items: readonly PlainItem[], matches: (text: string) => boolean): number[] {
  return items.flatMap(({ id, name }, at) => (matches(id) || matches(name) ? [at] : []));
}
