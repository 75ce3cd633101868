import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import { BatchgateError } from '../../contract/errors';
import { SCHEMA_NAME } from './schema';

/**
 * In the order of their names, all pending ones in one transaction. A released migration never changes: add a new one.
 * Items have no foreign key on operations, because a batch may continue in a store that never received the plan.
 */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001_ledger': {
    async up(db: Kysely<unknown>) {
      for (const statement of [
        sql`create table batchgate.store (id uuid primary key)`,
        sql`insert into batchgate.store (id) values (gen_random_uuid())`,
        sql`create table batchgate.operations (
          operation_id text primary key,
          run_id text,
          domain text not null,
          action text not null,
          session_id text,
          requested_by text,
          batch_size integer not null,
          change_params jsonb,
          metadata jsonb,
          noun jsonb,
          status jsonb,
          state text generated always as (status ->> 'state') stored,
          created_at timestamptz not null default now(),
          updated_at timestamptz not null default now()
        )`,
        sql`create table batchgate.batches (
          operation_id text not null,
          batch integer not null,
          epoch integer not null,
          fenced boolean not null default false,
          confirmed_by text,
          confirmed_via text,
          confirmed_at timestamptz,
          primary key (operation_id, batch)
        )`,
        sql`create table batchgate.items (
          operation_id text not null,
          index integer not null,
          id text not null,
          display_name text not null,
          raw_data jsonb,
          batch integer not null,
          state text not null
            check (state in ('planned', 'intended', 'succeeded', 'failed', 'skipped', 'in_doubt')),
          error text,
          retryable boolean,
          epoch integer not null default 0,
          deadline bigint,
          confirmed_by text,
          confirmed_via text,
          confirmed_at timestamptz,
          resolution jsonb,
          finished_at timestamptz,
          updated_at timestamptz not null default now(),
          primary key (operation_id, index)
        )`,
      ]) {
        await statement.execute(db);
      }
    },
  },
  '0002_scratchpad': {
    async up(db: Kysely<unknown>) {
      for (const statement of [
        sql`create table batchgate.scratchpad (
          session_id text not null,
          key text not null,
          value jsonb not null,
          created_at timestamptz not null default now(),
          updated_at timestamptz not null default now(),
          primary key (session_id, key)
        )`,
        sql`create index operations_session on batchgate.operations (session_id)`,
      ]) {
        await statement.execute(db);
      }
    },
  },
  '0003_tools': {
    async up(db: Kysely<unknown>) {
      for (const statement of [
        sql`alter table batchgate.scratchpad
          add column bytes integer not null default 0,
          add column used_at timestamptz`,
        // Null means the default.
        sql`create table batchgate.profiles (
          profile text primary key,
          op_user_input_limit_tokens integer,
          op_context_limit_tokens integer,
          op_tool_output_limit_tokens integer,
          op_max_steps integer,
          op_max_tool_calls_per_step integer,
          op_max_total_tool_calls integer,
          op_idle_threshold_seconds integer,
          created_at timestamptz not null default now(),
          updated_at timestamptz not null default now()
        )`,
      ]) {
        await statement.execute(db);
      }
    },
  },
  '0004_change': {
    async up(db: Kysely<unknown>) {
      await sql`alter table batchgate.operations add column change jsonb`.execute(db);
    },
  },
  '0005_terms': {
    async up(db: Kysely<unknown>) {
      await sql`alter table batchgate.operations add column terms jsonb`.execute(db);
    },
  },
};

/**
 * Brings the tables up to date. Safe when several workers start at once: the migrator takes a lock of the database.
 * @throws BatchgateError `INTERNAL` with the name of the failed migration; the run was rolled back.
 */
export async function migrate<T>(
  db: Kysely<T>,
  migrations: Readonly<Record<string, Migration>> = MIGRATIONS,
): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve({ ...migrations }) },
    migrationTableSchema: SCHEMA_NAME,
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results?.find((result) => result.status === 'Error')?.migrationName;
  const cause = error instanceof Error ? error.message : JSON.stringify(error);
  throw new BatchgateError(
    'INTERNAL',
    failed === undefined
      ? `The store's tables could not be brought up to date: ${cause}`
      : `The store's migration ${failed} failed and was rolled back: ${cause}`,
    'If a newer version of batchgate has used this store, run that version. Otherwise check that the database user ' +
      `may create the schema ${SCHEMA_NAME} and tables in it, and start again.`,
  );
}
