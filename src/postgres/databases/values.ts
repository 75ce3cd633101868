import type { QueryOptions } from '@electric-sql/pglite';
import type * as Pg from 'pg';
import { readJson } from '../../core/shared/json';
import { optional } from '../../host/optional';

/** The parser that node-postgres uses for a text. */
const parserOf: Pg.CustomTypesConfig['getTypeParser'] = (oid: number, format?: 'text' | 'binary') =>
  optional<typeof Pg>('pg').types.getTypeParser(oid, format) as unknown;

/**
 * Column values that fit JSON and can be used in a condition again: large integers, numerics, dates and times stay
 * texts, in full precision. It is the same for every driver; by default one driver shifts dates by its time zone, and
 * another returns numbers that JSON cannot represent.
 */
const asText = (text: string): string => text;
const wholeNumber = (text: string): number | string =>
  Number.isSafeInteger(Number(text)) ? Number(text) : text;
const double = (text: string): number | string => (Number.isFinite(Number(text)) ? Number(text) : text);
/** ISO 8601, which PostgreSQL also reads. */
const moment = (text: string): string =>
  text.replace(/^(\S+) (\S+)$/, '$1T$2').replace(/([+-]\d\d)$/, '$1:00');

/** A number in json that a double cannot hold would come back as another one. */
const json = (text: string): unknown => readJson(text);

/** By the OID of the type and of its array: https://www.postgresql.org/docs/current/catalog-pg-type.html. */
const SCALARS: readonly [type: number, array: number, parse: (text: string) => unknown][] = [
  [17, 1001, asText], // bytea
  [20, 1016, wholeNumber], // int8
  [114, 199, json],
  [600, 1017, asText], // point
  [700, 1021, double], // float4
  [701, 1022, double], // float8
  [718, 719, asText], // circle
  [1082, 1182, asText], // date
  [1114, 1115, moment], // timestamp
  [1184, 1185, moment], // timestamptz
  [1186, 1187, asText], // interval
  [1700, 1231, asText], // numeric
  [3802, 3807, json], // jsonb
];
const TEXT_ARRAY: number = 1009;

function arrayOf(parse: (text: string) => unknown): (text: string) => unknown {
  const each = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(each) : typeof value === 'string' ? parse(value) : value;
  return (text) => each((parserOf(TEXT_ARRAY) as (text: string) => unknown)(text));
}

/** By the OID of the type; the driver parses all others. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = Object.fromEntries(
  SCALARS.flatMap(([type, array, parse]) => [
    [type, parse],
    [array, arrayOf(parse)],
  ]),
);

/** For the driver of a server. */
export const SERVER_VALUES: Pg.CustomTypesConfig = {
  getTypeParser: (oid, format): unknown => PARSERS[oid] ?? parserOf(oid, format),
};

/** For the embedded database. Its own serializer of bytea accepts no text, and JSON has no bytes. */
export const EMBEDDED_VALUES: QueryOptions = {
  parsers: { ...PARSERS },
  serializers: {
    17: (value: unknown) =>
      value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : String(value),
  },
};
