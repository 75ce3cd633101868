import { z } from 'zod';

/** Control characters, and halves of surrogate pairs, which no UTF-8 can say. */
const UNFIT = /[\p{Cc}\p{Cs}]/u;
/** NUL as JSON writes it, and not a backslash before `u0000`. */
const NUL_IN_JSON = /(?:^|[^\\])(?:\\\\)*\\u0000/;

/** What belongs to the character before it: marks, selectors, skin tones, joiners, and the second half of a pair. */
const CONTINUES = /^[\p{M}\p{Emoji_Modifier}\u200D\uDC00-\uDFFF]/u;
const JOINER = '\u200D';

/** How many characters a text has; one beyond the basic plane counts once, and has two UTF-16 units. */
export function characters(text: string): number {
  return [...text].length;
}

/** The beginning of a text of at most so many UTF-16 units, which cuts no character and no emoji of several parts. */
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

/** A text without the repetitions of one unit at its end: in time that grows with the text, as a pattern's does not. */
export function withoutTrailing(text: string, unit: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === unit) end--;
  return text.slice(0, end);
}

/** A text of at most so many characters, the last one an ellipsis where it was longer. */
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

/** A text of at most so many characters, counted as JSON Schema's `maxLength` counts them and not in UTF-16 units. */
export const upTo = (maximum: number) =>
  z
    .string()
    .check(({ value, issues }) => {
      if (value.length > maximum && characters(value) > maximum)
        issues.push({ code: 'too_big', origin: 'string', maximum, inclusive: true, input: value });
    })
    .meta({ maxLength: maximum });

/** What names a thing or a person: one line, which means the same in every store and on every terminal. */
export const idSchema = (maxLength: number) =>
  upTo(maxLength)
    .min(1)
    .refine((id) => !UNFIT.test(id), 'holds a control character or half of a surrogate pair');

/** What a person wrote, of any number of lines. PostgreSQL stores no NUL. */
export const textSchema = (maxLength: number) =>
  upTo(maxLength).refine((text) => !text.includes('\0'), 'holds a NUL character');

/** The same for all texts within a value. */
export const holdsNul = (value: unknown): boolean => NUL_IN_JSON.test(JSON.stringify(value));

/** Deeper values are a mistake, or an attack on what walks them: every stack has an end. */
export const MAX_DEPTH = 64;
export const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;

/** Whether lists and objects stand within each other deeper than that. It looks level by level, without a stack of its own, and at what is shared once a level. */
export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  let level = new Set([value].filter(isNest));
  for (let depth = 0; depth < levels && level.size > 0; depth++) {
    level = new Set([...level].flatMap((nest) => Object.values(nest).filter(isNest)));
  }
  return level.size > 0;
}

const isNest = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether a value holds a number that JSON does not have: NaN or an infinite one, written as null, or a BigInt. */
export function holdsNoNumber(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value === 'bigint') return true;
  return isNest(value) && Object.values(value).some(holdsNoNumber);
}

export const NO_NUMBER =
  'holds a number that is not finite, or a BigInt; JSON has none of them, so write it as text';

/**
 * What a message holds that its receiver cannot decode, where the worker's codec (src/client/readable.ts) put bytes in
 * its place. Our messages are JSON, which never decodes to bytes, so no sender can forge one.
 */
export function isUnreadable(value: unknown): boolean {
  return value instanceof Uint8Array;
}

/** What stands in such bytes before a number of JSON that a double cannot hold. */
export const INEXACT_MARK = 'the number ';

/** The number that makes a message unreadable; undefined if it cannot be decoded at all. */
export function inexactNumberOf(unreadable: unknown): string | undefined {
  if (!isUnreadable(unreadable)) return undefined;
  // The bytes are ASCII, and the sandbox of workflows has no decoder everywhere.
  const text = String.fromCharCode(...(unreadable as Uint8Array));
  return text.startsWith(INEXACT_MARK) ? text.slice(INEXACT_MARK.length) : undefined;
}

/** The reason of every refusal of such a message. */
export function whyUnreadable(unreadable: unknown): string {
  const number = inexactNumberOf(unreadable);
  if (number !== undefined) return `contains the number ${number}, which cannot be kept exactly`;
  return 'cannot be decoded: it is not valid JSON, or it was encoded by a codec that the worker lacks';
}

/** The answer to a query that a worker must not answer; see workflows/shared/read-ahead.ts. */
export const READ_AHEAD = 'This query came between an event and its workflow task. Ask again.';

/**
 * A value as JSON that PostgreSQL takes. It refuses NUL and halves of surrogate pairs, which a name that was cut in the
 * middle of an emoji has; they become the replacement character.
 */
export function storableJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\\\|\\u(?:0000|d[89a-f][0-9a-f]{2})/g, (escape) =>
    escape === '\\\\' ? escape : '\ufffd',
  );
}
