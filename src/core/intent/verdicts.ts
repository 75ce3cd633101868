import { placesOf, type PlainItem } from './places';

/**
 * Messages that give verdicts on several parts of the open batch, in the order of a conversation: "the first eight yes,
 * the last two no", "all fine except Julia", "the invoice isn't a receipt, skip it, the others are ok".
 */

/** `act` also ends a message. `not` and `isnt` deny a verdict, and `skip` is one, so that "don't skip" is neither. */
type Kind =
  | ('yes' | 'no' | 'not' | 'isnt' | 'skip' | 'act' | 'only' | 'alone')
  | ('others' | 'all' | 'it' | 'is' | 'nothing');

const WORDS: Readonly<Record<Kind, string>> = {
  yes: 'yes, yeah, yep, ok, okay, fine, all fine, good, all good, great, right, correct, can go, can go in, can be done, can be included, go in, goes in, do, run, process, take, include, approve, approved, belong, belongs, looks good, looks fine, looks right, look good, look fine, look right, good to go, start with',
  no: 'no, nope, wrong, bad, private, personal, confidential, stay, stays, has to stay, should stay, must stay',
  not: "not, never, none of, do not, don't, dont, don't do, do not do, can't, cannot, can not, shouldn't, should not, mustn't, must not, doesn't belong, does not belong, don't belong, do not belong",
  isnt: "isn't, isnt, is not, aren't, arent, are not, wasn't, was not, weren't, were not",
  skip: 'skip, exclude, omit, leave, leave out, drop, remove, ignore, spare, without, except, except for, excepting, apart from, aside from, besides, other than, minus, hands off, keep your hands off, keep hands off, keep out, take out',
  act: 'continue, continue with, proceed, proceed with, go on, go on with, go ahead, go ahead with, carry on, carry on with, go',
  only: 'only, just, solely, nothing but',
  alone: 'nothing else, no others, none of the others, nobody else, no one else',
  others:
    'others, the others, the rest, rest, everything else, the other ones, other ones, all others, all the others, the remaining ones, anything else, the other two, the other three, the other four, the other five, the other six, the other seven, the other eight, the other nine',
  all: 'all, all of them, all of these, all of those, everything, the batch, the list, this batch, everyone, every one',
  it: 'it, them, that one, this one, those, that, her, him, both of them, those two, those three, those four, those five, those six, those seven, those eight, those nine',
  is: "is, are, was, were, looks, look, it's, its, that's, they're",
  nothing:
    'please, pls, so, and, but, then, the, to, for, with, of, in, on, there, here, also, too, as well, from, thanks, now, ones, items, emails, mails, messages, cards, events, rows, alone, out, off, untouched, unchanged, as it is, as they are, be, that, though, hi, hey, sorry, well, again, instead, first',
};
const KINDS: ReadonlyMap<string, Kind> = new Map(
  Object.entries(WORDS).flatMap(([kind, phrases]) =>
    phrases.split(', ').map((phrase) => [phrase, kind as Kind] as const),
  ),
);
const LONGEST_PHRASE = 4;
const LONGEST_NAMES = 12;
/** What an item is, in words of its own: "isn't a receipt". */
const LONGEST_COMPLEMENT = 3;
const DEPENDS = new Set(
  'if unless until till when once yet today tomorrow later maybe perhaps before after'.split(' '),
);
/** "Next" is the whole batch, and these are a time. */
const NO_ITEM = /^(?:the )?(?:next|second|half|last|first)$/;

type Token = { kind: Kind } | { kind: 'items'; places: readonly number[] };

function tokensOf(words: readonly string[], items: readonly PlainItem[]): Token[] | undefined {
  const tokens: Token[] = [];
  let complement = 0;
  for (let from = 0; from < words.length;) {
    const [length, token] = named(words, from, items) ?? worded(words, from) ?? [];
    if (length === undefined || !token) {
      if (complement === 0 || DEPENDS.has(words[from] ?? '')) return undefined;
      complement -= 1;
      from += 1;
      continue;
    }
    if (token.kind !== 'nothing') {
      complement = token.kind === 'is' || token.kind === 'isnt' ? LONGEST_COMPLEMENT : 0;
      tokens.push(token.kind === 'isnt' ? { kind: 'not' } : token);
    }
    from += length;
  }
  return tokens;
}

