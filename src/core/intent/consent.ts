import { goesOn } from './grammar';
import type { IntentContext } from './open-batch';
import { CONSENT } from './vocabularies/consent';

/**
 * The sentences of a confirmation in English, read by the notions of their words in any order. A word without a notion,
 * such as a negation or a limit, makes a sentence unreadable, and then the message confirms nothing.
 */
type Kind =
  | 'act'
  | 'approval'
  | 'finding'
  | 'none'
  | 'remark'
  | 'assent'
  | 'greeting'
  | 'urging'
  | 'thanks'
  | 'check'
  | 'topic';

const PREPOSITIONS = ['with', 'for', 'on', 'to', 'as to', 're', 'regarding', 'in', 'of'];
/** Phrases that must be next to each other: "no mistakes", "nothing to leave out", "don't stop". */
const PAIRS: readonly [string, string, string][] = [
  ['none', 'fault', 'no_fault'],
  ['needless', 'stopping', 'no_stop'],
];

/** Each kind of sentence: all notions of one of `needs`, and no others besides those of `may`. */
const FRAMES: readonly { kind: Kind; needs: string; may: string }[] = [
  { kind: 'assent', needs: 'yes', may: 'ask you' },
  {
    kind: 'approval',
    needs: 'approve, yes list, want list done, want it done',
    may: 'ask it list manner thanks you mine',
  },
  { kind: 'act', needs: 'act, verb it, verb list, own it, own them, own list', may: 'ask manner thanks you' },
  {
    kind: 'act',
    needs: 'own it as value, own them as value, own list as value',
    may: 'ask manner thanks you',
  },
  { kind: 'act', needs: 'confirms it, confirms list', may: 'manner thanks you' },
  { kind: 'topic', needs: 'list', may: '' },
  { kind: 'finding', needs: 'checked', may: 'list it them subject mine how be well manner times' },
  { kind: 'finding', needs: 'content it, content list, content them, content subject', may: 'how mine' },
  {
    kind: 'finding',
    needs: 'be well, subject well, subject be well, list be well, it be well, them be well',
    may: 'how mine',
  },
  {
    kind: 'finding',
    needs: 'allowed it, allowed list, allowed subject, allowed be, allowed them',
    may: 'how manner it',
  },
  { kind: 'none', needs: 'no_fault, no_stop', may: 'list it them subject mine be how any' },
  { kind: 'finding', needs: 'subject belong value, list belong value, it belong value', may: 'how mine' },
  { kind: 'remark', needs: 'as_expected', may: 'mine list it thanks' },
  { kind: 'greeting', needs: 'hello, sorry, excuse, away place', may: 'hello sorry you article thanks with' },
  { kind: 'greeting', needs: 'you', may: '' },
  { kind: 'thanks', needs: 'thanks', may: 'you ask' },
  { kind: 'urging', needs: 'urging', may: 'you ask thanks' },
  { kind: 'check', needs: 'check', may: 'you' },
];

type Reading = ReadonlySet<string>;
const LONGEST_PHRASE = 9;
let phrases: ReadonlyMap<string, Reading> | undefined;

function vocabulary(): ReadonlyMap<string, Reading> {
  const lists = new Map<string, string[]>();
  for (const line of CONSENT.trim().split('\n')) {
    const [notion = '', expressions = ''] = line.trim().split(': ');
    lists.set(notion, [...(lists.get(notion) ?? []), ...expressions.split(', ')]);
  }
  const all = new Map<string, Set<string>>();
  const add = (phrase: string, notion: string) => {
    all.set(phrase, (all.get(phrase) ?? new Set()).add(notion));
  };
  const listOf = (notion: string) => lists.get(notion) ?? [];
  const paired = new Set(PAIRS.flatMap(([first, second]) => [first, second]));
  for (const [notion, expressions] of lists)
    if (!paired.has(notion)) for (const phrase of expressions) add(phrase, notion);
  for (const [first, second, notion] of PAIRS)
    for (const begin of listOf(first)) for (const end of listOf(second)) add(`${begin} ${end}`, notion);
  for (const phrase of listOf('list')) for (const word of PREPOSITIONS) add(`${word} ${phrase}`, 'list');
  return all;
}

