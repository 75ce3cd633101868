import { sql } from 'kysely';
import type { BatchCall } from '../../../src/contract/adapter';
import type { Database, Db } from '../../../src/postgres/databases';
import { CHANGES_TABLE, isMadeMeanwhile, markerPlaces } from '../../../src/postgres/databases/marker-tables';
import { ProviderFailure } from '../shared/failure';
import { markingIn } from './marking';
import type { TableName } from './parameters';
import { inTransaction } from './transaction';

/**
 * Chooses the table of markers for changes to a table: in its schema or in `public`, preferably an existing one. Null
 * if this role can neither use nor create one. `prepare` chooses it once, so that every call uses the same table.
 */
export async function chooseMarks(db: Db, { schema }: TableName): Promise<TableName | null> {
  const places = await markerPlaces(db, CHANGES_TABLE, sql`${schema}, 'public'`);
  const place =
    places.find(({ usable }) => usable) ?? places.find(({ made, creatable }) => creatable && !made);
  return place === undefined ? null : { schema: place.schema, name: CHANGES_TABLE };
}

/** Creates the table of markers if necessary. Other processes may create it at the same time. */
export async function ensureMarks(database: Database, marks: TableName, call: BatchCall): Promise<void> {
  const [place] = await inTransaction(database, call, 'read only', (db) =>
    markerPlaces(db, marks.name, sql`${marks.schema}`),
  );
  if (place?.made) return;
  try {
    await inTransaction(database, call, 'read write', async (db) => {
      await sql`
        create table if not exists ${sql.id(marks.schema, marks.name)} (
          operation_id text not null,
          run_id text not null,
          item_id text not null,
          action text not null,
          deadline timestamptz not null,
          at timestamptz not null default now(),
          primary key (operation_id, run_id, item_id)
        )`.execute(db);
    });
  } catch (error) {
    if (!(error instanceof ProviderFailure && isMadeMeanwhile(error.reason ?? ''))) throw error;
  }
}

export const { mark, fence } = markingIn({
  moment: (iso) => sql`cast(${iso}::text as timestamptz)`,
  later: sql`greatest(marks.deadline, excluded.deadline)`,
});

/** Used without markers. The lock waits for a running change to end, so that the row then shows its outcome. */
export async function lockItem(db: Db, itemId: string, { operation_id, run_id }: BatchCall): Promise<void> {
  const key = JSON.stringify([operation_id, run_id, itemId]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}::text, 0))`.execute(db);
}
