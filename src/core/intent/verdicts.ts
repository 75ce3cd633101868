import { placesOf, type PlainItem } from './places';

/**
 * Messages that give verdicts on several parts of the open batch, in the order of a conversation: "the first eight yes,
 * the last two no", "all fine except Julia", "the invoice isn't a receipt, skip it, the others are ok".
 */

/** `act` also ends a message. `not` and `isnt` deny a verdict, and `skip` is one, so that "don't skip" is neither. */
type Word =
  | ('yes' | 'no' | 'not' | 'isnt' | 'skip' | 'act' | 'only' | 'alone')
  | ('others' | 'all' | 'it' | 'is' | 'out' | 'nothing');

const WORDS: Readonly<Record<Word, string>> = {
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
  out: 'out, off',
  nothing:
    'please, pls, so, and, but, then, the, to, for, with, of, in, on, there, here, also, too, as well, from, thanks, now, ones, items, emails, mails, messages, cards, events, rows, alone, untouched, unchanged, as it is, as they are, be, that, though, hi, hey, well, first',
};
const KINDS: ReadonlyMap<string, Word> = new Map(
  Object.entries(WORDS).flatMap(([kind, phrases]) =>
    phrases.split(', ').map((phrase) => [phrase, kind as Word] as const),
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

type Token = { kind: Word } | { kind: 'items'; places: readonly number[] };
type Kind = Token['kind'];

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
      tokens.push(token);
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

/** Each verdict belongs to the part before it, if that has none, or to the part that follows. */
class Reading {
  readonly yes: Part[] = [];
  readonly no: Part[] = [];
  only = false;
  private open: Part[] = [];
  /** "1 and 2 are receipts": a verdict may follow at once, or later on "those". */
  private readonly described: Part[] = [];
  private due: { kind: Kind; begins: boolean; byOnly: boolean } | undefined;
  private given: { kind: Kind; byOnly: boolean } | undefined;
  private latest: Part | undefined;

  /** Reads the next token; false if the message has no clear reading. */
  read(token: Token, before: Token | undefined): boolean {
    const { kind } = token;
    const isOfOnly = this.given?.byOnly === true && isPart(before);
    // "Only Bob is wrong, continue" names what is wrong, not what is to run.
    if (isOfOnly && (kind === 'is' || kind === 'isnt' || kind === 'no')) return false;
    if (kind === 'is') this.described.push(...this.open.splice(0));
    else if (kind === 'out') return this.given?.kind === 'skip' && isPart(before);
    else if (kind === 'only') return this.limit();
    else if (kind === 'alone') {
      this.give(this.open.splice(0), 'yes');
      this.no.push('others');
    } else if (isPart(token)) return this.readPart(token, before);
    else return this.readVerdict(kind, before);
    return true;
  }

  isComplete(): boolean {
    const isJudged = (part: Part) => this.yes.includes(part) || this.no.includes(part);
    const waits = this.due !== undefined && this.due.kind !== 'act';
    return !waits && this.open.length === 0 && this.described.every(isJudged);
  }

  private limit(): boolean {
    if (this.due && this.due.kind !== 'yes' && this.due.kind !== 'act') return false;
    this.only = true;
    if (this.open.length > 0) this.give(this.open.splice(0), 'yes');
    else this.due = { kind: 'yes', begins: false, byOnly: true };
    return true;
  }

  private readPart(token: Token, before: Token | undefined): boolean {
    const { due, given } = this;
    const part = 'places' in token ? token.places : token.kind === 'it' ? this.latest : (token.kind as Part);
    if (part === undefined) return false;
    this.due = undefined;
    if (due) this.give([part], due.kind, due.byOnly);
    else if (given && 'places' in token && before && 'places' in before)
      this.give([part], given.kind, given.byOnly);
    else this.open.push(part);
    if (due && token.kind === 'it') this.open = this.open.filter((one) => one !== part);
    if ('places' in token) this.latest = part;
    return true;
  }

  private readVerdict(kind: Kind, before: Token | undefined): boolean {
    const isDescribed = this.described.length > 0 && before?.kind === 'is';
    if (this.open.length > 0 || isDescribed) {
      if (kind === 'act') return false;
      this.give(this.open.length > 0 ? this.open.splice(0) : this.described.slice(-1), kind);
      return true;
    }
    const { due } = this;
    // "Not ok" denies; "don't skip" and "don't continue" are no verdict on a part.
    if (due?.kind === 'not' || due?.kind === 'isnt') return kind === 'yes';
    // Only the "no" that begins a message may have another verdict after it.
    if (due?.kind === 'skip' || (due?.kind === 'no' && !due.begins)) return false;
    this.due = { kind, begins: before === undefined, byOnly: false };
    return true;
  }

  private give(parts: readonly Part[], kind: Kind, byOnly = false): void {
    (kind === 'yes' || kind === 'act' ? this.yes : this.no).push(...parts);
    this.given = { kind, byOnly };
  }
}

const PARTS: ReadonlySet<Kind> = new Set(['items', 'others', 'all', 'it']);
const isPart = (token: Token | undefined): boolean => token !== undefined && PARTS.has(token.kind);

/** What a message leaves out. `replaces`: it also says what is to run, so that an earlier exclusion is over. */
interface Verdicts {
  exclude: number[];
  replaces: boolean;
}

/**
 * The places, from 0, of the items that a message leaves out; undefined unless it gives a verdict on each item, or on
 * some of them and on the others.
 * @param plain Its words, as `plainWords` (classifier.ts) returns them.
 */
export function readVerdicts(plain: string, items: readonly PlainItem[]): Verdicts | undefined {
  const tokens = tokensOf(plain.split(' '), items);
  if (!tokens?.some(({ kind }) => kind === 'items')) return undefined;
  const reading = new Reading();
  if (!tokens.every((token, at) => reading.read(token, tokens[at - 1])) || !reading.isComplete())
    return undefined;
  const { yes, no, only } = reading;
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
  const exclude = everyPlace.filter((at) => excluded.has(at) || (excludesOthers && !included.has(at)));
  if (exclude.length === 0 || exclude.length === items.length) return undefined;
  return { exclude, replaces: excludesOthers || included.size > 0 };
}
