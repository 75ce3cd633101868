/** Letters that are written from right to left: the blocks of Hebrew, Arabic, Syriac, N'Ko and their relatives. */
const RIGHT_TO_LEFT =
  '\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}';
const ANY = new RegExp(`[${RIGHT_TO_LEFT}]`, 'u');
const QUOTED = `(?<=“)[^“”\\n]*[${RIGHT_TO_LEFT}][^“”\\n]*(?=”)`;
const WORDS = `[${RIGHT_TO_LEFT}](?:[${RIGHT_TO_LEFT}\\p{L}\\p{M}\\p{N} _'’.@-]*[${RIGHT_TO_LEFT}])?(?:[-_.@][\\p{L}\\p{N}]+)*`;

/** A part of a text; `apart`: it must not be ordered together with the text around it. */
interface DirectedPart {
  text: string;
  apart: boolean;
}

/**
 * Splits a sentence or lines of ours into the values that are written from right to left, and the rest. Without this,
 * two such values next to each other are one run, and a reader sees them in the wrong order. A value is one of `names`,
 * a quotation, or else the longest sequence of such words.
 */
export function directedParts(text: string, names: readonly string[] = []): DirectedPart[] {
  if (!ANY.test(text)) return [{ text, apart: false }];
  const ownNames = [...new Set(names)].filter((name) => ANY.test(name)).sort((a, b) => b.length - a.length);
  const values = new RegExp([...ownNames.map(escaped), QUOTED, WORDS].join('|'), 'gu');
  const parts: DirectedPart[] = [];
  let end = 0;
  for (const { 0: value, index } of text.matchAll(values)) {
    if (index > end) parts.push({ text: text.slice(end, index), apart: false });
    parts.push({ text: value, apart: true });
    end = index + value.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), apart: false });
  return parts;
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
