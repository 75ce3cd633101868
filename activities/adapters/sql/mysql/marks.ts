import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { BatchCall, Reconciliation } from '../../../../src/contract/adapter';
import { BatchgateError } from '../../../../src/contract/errors';
import type { Database, Db } from '../../../../src/postgres/databases';
import { CHANGES_TABLE } from '../../../../src/postgres/databases/marker-tables';
import { ProviderFailure } from '../../shared/failure';
import { FENCED } from '../marking';
import { shownTable, type TableName } from '../parameters';
import { inMysql, isOfPrivilege } from './transaction';

const ref = ({ schema, name }: TableName) => sql.id(schema, name);

/** Chooses the table in the database of the changed table, so that one transaction covers both. */
export const chooseMarks = (_db: Db, { schema }: TableName): Promise<TableName> =>
  Promise.resolve({ schema, name: CHANGES_TABLE });

export async function ensureMarks(database: Database, marks: TableName, call: BatchCall): Promise<void> {
  const isMade = await inMysql(database, call, 'read only', async (db) => {
    const { rows } = await sql`
      select 1 from information_schema.tables
      where table_schema = ${marks.schema} and table_name = ${marks.name}`.execute(db);
    return rows.length > 0;
  });
  if (isMade) return;
  try {
    await inMysql(database, call, 'read write', (db) => create(db, marks));
  } catch (error) {
    if (!(error instanceof ProviderFailure) || !isOfPrivilege(error)) throw error;
    throw new BatchgateError(
      'CREDENTIALS_INVALID',
      `This user may not create the table of commit markers, ${shownTable(marks)}: ${error.message}`,
      'Let the owner of the database create it as docs/sql.md shows, with all rights on its rows for this user.',
    );
  }
}

/** Creates the table. Its key is a hash: ids can be too long, and not every collation compares trailing spaces. */
const create = (db: Db, marks: TableName): Promise<unknown> =>
  sql`
    create table if not exists ${ref(marks)} (
      operation_id varchar(255) character set utf8mb4 collate utf8mb4_bin not null,
      id char(64) character set ascii collate ascii_bin not null,
      run_id text character set utf8mb4 not null,
      item_id text character set utf8mb4 not null,
      action varchar(20) character set ascii collate ascii_bin not null,
      deadline bigint not null,
      at timestamp(3) not null default current_timestamp(3),
      primary key (operation_id, id)
    ) engine = InnoDB`.execute(db);

/** Inserts the marker of an item if there is none, and locks it. Returns its contents, and whether it is new. */
async function lockedMark(db: Db, marks: TableName, action: string, itemId: string, call: BatchCall) {
  const { operation_id, run_id, deadline } = call;
  const id = createHash('sha256')
    .update(JSON.stringify([operation_id, run_id, itemId]))
    .digest('hex');
  const isIt = sql`operation_id = ${operation_id} and id = ${id}`;
  const { numAffectedRows } = await sql`
    insert into ${ref(marks)} (operation_id, id, run_id, item_id, action, deadline)
    values (${operation_id}, ${id}, ${run_id}, ${itemId}, ${action}, cast(${String(deadline)} as signed))
    on duplicate key update id = id`.execute(db);
  const { rows } = await sql<{ action: string; deadline: string }>`
    select action, cast(deadline as char) as deadline from ${ref(marks)} where ${isIt} for update`.execute(
    db,
  );
  const isFenced = rows[0]?.action === FENCED;
  return { isNew: numAffectedRows === 1n, isFenced, before: Number(rows[0]?.deadline), isIt };
}

/** See `mark` in marking.ts. */
export async function mark(
  db: Db,
  marks: TableName,
  action: string,
  itemId: string,
  call: BatchCall,
): Promise<'marked' | 'done' | 'fenced'> {
  const { isNew, isFenced, before, isIt } = await lockedMark(db, marks, action, itemId, call);
  if (isNew) return 'marked';
  if (!isFenced) return 'done';
  if (before >= call.deadline) return 'fenced';
  await sql`
    update ${ref(marks)} set action = ${action}, at = current_timestamp(3),
      deadline = cast(${String(call.deadline)} as signed) where ${isIt}`.execute(db);
  return 'marked';
}

/** See `fence` in marking.ts. */
export async function fence(
  db: Db,
  marks: TableName,
  itemId: string,
  call: BatchCall,
): Promise<Reconciliation> {
  const { isNew, isFenced, before, isIt } = await lockedMark(db, marks, FENCED, itemId, call);
  if (!isFenced) return 'applied';
  if (!isNew && before < call.deadline)
    await sql`
      update ${ref(marks)} set deadline = cast(${String(call.deadline)} as signed) where ${isIt}`.execute(db);
  return 'not_applied';
}
