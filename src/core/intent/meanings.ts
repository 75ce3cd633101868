import { CHINESE } from './vocabularies/chinese';
import { DUTCH } from './vocabularies/dutch';
import { ENGLISH } from './vocabularies/english';
import { FRENCH } from './vocabularies/french';
import { GERMAN } from './vocabularies/german';
import { ITALIAN } from './vocabularies/italian';
import { PORTUGUESE } from './vocabularies/portuguese';
import { SPANISH } from './vocabularies/spanish';

/** The questions and wishes of a person about an operation, besides continue and cancel. */
export type Question =
  | ('items' | 'left' | 'change' | 'undo' | 'errors' | 'status' | 'confirmations')
  | ('retry' | 'take_back' | 'extend');

/**
 * The meaning of a message that neither confirms nor refuses. `deferred`: the operation is to continue later. `mixed`:
 * the message is about the operation in a way that is not recognized.
 */
export type Meaning = Question | (typeof OTHERS)[number];
const OTHERS = ['put_off', 'deferred', 'doubt', 'mixed'] as const;
export const isQuestion = (meaning: Meaning): meaning is Question =>
  !OTHERS.some((other) => other === meaning);

/** Notions that do not change which question is asked: its subject and its form. */
const ABOUT =
  'item number batch first last next all any done do already yet far then the in still let need can';

/**
 * The meanings of messages, by the notions of their words in any order. A message has the meaning of the first line of
 * which it has all notions of one of the `needs`, and no notion besides the line's (`*` stands for any).
 */
const MEANINGS: readonly { meaning: Meaning; needs: string; may: string }[] = [
  {
    meaning: 'undo',
    needs: 'can undo, can back, undoable',
    may: `${ABOUT} take later again label change if_i`,
  },
  { meaning: 'extend', needs: 'more time, until_when, extend', may: `${ABOUT} moment answer` },
  { meaning: 'confirmations', needs: 'who confirm, who yes', may: ABOUT },
  {
    meaning: 'retry',
    needs: 'retry, try again, fail again, error again, number again, the fail, try fail',
    may: `${ABOUT} more what`,
  },
  { meaning: 'retry', needs: 'just fail, just error', may: 'the item again retry try what number do' },
  {
    meaning: 'take_back',
    needs:
      'undo, take back, put back, back all, back before, restore, remove label again, remove label batch, remove label done, put before, all before, item before, back item, back number, back batch, annul done, annul change, annul last batch',
    may: `${ABOUT} what`,
  },
  {
    meaning: 'errors',
    needs:
      'any problem, which problem, what problem, how_many problem, show problem, why problem, which fail, what fail, who fail, why fail, how_many fail, show fail, list fail, any fail, error, what wrong, which wrong, any wrong, what happened, why happened',
    may: `${ABOUT} show list which what why any who how_many well happened`,
  },
  {
    meaning: 'left',
    needs:
      'how_many left, how_many still, how_many more, how_many not yet, what left, what still, any left, any more batch, many left, many still, much left, much still',
    may: `${ABOUT} wait later confirm`,
  },
  {
    meaning: 'status',
    needs:
      'status, how_many done, how_many already, how_many well, what done, what well, how far, going, finished, all well, batch well, number well, done well, any done, batch done, how batch, how long',
    may: `${ABOUT} which show later`,
  },
  { meaning: 'left', needs: 'how_many batch', may: `${ABOUT} later` },
  {
    meaning: 'change',
    needs: 'what happens, what will do, which label, what label, what change, what will change',
    may: `${ABOUT} if_i yes continue confirm again`,
  },
  {
    meaning: 'items',
    needs: 'which, show, check list, check item, check batch, list, what next, what in, what item, who in',
    may: `${ABOUT} again left check beforehand`,
  },
  {
    meaning: 'put_off',
    needs: 'not yet, not now, not ready, not today, not tomorrow, not can, not answer',
    may: 'continue do no maybe moment any later already check wait tell ask again answer need let number time think tomorrow today',
  },
  {
    meaning: 'put_off',
    needs: 'later, wait, moment, pause',
    may: 'maybe do ask again answer tell no yes ready need let number still tomorrow today time can check think batch just in',
  },
  {
    meaning: 'put_off',
    needs: 'think, let check, need check, still check, check beforehand, tell, need time',
    may: 'ready if_i maybe item list batch show no first again the them still wait moment later',
  },
  {
    meaning: 'put_off',
    needs: 'tomorrow',
    may: 'maybe later ask again no beforehand answer tell check think let need moment wait time the',
  },
  {
    meaning: 'deferred',
    needs: 'continue later, continue tomorrow, continue wait, continue moment',
    may: '*',
  },
  {
    meaning: 'doubt',
    needs: 'maybe, not know, not sure, depends, you_decide, no idea, undecided',
    may: 'yes no still yet already',
  },
  { meaning: 'mixed', needs: 'continue, undo, retry, fail, not show, not again, not annul', may: '*' },
];

