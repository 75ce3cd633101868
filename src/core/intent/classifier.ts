import { actsOnFindings } from './findings';
import { confirmsNothing } from './guards';
import { goesOn, isAct, NAMES_ACT, NEXT_BATCH, TRY_AGAIN } from './grammar';
import type { BulkStatus } from '../../contract/operation';
import { asThisBatch, asThisOperation, confirmsOpenBatch } from './open-batch';
import { NAMES_END, refuses } from './refusals';
import { asSpelt } from './spelling';
import {
  ACTION_WORDS,
  AMOUNT_WORDS,
  ANSWER_PHRASES,
  ANSWER_WORDS,
  NAMES_OPERATION,
  QUALIFIED_ANSWER,
  repeatsAWord,
  SHORT_ANSWER,
  SMALL_WORDS,
  SMILES,
  THUMBS,
} from './words';

export type { IntentContext } from './open-batch';
export type BulkIntent = ReturnType<typeof classifyBulkIntent>;

/** The maximum length of an answer in UTF-16 units. A longer message has other content too. */
const MAX_ANSWER_LENGTH = 120;
/** The maximum length of a remark about the operation in UTF-16 units. A longer message is an unrelated text. */
const MAX_REMARK_LENGTH = 400;
/** A word of two scripts, some letters of which only look right. */
const OF_TWO_SCRIPTS = /[a-z][\u0370-\u04FF]|[\u0370-\u04FF][a-z]/;
const PICTURES = new RegExp(`(${THUMBS}|${SMILES}|👎|🛑|❌|⛔|🚫|✋|🙅|😡|😤|😅|😭|😱)\\uFE0F?`, 'gu');
const LIMITS = new Set(['only', 'just', 'not', 'except', 'without']);

/**
 * Classifies a person's message about the open question: `continue` and `cancel` only if the message as a whole is one
 * of the plain confirmations or refusals of the grammar, `unknown` for everything else, because a wrong `continue`
 * changes things without a confirmation, and a wrong `unknown` costs one question.
 *
 * A 👍, 👌 or ✅ alone confirms, a 👎 or 🛑 alone refuses. A confirmation that repeats itself is `unknown`: it may ask for
 * two batches. One that is stretched ("suuure") or trails off ("ok…") is `unknown`: it may be irony. "Keep going"
 * confirms one batch, as "continue" does. "Don't continue" refuses; "don't continue yet" does not. A typing mistake is
 * corrected in a refusal only: in a confirmation it may be the name of an item, and only a conversation has the items.
 *
 * @param context The open question. Without it, a message with amounts or batch numbers is `unknown`. In the state
 * `batch_failed`, whose question is "Please try again or cancel", "try again" confirms and "next batch" does not.
 *
 * @example
 * classifyBulkIntent('yes, go ahead'); // 'continue'
 */
export function classifyBulkIntent(
  message: string,
  context: {
    state?: BulkStatus['state'] | undefined;
    /** The number of the open batch. */
    batch?: number;
    /** The number of items in the batch. */
    size?: number;
    /** The number of remaining batches, the open one included. */
    batches_left?: number;
    /** The number of items in the batches before the open one. */
    items_before?: number;
    /** The adapter's action, for a message that names it ("yes, archive them"). */
    action?: string;
    /** For a message that names the operation. */
    operation_id?: string;
    /** The values that the open batch gives to its items, for a message that repeats them ("label them as Receipts"). */
    values?: readonly string[];
  } = {},
): 'continue' | 'cancel' | 'unknown' {
  const normal = normalise(message);
  if (normal === undefined) return 'unknown';
  const text = asThisOperation(normal, context);
  const { size, action } = context;
  const sentence = asThisBatch(text, context);
  if (refusesAsMeant(sentence)) return 'cancel';
  if (!isPlainlySaid(message) || confirmsNothing(sentence)) return 'unknown';
  const failed = context.state === 'batch_failed';
  const confirms =
    goesOn(sentence) ||
    (failed ? TRY_AGAIN : NEXT_BATCH).test(sentence) ||
    confirmsOpenBatch(text, sentence, context);
  if (confirms && !repeatsAWord(text)) return 'continue';
  return actsOnFindings(sentence, { failed, size, action }) ? 'continue' : 'unknown';
}

/**
 * Whether a message that decides something does not name what it decides ("ok", "go ahead", "no"), so that it may
 * answer the latest subject.
 */
export function isBareAnswer(message: string): boolean {
  const text = asSpelt(unstretched(normalise(message) ?? ''));
  return !NAMES_ACT.test(text) && !NAMES_END.test(text);
}

/**
 * Whether a message that decides nothing still seems to be about the waiting operation ("continue tomorrow?"), and not
 * to be a request of its own ("cancel my subscription"). The person is then asked what was meant. True for every
 * message that decides something.
 */
export function speaksOfOperation(message: string): boolean {
  const text = asSpelt(message.trim());
  if (text.length > MAX_REMARK_LENGTH) return false;
  const words = wordsOf(text);
  const plain = words.join(' ');
  if (
    NAMES_OPERATION.test(plain) ||
    QUALIFIED_ANSWER.test(plain) ||
    SHORT_ANSWER.test(plain) ||
    isAnswer(plain) ||
    isAnswer([...new Set(words)].join(' '))
  )
    return true;
  if (classifyBulkIntent(message) !== 'unknown' || endsWithAnAct(text) || beginsWithAnEnd(text)) return true;

  const answers = (word: string): boolean => ANSWER_WORDS.has(word) || OF_TWO_SCRIPTS.test(word);
  const acts = (word: string): boolean => ACTION_WORDS.has(word);
  const bringsNoSubject = (word: string): boolean =>
    SMALL_WORDS.has(word) || AMOUNT_WORDS.has(word) || acts(word) || /[0-9]/.test(word) || answers(word);

  if (!words.every(bringsNoSubject)) return false;
  if (words.some(answers) || ANSWER_PHRASES.test(plain)) return true;
  return words.some((word) => AMOUNT_WORDS.has(word)) && !words.some(acts);
}

