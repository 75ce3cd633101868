import { sql } from 'kysely';
import type { MarkerStore } from '../../src/contract/hygiene';
import type { Databases } from '../../src/postgres/databases';
import {
  deleteGrant,
  jobColumnOf,
  markerTables,
  type MarkerTable,
} from '../../src/postgres/databases/marker-tables';
import type { ActivityLog } from '../shared/dependencies';

type Db = Parameters<Parameters<Awaited<ReturnType<Databases['get']>>['lend']>[1]>[0];

/** The time limit for one database. The next run of hygiene continues where this one stops. */
const DATABASE_MS = 20_000;

/**
 * The commit markers in the databases that this worker has used. A database that cannot be reached, or in which this
 * role may not delete, keeps its markers, which is logged once.
 */
export function createMarkerStore(databases: Databases, log: ActivityLog): MarkerStore {
  const logged = new Set<string>();
  const sayOnce = (fields: object, message: string) => {
    const key = JSON.stringify([fields, message]);
    if (!logged.has(key)) log.warn(fields, message);
    logged.add(key);
  };
  /** Runs `work` on each table of markers whose rows may be deleted. */
  const inEach = async (work: (db: Db, table: MarkerTable) => Promise<void>) => {
    for (const database of databases.opened()) {
      const visit = async (db: Db) => {
        const { rows } = await markerTables.execute(db);
        for (const table of rows) {
          if (table.deletable) await work(db, table);
          else
            sayOnce(
              { database, remedy: `${deleteGrant(table)} to this role` },
              'old commit markers are kept',
            );
        }
      };
      try {
        const signal = AbortSignal.timeout(DATABASE_MS);
        await (await databases.get(database)).lend(signal, visit);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        sayOnce({ database, reason }, 'hygiene could not delete old commit markers');
      }
    }
  };
  return {
    async staleJobs(before, except, limit) {
      const stale = new Set<string>();
      await inEach(async (db, table) => {
        for (const job of await staleIn(db, table, before, except, limit)) stale.add(job);
      });
      return [...stale].slice(0, limit);
    },
    async drop(jobs, before) {
      let dropped = 0;
      if (jobs.length > 0)
        await inEach(async (db, table) => void (dropped += await dropIn(db, table, jobs, before)));
      return dropped;
    },
  };
}

/** The jobs whose newest marker here is older than that, the oldest first. */
async function staleIn(
  db: Db,
  { schema, name }: MarkerTable,
  before: string,
  except: readonly string[],
  limit: number,
): Promise<string[]> {
  const job = sql.id(jobColumnOf(name));
  const { rows } = await sql<{ job: string }>`
    select ${job} as job from ${sql.id(schema, name)}
    where ${job} <> all(${except}::text[])
    group by ${job} having max(at) < cast(${before}::text as timestamptz)
    order by max(at) limit ${limit}`.execute(db);
  return rows.map((row) => row.job);
}

/** An id may be in use again since, so that the age of each marker counts. */
async function dropIn(
  db: Db,
  { schema, name }: MarkerTable,
  jobs: readonly string[],
  before: string,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.id(schema, name)}
    where ${sql.id(jobColumnOf(name))} = any(${jobs}::text[]) and at < cast(${before}::text as timestamptz)`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0);
}
