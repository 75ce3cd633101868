import { resolve } from 'node:path';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { PoolClient } from 'pg';
import type { ConfigFile } from '../../host/config-file';
import { BatchgateError } from '../../contract/errors';
import { openFolder } from '../embedded';
import { createPool } from '../pool';
import { readSource } from '../../host/secrets';
import { EMBEDDED_VALUES, SERVER_VALUES } from './values';

/** One connection, in use until `release` or `cut`. */
export interface LentConnection extends PostgresPoolClient {
  /** Closes the connection at once; an embedded database cannot do that. */
  readonly cut?: () => void;
}

export interface OpenDatabase {
  readonly name: string;
  readonly address: string;
  /** Values that must not appear in errors. */
  readonly secrets: readonly string[];
  readonly pool: { connect(): Promise<LentConnection>; end(): Promise<void> };
}

type DatabaseSource = ConfigFile['databases'][string]['url'];
type Environment = Readonly<Record<string, string | undefined>>;

const EMBEDDED = 'pglite:';

/** The place of a database, and the parts of its address that must not be shown. */
export type DatabaseLocation =
  | { readonly kind: 'embedded'; readonly folder: string; readonly address: string }
  | {
      readonly kind: 'postgres';
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
  const parsed = /^postgres(ql)?:\/\//.test(url) && URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined) {
    throw new BatchgateError(
      'NOT_CONFIGURED',
      `${what} cannot be read.`,
      'Write postgres://USER:PASSWORD@HOST/DATABASE, with percent-encoding for special characters, or pglite:FOLDER.',
    );
  }
  const { password, host, pathname, searchParams } = parsed;
  // A socket is named by a parameter.
  const address = `postgres://${searchParams.get('host') ?? host}${pathname}`;
  return {
    kind: 'postgres',
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
  if (place.kind === 'embedded')
    return { name, address, secrets: [], pool: await openEmbedded(name, place.folder) };
  const pool = createPool({ connectionString: place.url, types: SERVER_VALUES });
  return {
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
