type PartKind =
  | 'literal'
  | 'digit'
  | 'point'
  | 'comma'
  | 'percent'
  | 'slash'
  | 'power'
  | 'general'
  | 'text'
  | 'date'
  | 'elapsed'
  | 'half';

/** A part of a number format. `text` is what a literal shows, and the placeholder itself for the other kinds. */
export interface Part {
  kind: PartKind;
  text: string;
}

/** The language of names. `date` and `time` are in the format of the reader's own settings. */
type Language = 'english' | 'other' | 'date' | 'time';

export interface Section {
  parts: Part[];
  condition?: (value: number) => boolean;
  language?: Language;
  /** A date whose order of day and month depends on the reader's own settings. */
  isOfReader: boolean;
}

const OF_THE_READER = /^m{1,2}[/-]d{1,2}[/-]y+/i;

const OPERATORS: Readonly<Record<string, (value: number, limit: number) => boolean>> = {
  '<': (value, limit) => value < limit,
  '<=': (value, limit) => value <= limit,
  '>': (value, limit) => value > limit,
  '>=': (value, limit) => value >= limit,
  '=': (value, limit) => value === limit,
  '<>': (value, limit) => value !== limit,
};

/** Adds a part to a section. Returns false for one that is not supported. */
type Add = (section: Section, ...groups: string[]) => boolean | void;

const part =
  (kind: PartKind): Add =>
  ({ parts }, text = '') =>
    void parts.push({ kind, text });

/** The parts of a section, in the order in which they are tried. `*` fills the width of a cell, which has none here. */
const PARTS: readonly (readonly [RegExp, Add])[] = [
  [/"([^"]*)"/uy, part('literal')],
  [/\\(.)/suy, part('literal')],
  [/_./suy, ({ parts }) => void parts.push({ kind: 'literal', text: ' ' })],
  [/\*./suy, () => undefined],
  [/\[(?:black|blue|cyan|green|magenta|red|white|yellow|color ?\d{1,2})\]/iuy, () => undefined],
  [/\[(h+|m+|s+)\]/iuy, part('elapsed')],
  [/\[\$([^\]-]*)(?:-([^\]]*))?\]/uy, addCurrency],
  [/\[(<=|>=|<>|<|>|=)(-?\d+(?:\.\d+)?)\]/uy, addCondition],
  [/(general)/iuy, part('general')],
  [/(am\/pm|a\/p)/iuy, part('half')],
  [/(e[+-])/iuy, part('power')],
  [/(y+|m+|d+|h+|s+)/iuy, part('date')],
  [/([0#?])/uy, part('digit')],
  [/(\.)/uy, part('point')],
  [/(,)/uy, part('comma')],
  [/(%)/uy, part('percent')],
  [/(\/)/uy, part('slash')],
  [/(@)/uy, part('text')],
  [/([ $+\-():!^&'~{}<>=]|[^\p{ASCII}\p{L}\p{N}])/uy, part('literal')],
];

function addCurrency(section: Section, symbol = '', language = ''): boolean {
  section.parts.push({ kind: 'literal', text: symbol });
  if (language === '') return true;
  const known = languageOf(language.toLowerCase());
  if (known) section.language = known;
  return known !== undefined;
}

function addCondition(section: Section, operator = '', limit = ''): boolean {
  const holds = OPERATORS[operator];
  if (!holds || section.condition) return false;
  section.condition = (value) => holds(value, Number(limit));
  return true;
}

const ENGLISH = 0x09;
/** Western digits and the Gregorian calendar, both by default or by name. */
const PLAIN_NUMERALS = [0, 1, 0x100, 0x101];

/** The language of a tag (`en-US`) or a number of Windows (`409`); undefined with other digits or another calendar. */
function languageOf(language: string): Language | undefined {
  if (language === 'f800' || language === 'x-sysdate') return 'date';
  if (language === 'f400' || language === 'x-systime') return 'time';
  if (/^[0-9a-f]{1,8}$/.test(language)) {
    const number = Number.parseInt(language, 16);
    if (!PLAIN_NUMERALS.includes(number >>> 16)) return undefined;
    return (number & 0x3ff) === ENGLISH ? 'english' : 'other';
  }
  if (/^en(-[a-z]{2})?$/.test(language)) return 'english';
  return /^([a-z]{2,3}(-[a-z]{2,4}){0,2}|x-euro\d)$/.test(language) ? 'other' : undefined;
}

/** The sections of a number format; undefined if it has parts that are not supported. */
export function sectionsOf(code: string): Section[] | undefined {
  const sections: Section[] = [];
  const isOfReader = OF_THE_READER.test(code);
  let section: Section = { parts: [], isOfReader };
  for (let at = 0; at < code.length;) {
    if (code[at] === ';') {
      sections.push(section);
      section = { parts: [], isOfReader };
      at++;
      continue;
    }
    const length = addPart(section, code, at);
    if (length === undefined) return undefined;
    at += length;
  }
  return [...sections, section];
}

/** Adds the part at a place, and returns its length. */
function addPart(section: Section, code: string, at: number): number | undefined {
  for (const [pattern, add] of PARTS) {
    pattern.lastIndex = at;
    const match = pattern.exec(code);
    if (match) return add(section, ...match.slice(1)) === false ? undefined : match[0].length;
  }
  return undefined;
}

export const has = ({ parts }: Section, ...kinds: PartKind[]): boolean =>
  parts.some(({ kind }) => kinds.includes(kind));

/** The section for texts; undefined if the format has none, so that a text is shown as it is. */
export function textSection(sections: readonly Section[]): Section | undefined {
  const last = sections.at(-1);
  return last && (sections.length === 4 || has(last, 'text')) ? last : undefined;
}

interface Choice {
  section: Section;
  /** The section writes the sign of the number itself. */
  isUnsigned: boolean;
}

/** The section for a number; undefined if that is not certain. */
export function numberSection(sections: readonly Section[], value: number): Choice | undefined {
  const numeric = textSection(sections) ? sections.slice(0, -1) : sections;
  const [first, second, third] = numeric;
  if (!first || numeric.length > 3 || numeric.some((section) => has(section, 'text'))) return undefined;
  if (numeric.some(({ condition }) => condition)) {
    const section = value < 0 ? undefined : conditional(numeric, value);
    return section && { section, isUnsigned: false };
  }
  if (value < 0 && second) return { section: second, isUnsigned: true };
  return { section: value === 0 && third ? third : first, isUnsigned: false };
}

/** The section by conditions, of which only the last section may have none. */
function conditional(numeric: readonly Section[], value: number): Section | undefined {
  const last = numeric.length - 1;
  if (numeric.some(({ condition }, at) => !condition && (at < last || at === 0))) return undefined;
  return numeric.find(({ condition }) => condition?.(value) ?? true);
}
