import type { Column } from '../catalogue';

/** The kinds of types, by the format of their values. */
export type Family =
  | 'integer'
  | 'decimal'
  | 'double'
  | 'bits'
  | 'text'
  | 'choice'
  | 'bytes'
  | 'moment'
  | 'day'
  | 'time'
  | 'year'
  | 'json'
  | 'address'
  | 'other';

/** The type of a column, as `column_type` of information_schema.columns prints it. */
export interface Type {
  readonly name: string;
  readonly family: Family;
  readonly numbers: readonly number[];
  /** The members of an enum or a set. */
  readonly members: readonly string[];
  readonly unsigned: boolean;
}

/** https://mariadb.com/kb/en/data-types/ and https://dev.mysql.com/doc/refman/8.4/en/data-types.html */
const FAMILIES: readonly [Family, RegExp][] = [
  ['integer', /^(?:tiny|small|medium|big)?int$/],
  ['decimal', /^decimal$/],
  ['double', /^(?:float|double)$/],
  ['bits', /^bit$/],
  ['text', /^(?:var)?char$|text$/],
  ['choice', /^(?:enum|set)$/],
  ['bytes', /^(?:var)?binary$|blob$/],
  ['moment', /^(?:datetime|timestamp)$/],
  ['day', /^date$/],
  ['time', /^time$/],
  ['year', /^year$/],
  ['json', /^json$/],
  ['address', /^(?:uuid|inet[46])$/],
];

const types = new Map<string, Type>();

export function typeOf({ type }: Pick<Column, 'type'>): Type {
  const cached = types.get(type);
  if (cached) return cached;
  const name = /^\w+/.exec(type)?.[0] ?? '';
  const members = [...type.matchAll(/'((?:[^']|'')*)'/g)].map(([, member = '']) =>
    member.replaceAll("''", "'"),
  );
  const numbers = /^\w+\(([\d,]+)\)/.exec(type)?.[1]?.split(',') ?? [];
  const parsed: Type = {
    name,
    family: FAMILIES.find(([, pattern]) => pattern.test(name))?.[0] ?? 'other',
    numbers: numbers.map(Number),
    members,
    unsigned: members.length === 0 && /\b(?:unsigned|zerofill)\b/.test(type),
  };
  types.set(type, parsed);
  return parsed;
}
