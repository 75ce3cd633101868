import type { BatchCall, BulkAdapter, CallLimits } from '../../../src/contract/adapter';
import type { BulkItem, BulkResult, PreparedBulkContext } from '../../../src/contract/items';
import type { Database, Databases, Db } from '../../../src/postgres/databases';
import { mapConcurrently, parseAction } from '../shared/actions';
import { ProviderFailure } from '../shared/failure';
import { reported } from '../shared/results';
import { findTable, type Table } from './catalogue';
import { describeSqlChange } from './describe';
import { evaluated } from './evaluate';
import { changeRow, readBack } from './execute';
import { valuesOf } from './expressions';
import { describeRows, previewRow } from './frozen';
import { results, sqlFailure } from './failure';
import { chooseMarks, ensureMarks } from './marks';
import { namedRows } from './named';
import { changeOf, SQL_ACTIONS, type SetValues, type SqlChange } from './parameters';
import { countRows, isOrdered, pageOfRows, refuseUnkept, tableOf, tryOut } from './rows';
import { inTransaction } from './transaction';

interface SqlOptions {
  readonly databases: Databases;
  /** Rows that are changed concurrently, each in its own transaction. */
  readonly concurrency: number;
}

/** More rows than an operation can have: one statement reads them all, so the plan is one moment of the table. */
const PAGE_SIZE = 50_000;

/**
 * PostgreSQL tables as a bulk adapter: update and delete, row by row.
 *
 * An item's id is its primary key: the value as text, or a JSON array of texts for a key of several columns. Each row
 * changes in its own transaction, together with its commit marker (marks.ts), and only if it is still as planned.
 */
export function createSqlAdapter({ databases, concurrency }: SqlOptions): BulkAdapter {
  return {
    toolName: 'sql',
    itemNoun: { one: 'row', many: 'rows' },
    actions: SQL_ACTIONS,
    planPageSize: PAGE_SIZE,
    sliceSize: concurrency,
    describeChange: describeSqlChange,
    previewItem: previewRow,
    describeItems: describeRows,
    evaluatedParams: ({ action_params: { set } }) => (set === undefined ? {} : { set }),
    place: async (context) => (await databases.get(changeOf(context).database)).address,

    async prepare(request, limits) {
      const { query, change } = parseAction('sql', SQL_ACTIONS, request);
      const given = change as { database: string; table: string; set?: SetValues };
      const database = await databases.get(given.database);
      return results.explained('The request does not fit the database', () =>
        inTransaction(database, limits, 'read only', (db) => prepareIn(db, request.action, query, given)),
      );
    },

    getTotalCount: (context, limits) =>
      reading(databases, context, limits, 'Failed to count rows', countRows),

    getNextBatch: (context, batchSize, offset, limits) =>
      reading(databases, context, limits, 'Failed to fetch rows', (db, table, change) =>
        pageOfRows(db, table, change, { limit: batchSize, offset, deadline: limits.deadline }),
      ),

    async freezeItems(items, context, limits) {
      const change = changeOf(context);
      const database = await databases.get(change.database);
      return results.explained('Failed to fetch rows', () =>
        namedRows((work) => inTransaction(database, limits, 'read only', work), change, items, {
          ...{ concurrency, deadline: limits.deadline },
        }),
      );
    },

    async executeBatch(items, context, call) {
      return items.length === 0 ? [] : changeRows({ databases, concurrency }, items, changeOf(context), call);
    },

    async reconcile(item, context, call) {
      const change = changeOf(context);
      const database = await databases.get(change.database);
      return results.explained('Failed to read the row back', () => readBack(database, change, item, call));
    },
  };
}

async function changeRows(
  { databases, concurrency }: SqlOptions,
  items: readonly BulkItem[],
  change: SqlChange,
  call: BatchCall,
): Promise<BulkResult[]> {
  let database: Database;
  let table: Table;
  try {
    database = await databases.get(change.database);
    table = await inTransaction(database, call, 'read only', (db) => checkedTable(db, change));
    if (change.marks !== null) await ensureMarks(database, change.marks, call);
  } catch (error) {
    const failure = sqlFailure(error, false);
    if (!(failure instanceof ProviderFailure)) throw failure;
    if (failure.refusesUs) throw results.callError(failure, 'Nothing was changed');
    return items.map(({ id }) => results.failed(id, failure));
  }
  // Rows that refer to each other, in the order of the plan.
  const atOnce = isOrdered(table, change) ? 1 : concurrency;
  return mapConcurrently(items, atOnce, async (item) =>
    reported(call, await changeRow(database, table, change, item, call)),
  );
}

async function checkedTable(db: Db, change: SqlChange): Promise<Table> {
  const table = await tableOf(db, change);
  // An undo checks the values of each row.
  if (!change.undo) await refuseUnkept(db, table, valuesOf(table, change));
  return table;
}

async function prepareIn(
  db: Db,
  action: string,
  query: Record<string, unknown>,
  given: { database: string; table: string; set?: SetValues },
): Promise<PreparedBulkContext> {
  const table = await findTable(db, given.table);
  const context: PreparedBulkContext = {
    tool_name: 'sql',
    action,
    query_params: query,
    action_params: {
      ...given,
      table: { schema: table.schema, name: table.name, key: table.key.map(({ name }) => name) },
      marks: await chooseMarks(db, table),
    },
  };
  const change = changeOf(context);
  await tryOut(db, table, change);
  const { where, set } = await evaluated(db, table, change);
  return {
    ...context,
    query_params: query.where === undefined ? query : { ...query, where },
    action_params: { ...context.action_params, ...(given.set && { set }) },
  };
}

async function reading<T>(
  databases: Databases,
  context: PreparedBulkContext,
  limits: CallLimits,
  what: string,
  work: (db: Db, table: Table, change: SqlChange) => Promise<T>,
): Promise<T> {
  const change = changeOf(context);
  const database = await databases.get(change.database);
  return results.explained(what, () =>
    inTransaction(database, limits, 'read only', async (db) => work(db, await tableOf(db, change), change)),
  );
}
