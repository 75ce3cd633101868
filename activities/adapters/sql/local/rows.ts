import { sql } from 'kysely';
import type { Db } from '../../../../src/postgres/databases';
import { condition, type Piece } from '../../../../src/postgres/databases/conditions';
import { cutAt } from '../../../../src/contract/text';
import { isPrivate } from '../../../../src/core/shared/plain-secrets';
import { mistake, ProviderFailure } from '../../shared/failure';
import { columnOf, doesNotFit, type Column, type Table } from '../catalogue';
import {
  alteredColumns,
  idOfKey,
  isPattern,
  keyOfId,
  tableRef,
  textOf,
  type ColumnValue,
} from '../expressions';
import { shownTable, type Condition, type SqlChange, type Value } from '../parameters';
import {
  itemOf,
  labelColumn,
  MAX_KEPT_BYTES,
  SHOWN_CHARACTERS,
  type FoundRow,
  type RowItem,
  type Scope,
} from '../rows';
import { depthsOf } from './ancestors';
import { digestOfValues, Unfit, type Dialect, type Raw, type Stored } from './dialect';

const refOf = ({ schema, name }: Table, column: Column): Piece => sql.id(schema, name, column.name);

/** Returns the value that a column stores for a new value. @throws BatchgateError `INVALID_INPUT` */
function valueFor({ stored }: Dialect, table: Table, column: Column, value: Value): Stored {
  try {
    return stored(column, textOf(column, value));
  } catch (error) {
    if (error instanceof Unfit) throw doesNotFit(table, column, error.message);
    throw error;
  }
}

/** Returns the row after the change. @throws BatchgateError `INVALID_INPUT` */
export function changedRow(dialect: Dialect, table: Table, { set }: SqlChange, raw: Raw): Raw {
  const values = table.columns
    .filter(({ name }) => Object.hasOwn(set, name))
    .map((column) => [column.name, valueFor(dialect, table, column, set[column.name] ?? null)]);
  return { ...raw, ...(Object.fromEntries(values) as Raw) };
}

/** Builds the conjunction of the conditions. */
export const whereOf = (dialect: Dialect, table: Table, conditions: readonly Condition[]): Piece =>
  sql.join(
    conditions.map((clause) => conditionOf(dialect, table, columnOf(table, clause.column), clause)),
    sql` and `,
  );

function conditionOf(dialect: Dialect, table: Table, column: Column, clause: Condition): Piece {
  const left = refOf(table, column);
  if (!('value' in clause)) return condition(left, clause.op);
  if (isPattern(clause))
    return dialect.matches(column, left, clause.op as 'like' | 'ilike', String(clause.value));
  const values = [clause.value]
    .flat()
    .map((value) => dialect.bound(column, valueFor(dialect, table, column, value)));
  return condition(left, clause.op, ...values);
}

/** Selects the row with this id. @throws ProviderFailure `refused` for an id that does not fit the key. */
export function keyIs(dialect: Dialect, table: Table, id: string): Piece {
  const parts = keyOfId(table, id).map((text, at) => {
    const column = table.key[at]!;
    return sql`${refOf(table, column)} = ${dialect.bound(column, keyValue(dialect, column, text))}`;
  });
  return sql.join(parts, sql` and `);
}

/** Selects the rows with these keys. */
export function keyIsIn(dialect: Dialect, table: Table, keys: readonly (readonly string[])[]): Piece {
  const bound = (text: string, at: number) => {
    const column = table.key[at]!;
    return dialect.bound(column, keyValue(dialect, column, text));
  };
  const [only, ...others] = table.key;
  if (only && others.length === 0)
    return sql`${refOf(table, only)} in (${sql.join(keys.map(([text = '']) => bound(text, 0)))})`;
  const columns = sql.join(table.key.map((column) => refOf(table, column)));
  return sql`(${columns}) in (${sql.join(keys.map((key) => sql`(${sql.join(key.map(bound))})`))})`;
}

function keyValue({ stored }: Dialect, column: Column, text: string): Stored {
  try {
    return stored(column, text);
  } catch (error) {
    if (error instanceof Unfit) throw new ProviderFailure('refused', `The id is not a key: ${error.message}`);
    throw error;
  }
}

/** Reads rows in the order of their keys: all columns or some, and optionally a further expression. */
export async function rawRows(
  dialect: Dialect,
  db: Db,
  table: Table,
  where: Piece,
  more: {
    readonly limit?: number | undefined;
    readonly lock?: boolean;
    readonly also?: Piece;
    readonly columns?: readonly Column[];
  } = {},
): Promise<{ raw: Raw; also: unknown }[]> {
  const { columns = table.columns } = more;
  const fields = columns.map(
    (column, at) => sql`${dialect.selected(column, refOf(table, column))} as ${sql.id(`c${at}`)}`,
  );
  const also = more.also ? [sql`${more.also} as ${sql.id('also')}`] : [];
  const limit =
    more.limit === undefined || !Number.isFinite(more.limit) ? sql`` : sql`limit ${sql.lit(more.limit)}`;
  const { rows } = await sql<Record<string, unknown>>`
    select ${sql.join([...fields, ...also])} from ${tableRef(table)} where ${where}
    order by ${sql.join(table.key.map((column) => refOf(table, column)))} ${limit} ${more.lock ? dialect.lock : sql``}`.execute(
    db,
  );
  return rows.map((row) => ({
    raw: Object.fromEntries(
      columns.map((column, at) => [column.name, dialect.received(column, row[`c${at}`])]),
    ),
    also: row['also'],
  }));
}

