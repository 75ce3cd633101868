import { sql } from 'kysely';
import type { LedgerRecord, PlannedItem } from '../../contract/activities';
import { fitting } from '../../core/shared/bounds';
import { type Db, present } from './schema';

/** Rows that are read at a time, and what of them goes into one payload. */
const ROWS = 500;
const MAX_ITEMS_BYTES = 80_000;

/** What the ledger knows of one operation, items in the order of the plan from a place on, as many as fit together. */
export async function readOperation(db: Db, operationId: string, from = 0): Promise<LedgerRecord | null> {
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
      // An operation is as old as the last thing written of it; its own row waits for the end.
      sql<Date>`greatest(operations.updated_at, (
        select max(items.updated_at) from batchgate.items where items.operation_id = operations.operation_id
      ))`.as('updated_at'),
    ])
    .where('operation_id', '=', operationId)
    .executeTakeFirst();
  if (operation === undefined) return null;
  const rows = await db
    .selectFrom('items')
    .select(['index', 'id', 'display_name', 'raw_data', 'batch', 'state', 'error', 'retryable'])
    .select(['confirmed_by', 'confirmed_at', 'finished_at'])
    .where('operation_id', '=', operationId)
    .where('index', '>=', from)
    .orderBy('index')
    .limit(ROWS)
    .execute();
  const items = fitting(
    rows.map(({ confirmed_at, finished_at, ...item }) =>
      present({
        ...item,
        confirmed_at: confirmed_at?.toISOString() ?? null,
        finished_at: finished_at?.toISOString() ?? null,
      }),
    ),
    MAX_ITEMS_BYTES,
  );
  const { status, ...facts } = present(operation);
  const last = items.at(-1);
  const more = last !== undefined && (items.length < rows.length || rows.length === ROWS);
  return {
    ...facts,
    ...(from === 0 && status && { status }),
    created_at: operation.created_at.toISOString(),
    updated_at: operation.updated_at.toISOString(),
    items,
    ...(more && { next: last.index + 1 }),
  };
}

/** The items of the plan from one place up to another, in their order. */
export async function readPage(
  db: Db,
  operationId: string,
  from: number,
  to: number,
): Promise<PlannedItem[]> {
  const rows = await db
    .selectFrom('items')
    .select(['index', 'id', 'display_name', 'raw_data'])
    .where('operation_id', '=', operationId)
    .where('index', '>=', from)
    .where('index', '<', to)
    .orderBy('index')
    .execute();
  return rows.map(present);
}

export async function findPlace(db: Db, operationId: string, itemId: string): Promise<number | null> {
  const row = await db
    .selectFrom('items')
    .select('index')
    .where('operation_id', '=', operationId)
    .where('id', '=', itemId)
    .executeTakeFirst();
  return row?.index ?? null;
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
