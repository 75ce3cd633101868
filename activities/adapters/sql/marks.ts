import { sql } from 'kysely';
import type { BatchCall, Reconciliation } from '../../../src/contract/adapter';
import type { Database, Db } from '../../../src/postgres/databases';
import type { Piece } from '../../../src/postgres/databases/conditions';
import { CHANGES_TABLE, isMadeMeanwhile, markerPlaces } from '../../../src/postgres/databases/marker-tables';
import { ProviderFailure } from '../shared/failure';
import type { TableName } from './parameters';
import { inTransaction } from './transaction';

/**
 * A commit marker is a row that is committed together with the change of one item. After a lost answer it shows whether
 * the change was committed. Its unique key orders the change and the read-back: the read-back inserts a fence under the
 * same key, and a later commit of the change conflicts with it. A later call of the same operation has a later deadline,
 * and replaces the fence.
 */
const FENCED = 'fenced';

/**
 * The table of markers for changes to a table: in its schema, or in `public`; an existing one is preferred. Null if this
 * role can neither use nor create one. It is chosen once, in `prepare`, so that every call looks in the same place.
 */
export async function chooseMarks(db: Db, { schema }: TableName): Promise<TableName | null> {
  const places = await markerPlaces(db, CHANGES_TABLE, sql`${schema}, 'public'`);
  const place =
    places.find(({ usable }) => usable) ?? places.find(({ made, creatable }) => creatable && !made);
  return place === undefined ? null : { schema: place.schema, name: CHANGES_TABLE };
}

/** Creates the table of markers if necessary. Other processes may be creating it, too. */
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

/** The row of one item. An existing one is replaced as `conflict` says. */
const marking = (marks: TableName, action: string, itemId: string, call: BatchCall, conflict: Piece) => sql<{
  action: string;
}>`
  insert into ${sql.id(marks.schema, marks.name)} as marks (operation_id, run_id, item_id, action, deadline)
  values (${call.operation_id}, ${call.run_id}, ${itemId}, ${action},
    cast(${new Date(call.deadline).toISOString()}::text as timestamptz))
  on conflict (operation_id, run_id, item_id) do update set ${conflict} returning action`;

/**
 * Marks the change of one item within its transaction. `done`: this operation made the change before. `fenced`: a
 * read-back has already reported that the change was not made.
 */
export async function mark(
  db: Db,
  marks: TableName,
  action: string,
  itemId: string,
  call: BatchCall,
): Promise<'marked' | 'done' | 'fenced'> {
  const later = sql`action = excluded.action, deadline = excluded.deadline, at = excluded.at
    where marks.action = ${FENCED} and marks.deadline < excluded.deadline`;
  const { rows } = await marking(marks, action, itemId, call, later).execute(db);
  if (rows.length > 0) return 'marked';
  const marker = await sql<{ action: string }>`
    select action from ${sql.id(marks.schema, marks.name)}
    where operation_id = ${call.operation_id} and run_id = ${call.run_id} and item_id = ${itemId}`.execute(
    db,
  );
  return marker.rows[0]?.action === FENCED ? 'fenced' : 'done';
}

/**
 * Whether the change of one item was committed. It waits for a running transaction. If there is no marker it inserts a
 * fence, so that no earlier call can commit its change.
 */
export async function fence(
  db: Db,
  marks: TableName,
  itemId: string,
  call: BatchCall,
): Promise<Reconciliation> {
  const latest = sql`deadline = greatest(marks.deadline, excluded.deadline)`;
  const { rows } = await marking(marks, FENCED, itemId, call, latest).execute(db);
  return rows[0]?.action === FENCED ? 'not_applied' : 'applied';
}

/** Without markers: taking the lock waits for a running change, so that the row then shows its outcome. */
export async function lockItem(db: Db, itemId: string, { operation_id, run_id }: BatchCall): Promise<void> {
  const key = JSON.stringify([operation_id, run_id, itemId]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}::text, 0))`.execute(db);
}
