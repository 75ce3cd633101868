import { sql } from 'kysely';
import type { Db } from '../../../../src/postgres/databases';
import { condition, type Piece } from '../../../../src/postgres/databases/conditions';
import { cutAt } from '../../../../src/contract/text';
import { mistake, ProviderFailure } from '../../shared/failure';
import { columnOf, type Column, type Table } from '../catalogue';
import { alteredColumns, isPattern, keyOfId, valuesOf, type ColumnValue } from '../expressions';
import { shownTable, type Condition, type SqlChange } from '../parameters';
import {
  isPrivate,
  itemOf,
  labelColumn,
  MAX_KEPT_BYTES,
  SHOWN_CHARACTERS,
  type FoundRow,
  type RowItem,
  type Scope,
} from '../rows';
import { MAIN } from './catalogue';
import { changedRow, valueFor } from './changed';
import { depthOf } from './related';
import { digestOfValues, isRestorable, printed, storedAs, Unfit, type Raw, type Stored } from './values';

export const tableRef = ({ name }: Pick<Table, 'name'>): Piece => sql.id(MAIN, name);

/** All conditions together. */
export const whereOf = (table: Table, conditions: readonly Condition[]): Piece =>
  sql.join(
    conditions.map((one) => conditionOf(table, columnOf(table, one.column), one)),
    sql` and `,
  );

function conditionOf(table: Table, column: Column, one: Condition): Piece {
  const left = sql.id(MAIN, table.name, column.name);
  if (!('value' in one)) return condition(left, one.op);
  if (isPattern(one)) {
    const pattern = String(one.value);
    return one.op === 'like'
      ? sql`${left} glob ${globOf(pattern)}`
      : sql`${left} like ${pattern} escape '\\'`;
  }
  const values = [one.value].flat().map((value) => sql`${valueFor(table, column, value)}`);
  return condition(left, one.op, ...values);
}

/** SQLite compares `like` without case, and `glob` with it. */
const globOf = (pattern: string): string =>
  pattern.replace(/\\([\s\S])|[\s\S]/g, (one, escaped: string | undefined) => {
    if (escaped === undefined && one === '%') return '*';
    if (escaped === undefined && one === '_') return '?';
    const letter = escaped ?? one;
    return /[*?[]/.test(letter) ? `[${letter}]` : letter;
  });

/** The row with this id. @throws ProviderFailure `refused` for an id that does not fit the key. */
export function keyIs(table: Table, id: string): Piece {
  return sql.join(
    keyValues(table, id).map((value, at) => sql`${sql.id(MAIN, table.name, table.key[at]!.name)} = ${value}`),
    sql` and `,
  );
}

/** The rows with these keys. */
export function keyIsIn(table: Table, keys: readonly (readonly string[])[]): Piece {
  if (keys.length === 0) return sql`false`;
  const columns = sql.join(table.key.map(({ name }) => sql.id(MAIN, table.name, name)));
  const rows = keys.map(
    (key) => sql`(${sql.join(key.map((text, at) => sql`${storedAs(table.key[at]!, text)}`))})`,
  );
  return sql`(${columns}) in (values ${sql.join(rows)})`;
}

function keyValues(table: Table, id: string): Stored[] {
  return keyOfId(table, id).map((text, at) => {
    try {
      return storedAs(table.key[at]!, text);
    } catch (error) {
      if (error instanceof Unfit)
        throw new ProviderFailure('refused', `The id is not a key: ${error.message}`);
      throw error;
    }
  });
}

/** Whole rows, in the order of their keys. */
export async function rawRows(db: Db, table: Table, where: Piece, limit?: number): Promise<Raw[]> {
  const columns = sql.join(table.columns.map(({ name }) => sql.id(MAIN, table.name, name)));
  const order = sql.join(table.key.map(({ name }) => sql.id(MAIN, table.name, name)));
  const most = limit === undefined || !Number.isFinite(limit) ? -1 : limit;
  const { rows } = await sql<Record<string, Stored | ArrayBuffer>>`
    select ${columns} from ${tableRef(table)} where ${where} order by ${order} limit ${most}`.execute(db);
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        value instanceof ArrayBuffer ? new Uint8Array(value) : value,
      ]),
    ),
  );
}

