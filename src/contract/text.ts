import { z } from 'zod';

/** Control characters, and halves of surrogate pairs, which UTF-8 cannot encode. */
const UNFIT = /[\p{Cc}\p{Cs}]/u;
/** NUL as JSON writes it, and not a backslash before `u0000`. */
const NUL_IN_JSON = /(?:^|[^\\])(?:\\\\)*\\u0000/;

/** Parts of the preceding character: marks, selectors, skin tones, joiners, and the second half of a pair. */
const CONTINUES = /^[\p{M}\p{Emoji_Modifier}\u200D\uDC00-\uDFFF]/u;
const JOINER = '\u200D';

/** Counts the characters of a text. A character beyond the basic plane has two UTF-16 units, and counts once. */
export function characters(text: string): number {
  return [...text].length;
}

/** Returns the first `units` UTF-16 units of a text or fewer, so that no character or composed emoji is split. */
export function cutAt(text: string, units: number): string {
  let end = Math.min(text.length, Math.max(0, units));
  while (
    end > 0 &&
    end < text.length &&
    (CONTINUES.test(text.slice(end, end + 2)) || text[end - 1] === JOINER)
  )
    end--;
  return text.slice(0, end);
}

/** Removes the repetitions of one unit at the end of a text, in linear time, unlike a regular expression. */
export function withoutTrailing(text: string, unit: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === unit) end--;
  return text.slice(0, end);
}

/** Cuts a text to at most `maxLength` characters. If it was cut, the last character is an ellipsis. */
export function shortened(text: string, maxLength = 100): string {
  if (text.length <= maxLength) return text;
  let units = 0;
  let count = 0;
  let room = 0;
  for (const character of text) {
    if (++count > maxLength) return `${cutAt(text, room)}…`;
    units += character.length;
    if (count < maxLength) room = units;
  }
  return text;
}

/**
 * A text of at most `maximum` characters. They are counted like `maxLength` of JSON Schema, and not in UTF-16 units.
 */
export const upTo = (maximum: number) =>
  z
    .string()
    .check(({ value, issues }) => {
      if (value.length > maximum && characters(value) > maximum)
        issues.push({ code: 'too_big', origin: 'string', maximum, inclusive: true, input: value });
    })
    .meta({ maxLength: maximum });

/** The name of a thing or a person: one line, which is the same in every store and on every terminal. */
export const idSchema = (maxLength: number) =>
  upTo(maxLength)
    .min(1)
    .refine((id) => !UNFIT.test(id), 'holds a control character or half of a surrogate pair');

/** A text by a person, of any number of lines. It has no NUL, because PostgreSQL cannot store one. */
export const textSchema = (maxLength: number) =>
  upTo(maxLength).refine((text) => !text.includes('\0'), 'holds a NUL character');

/** A text by a person that is shown to people: not empty, and the same in every store. */
export const saidSchema = (maxLength: number) =>
  textSchema(maxLength)
    .refine((text) => text.trim() !== '', 'must not be empty')
    .refine((text) => !/\p{Cs}/u.test(text), 'holds half of a surrogate pair');

/** Whether any text within a value has a NUL. */
export const holdsNul = (value: unknown): boolean => NUL_IN_JSON.test(JSON.stringify(value));

/** The maximum depth of values. A deeper value is a mistake, or an attack on recursive code. */
export const MAX_DEPTH = 64;
export const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;

/**
 * Whether lists and objects are nested deeper than `levels`. It goes level by level, without recursion, and visits a
 * shared value once a level.
 */
export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  let level = new Set([value].filter(isNest));
  for (let depth = 0; depth < levels && level.size > 0; depth++) {
    level = new Set([...level].flatMap((nest) => Object.values(nest).filter(isNest)));
  }
  return level.size > 0;
}

const isNest = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether a value holds a number that JSON cannot represent: NaN, an infinite number or a BigInt. */
export function holdsNoNumber(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value === 'bigint') return true;
  return isNest(value) && Object.values(value).some(holdsNoNumber);
}

export const NO_NUMBER =
  'holds a number that is not finite, or a BigInt; JSON has none of them, so write it as text';

/**
 * Whether a message could not be decoded. The worker's codec (src/client/readable.ts) replaces such a message with
 * bytes. Our messages are JSON, which never decodes to bytes, so no sender can forge one.
 */
export function isUnreadable(value: unknown): boolean {
  return value instanceof Uint8Array;
}

/** The prefix of these bytes if the reason is a number that a double cannot hold. */
export const INEXACT_MARK = 'the number ';

/** Returns the number that makes a message unreadable; undefined if the message cannot be decoded at all. */
export function inexactNumberOf(unreadable: unknown): string | undefined {
  if (!isUnreadable(unreadable)) return undefined;
  // The bytes are ASCII. Not every workflow sandbox has a decoder.
  const text = String.fromCharCode(...(unreadable as Uint8Array));
  return text.startsWith(INEXACT_MARK) ? text.slice(INEXACT_MARK.length) : undefined;
}

/** Returns the reason for refusing such a message. */
export function whyUnreadable(unreadable: unknown): string {
  const number = inexactNumberOf(unreadable);
  if (number !== undefined) return `contains the number ${number}, which cannot be kept exactly`;
  return 'cannot be decoded: it is not valid JSON, or it was encoded by a codec that the worker lacks';
}

/** The answer to a query that a worker must refuse; see workflows/shared/read-ahead.ts. */
export const READ_AHEAD = 'This query came between an event and its workflow task. Ask again.';

/**
 * Returns a value as JSON that PostgreSQL and language models accept. They refuse NUL or halves of surrogate pairs, such
 * as in a name that was cut in the middle of an emoji. These become the replacement character.
 */
export function storableJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\\\|\\u(?:0000|d[89a-f][0-9a-f]{2})/g, (escape) =>
    escape === '\\\\' ? escape : '\ufffd',
  );
}
