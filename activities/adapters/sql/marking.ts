import { sql } from 'kysely';
import type { BatchCall, Reconciliation } from '../../../src/contract/adapter';
import type { Db } from '../../../src/postgres/databases';
import type { Piece } from '../../../src/postgres/databases/conditions';
import type { TableName } from './parameters';

/**
 * A commit marker is a row that is committed together with the change of one item. After a lost answer, it shows
 * whether the change was committed. Its unique key orders the change and the read-back: the read-back inserts a fence
 * under the same key, and a later commit of the change conflicts with it. A later call of the same operation has a
 * later deadline and replaces the fence.
 */
export const FENCED = 'fenced';

/** The SQL for markers that differs between databases. */
interface Dialect {
  readonly moment: (iso: string) => Piece;
  /** The later one of the two deadlines. */
  readonly later: Piece;
}

export function markingIn({ moment, later }: Dialect) {
  /** Inserts the row of one item. `conflict`: the assignments to an existing row. */
  const marking = (marks: TableName, action: string, itemId: string, call: BatchCall, conflict: Piece) =>
    sql<{ action: string }>`
      insert into ${sql.id(marks.schema, marks.name)} as marks (operation_id, run_id, item_id, action, deadline)
      values (${call.operation_id}, ${call.run_id}, ${itemId}, ${action},
        ${moment(new Date(call.deadline).toISOString())})
      on conflict (operation_id, run_id, item_id) do update set ${conflict} returning action`;

  /**
   * Marks the change of one item within its transaction. `done`: this operation has already made the change. `fenced`:
   * a read-back has already reported that the change was not made.
   */
  const mark = async (
    db: Db,
    marks: TableName,
    action: string,
    itemId: string,
    call: BatchCall,
  ): Promise<'marked' | 'done' | 'fenced'> => {
    const update = sql`action = excluded.action, deadline = excluded.deadline, at = excluded.at
        where marks.action = ${FENCED} and marks.deadline < excluded.deadline`;
    const { rows } = await marking(marks, action, itemId, call, update).execute(db);
    if (rows.length > 0) return 'marked';
    const marker = await sql<{ action: string }>`
        select action from ${sql.id(marks.schema, marks.name)}
        where operation_id = ${call.operation_id} and run_id = ${call.run_id} and item_id = ${itemId}`.execute(
      db,
    );
    return marker.rows[0]?.action === FENCED ? 'fenced' : 'done';
  };

  /**
   * Returns whether the change of one item was committed. Waits for a running transaction. If there is no marker, it
   * inserts a fence, so that no earlier call can commit its change.
   */
  const fence = async (
    db: Db,
    marks: TableName,
    itemId: string,
    call: BatchCall,
  ): Promise<Reconciliation> => {
    const { rows } = await marking(marks, FENCED, itemId, call, sql`deadline = ${later}`).execute(db);
    return rows[0]?.action === FENCED ? 'not_applied' : 'applied';
  };

  return { mark, fence };
}
