import { join } from 'node:path';
import { Kysely, PostgresDialect, type PostgresPool, sql } from 'kysely';
import { BatchgateError } from '../../contract/errors';
import type { AccessStore } from '../../contract/access';
import { INSTALLATION, type AuditStore } from '../../contract/audit';
import type { SharedBuckets, AllowanceLimit } from '../../contract/allowance';
import type { HygieneStore } from '../../contract/hygiene';
import type { Ledger } from '../../contract/ledger';
import { type ProfileStore, PROFILE_FIELD_NAMES, type ProfileChanges } from '../../contract/profile';
import type { Scratchpad } from '../../contract/scratchpad';
import { openFolder } from '../embedded';
import type { FolderUse } from '../guard';
import { connectionTrouble, createPool } from '../pool';
import { settingChanged } from '../../core/access/audit-records';
import { createAccessStore } from './access';
import { appendAudit, createAuditStore } from './audit';
import { createHygieneStore } from './hygiene';
import { createLedger } from './ledger';
import { migrate } from './migrations';
import { type Schema, SCHEMA_NAME, type Db, now } from './schema';
import { createScratchpad } from './scratchpad';

export interface StoreOptions {
  /** The embedded store is in its folder `store`. */
  dataDir: string;
  /** A PostgreSQL URL; without one the store is embedded. */
  databaseUrl?: string;
}

/** A worker's store. `db` names the tables of our schema without the schema. */
export interface Store {
  ledger: Ledger;
  hygiene: HygieneStore;
  scratchpad: Scratchpad;
  profiles: ProfileStore;
  access: AccessStore;
  buckets: SharedBuckets;
  audit: AuditStore;
  db: Kysely<Schema>;
  /** Waits for running work, then closes the store. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens the store and brings its tables up to date.
 * @throws BatchgateError `NOT_CONFIGURED` when another process holds the embedded store or the database does not
 * answer, `INTERNAL` when the tables cannot be brought up to date.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataDir, databaseUrl } = options;
  const pool = await (databaseUrl !== undefined
    ? openPostgres(databaseUrl)
    : openFolder(join(dataDir, 'store'), EMBEDDED_STORE));
  const root = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= root.destroy());
  try {
    await sql`select 1`.execute(root);
    await migrate(root);
    const db = root.withSchema(SCHEMA_NAME);
    const { id } = await db.selectFrom('store').select('id').executeTakeFirstOrThrow();
    return {
      ledger: createLedger(db, id),
      hygiene: createHygieneStore(db),
      scratchpad: createScratchpad(db),
      profiles: createProfileStore(db),
      access: createAccessStore(db),
      buckets: createBuckets(db),
      audit: createAuditStore(db, id),
      db,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Texts for errors about the embedded store. */
export const EMBEDDED_STORE: FolderUse = {
  what: 'the embedded store',
  share: 'set BATCHGATE_DATABASE_URL to a PostgreSQL database for several processes.',
  move: 'Set BATCHGATE_DATA_DIR to a folder with a shorter path on a local disk, or set BATCHGATE_DATABASE_URL.',
  mend:
    'Check that the disk of BATCHGATE_DATA_DIR is writable and not full. To start with an empty store, move the ' +
    'folder "store" in it away; operations that ran batches before are then in doubt, not repeated.',
};

/** The transaction of a suspended worker holds the lock of its batch. The server ends it, so that a fence succeeds. */
const IDLE_IN_TRANSACTION_MS = 10_000;
const STATEMENT_MS = 60_000;

async function openPostgres(connectionString: string): Promise<PostgresPool> {
  const pool = createPool({
    connectionString,
    statement_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  });
  try {
    (await pool.connect()).release();
    return pool;
  } catch (error) {
    await pool.end();
    throw new BatchgateError(
      'NOT_CONFIGURED',
      `The database of BATCHGATE_DATABASE_URL does not answer: ${connectionTrouble(error)}`,
      'Start the database, or correct the address and user of BATCHGATE_DATABASE_URL and the password, in it or in PGPASSWORD.',
    );
  }
}

/** Creates the profile store on the store's table. */
function createProfileStore(db: Db): ProfileStore {
  return {
    async read(profile) {
      const row = await db
        .selectFrom('profiles')
        .select(PROFILE_FIELD_NAMES)
        .where('profile', '=', profile)
        .executeTakeFirst();
      return row ?? {};
    },
    change: (profile, changes): Promise<ProfileChanges> =>
      db.transaction().execute(async (trx) => {
        await appendAudit(trx, INSTALLATION, settingChanged(profile, changes));
        return trx
          .insertInto('profiles')
          .values({ profile, ...changes })
          .onConflict((conflict) => conflict.column('profile').doUpdateSet({ ...changes, updated_at: now }))
          .returning(PROFILE_FIELD_NAMES)
          .executeTakeFirstOrThrow();
      }),
  };
}

/** Creates the allowances of the tools, one row each. Only the database's clock counts, not those of the workers. */
const createBuckets =
  (db: Db): SharedBuckets =>
  (tool, limit) => ({
    async take(cost) {
      const room = unitsLeft(limit);
      const update = await sql`
        insert into batchgate.allowances as kept (tool, units) values (${tool}, ${limit.burst - cost})
        on conflict (tool) do update set units = ${room} - ${cost}::float8, counted_at = clock_timestamp()
        where ${room} >= ${cost}
        returning units`.execute(db);
      if (update.rows.length > 0) return 0;
      const { rows } = await sql<{ missing: number }>`
        select ${cost}::float8 - ${room} as missing from batchgate.allowances kept where tool = ${tool}`.execute(
        db,
      );
      return Math.max(1, Math.ceil(((rows[0]?.missing ?? 0) * limit.intervalMs) / limit.perInterval));
    },
  });

/** Returns the units in the row `kept`, plus the units added since. */
const unitsLeft = ({ perInterval, intervalMs, burst }: AllowanceLimit) => sql`least(
  ${burst}::float8,
  kept.units + greatest(0, extract(epoch from clock_timestamp() - kept.counted_at))::float8 * ${(perInterval * 1_000) / intervalMs}::float8
)`;
