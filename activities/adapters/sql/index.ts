import type { BatchCall, BulkAdapter, CallLimits } from '../../../src/contract/adapter';
import type { BulkItem, BulkResult, PreparedBulkContext } from '../../../src/contract/items';
import type { Database, Databases, Db } from '../../../src/postgres/databases';
import { mapConcurrently, parseAction } from '../shared/actions';
import { ProviderFailure } from '../shared/failure';
import { reported } from '../shared/results';
import { findTable, type Table, columnOf, type Column } from './catalogue';
import { changeRow, readBack } from './execute';
import { valuesOf, typed } from './expressions';
import { describeRows, previewRow, isPrivate } from './frozen';
import { results, sqlFailure } from './failure';
import { chooseMarks, ensureMarks } from './marks';
import { namedRows } from './named';
import {
  changeOf,
  SQL_ACTIONS,
  type SetValues,
  type SqlChange,
  type Condition,
  shownTable,
} from './parameters';
import { countRows, isOrdered, pageOfRows, refuseUnkept, tableOf, tryOut } from './rows';
import { inTransaction } from './transaction';
import { sql } from 'kysely';
import type { Change } from '../../../src/contract/change';
import { valueText } from '../../../src/core/bulk/change';
import { shortened } from '../../../src/contract/text';
import { nameText, quoted } from '../../../src/core/shared/plain-text';
import { looksSecret } from '../../../src/core/shared/plain-secrets';

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

/**
 * Categories of types whose texts may depend on the moment or the session: dates and times, and types that are made of
 * others. `tomorrow` is a date. https://www.postgresql.org/docs/current/catalog-pg-type.html, typcategory
 */
const DEPENDS = /^[DRACU]$/;

const isRelative = ({ category, json }: Column, value: unknown): value is string =>
  typeof value === 'string' && !json && DEPENDS.test(category);

/**
 * The conditions and the new values of a change as PostgreSQL reads them now: `tomorrow` becomes a date, once. From then
 * on every session reads them in the same way.
 */
async function evaluated(
  db: Db,
  table: Table,
  { where, set }: Pick<SqlChange, 'where' | 'set'>,
): Promise<{ where: Condition[]; set: SetValues }> {
  const texts = await readNow(db, [
    ...where.flatMap((one) =>
      'value' in one && one.op !== 'like' && one.op !== 'ilike'
        ? [one.value].flat().map((value) => ({ column: columnOf(table, one.column), value }))
        : [],
    ),
    ...Object.entries(set).map(([name, value]) => ({ column: columnOf(table, name), value })),
  ]);
  const absolute = <V>(name: string, value: V): V =>
    typeof value === 'string' ? ((texts.get(name)?.get(value) ?? value) as V) : value;
  return {
    where: where.map((one) => {
      if (!('value' in one)) return one;
      const value = Array.isArray(one.value)
        ? one.value.map((each) => absolute(one.column, each))
        : absolute(one.column, one.value);
      return { ...one, value } as Condition;
    }),
    set: Object.fromEntries(Object.entries(set).map(([name, value]) => [name, absolute(name, value)])),
  };
}

/** By column and text: the text that PostgreSQL prints for it. */
async function readNow(
  db: Db,
  values: readonly { column: Column; value: unknown }[],
): Promise<Map<string, Map<string, string>>> {
  const asked = values.flatMap(({ column, value }) => (isRelative(column, value) ? [{ column, value }] : []));
  const texts = new Map<string, Map<string, string>>();
  if (asked.length === 0) return texts;
  const printed = sql.join(asked.map(({ column, value }) => sql`cast(${typed(column, value)} as text)`));
  const { rows } = await sql<{ texts: string }>`
    select cast(to_json(array[${printed}]) as text) as texts`.execute(db);
  const printedTexts = JSON.parse(rows[0]?.texts ?? '[]') as string[];
  asked.forEach(({ column, value }, at) => {
    const ofColumn = texts.get(column.name) ?? new Map<string, string>();
    texts.set(column.name, ofColumn.set(value, printedTexts[at] ?? value));
  });
  return texts;
}

const MAX_VALUE = 80;
/** The maximum of columns or conditions in the sentence; the fields contain all columns. */
const MAX_SPELLED_OUT = 8;
const NOT_SHOWN = '(not shown)';

/** Which columns get which values, in which rows. How far each row can be restored is known from the row. */
function describeSqlChange(context: PreparedBulkContext): Change {
  const { action, database, table, set, where } = changeOf(context);
  const columns = Object.entries(set);
  const place = `each row of ${nameText(shownTable(table))} in ${nameText(database)}${condition(where)}`;
  const settings = listed(columns.map(([name, value]) => `${nameText(name)} to ${shownValue(name, value)}`));
  return {
    summary: action === 'delete' ? `Delete ${place}.` : `Set ${settings} in ${place}.`,
    fields: columns.map(([name, value]) => ({ name, to: looksSecret(name) ? NOT_SHOWN : valueText(value) })),
    reversible: columns.some(([name]) => isPrivate(name)) ? 'no' : 'yes',
  };
}

function condition(where: readonly Condition[]): string {
  if (where.length === 0) return '';
  return ` where ${listed(where.map(inWords), ' and ')}`;
}

function inWords(one: Condition): string {
  const column = nameText(one.column);
  if (!('value' in one)) return `${column} is ${one.op === 'is_null' ? '' : 'not '}empty`;
  return `${column} ${one.op.replace('_', ' ')} ${shownValue(one.column, one.value)}`;
}

function shownValue(column: string, value: unknown): string {
  if (looksSecret(column)) return NOT_SHOWN;
  if (value === null) return 'null';
  const text = shortened(valueText(value), MAX_VALUE);
  return typeof value === 'number' || typeof value === 'boolean' ? text : quoted(text);
}

function listed(parts: readonly string[], separator = ', '): string {
  const more = parts.length - MAX_SPELLED_OUT;
  return [...parts.slice(0, MAX_SPELLED_OUT), ...(more > 0 ? [`${more} more`] : [])].join(separator);
}
