import { sql } from 'kysely';
import type { Db } from '../../../src/postgres/databases';
import {
  notKept,
  readAs,
  readValue,
  unkept,
  type GivenValue,
} from '../../../src/postgres/databases/typed-values';
import type { Asked } from '../kit/types';
import { mistake } from '../shared/failure';
import { findTable, loadTable, type Table } from './catalogue';
import {
  assignments,
  digestOf,
  isPattern,
  tableRef,
  valuesOf,
  whereOf,
  type ColumnValue,
} from './expressions';
import { chooseMarks } from './marks';
import {
  changeOf,
  shownTable,
  type Condition,
  type PreparedChange,
  type SetValues,
  type SqlChange,
  type SqlQuery,
} from './parameters';

/** Looks up the table of a request, and lets the database check its values and conditions. Reads no rows. */
export async function prepareIn(
  db: Db,
  { action, query, change: given }: Asked,
): Promise<{ query: SqlQuery; change: PreparedChange }> {
  const { set, ...place } = given as { database: string; table: string; set?: SetValues };
  const table = await findTable(db, place.table);
  const isOrdered = action === 'delete' && table.selfReferences.length > 0;
  const change: PreparedChange = {
    ...place,
    table: { schema: table.schema, name: table.name, key: table.key.map(({ name }) => name) },
    ...(set && { set }),
    marks: await chooseMarks(db, table),
    ...(isOrdered && { ordered: true }),
  };
  const asked = changeOf({ action, query: query as SqlQuery, change, undo: false });
  const values = valuesOf(table, asked);
  const absolute = absoluteIn(values, await tried(db, table, asked, values));
  return {
    query: { where: asked.where.map((one) => withValues(one, absolute)) },
    change: {
      ...change,
      ...(set && {
        set: Object.fromEntries(Object.entries(set).map(([name, value]) => [name, absolute(name, value)])),
      }),
    },
  };
}

/**
 * The current table of a prepared change.
 * @throws BatchgateError `INVALID_INPUT` when it no longer exists, or lacks a column of the change.
 */
export async function tableOf(db: Db, change: SqlChange): Promise<Table> {
  const table = await loadTable(db, change.table);
  if (JSON.stringify(table.key.map(({ name }) => name)) !== JSON.stringify(change.table.key))
    throw mistake(
      `The table ${shownTable(change.table)} no longer exists, or has another primary key than at the plan.`,
      'Start a new operation.',
    );
  checkColumns(table, change);
  return table;
}

/** @throws BatchgateError `INVALID_INPUT` */
function checkColumns(table: Table, change: SqlChange): void {
  whereOf(table, change.where);
  assignments(table, change.set);
}

/**
 * The texts that PostgreSQL prints for the values of a change.
 * @throws ProviderFailure `refused` with its error for a value or a comparison, or BatchgateError `INVALID_INPUT`.
 */
async function tried(
  db: Db,
  table: Table,
  change: SqlChange,
  values: readonly ColumnValue[],
): Promise<(string | null)[]> {
  checkColumns(table, change);
  const parsed = values.map(({ column, text }) => sql`cast(${readValue(column, text)} as text)`);
  const { rows } = await sql<{ texts: string }>`
    select cast(to_json(array[${sql.join(parsed)}]::text[]) as text) as texts`.execute(db);
  const cut = await firstUnkept(db, values);
  if (cut !== undefined) throw notKept(cut, shownTable(table));
  // A domain may have checks of its own.
  const domains = values.flatMap(({ column, text, assigned }) =>
    assigned ? [readAs(text, column.type)] : [],
  );
  if (domains.length > 0) await sql`select ${sql.join(domains)}`.execute(db);
  const chosen = change.where.length > 0 ? whereOf(table, change.where) : sql`true`;
  await sql`select ${digestOf(table, change)} from ${tableRef(table)} where ${chosen} limit 0`.execute(db);
  return JSON.parse(rows[0]?.texts ?? '[]') as (string | null)[];
}

/** The first value that PostgreSQL would cut or round. */
export const firstUnkept = (db: Db, values: readonly GivenValue[]): Promise<GivenValue | undefined> =>
  unkept(values, async (statement) => (await statement.execute(db)).rows);

/**
 * Categories of types whose texts may depend on the moment or the session: dates and times, and types that are made of
 * others. `tomorrow` is a date. https://www.postgresql.org/docs/current/catalog-pg-type.html, typcategory
 */
const DEPENDS = /^[DRACU]$/;

type Absolute = <V>(column: string, value: V) => V;

/** Values as PostgreSQL read them: `tomorrow` is a date, which every session reads in the same way. */
function absoluteIn(values: readonly ColumnValue[], texts: readonly (string | null)[]): Absolute {
  const byValue = new Map(
    values.map(({ column, text }, at) => [JSON.stringify([column.name, text]), { column, at }]),
  );
  return (name, value) => {
    const read = typeof value === 'string' ? byValue.get(JSON.stringify([name, value])) : undefined;
    if (read === undefined || read.column.json || !DEPENDS.test(read.column.category)) return value;
    return (texts[read.at] ?? value) as typeof value;
  };
}

function withValues(one: Condition, absolute: Absolute): Condition {
  if (!('value' in one) || isPattern(one)) return one;
  const { column, value } = one;
  const read = Array.isArray(value) ? value.map((each) => absolute(column, each)) : absolute(column, value);
  return { ...one, value: read } as Condition;
}
