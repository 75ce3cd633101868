import { type Kysely, type Migration, Migrator, type RawBuilder, sql } from 'kysely';
import { BatchgateError } from '../../contract/errors';
import { AUDIT } from './audit-functions';
import { BATCH_FUNCTIONS } from './batch-functions';
import { PASSKEY_TABLES } from './passkey-tables';
import { SCHEMA_NAME } from './schema';

const all =
  (...statements: RawBuilder<unknown>[]): Migration['up'] =>
  async (db) => {
    for (const statement of statements) await statement.execute(db);
  };

/**
 * Migrations run in the order of their names, all pending ones in one transaction. A released migration never changes:
 * add a new one.
 */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001_ledger': {
    up: all(
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
    ),
  },
  '0002_scratchpad': {
    up: all(
      sql`create table batchgate.scratchpad (
        session_id text not null,
        key text not null,
        value jsonb not null,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (session_id, key)
      )`,
      sql`create index operations_session on batchgate.operations (session_id)`,
    ),
  },
  '0003_tools': {
    up: all(
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
    ),
  },
  '0004_change': { up: all(sql`alter table batchgate.operations add column change jsonb`) },
  '0005_terms': { up: all(sql`alter table batchgate.operations add column terms jsonb`) },
  '0006_previews': {
    up: all(
      sql`alter table batchgate.operations
        add column context jsonb,
        add column undoes text,
        add column preview_digest text`,
      sql`create index operations_preview on batchgate.operations (preview_digest)`,
      sql`alter table batchgate.items add column preview jsonb`,
    ),
  },
  '0007_access': {
    up: all(
      sql`create table batchgate.api_keys (
        key_id text primary key,
        hash text not null unique,
        name text not null,
        role text not null,
        session_prefix text,
        created_at timestamptz not null default now(),
        expires_at timestamptz,
        revoked_at timestamptz
      )`,
      sql`create table batchgate.signed_in (
        hash text primary key,
        name text not null,
        role text not null,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null
      )`,
      sql`create table batchgate.remembered_requests (
        caller text not null,
        key text not null,
        digest text not null,
        reference text not null,
        answer jsonb,
        created_at timestamptz not null default now(),
        primary key (caller, key)
      )`,
      sql`create index remembered_requests_age on batchgate.remembered_requests (created_at)`,
      sql`create table batchgate.signing_key (
        one boolean primary key check (one),
        private_key text not null,
        public_key text not null
      )`,
    ),
  },
  '0009_sign_in': {
    up: all(
      sql`alter table batchgate.signed_in add column subject text`,
      sql`create table batchgate.sign_in_attempts (
        hash text primary key,
        state text not null,
        nonce text not null,
        code_verifier text not null,
        return_to text not null,
        expires_at timestamptz not null
      )`,
    ),
  },
  '0010_assurance': {
    up: all(
      ...['batches', 'items'].map(
        (table) => sql`alter table batchgate.${sql.raw(table)} add column confirmed_assurance text`,
      ),
    ),
  },
  '0011_refuse': {
    up: all(
      // Ends the statement that calls it unless the argument is null, and rolls back what the statement wrote.
      sql`create function batchgate.refuse(what jsonb) returns void language plpgsql strict as $$
        begin raise exception using errcode = 'BG001', message = what::text; end $$`,
    ),
  },
  '0012_batch_functions': { up: all(...BATCH_FUNCTIONS.map((create) => sql.raw(create))) },
  '0013_sign_in_links': {
    up: all(
      sql`create table batchgate.sign_in_links (
        hash text primary key,
        name text not null,
        role text not null,
        expires_at timestamptz not null
      )`,
    ),
  },
  '0014_kept': {
    up: all(
      sql`alter table batchgate.items add column kept jsonb`,
      ...BATCH_FUNCTIONS.map((create) => sql.raw(create)),
    ),
  },
  '0015_allowances': {
    up: all(
      sql`create table batchgate.allowances (
        tool text primary key,
        units double precision not null,
        counted_at timestamptz not null default clock_timestamp()
      )`,
    ),
  },
  '0016_planned_items': { up: all(...BATCH_FUNCTIONS.map((create) => sql.raw(create))) },
  '0017_requesters': { up: all(...BATCH_FUNCTIONS.map((create) => sql.raw(create))) },
  '0018_questions': {
    up: all(
      sql`create table batchgate.questions (
        operation_id text not null,
        batch integer not null,
        attempt integer not null,
        asked_at timestamptz not null,
        digest text,
        shown_at timestamptz,
        decision text,
        decided_at timestamptz,
        decided_by text,
        via text,
        door text,
        assurance text,
        note text,
        primary key (operation_id, batch, attempt, asked_at)
      )`,
      ...BATCH_FUNCTIONS.map((create) => sql.raw(create)),
    ),
  },
  '0019_edits': {
    up: all(
      ...['operations', 'items'].map(
        (table) => sql`alter table batchgate.${sql.raw(table)} add column edition integer not null default 1`,
      ),
      // Editions of edited plans that were in force, and plans that are not adopted yet. `items`: replaced or new rows.
      sql`create table batchgate.plan_editions (
        operation_id text not null,
        edition integer not null,
        token text not null,
        adopted boolean not null,
        context jsonb not null,
        change jsonb not null,
        change_params jsonb,
        items jsonb not null,
        edit jsonb,
        attempt integer,
        created_at timestamptz not null default now(),
        primary key (operation_id, edition, token)
      )`,
    ),
  },
  '0020_item_proofs': {
    up: all(
      sql`alter table batchgate.items add column salt uuid not null default gen_random_uuid()`,
      sql`alter table batchgate.questions add column tree jsonb`,
      ...BATCH_FUNCTIONS.map((create) => sql.raw(create)),
    ),
  },
  '0021_groups': { up: all(sql`alter table batchgate.signed_in add column groups jsonb`) },
  '0022_passkeys': { up: all(...PASSKEY_TABLES.map((create) => sql.raw(create))) },
  '0023_audit': { up: all(...[...AUDIT, ...BATCH_FUNCTIONS].map((create) => sql.raw(create))) },
  '0024_withdrawals': { up: all(sql`alter table batchgate.questions add column withdrawn jsonb`) },
  // A batch must send exactly what its question showed, and jsonb orders the members of an object in another way.
  '0025_member_order': {
    up: all(
      sql`alter table batchgate.operations alter column context type json, alter column change_params type json`,
      sql`alter table batchgate.items alter column raw_data type json`,
      sql`alter table batchgate.plan_editions
        alter column context type json, alter column change_params type json, alter column items type json`,
    ),
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
  const provider = { getMigrations: () => Promise.resolve({ ...migrations }) };
  const { error, results } = await db.connection().execute(async (connection) => {
    // A migration can rewrite large tables, and the other workers wait for it.
    await sql`set statement_timeout = 0`.execute(connection);
    const migrator = new Migrator({ db: connection, provider, migrationTableSchema: SCHEMA_NAME });
    const outcome = await migrator.migrateToLatest();
    // Only a lost connection fails here, which the outcome reports.
    await sql`reset statement_timeout`.execute(connection).catch(() => undefined);
    return outcome;
  });
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