/** A digest of the data that a change depends on: see `digestOf` in expressions.ts. */
export function versionOf(table: Table, { action, where, set }: SqlChange, raw: Raw): string {
  const names = new Set([...where.map(({ column }) => column), ...Object.keys(set)]);
  const columns = table.columns.filter(({ name }) => action === 'delete' || names.has(name));
  return digestOfValues(columns.map(({ name }) => raw[name] ?? null));
}

/** The values of a row as a JSON object, or their hash: see `keptTexts` in rows.ts. */
export function keptTexts({ table, change, restored }: Scope, raw: Raw): string {
  const altered = alteredColumns(table, change).filter(
    ({ name }) => restored === undefined || Object.hasOwn(restored, name),
  );
  const valueOf = ({ name }: Column) => raw[name] ?? null;
  const texts = JSON.stringify(Object.fromEntries(altered.map((one) => [one.name, printed(valueOf(one))])));
  const isKept =
    Buffer.byteLength(texts) <= MAX_KEPT_BYTES &&
    altered.every((one) => !isPrivate(one.name) && isRestorable(one, valueOf(one)));
  return isKept ? texts : digestOfValues(altered.map(valueOf));
}

function foundRow(scope: Scope, raw: Raw, depth: number | null): FoundRow {
  const { table, change } = scope;
  const named = labelColumn(table.columns);
  const label = named === undefined ? null : printed(raw[named.name] ?? null);
  const isSet = change.action !== 'delete' && !change.undo;
  const key = table.key.map(({ name }) => printed(raw[name] ?? null));
  if (key.includes(null))
    throw mistake(
      `A row of ${shownTable(table)} has a key that is null.`,
      'Exclude such rows with where: they cannot be identified.',
    );
  return {
    ...{ depth, key: key.map(String), label: label === null ? null : cutAt(label, SHOWN_CHARACTERS) },
    version: versionOf(table, change, raw),
    row: keptTexts(scope, raw),
    set: isSet ? keptTexts(scope, changedRow(table, change, raw)) : null,
  };
}

/** The rows that the conditions find, in the order of their keys, and before the rows that they refer to. */
export async function foundItems(db: Db, scope: Scope, wanted: number): Promise<RowItem[]> {
  const { table, change } = scope;
  const isOrdered = change.ordered === true && !change.undo;
  const raws = await rawRows(db, table, whereOf(table, change.where), isOrdered ? undefined : wanted);
  const items: RowItem[] = [];
  for (const raw of raws) items.push(await itemFor(db, scope, raw));
  return items.sort((one, other) => (other.rank ?? 0) - (one.rank ?? 0)).slice(0, wanted);
}

async function itemFor(db: Db, scope: Scope, raw: Raw): Promise<RowItem> {
  const { table, change } = scope;
  const isOrdered = change.ordered === true && !change.undo;
  const item = itemOf(scope, foundRow(scope, raw, null));
  return isOrdered ? { ...item, rank: await depthOf(db, table, keyIs(table, item.id)) } : item;
}

export async function rowOf(db: Db, scope: Scope, id: string): Promise<RowItem | undefined> {
  const [raw] = await rawRows(db, scope.table, keyIs(scope.table, id));
  return raw && itemFor(db, scope, raw);
}

export function newRow(scope: Scope, values: readonly ColumnValue[]): RowItem {
  const { table, change } = scope;
  const key = values.filter(({ column }) => column.keyPosition !== null);
  const raw = Object.fromEntries(key.map(({ column, text }) => [column.name, storedAs(column, text)])) as Raw;
  const after = changedRow(table, change, raw);
  const { version: _, ...made } = itemOf(scope, {
    ...foundRow(scope, after, null),
    row: keptTexts(scope, after),
  });
  return { ...made, state: null };
}

/** The texts of the values of a change as SQLite would print them. @throws BatchgateError `INVALID_INPUT` */
export function triedTexts(table: Table, change: SqlChange): (string | null)[] {
  whereOf(table, change.where);
  changedRow(table, change, {});
  return valuesOf(table, change).map(({ text }) => text);
}

export function whyUnread(values: readonly ColumnValue[]): string | undefined {
  try {
    for (const { column, text } of values) storedAs(column, text);
    return undefined;
  } catch (error) {
    if (error instanceof Unfit) return error.message;
    throw error;
  }
}