/** Returns a digest of the data that a change depends on: see `digestOf` in expressions.ts. */
export function versionOf(dialect: Dialect, { table, change }: Scope, raw: Raw): string {
  const { action, where, set } = change;
  const names = new Set([...where.map(({ column }) => column), ...Object.keys(set)]);
  const columns = table.columns.filter(({ name }) => action === 'delete' || names.has(name));
  return digestOfValues(
    dialect,
    columns.map(({ name }) => raw[name] ?? null),
  );
}

/** Returns the values of a row as a JSON object, or their hash: see `keptTexts` in rows.ts. */
export function keptTexts(dialect: Dialect, { table, change, restored }: Scope, raw: Raw): string {
  const altered = alteredColumns(table, change).filter(
    ({ name }) => restored === undefined || Object.hasOwn(restored, name),
  );
  const valueOf = ({ name }: Column) => raw[name] ?? null;
  const texts = JSON.stringify(
    Object.fromEntries(altered.map((column) => [column.name, dialect.printed(valueOf(column))])),
  );
  const isKept =
    Buffer.byteLength(texts) <= MAX_KEPT_BYTES &&
    altered.every((column) => !isPrivate(column.name) && dialect.isRestorable(column, valueOf(column)));
  return isKept ? texts : digestOfValues(dialect, altered.map(valueOf));
}

/** Returns the texts of a row's key; null for a part that is null. */
export const keyTexts = ({ printed }: Dialect, { key }: Table, raw: Raw): (string | null)[] =>
  key.map(({ name }) => printed(raw[name] ?? null));

/** Returns true if the key of a row has exactly the text of this id, and is not merely equal to it in the database. */
export function isRow(dialect: Dialect, table: Table, raw: Raw, id: string): boolean {
  const key = keyTexts(dialect, table, raw);
  return !key.includes(null) && idOfKey(key.map(String)) === id;
}

function foundRow(dialect: Dialect, scope: Scope, raw: Raw, depth: number | null): FoundRow {
  const { table, change } = scope;
  const labelSource = labelColumn(table.columns);
  const label = labelSource === undefined ? null : dialect.printed(raw[labelSource.name] ?? null);
  const isSet = change.action !== 'delete' && !change.undo;
  const key = keyTexts(dialect, table, raw);
  if (key.includes(null))
    throw mistake(
      `A row of ${shownTable(table)} has a key that is null.`,
      'Exclude such rows with where: they cannot be identified.',
    );
  return {
    ...{ depth, key: key.map(String), label: label === null ? null : cutAt(label, SHOWN_CHARACTERS) },
    version: versionOf(dialect, scope, raw),
    row: keptTexts(dialect, scope, raw),
    set: isSet ? keptTexts(dialect, scope, changedRow(dialect, table, change, raw)) : null,
  };
}

/** Returns the columns on which a change depends, and the columns that identify a row for display. */
function columnsFor({ table, change: { action, where, set }, restored = {} }: Scope): readonly Column[] {
  if (action === 'delete') return table.columns;
  const names = new Set([
    ...where.map(({ column }) => column),
    ...Object.keys(set),
    ...Object.keys(restored),
  ]);
  const label = labelColumn(table.columns);
  return table.columns.filter(
    (column) => column.keyPosition !== null || column === label || names.has(column.name),
  );
}

/** Reads the rows of a condition in the order of their keys, but each before the rows that it refers to. */
export async function itemsWhere(
  dialect: Dialect,
  db: Db,
  scope: Scope,
  where: Piece,
  limit?: number,
): Promise<RowItem[]> {
  const { table, change } = scope;
  const columns = columnsFor(scope);
  if (change.ordered !== true || change.undo) {
    const rows = await rawRows(dialect, db, table, where, { limit, columns });
    return rows.map(({ raw }) => itemOf(scope, foundRow(dialect, scope, raw, null)));
  }
  const identity = await dialect.identityOf(db, table);
  const rows = await rawRows(dialect, db, table, where, {
    columns,
    also: identity.of(table.name),
  });
  const depths = await depthsOf(
    db,
    { table, identity },
    rows.map(({ also }) => String(also)),
  );
  return rows
    .map(({ raw }, at) => itemOf(scope, foundRow(dialect, scope, raw, depths[at] ?? 0)))
    .sort((left, right) => (right.rank ?? 0) - (left.rank ?? 0))
    .slice(0, limit);
}

/** Returns a row that does not exist yet, as its columns would store it. */
export async function newRow(
  dialect: Dialect,
  db: Db,
  scope: Scope,
  values: readonly ColumnValue[],
): Promise<RowItem> {
  const { table, change } = scope;
  const keys = values.filter(({ column }) => column.keyPosition !== null);
  const raw = Object.fromEntries(
    keys.map(({ column, text }) => [column.name, dialect.stored(column, text)]),
  ) as Raw;
  const after = changedRow(dialect, table, change, raw);
  const row = foundRow(dialect, scope, after, null);
  const same = await dialect.sameKey(db, table, row.key);
  const { version: _, ...item } = itemOf(scope, { ...row, row: keptTexts(dialect, scope, after) });
  return { ...item, state: null, facts: { ...item.facts, ...(same !== undefined && { same }) } };
}
