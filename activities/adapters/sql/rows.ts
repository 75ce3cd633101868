import { shortened } from '../../../src/contract/text';
import { sql } from 'kysely';
import { BatchgateError } from '../../../src/contract/errors';
import { bulkItemSchema, type BulkItem } from '../../../src/contract/items';
import { wordsOf } from '../../../src/core/shared/plain-secrets';
import { displayName } from '../shared/names';
import { loadTable, type Table, type Column } from './catalogue';
import {
  alteredColumns,
  assignments,
  digestOf,
  idOfKey,
  keyIs,
  keyTexts,
  storedValue,
  tableRef,
  textsOf,
  valuesOf,
  whereOf,
} from './expressions';
import { ancestors, dependentsOf } from './dependents';
import { fitting, isPrivate, MAX_KEPT_BYTES, type Frozen, type Outlook, type Row } from './frozen';
import { outlookOf } from './outlook';
import { conditionsOf, shownTable, type SqlChange } from './parameters';
import { reachOf } from './references';
import type { Db } from '../../../src/postgres/databases';
import type { Piece } from '../../../src/postgres/databases/conditions';
import {
  notKept,
  readAs,
  readValue,
  unkept,
  type GivenValue,
} from '../../../src/postgres/databases/typed-values';

const SHOWN_CHARACTERS = 200;

/**
 * The current table of a prepared change.
 * @throws BatchgateError `INVALID_INPUT` when it no longer exists, or lacks a column of the change.
 */
export async function tableOf(db: Db, change: SqlChange): Promise<Table> {
  const table = await loadTable(db, change.table);
  if (JSON.stringify(table.key.map(({ name }) => name)) === JSON.stringify(change.table.key)) {
    checkColumns(table, change);
    return table;
  }
  throw new BatchgateError(
    'INVALID_INPUT',
    `The table ${shownTable(change.table)} no longer exists, or has another primary key than at the plan.`,
    'Start a new operation.',
  );
}

/** @throws BatchgateError `INVALID_INPUT` */
function checkColumns(table: Table, change: SqlChange): void {
  if (change.where.length > 0) whereOf(table, change.where);
  if (change.action === 'update') assignments(table, change.set);
}

/**
 * Lets the database check every value and every comparison, without reading rows.
 * @throws ProviderFailure `refused` with its error.
 */
export async function tryOut(db: Db, table: Table, change: SqlChange): Promise<void> {
  checkColumns(table, change);
  const values = valuesOf(table, change);
  const parsed = values.map(({ column, text }) => readValue(column, text));
  if (parsed.length > 0) await sql`select ${sql.join(parsed)}`.execute(db);
  await refuseUnkept(db, table, values);
  // A domain may have checks of its own.
  const assigned = values.filter((value) => value.assigned);
  const domains = assigned.map(({ column, text }) => readAs(text, column.type));
  if (domains.length > 0) await sql`select ${sql.join(domains)}`.execute(db);
  const chosen = change.where.length > 0 ? whereOf(table, change.where) : sql`true`;
  await sql`select ${digestOf(table, change)} from ${tableRef(table)} where ${chosen} limit 0`.execute(db);
}

/** The first value that PostgreSQL would cut or round. */
export const firstUnkept = (db: Db, values: readonly GivenValue[]): Promise<GivenValue | undefined> =>
  unkept(values, async (statement) => (await statement.execute(db)).rows);

/** @throws BatchgateError `INVALID_INPUT` for a value that PostgreSQL would cut or round. */
export async function refuseUnkept(db: Db, table: Table, values: readonly GivenValue[]): Promise<void> {
  const value = await firstUnkept(db, values);
  if (value !== undefined) throw notKept(value, shownTable(table));
}

