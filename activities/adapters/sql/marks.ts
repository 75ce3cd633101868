import { sql } from 'kysely';
import type { BatchCall, Reconciliation } from '../../../src/contract/adapter';
import type { Database } from '../../../src/databases';
import { sqlStateOf } from './failure';
import type { TableName } from './parameters';
import { inTransaction, type Db } from './transaction';

/**
 * A mark is a row that is committed together with the change of one item, so that it says after a lost answer whether
 * the change was. The unique key decides between a change and whoever asks for it: asking leaves a fence under the same
 * key, and a change that comes after it finds the place taken. A later call of the same operation has a later deadline,
 * and takes the place of a fence.
 */
export const MARKS_TABLE = 'batchgate_changes';
const FENCED = 'fenced';

interface Place extends TableName {
  readonly made: boolean;
  readonly usable: boolean;
  readonly creatable: boolean;
}

/**
 * Where the marks of changes to a table go: beside it, or in `public`; what is there already comes first. Null where
 * this role may use and make none. It is chosen once, in `prepare`, because a mark is missing only where one would be.
 */
export async function chooseMarks(db: Db, { schema }: TableName): Promise<TableName | null> {
  const { rows } = await sql<Place>`
    select n.nspname as schema, ${MARKS_TABLE}::text as name, c.oid is not null as made,
      has_schema_privilege(n.oid, 'USAGE') and coalesce(has_table_privilege(c.oid, 'SELECT')
        and has_table_privilege(c.oid, 'INSERT') and has_table_privilege(c.oid, 'UPDATE'), false) as usable,
      has_schema_privilege(n.oid, 'USAGE') and has_schema_privilege(n.oid, 'CREATE') as creatable
    from pg_catalog.pg_namespace n
      left join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = ${MARKS_TABLE}
    where n.nspname in (${schema}, 'public')
    order by n.nspname = ${schema} desc`.execute(db);
  const place = rows.find(({ usable }) => usable) ?? rows.find(({ made, creatable }) => creatable && !made);
  return place === undefined ? null : { schema: place.schema, name: place.name };
}

/** Makes the table of marks where there is none. Others may be making it, too. */
export async function ensureMarks(database: Database, marks: TableName, call: BatchCall): Promise<void> {
  const made = await inTransaction(database, call, 'read only', (db) => isMade(db, marks));
  if (made) return;
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
    // Of two that make it at once, one is refused by a unique index of the catalogue, or finds the table there.
    if (!['23505', '42P07'].includes(sqlStateOf(error) ?? '')) throw error;
  }
}

async function isMade(db: Db, { schema, name }: TableName): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relname = ${name}`.execute(db);
  return rows.length > 0;
}

const momentOf = (deadline: number) => sql`cast(${new Date(deadline).toISOString()}::text as timestamptz)`;

/**
 * Marks the change of one item within its transaction. `done`: this operation has made it before. `fenced`: whoever
 * asked for it has been told that it was not made.
 */
export async function mark(
  db: Db,
  marks: TableName,
  action: string,
  itemId: string,
  { operation_id, run_id, deadline }: BatchCall,
): Promise<'marked' | 'done' | 'fenced'> {
  const table = sql.id(marks.schema, marks.name);
  const { rows } = await sql`
    insert into ${table} as marks (operation_id, run_id, item_id, action, deadline)
    values (${operation_id}, ${run_id}, ${itemId}, ${action}, ${momentOf(deadline)})
    on conflict (operation_id, run_id, item_id) do update
      set action = excluded.action, deadline = excluded.deadline, at = excluded.at
      where marks.action = ${FENCED} and marks.deadline < excluded.deadline
    returning 1`.execute(db);
  if (rows.length > 0) return 'marked';
  const found = await sql<{ action: string }>`
    select action from ${table}
    where operation_id = ${operation_id} and run_id = ${run_id} and item_id = ${itemId}`.execute(db);
  return found.rows[0]?.action === FENCED ? 'fenced' : 'done';
}

/**
 * What became of the change of one item. It waits for a transaction that is still under way, and where there is no mark
 * it leaves a fence, so that none of the calls before this one can leave its mark any more.
 */
export async function fence(
  db: Db,
  marks: TableName,
  itemId: string,
  { operation_id, run_id, deadline }: BatchCall,
): Promise<Reconciliation> {
  const { rows } = await sql<{ action: string }>`
    insert into ${sql.id(marks.schema, marks.name)} as marks (operation_id, run_id, item_id, action, deadline)
    values (${operation_id}, ${run_id}, ${itemId}, ${FENCED}, ${momentOf(deadline)})
    on conflict (operation_id, run_id, item_id) do update set deadline = greatest(marks.deadline, excluded.deadline)
    returning action`.execute(db);
  return rows[0]?.action === FENCED ? 'not_applied' : 'applied';
}