function named(
  words: readonly string[],
  from: number,
  items: readonly PlainItem[],
): [number, Token] | undefined {
  for (let length = Math.min(LONGEST_NAMES, words.length - from); length > 0; length--) {
    const text = words.slice(from, from + length).join(' ');
    if (NO_ITEM.test(text) || KINDS.has(text)) continue;
    const places = placesOf(text, items);
    if (places) return [length, { kind: 'items', places }];
  }
  return undefined;
}

function worded(words: readonly string[], from: number): [number, Token] | undefined {
  for (let length = Math.min(LONGEST_PHRASE, words.length - from); length > 0; length--) {
    const kind = KINDS.get(words.slice(from, from + length).join(' '));
    if (kind) return [length, { kind }];
  }
  return undefined;
}

/** A part of the batch. The others are what no verdict names. */
type Part = readonly number[] | 'others' | 'all';

interface Verdicts {
  yes: Part[];
  no: Part[];
  only: boolean;
}

/** Each verdict belongs to the part before it, if that has none, or to the part that follows. */
function verdictsOf(tokens: readonly Token[]): Verdicts | undefined {
  const verdicts: Verdicts = { yes: [], no: [], only: false };
  let open: Part[] = [];
  /** "1 and 2 are receipts": a verdict may follow at once, or later on "those". */
  const described: Part[] = [];
  let given: Kind | undefined;
  let due: Kind | undefined;
  let latest: Part | undefined;
  const give = (parts: readonly Part[], kind: Kind) => {
    verdicts[kind === 'yes' || kind === 'act' ? 'yes' : 'no'].push(...parts);
    given = kind;
  };
  for (const [at, token] of tokens.entries()) {
    const { kind } = token;
    if (kind === 'is') described.push(...open.splice(0));
    else if (kind === 'only') {
      if (due === 'not' || due === 'no' || due === 'skip') return undefined;
      verdicts.only = true;
      if (open.length === 0) due ??= 'yes';
      else give(open.splice(0), 'yes');
    } else if (kind === 'alone') {
      give(open.splice(0), 'yes');
      give(['others'], 'no');
    } else if (kind === 'items' || kind === 'others' || kind === 'all' || kind === 'it') {
      const part: Part | undefined = kind === 'items' ? token.places : kind === 'it' ? latest : kind;
      if (part === undefined) return undefined;
      const joins = kind === 'items' && tokens[at - 1]?.kind === 'items' && given !== undefined;
      if (due) give([part], due);
      else if (joins && given) give([part], given);
      else open.push(part);
      if (due && kind === 'it') open = open.filter((other) => other !== part);
      due = undefined;
      if (kind === 'items') latest = part;
    } else if (open.length > 0 || (described.length > 0 && tokens[at - 1]?.kind === 'is')) {
      if (kind === 'act') return undefined;
      give(open.length > 0 ? open.splice(0) : described.slice(-1), kind);
    } else {
      if (due === 'not' && kind === 'skip') return undefined;
      if (due !== 'not' || kind !== 'yes') due = kind;
    }
  }
  const isJudged = (part: Part) => verdicts.yes.includes(part) || verdicts.no.includes(part);
  const isComplete = open.length === 0 && described.every(isJudged) && (due === undefined || due === 'act');
  return isComplete ? verdicts : undefined;
}

/**
 * The places, from 0, of the items that a message leaves out; undefined unless it gives a verdict on each item, or on
 * some of them and on the others.
 * @param plain Its words, as `plainWords` (classifier.ts) returns them.
 */
export function readVerdicts(plain: string, items: readonly PlainItem[]): number[] | undefined {
  const tokens = tokensOf(plain.split(' '), items);
  if (!tokens?.some(({ kind }) => kind === 'items')) return undefined;
  const verdicts = verdictsOf(tokens);
  if (!verdicts) return undefined;
  const { yes, no, only } = verdicts;
  const placesIn = (parts: readonly Part[]) =>
    new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : part)));
  const [included, excluded] = [placesIn(yes), placesIn(no)];
  const excludesOthers = no.includes('others') || (only && included.size > 0);
  const everyPlace = items.map((_, at) => at);
  if (no.includes('all') || [...excluded].some((at) => included.has(at))) return undefined;
  if (excludesOthers && (included.size === 0 || yes.includes('others') || yes.includes('all')))
    return undefined;
  const isWhole = excludesOthers || included.size === 0 || yes.includes('others') || yes.includes('all');
  if (!isWhole && included.size + excluded.size < items.length) return undefined;
  const left = everyPlace.filter((at) => excluded.has(at) || (excludesOthers && !included.has(at)));
  return left.length > 0 && left.length < items.length ? left : undefined;
}
