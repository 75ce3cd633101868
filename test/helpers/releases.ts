import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { MIGRATIONS } from '../../src/postgres/store/migrations';

/**
 * The digests that a release fixes, by name: the SHA-256 of each recorded history, and of the statements of each
 * migration of the store.
 */
export type Release = Record<'histories' | 'migrations', Record<string, string>>;

const replay = join(__dirname, '../replay');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** The file of a release: `VERSION.json`. */
export const fileOfRelease = (version: string): string => join(replay, 'released', `${version}.json`);

/** The releases, by version. */
export async function releases(): Promise<Record<string, Release>> {
  const files = (await readdir(join(replay, 'released'))).sort();
  const versions = files.map((file) => file.replace(/\.json$/, ''));
  const texts = await Promise.all(versions.map((version) => readFile(fileOfRelease(version), 'utf8')));
  return Object.fromEntries(versions.map((version, at) => [version, JSON.parse(texts[at] ?? '') as Release]));
}

/** The digests that a release of the current tree would fix. */
export async function toRelease(): Promise<Release> {
  const histories: Record<string, string> = {};
  for (const file of (await readdir(join(replay, 'histories'))).sort())
    histories[file] = sha256(await readFile(join(replay, 'histories', file), 'utf8'));
  const migrations: Record<string, string> = {};
  for (const name of Object.keys(MIGRATIONS).sort()) migrations[name] = sha256(await statementsOf(name));
  return { histories, migrations };
}

/** The SQL statements of a migration. */
async function statementsOf(name: string): Promise<string> {
  const statements: string[] = [];
  const db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (instance) => new PostgresIntrospector(instance),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query: { sql, parameters } }) => void statements.push(JSON.stringify([sql, parameters])),
  });
  await MIGRATIONS[name]?.up(db);
  return statements.join('\n');
}