const READY = FRAMES.flatMap(({ kind, needs, may }) =>
  needs.split(', ').map((set) => {
    const own = set.split(' ');
    return { kind, needs: own, may: new Set([...own, ...may.split(' ')]) };
  }),
);

/** The phrases of a clause: for each place, the readings of the phrases that begin there, by their lengths. */
type Phrases = readonly (readonly (Reading | undefined)[])[];

function phrasesOf(words: readonly string[], own: Words): Phrases {
  phrases ??= vocabulary();
  const known = phrases;
  return words.map((_, from) =>
    Array.from({ length: Math.min(LONGEST_PHRASE, words.length - from) }, (__, more) => {
      const phrase = words.slice(from, from + more + 1).join(' ');
      return own.get(phrase) ?? known.get(phrase);
    }),
  );
}

/** The kind of the sentence between two places, the longest phrases first; undefined if it is none of them. */
function kindOfSentence(all: Phrases, from: number, to: number): Kind | undefined {
  const readings: Reading[] = [];
  for (let at = from; at < to;) {
    let length = Math.min(LONGEST_PHRASE, to - at);
    while (length > 0 && !all[at]?.[length - 1]) length -= 1;
    const reading = all[at]?.[length - 1];
    if (!reading) return undefined;
    readings.push(reading);
    at += length;
  }
  // "Continue continue" may ask for two batches.
  if (new Set(readings).size < readings.length) return undefined;
  if (readings.filter((reading) => [...reading].every((notion) => DECIDES.has(notion))).length > 1)
    return undefined;
  return READY.find(
    ({ needs, may }) =>
      readings.every((reading) => [...reading].some((notion) => may.has(notion))) &&
      needs.every((notion) => readings.some((reading) => reading.has(notion))),
  )?.kind;
}
const DECIDES: ReadonlySet<string> = new Set(['act', 'verb', 'own', 'approve', 'confirms', 'yes']);
const OWN: Reading = new Set(['own']);
const VALUE: Reading = new Set(['value']);
type Words = ReadonlyMap<string, Reading>;

/** "Yes comma please continue period", as a telephone hears it. */
const SPOKEN = / (?:comma|period|full stop|exclamation (?:mark|point)|new line|smiley(?: face)?)(?= |$)/g;
const CHEERS = /(?: ?(?:💯|🔥|😄|🚂|🥳|👏|🙌))+$/u;
/** A name behind a formal end of a letter. */
const SIGNED =
  / , (?:(?:kind|best|warm) regards|regards|yours(?: sincerely)?|lg|mfg)(?: ,)?(?: [\p{L}.]+){1,3}$/u;
const FILLERS = /(?:^| )(?:u+m+|u+h+|e+r+m?|hm+|mm+|like i said|you know)(?= |$)(?: ,)?/g;
/** "Ok thanks" ends a conversation as often as it confirms. */
const PLAIN_YES =
  /(?:^| )(?:yes|yess|yep|yup|yeah|aye|affirmative|certainly|absolutely|definitely|of course)(?: |$)/;
const DISMISSES = /^(?:thanks|thank you) ,/;
const JOINS: ReadonlySet<string> = new Set(['and', 'so', 'then', 'therefore', 'hence', 'well']);
/** Sentences after which another may follow without a pause. "Great start" is none. */
const CONNECTED: ReadonlySet<Kind> = new Set(['finding', 'none', 'assent', 'approval', 'act', 'greeting']);

/**
 * Whether a message confirms the open batch in sentences that mean nothing else: one act or an approval, or a plain yes
 * with a finding. Two assents may be irony, and two acts may ask for two batches.
 * @param text The message with "this batch" for the open batch.
 */