export async function countRows(db: Db, table: Table, change: SqlChange): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select cast(count(*) as text) as count from ${tableRef(table)}
    where ${whereOf(table, conditionsOf(change))}`.execute(db);
  return Number(rows[0]?.count);
}

/** The rows that the conditions find, in the order of their keys, and before the rows that they refer to. */
export async function pageOfRows(
  db: Db,
  table: Table,
  change: SqlChange,
  { limit, offset, deadline }: { limit: number; offset: number; deadline: number },
): Promise<BulkItem[]> {
  const order = sql.join(table.key.map(({ name }) => sql.id(table.schema, table.name, name)));
  const { rows } = await sql<FrozenRow>`
    select ${frozen(table, change)} from ${tableRef(table)} where ${whereOf(table, conditionsOf(change))}
    order by 1 desc, ${order} limit ${limit} offset ${offset}`.execute(db);
  const keys = rows.map(({ key }) => key);
  const outlooks = await outlooksOf(db, table, change, { keys }, deadline);
  return rows.map((row, at) => itemOf(table, row, { ...freeze(row, change), ...outlooks[at] }));
}

/** The maximum number of rows whose references one statement counts. */
const MAX_ROOTS = 1_000;

export async function outlooksOf(
  db: Db,
  table: Table,
  change: SqlChange,
  { keys, named }: { keys: readonly string[][]; named?: readonly string[][] },
  deadline: number,
): Promise<Outlook[]> {
  if (keys.length === 0) return [];
  const reach = await reachOf(db, change);
  const outlooks: Outlook[] = [];
  for (let from = 0; from < keys.length; from += MAX_ROOTS) {
    const part = keys.slice(from, from + MAX_ROOTS);
    const counts = await dependentsOf(db, table, change, reach, { keys: part, named }, deadline);
    outlooks.push(...part.map((_, at) => outlookOf(table, change, reach, counts && (counts[at] ?? []))));
  }
  return outlooks;
}

/** The row of an item, as the plan keeps it; undefined if there is none. */
export async function frozenRow(
  db: Db,
  table: Table,
  change: SqlChange,
  item: BulkItem,
): Promise<Frozen | undefined> {
  const row = await rowOf(db, table, change, item);
  return row && freeze(row, change);
}

export async function rowOf(
  db: Db,
  table: Table,
  change: SqlChange,
  { id }: BulkItem,
): Promise<FrozenRow | undefined> {
  const { rows } = await sql<FrozenRow>`
    select ${frozen(table, change)} from ${tableRef(table)} where ${keyIs(table, id)}`.execute(db);
  return rows[0];
}

export interface FrozenRow {
  /** How many rows of the table it depends on; null where that does not matter. */
  readonly depth: number | null;
  readonly key: string[];
  readonly label: string | null;
  readonly before: string;
  /** JSON of what the change alters, before and after it; null if that is not stored. */
  readonly values: string | null;
  readonly set: string | null;
}

/** The key and label of a row, the digest that its change depends on, and what an undo restores. */
function frozen(table: Table, change: SqlChange) {
  const named = labelColumn(table.columns);
  const label =
    named === undefined
      ? sql`cast(null as text)`
      : sql`left(cast(${sql.id(named.name)} as text), ${SHOWN_CHARACTERS}::int)`;
  const altered = alteredColumns(table, change);
  const open = altered.length > 0 && !altered.some(({ name }) => isPrivate(name));
  const kept = (texts: Piece) =>
    sql`case when octet_length(${texts}) <= ${MAX_KEPT_BYTES}::int then ${texts} end`;
  const none = sql`cast(null as text)`;
  const set = textsOf(altered, (column) => storedValue(column, change.set[column.name] ?? null));
  const ordered = isOrdered(table, change) && !change.undo && table.mayRead;
  return sql`${ordered ? ancestors(table) : sql`cast(null as int)`} as depth,
    ${keyTexts(table)} as key, ${label} as label, ${digestOf(table, change)} as before,
    ${open ? kept(textsOf(altered)) : none} as values,
    ${open && change.action === 'update' ? kept(set) : none} as set`;
}

/** Rows may refer to each other, so that one must be deleted, or come back, before another. */
export const isOrdered = ({ selfReferences }: Table, { action }: Pick<SqlChange, 'action'>): boolean =>
  action === 'delete' && selfReferences.length > 0;

/** @throws BatchgateError `INVALID_INPUT` for a row whose key cannot be an id. */
export function itemOf(table: Table, row: FrozenRow, raw_data: Frozen): BulkItem {
  const id = idOfKey(row.key);
  if (!bulkItemSchema.shape.id.safeParse(id).success) throw unfitKey(table, id);
  const shownKey = row.key.join(', ');
  const name = displayName(row.label ?? '', '');
  const display_name = displayName(name === '' ? shownKey : `${name} (${shownKey})`, id);
  return { id, display_name, raw_data: { ...fitting(raw_data) } };
}

export function freeze({ before, values, set }: FrozenRow, { action, undo }: SqlChange): Frozen {
  const texts = (json: string) => JSON.parse(json) as NonNullable<Row>;
  if (values === null) return { before };
  if (undo) return { before, values: texts(values) };
  if (action === 'delete') return { before, values: texts(values), set: null };
  return set === null ? { before } : { before, values: texts(values), set: texts(set) };
}

function unfitKey(table: Table, id: string): BatchgateError {
  return new BatchgateError(
    'INVALID_INPUT',
    `A row of ${shownTable(table)} has a key that cannot be an item's id: ${shortened(JSON.stringify(id))}`,
    'A key has at most 500 characters and no control character. Exclude such rows with where.',
  );
}

/** Columns by which people recognise a row, best first. */
const KNOWN_BY = ['name', 'title', 'label', 'subject', 'email', 'username', 'login'];

/** The text column that is shown for a row; undefined if none is suitable. */
function labelColumn(columns: readonly Column[]): Column | undefined {
  const texts = columns.filter(
    ({ category, keyPosition, name }) => category === 'S' && keyPosition === null && !isPrivate(name),
  );
  for (const known of KNOWN_BY) {
    const column =
      texts.find(({ name }) => wordsOf(name).join(' ') === known) ??
      texts.find(({ name }) => wordsOf(name).at(-1) === known);
    if (column !== undefined) return column;
  }
  return texts[0];
}
