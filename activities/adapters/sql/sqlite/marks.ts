import { sql } from 'kysely';
import type { BatchCall, Reconciliation } from '../../../../src/contract/adapter';
import type { Database, Db } from '../../../../src/postgres/databases';
import type { Piece } from '../../../../src/postgres/databases/conditions';
import { CHANGES_TABLE } from '../../../../src/postgres/databases/marker-tables';
import type { TableName } from '../parameters';
import { MAIN } from './catalogue';
import { inSqlite } from './transaction';

/** The same markers as in marks.ts. */
const FENCED = 'fenced';
export const MARKS: TableName = { schema: MAIN, name: CHANGES_TABLE };
const table = sql.id(MARKS.schema, MARKS.name);

export async function ensureMarks(database: Database, _marks: TableName, call: BatchCall): Promise<void> {
  const isMade = await inSqlite(database, call, 'read only', async (db) => {
    const { rows } = await sql`select 1 from sqlite_schema where name = ${CHANGES_TABLE}`.execute(db);
    return rows.length > 0;
  });
  if (isMade) return;
  await inSqlite(database, call, 'read write', async (db) => {
    await sql`
      create table if not exists ${table} (
        operation_id text not null,
        run_id text not null,
        item_id text not null,
        action text not null,
        deadline text not null,
        at text not null default (strftime('%Y-%m-%dT%H:%M:%fZ')),
        primary key (operation_id, run_id, item_id)
      ) without rowid`.execute(db);
  });
}

const marking = (action: string, itemId: string, call: BatchCall, conflict: Piece) => sql<{ action: string }>`
  insert into ${table} as marks (operation_id, run_id, item_id, action, deadline)
  values (${call.operation_id}, ${call.run_id}, ${itemId}, ${action}, ${new Date(call.deadline).toISOString()})
  on conflict (operation_id, run_id, item_id) do update set ${conflict} returning action`;

/** `done`: this operation made the change before. `fenced`: a read-back has already reported that it did not. */
export async function mark(
  db: Db,
  action: string,
  itemId: string,
  call: BatchCall,
): Promise<'marked' | 'done' | 'fenced'> {
  const later = sql`action = excluded.action, deadline = excluded.deadline, at = excluded.at
    where marks.action = ${FENCED} and marks.deadline < excluded.deadline`;
  const { rows } = await marking(action, itemId, call, later).execute(db);
  if (rows.length > 0) return 'marked';
  const marker = await sql<{ action: string }>`
    select action from ${table}
    where operation_id = ${call.operation_id} and run_id = ${call.run_id} and item_id = ${itemId}`.execute(
    db,
  );
  return marker.rows[0]?.action === FENCED ? 'fenced' : 'done';
}

export async function fence(
  db: Db,
  _marks: TableName,
  itemId: string,
  call: BatchCall,
): Promise<Reconciliation> {
  const latest = sql`deadline = max(marks.deadline, excluded.deadline)`;
  const { rows } = await marking(FENCED, itemId, call, latest).execute(db);
  return rows[0]?.action === FENCED ? 'not_applied' : 'applied';
}
