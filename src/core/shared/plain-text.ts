import { shortened } from '../../contract/text';

/**
 * Names, values and errors come from other people's mails, tables and services. All code that builds a sentence or a
 * line for people passes them through these functions, so that they cannot change how the rest reads: a character that
 * is invisible or moves others is shown by its code point, `‹U+202E›`, and a line stays one line.
 */

/**
 * Controls, formats (bidi overrides, zero-width, tags), line separators, half surrogate pairs, and characters that
 * fonts leave blank. An emoji of several parts keeps the joiners that Unicode lists for it, and its emoji variation
 * selector.
 */
const UNSEEN = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]`;
const EMOJI = String.raw`(\p{RGI_Emoji_ZWJ_Sequence}|\p{Extended_Pictographic}\uFE0F)`;
/** Text of these characters alone, which is the most common, is not searched. */
const PLAIN = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2190-\u23ff]*$/;
/** An emoji of several parts lies within such a run. Searching a run for emoji takes 300 ns a character. */
const NOT_ASCII = /[^\x20-\x7e]+/g;
let patterns: { unseen: RegExp; shown: RegExp } | undefined;

function replaceUnseen(
  text: string,
  replace: (character: string, emoji: string | undefined) => string,
): string {
  if (PLAIN.test(text)) return text;
  // Compiling these patterns takes longer than all other work on a line.
  patterns ??= { unseen: new RegExp(UNSEEN, 'v'), shown: new RegExp(`${EMOJI}|${UNSEEN}`, 'gv') };
  const { unseen, shown } = patterns;
  return text.replace(NOT_ASCII, (run) => (unseen.test(run) ? run.replace(shown, replace) : run));
}

/** Characters that Markdown interprets anywhere in a line, and those that make a bare address a link. */
const MARKUP = /[\\`*_{}[\]<>#|~&$@]|:(?=\/\/)|(?<=www)\./giu;

/** The maximum length of a quoted name, which leaves room for the rest of its sentence. */
const MAX_QUOTED = 200;

function codeOf(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return `‹U+${hex.padStart(4, '0')}›`;
}

const show = (character: string, emoji: string | undefined) => emoji ?? codeOf(character);

/** Shows the invisible characters of a text of several lines. Line breaks stay; a tab becomes a space. */
export function visibleText(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(/\t/g, ' ')
    .split('\n')
    .map((line) => replaceUnseen(line, show))
    .join('\n');
}

/** Prose as part of a line: line breaks become spaces. */
export function oneLine(text: string): string {
  return replaceUnseen(text.replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' '), show);
}

/**
 * A name as part of a line. Two different names never look alike because of an invisible character: line breaks are
 * shown too, and so is a name that contains one of our codes. Must not be applied twice.
 */
export function nameText(name: string): string {
  return replaceUnseen(escapedName(name), show);
}

const escapedName = (name: string) => name.replace(/‹(?=U\+)/g, codeOf).replace(/^\p{M}+/u, eachCode);

/** An id as part of a line. A no-break space is typography in a name, but makes a different id, so it is shown. */
export function idText(id: string): string {
  return replaceUnseen(escapedName(id).replace(/[^\P{Zs} ]/gu, codeOf), show);
}

const eachCode = (text: string) => Array.from(text, codeOf).join('');

/** The text with a capital letter first. */
export const capitalized = (text: string): string => text.replace(/^./u, (first) => first.toUpperCase());

/** Sentences of several authors in one line, each with its own end. */
export function sentences(...texts: readonly string[]): string {
  return texts
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => (/[.!?…:]["'”’)]?$/u.test(text) ? text : `${text}.`))
    .join(' ');
}

/** A name within a sentence of ours. The name cannot end the quotation. */
export function quoted(name: string): string {
  return inQuotes(shortened(nameText(name), MAX_QUOTED));
}

/** An id within a sentence of ours. */
export function quotedId(id: string): string {
  return inQuotes(shortened(idText(id), MAX_QUOTED));
}

/** The words of a person within a sentence of ours, on one line. They cannot end the quotation. */
export function quotedWords(words: string): string {
  return inQuotes(oneLine(words.trim()));
}

/** The end of an id in our own lines: `Invoice (m-1): already so`. Brackets alone are common in names. */
const AFTER_AN_ID = /\p{Pe}\s*\p{Po}/u;

/** A name before its id in one of our lines. A name that contains such an end is quoted. */
export function nameInLine(name: string): string {
  return safeInLine(nameText(name));
}

const idInLine = (id: string) => safeInLine(idText(id));
const safeInLine = (text: string) => (AFTER_AN_ID.test(text) ? inQuotes(text) : text);

/** An item's name and id. The id distinguishes two items with the same name. */
export function itemInLine({ id, display_name }: { id: string; display_name: string }): string {
  return display_name === id ? idInLine(id) : `${nameInLine(display_name)} (${idInLine(id)})`;
}

/** Quotes a readable text as one word of a shell. */
export const shellWord = (text: string): string =>
  /^[\w.:@/+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

const inQuotes = (text: string) => `“${text.replace(/[“”]/g, codeOf)}”`;

/** Escapes a line for Markdown, so that nothing in it acts as markup, a link or the border of a table. */
export function markdownLine(text: string): string {
  return oneLine(text).replace(MARKUP, '\\$&');
}

/** JSON on one line. Escapes the invisible characters that JSON may leave as they are; the value stays the same. */
export function jsonLine(value: unknown): string {
  return replaceUnseen(JSON.stringify(value), (character, emoji) => emoji ?? escaped(character));
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
