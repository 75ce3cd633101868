import { z } from 'zod';

/** Control characters, and halves of surrogate pairs, which no UTF-8 can say. */
const UNFIT = /[\p{Cc}\p{Cs}]/u;
/** NUL as JSON writes it, and not a backslash before `u0000`. */
const NUL_IN_JSON = /(?:^|[^\\])(?:\\\\)*\\u0000/;

/** As much of a text as a message quotes. */
export function excerpt(text: string, maxLength = 100): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}

/** What names a thing or a person: one line, which means the same in every store and on every terminal. */
export const idSchema = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((id) => !UNFIT.test(id), 'holds a control character or half of a surrogate pair');

/** What a person wrote, of any number of lines. PostgreSQL stores no NUL. */
export const textSchema = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((text) => !text.includes('\0'), 'holds a NUL character');

/** The same for all texts within a value. */
export const holdsNul = (value: unknown): boolean => NUL_IN_JSON.test(JSON.stringify(value));