interface Frame {
  meaning: Meaning;
  needs: readonly string[];
  may: ReadonlySet<string>;
}

/** Notions that limit or deny: a line has them only where one of its `needs` does. */
const LIMITS = new Set(['not', 'just']);

const FRAMES: readonly Frame[] = MEANINGS.flatMap(({ meaning, needs, may }) => {
  const sets = needs.split(', ').map((set) => set.split(' '));
  const others = [...sets.flat().filter((notion) => !LIMITS.has(notion)), ...may.split(' ')];
  return sets.map((set) => ({ meaning, needs: set, may: new Set([...set, ...others]) }));
});

/** The words and expressions of a language, each with its readings. A reading is a list of notions. */
type Vocabulary = ReadonlyMap<string, readonly Reading[]>;
type Reading = readonly string[];
/** The length of the longest expression in words. */
const LONGEST_EXPRESSION = 6;
/** Marks expressions without a notion. */
const NOTHING = '-';

const FIGURES = /^[0-9]{1,3}$/;
const A_NUMBER: readonly Reading[] = [['number']];

/** Removes accents, which many people do not type, and separates words at apostrophes and Chinese characters. */
const inOneSpelling = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .replaceAll("'", ' ')
    .replace(/\p{Script=Han}/gu, ' $& ')
    .replace(/ +/g, ' ')
    .trim();

function vocabularyOf(lines: string): Vocabulary {
  const vocabulary = new Map<string, Reading[]>();
  for (const line of lines.trim().split('\n')) {
    const [notions = '', expressions = ''] = line.trim().split(': ');
    const reading = notions === NOTHING ? [] : notions.split(' ');
    for (const expression of expressions.split(', ')) {
      const spelt = inOneSpelling(expression);
      vocabulary.set(spelt, [...(vocabulary.get(spelt) ?? []), reading]);
    }
  }
  return vocabulary;
}

const LANGUAGES = [ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH, CHINESE];
let vocabularies: readonly Vocabulary[] | undefined;

/** The readings of a message, the longest expressions first; undefined if a word of it has another subject. */
function readingsOf(words: readonly string[], vocabulary: Vocabulary): (readonly Reading[])[] | undefined {
  const all: (readonly Reading[])[] = [];
  for (let from = 0; from < words.length;) {
    let length = Math.min(LONGEST_EXPRESSION, words.length - from);
    let readings: readonly Reading[] | undefined;
    for (; length > 0; length--) {
      const expression = words.slice(from, from + length).join(' ');
      readings = vocabulary.get(expression) ?? (FIGURES.test(expression) ? A_NUMBER : undefined);
      if (readings) break;
    }
    if (!readings) return undefined;
    all.push(readings);
    from += length;
  }
  return all;
}

function meets({ needs, may }: Frame, message: readonly (readonly Reading[])[]): boolean {
  const notions = new Set<string>();
  for (const readings of message) {
    const fitting = readings.filter((reading) => may.has('*') || reading.every((notion) => may.has(notion)));
    if (fitting.length === 0) return false;
    for (const notion of fitting.flat()) notions.add(notion);
  }
  return needs.every((notion) => notions.has(notion));
}

/** The maximum length of a message in words. A longer one has other content too. */
const MAX_WORDS = 20;

/** @param plain The words of a message, as `plainWords` (classifier.ts) returns them. */
export function meaningOf(plain: string): Meaning | undefined {
  const words = inOneSpelling(plain).split(' ');
  if (words.length > MAX_WORDS) return undefined;
  // Built on first use: most processes read no message.
  vocabularies ??= LANGUAGES.map(vocabularyOf);
  for (const vocabulary of vocabularies) {
    const message = readingsOf(words, vocabulary);
    const frame = message && FRAMES.find((candidate) => meets(candidate, message));
    if (frame) return frame.meaning;
  }
  return undefined;
}
