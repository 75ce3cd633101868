import { sql } from 'kysely';
import type { BatchCall } from '../../../../src/contract/adapter';
import type { Database } from '../../../../src/postgres/databases';
import { CHANGES_TABLE } from '../../../../src/postgres/databases/marker-tables';
import { markingIn } from '../marking';
import type { TableName } from '../parameters';
import { MAIN } from './catalogue';
import { inSqlite } from './transaction';

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

export const { mark, fence } = markingIn({
  moment: (iso) => sql`${iso}`,
  later: sql`max(marks.deadline, excluded.deadline)`,
});
