import { sql } from 'kysely';
import type { LedgerRecord, PlannedItem } from '../contract/activities';
import { type Db, present } from './schema';

/** The ledger's record of one operation, items in the order of the plan. */
export async function readOperation(db: Db, operationId: string): Promise<LedgerRecord | null> {
  const operation = await db
    .selectFrom('operations')
    .select([
      'operation_id',
      'domain',
      'action',
      'session_id',
      'requested_by',
      'batch_size',
      'terms',
      'change_params',
      'metadata',
      'noun',
      'change',
      'status',
    ])
    .select([
      'created_at',
      // The last write of any of its rows; the operation's own row changes only at the end.
      sql<Date>`greatest(operations.updated_at, (
        select max(items.updated_at) from batchgate.items where items.operation_id = operations.operation_id
      ))`.as('updated_at'),
    ])
    .where('operation_id', '=', operationId)
    .executeTakeFirst();
  if (operation === undefined) return null;
  const items = await db
    .selectFrom('items')
    .select(['index', 'id', 'display_name', 'raw_data', 'batch', 'state', 'error', 'retryable'])
    .select(['confirmed_by', 'confirmed_at', 'finished_at'])
    .where('operation_id', '=', operationId)
    .orderBy('index')
    .execute();
  return {
    ...present(operation),
    created_at: operation.created_at.toISOString(),
    updated_at: operation.updated_at.toISOString(),
    items: items.map(({ confirmed_at, finished_at, ...item }) =>
      present({
        ...item,
        confirmed_at: confirmed_at?.toISOString() ?? null,
        finished_at: finished_at?.toISOString() ?? null,
      }),
    ),
  };
}

export async function readPlanned(
  db: Db,
  operationId: string,
  indexes: readonly number[],
): Promise<PlannedItem[]> {
  if (indexes.length === 0) return [];
  const rows = await db
    .selectFrom('items')
    .select(['index', 'id', 'display_name', 'raw_data'])
    .where('operation_id', '=', operationId)
    .where('index', 'in', indexes)
    .execute();
  return rows.map(present);
}
