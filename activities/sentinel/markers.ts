import { sql, type RawBuilder } from 'kysely';
import type { MarkerStore } from '../../src/contract/hygiene';
import type { Database, Databases, Db } from '../../src/postgres/databases';
import {
  deleteGrant,
  jobColumnOf,
  markerTables,
  mysqlMarkers,
  sqliteMarkers,
  type MarkerTable,
} from '../../src/postgres/databases/marker-tables';
import type { ActivityLog } from '../shared/dependencies';

interface Place extends MarkerTable {
  readonly kind: Database['kind'];
}

interface Dialect {
  /** The query for the marker tables. */
  readonly tables: RawBuilder<MarkerTable>;
  /** Build a test for membership in a list, and a time, in the SQL of this kind of database. */
  readonly listed: (values: readonly string[]) => RawBuilder<unknown>;
  readonly time: (text: string) => RawBuilder<unknown>;
}

const DIALECTS: Readonly<Record<Database['kind'], Dialect>> = {
  postgres: {
    tables: markerTables,
    listed: (values) => sql`= any(${values}::text[])`,
    time: (text) => sql`cast(${text}::text as timestamptz)`,
  },
  sqlite: {
    tables: sqliteMarkers,
    listed: (values) => sql`in (select value from json_each(${JSON.stringify(values)}))`,
    time: (text) => sql`${new Date(text).toISOString()}`,
  },
  mysql: {
    tables: mysqlMarkers,
    // SQL has no empty list; no job has an empty id.
    listed: (values) => sql`in (${sql.join(['', ...values])})`,
    time: (text) => sql`cast(${new Date(text).toISOString().slice(0, -1)} as datetime(3))`,
  },
};

/** The time limit for one database. The next run of hygiene continues where this one stops. */
const DATABASE_MS = 20_000;

/**
 * Creates the store of commit markers in the databases that this worker has used. A database that cannot be reached, or
 * in which this role may not delete, keeps its markers; the worker logs each case once.
 */
export function createMarkerStore(databases: Databases, log: ActivityLog): MarkerStore {
  const logged = new Set<string>();
  const warnOnce = (fields: object, message: string) => {
    const key = JSON.stringify([fields, message]);
    if (!logged.has(key)) log.warn(fields, message);
    logged.add(key);
  };
  /** Runs `work` on each table of markers whose rows may be deleted. */
  const inEach = async (work: (db: Db, table: Place) => Promise<void>) => {
    for (const database of databases.opened()) {
      const visit = async (db: Db, kind: Database['kind']) => {
        const { rows } = await DIALECTS[kind].tables.execute(db);
        for (const table of rows) {
          if (table.deletable) await work(db, { ...table, kind });
          else
            warnOnce(
              { database, remedy: `${deleteGrant(table)} to this role` },
              'old commit markers are kept',
            );
        }
      };
      try {
        const signal = AbortSignal.timeout(DATABASE_MS);
        const { kind, lend } = await databases.ofAnyKind(database);
        await lend(signal, (db) => visit(db, kind));
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        warnOnce({ database, reason }, 'hygiene could not delete old commit markers');
      }
    }
  };
  return {
    async staleJobs(before, except, limit) {
      const jobs = new Set<string>();
      await inEach(async (db, table) => {
        for (const job of await staleIn(db, table, before, except, limit)) jobs.add(job);
      });
      return [...jobs].slice(0, limit);
    },
    async drop(jobs, before) {
      let count = 0;
      if (jobs.length > 0)
        await inEach(async (db, table) => void (count += await dropIn(db, table, jobs, before)));
      return count;
    },
  };
}

/** Returns the jobs whose newest marker in this table is older than `before`, the oldest first. */
async function staleIn(
  db: Db,
  place: Place,
  before: string,
  except: readonly string[],
  limit: number,
): Promise<string[]> {
  const { schema, name } = place;
  const { listed, time } = DIALECTS[place.kind];
  const job = sql.id(jobColumnOf(name));
  const { rows } = await sql<{ job: string }>`
    select ${job} as job from ${sql.id(schema, name)}
    where not (${job} ${listed(except)})
    group by ${job} having max(at) < ${time(before)}
    order by max(at) limit ${limit}`.execute(db);
  return rows.map((row) => row.job);
}

/** Deletes old markers of jobs. Compares the age of each marker, because an id may have been used again. */
async function dropIn(db: Db, place: Place, jobs: readonly string[], before: string): Promise<number> {
  const { schema, name } = place;
  const { listed, time } = DIALECTS[place.kind];
  const { numAffectedRows } = await sql`
    delete from ${sql.id(schema, name)}
    where ${sql.id(jobColumnOf(name))} ${listed(jobs)} and at < ${time(before)}`.execute(db);
  return Number(numAffectedRows ?? 0);
}