export function consents(text: string, { action, values }: IntentContext): boolean {
  if (/[^\S ]/u.test(text)) return false;
  const plain = text
    .replace(SIGNED, '')
    .replace(SPOKEN, ' ,')
    .replace(CHEERS, '')
    .replaceAll('&', ' and ')
    .replace(/ +/g, ' ')
    .trim();
  const spoken = plain.replace(FILLERS, '').trim();
  if (plain !== text && goesOn(plain.replace(/(?: ?,)+$/, ''))) return true;
  const own = wordsOf(action, values);
  const kinds: Kind[] = [];
  for (const clause of spoken.split(',').map((part) => part.trim())) {
    const ofClause = kindsOf(clause.split(' '), own, kinds.length > 0);
    if (!ofClause) return false;
    kinds.push(...ofClause);
  }
  const count = (...some: Kind[]) => kinds.filter((kind) => some.includes(kind)).length;
  const hasFindings = count('finding', 'none', 'remark', 'approval') > 0;
  if (!hasFindings && (spoken !== plain || DISMISSES.test(plain))) return false;
  if (count('act') > 1 || count('approval') > 1 || count('assent') > 1) return false;
  // "Yeah, right" is irony.
  if (count('check') > 0 && count('assent') > 0) return false;
  if (count('act', 'approval') > 0) return true;
  return spoken === plain && PLAIN_YES.test(plain) && isPlainAnswer(kinds);
}

/** "Hello, yes, nothing to leave out, thanks". "Yes, looks good" may be about anything that was just shown. */
function isPlainAnswer(kinds: readonly Kind[]): boolean {
  const at = kinds.indexOf('assent');
  return (
    at >= 0 &&
    kinds.length > 1 &&
    kinds.slice(0, at).every((kind) => kind === 'greeting' || kind === 'topic') &&
    kinds.slice(at + 1).every((kind) => kind === 'none' || kind === 'thanks' || kind === 'topic')
  );
}

function kindsOf(words: readonly string[], own: Words, joined: boolean): Kind[] | undefined {
  const all = phrasesOf(words, own);
  const known = new Map<number, Kind[] | undefined>();
  const after = (start: number): Kind[] | undefined => {
    if (start === words.length) return [];
    if (known.has(start)) return known.get(start);
    const begin = (joined || start > 0) && JOINS.has(words[start] ?? '') ? start + 1 : start;
    let kinds: Kind[] | undefined;
    for (let end = words.length; end > begin && !kinds; end--) {
      const kind = kindOfSentence(all, begin, end);
      if (!kind || (end < words.length && !CONNECTED.has(kind))) continue;
      const rest = after(end);
      if (rest) kinds = [kind, ...rest];
    }
    known.set(start, kinds);
    return kinds;
  };
  return after(0);
}

/** "Label", "keep labelling", for an operation that labels, and the values that it sets. */
function wordsOf(action = '', values: readonly string[] = []): Words {
  const [verb = ''] = /^[a-z]+/.exec(action) ?? [];
  const labels = action === 'label' || action === 'add_label';
  const names = verb === '' ? [] : labels ? ['label', 'tag', 'mark'] : [verb];
  const doing = (name: string) => [
    `${name.replace(/e$/, '')}ing`,
    `${name.replace(/e$/, '')}${name.at(-1) ?? ''}ing`,
  ];
  const verbs = names.flatMap((name) => [
    name,
    ...doing(name).flatMap((form) => BEFORE_DOING.map((lead) => `${lead} ${form}`)),
  ]);
  return new Map([
    ...verbs.map((words) => [words, OWN] as const),
    ...values.map((value) => [value.toLowerCase(), VALUE] as const),
  ]);
}
const BEFORE_DOING =
  'start, keep, keep on, continue, go on, carry on, proceed with, continue with, go ahead with'.split(', ');