/** "Spare the newsletters, continue", "vale, para": after a pause, an answer that names what it does. */
function endsWithAnAct(text: string): boolean {
  const last = text.split(/[,.;!]\s+/).at(-1) ?? '';
  const plain = normalise(last) ?? '';
  return last !== text && (isAct(plain) || (refusesAsMeant(plain) && NAMES_END.test(asSpelt(plain))));
}

/** "Stop, the printer is on fire": an end that names itself, and something else after the pause. */
function beginsWithAnEnd(text: string): boolean {
  const [first = ''] = text.split(/[,.;!]\s+/, 1);
  const end = normalise(first);
  return first !== text && end !== undefined && refusesAsMeant(end) && NAMES_END.test(asSpelt(end));
}

/** A limit without a subject of its own ("only these two", "not those"). */
export function isLimit(message: string): boolean {
  if (message.length > MAX_REMARK_LENGTH) return false;
  const words = wordsOf(message);
  return LIMITS.has(words[0] ?? '') && words.every((word) => SMALL_WORDS.has(word) || /[0-9]/.test(word));
}

function refusesAsMeant(text: string): boolean {
  const plain = unstretched(text);
  const spelt = asSpelt(plain);
  return refuses(plain) || (spelt !== plain && refuses(spelt));
}

/** Whether a text without its punctuation is an answer ("go ahead?"). */
function isAnswer(plain: string): boolean {
  return goesOn(plain) || [NEXT_BATCH, TRY_AGAIN].some((pattern) => pattern.test(plain)) || refuses(plain);
}

/** The form that the grammar reads; undefined for a text that cannot be an answer. */
function normalise(message: string): string | undefined {
  // `trim` counts the byte order mark as white space; nothing invisible belongs in an answer.
  if (message.includes('\uFEFF')) return undefined;
  const text = message.trim();
  if (text.length > MAX_ANSWER_LENGTH) return undefined;
  return (
    text
      // Letter by letter, and before `normalize`: the Kelvin sign (U+212A) in lower case would be a k.
      .replace(/[A-ZÀ-ÞĀ-ſА-ЯЁ]/g, (letter) => letter.toLowerCase())
      .normalize('NFC')
      .replace(/(?<=[a-z])[’ʼ](?=[a-z])/g, "'")
      .replace(/^¡/, '')
      .replace(/(?<= )w\/ ?(?=[a-z])/g, 'with ')
      .replace(/(?<=[a-z.!,]) ?:-?\)(?=\s|$)/g, ' 🙂 ')
      .replace(/[\s.!…。！]+$/, '')
      // "Batch 2: approved."
      .replace(/^((?:re |for )?batch [a-z0-9]{1,9}):(?= )/, '$1,')
      .replace(/(?<=^| )procede(?= (?:with|to|please|pls|now)(?: |$))/, 'proceed')
      // Dictated marks.
      .replace(/ comma(?= )/g, ',')
      .replace(
        /(?<! (?:this|that|the|a|my|our|next|last)) (?:period|full stop|exclamation (?:mark|point))$/,
        '',
      )
      .replace(/(👍|👌|👎|🙏|🙌|👏|💪)[\u{1F3FB}-\u{1F3FF}]/gu, '$1')
      .replace(PICTURES, ' $1 ')
      .replace(/[ \t\u00A0]+[-–—][ \t\u00A0]+|[ \t\u00A0]*[,.!…，。！、]+[ \t\u00A0]*/g, ' , ')
      .replace(/[ \t\u00A0]+/g, ' ')
      .replace(/^ | $/g, '')
  );
}

/** Whether a message is neither stretched ("suuure") nor trails off ("ok…"). */
function isPlainlySaid(message: string): boolean {
  return !/…|[.。]\s*[.。]|([a-z])\1{2,}/iu.test(message);
}

function unstretched(text: string): string {
  return text.replace(/[a-z]+/g, unstretch);
}

/** "nooo" is "no". A doubled letter is spelling, and a repeated single letter is a stuck key. */
function unstretch(word: string): string {
  const short = word.replace(/([a-z])\1{2,}/g, '$1');
  return short.length > 1 ? short : word;
}

/** The words of a message or a name in one form, with single spaces between. */
export function plainWords(text: string): string {
  return wordsOf(text).join(' ');
}

/** Words, numbers and the emoji that answer, without invisible characters; compatibility forms are normalized. */
function wordsOf(text: string): string[] {
  const folded = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Cf}/gu, '')
    .replace(/[’ʼ`´]/g, "'")
    // A range that is not a part of an id or of a date.
    .replace(/(?<![\p{L}\p{N}-])([0-9]{1,3}) ?[-–] ?([0-9]{1,3})(?![\p{L}\p{N}-])/gu, '$1 to $2');
  const tokens = folded.match(/[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}]+)*|\p{Extended_Pictographic}/gu) ?? [];
  return tokens.filter((word) => /[\p{L}\p{N}]/u.test(word) || ANSWER_WORDS.has(word)).map(unstretch);
}
