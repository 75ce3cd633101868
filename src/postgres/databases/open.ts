import type * as Pg from 'pg';
import { resolve } from 'node:path';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { PoolClient } from 'pg';
import type { ConfigFile } from '../../host/config-file';
import { BatchgateError } from '../../contract/errors';
import { openFolder } from '../embedded';
import { createPool } from '../pool';
import { readSource } from '../../host/secrets';
import type { QueryOptions } from '@electric-sql/pglite';
import { readJson } from '../../core/shared/json';
import { optional } from '../../host/optional';
import { openMysql, type OpenMysql } from './mysql';
import { openSqlite, type OpenSqlite } from './sqlite';

/** One connection, reserved until `release` or `cut`. */
export interface LentConnection extends PostgresPoolClient {
  /** Closes the connection at once. Absent for an embedded database. */
  readonly cut?: () => void;
}

/** A PostgreSQL database, embedded or on a server. */
export interface OpenPostgres {
  readonly kind: 'postgres';
  readonly name: string;
  readonly address: string;
  /** Values that must not appear in errors. */
  readonly secrets: readonly string[];
  readonly pool: { connect(): Promise<LentConnection>; end(): Promise<void> };
}

interface Named {
  readonly name: string;
  readonly address: string;
}

export type OpenDatabase =
  | OpenPostgres
  | ({ readonly kind: 'sqlite' } & Named & OpenSqlite)
  | ({ readonly kind: 'mysql' } & Named & OpenMysql);

type DatabaseSource = ConfigFile['databases'][string]['url'];
type Environment = Readonly<Record<string, string | undefined>>;

const EMBEDDED = 'pglite:';
const SQLITE = 'sqlite:';
const SERVER = /^(postgres(?:ql)?|mysql|mariadb):\/\//;

/** The location of a database, and the secret parts of its address. */
export type DatabaseLocation =
  | { readonly kind: 'embedded'; readonly folder: string; readonly address: string }
  | { readonly kind: 'sqlite'; readonly file: string; readonly address: string }
  | {
      readonly kind: 'postgres' | 'mysql';
      readonly url: string;
      readonly host: string;
      readonly address: string;
      readonly secrets: string[];
    };

/** @throws BatchgateError `NOT_CONFIGURED` when the address is missing or cannot be read. */
export async function locationOf(
  name: string,
  source: DatabaseSource,
  folder: string,
  env: Environment,
): Promise<DatabaseLocation> {
  const what = `The address of the database '${name}'`;
  const url = typeof source === 'string' ? source : await readSource(source, what, folder, env);
  if (url.startsWith(EMBEDDED) && url.length > EMBEDDED.length)
    return { kind: 'embedded', folder: resolve(folder, url.slice(EMBEDDED.length)), address: url };
  if (url.startsWith(SQLITE) && url.length > SQLITE.length)
    return { kind: 'sqlite', file: resolve(folder, url.slice(SQLITE.length)), address: url };
  const [, scheme] = SERVER.exec(url) ?? [];
  const parsed = scheme !== undefined && URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined) {
    throw new BatchgateError(
      'NOT_CONFIGURED',
      `${what} cannot be read.`,
      'Write postgres://USER:PASSWORD@HOST/DATABASE or mysql://USER:PASSWORD@HOST/DATABASE, with percent-encoding for special characters, sqlite:FILE, or pglite:FOLDER.',
    );
  }
  const { password, host, pathname, searchParams } = parsed;
  const kind = scheme?.startsWith('postgres') ? 'postgres' : 'mysql';
  // A parameter names the socket.
  const socket = searchParams.get(kind === 'postgres' ? 'host' : 'socket');
  const address = `${kind}://${socket ?? host}${pathname}`;
  return {
    kind,
    url,
    host,
    address,
    secrets: [url, password, decoded(password)].filter(Boolean),
  };
}

/** Opens a database; connections to a server are opened on demand. @throws BatchgateError */
export async function openDatabase(
  name: string,
  source: DatabaseSource,
  folder: string,
  env: Environment,
): Promise<OpenDatabase> {
  const place = await locationOf(name, source, folder, env);
  const { address } = place;
  if (place.kind === 'sqlite')
    return { kind: 'sqlite', name, address, ...(await openSqlite(name, place.file)) };
  if (place.kind === 'embedded')
    return {
      ...{ kind: 'postgres', name, address, secrets: [] },
      pool: await openEmbedded(name, place.folder),
    };
  if (place.kind === 'mysql') {
    const { url, secrets } = place;
    return {
      kind: 'mysql',
      name,
      address,
      ...(await openMysql({ name, url: new URL(url), secrets, folder })),
    };
  }
  const pool = createPool({ connectionString: place.url, types: SERVER_VALUES });
  return {
    kind: 'postgres',
    name,
    address,
    secrets: place.secrets,
    pool: { connect: async () => lent(await pool.connect()), end: () => pool.end() },
  };
}

function openEmbedded(name: string, folder: string): Promise<PostgresPool> {
  const use = {
    what: `the database '${name}'`,
    share: `give '${name}' the address of a PostgreSQL server.`,
    move: `Give '${name}' a folder with a shorter path on a local disk, or the address of a PostgreSQL server.`,
    mend: `Check that the folder of '${name}' is writable, that its disk is not full, and that PGlite created it.`,
  };
  return openFolder(folder, use, EMBEDDED_VALUES);
}

function lent(client: PoolClient): LentConnection {
  return {
    query: client.query.bind(client),
    release: () => client.release(),
    cut: () => client.release(true),
  };
}

function decoded(password: string): string {
  try {
    return decodeURIComponent(password);
  } catch {
    return '';
  }
}

/** Returns the parser that node-postgres uses for a text. */
const parserOf: Pg.CustomTypesConfig['getTypeParser'] = (oid: number, format?: 'text' | 'binary') =>
  optional<typeof Pg>('pg').types.getTypeParser(oid, format) as unknown;

/**
 * Parsers of column values into JSON that a condition can use again: large integers, numerics, dates and times stay
 * texts, in full precision. Every driver uses them: by default one driver shifts dates by its time zone, and another
 * returns numbers that JSON cannot represent.
 */
const asText = (text: string): string => text;
const wholeNumber = (text: string): number | string =>
  Number.isSafeInteger(Number(text)) ? Number(text) : text;
const double = (text: string): number | string => (Number.isFinite(Number(text)) ? Number(text) : text);
/** ISO 8601, which PostgreSQL also reads. */
const moment = (text: string): string =>
  text.replace(/^(\S+) (\S+)$/, '$1T$2').replace(/([+-]\d\d)$/, '$1:00');

/** Parses JSON. Throws for a number that a double cannot hold, which would change. */
const json = (text: string): unknown => readJson(text);

/** Parsers by the OID of the type and of its array: https://www.postgresql.org/docs/current/catalog-pg-type.html. */
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

/** Parsers by the OID of the type; the driver parses all others. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = Object.fromEntries(
  SCALARS.flatMap(([type, array, parse]) => [
    [type, parse],
    [array, arrayOf(parse)],
  ]),
);

/** The parsers for the driver of a server. */
const SERVER_VALUES: Pg.CustomTypesConfig = {
  getTypeParser: (oid, format): unknown => PARSERS[oid] ?? parserOf(oid, format),
};

/** The parsers for the embedded database. Its own serializer of bytea accepts no text, and JSON has no bytes. */
const EMBEDDED_VALUES: QueryOptions = {
  parsers: { ...PARSERS },
  serializers: {
    17: (value: unknown) =>
      value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : String(value),
  },
};
