import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import { bulkItemSchema } from '../../../src/contract/items';
import { shortened } from '../../../src/contract/text';
import { isPrivate, wordsOf } from '../../../src/core/shared/plain-secrets';
import type { Db } from '../../../src/postgres/databases';
import type { Piece } from '../../../src/postgres/databases/conditions';
import type { Outlook, ToolItem } from '../kit/types';
import { mistake } from '../shared/failure';
import type { Column, Table } from './catalogue';
import { ancestors, dependentsOf, type Dependents } from './dependents';
import {
  alteredColumns,
  digestOf,
  hashOf,
  idOfKey,
  keyIs,
  keyTexts,
  storedValue,
  tableRef,
  textsOf,
  whereOf,
  type ColumnValue,
  type Row,
} from './expressions';
import { asStored } from '../../../src/postgres/databases/typed-values';
import { followSchema, outlookOf } from './outlook';
import { shownTable, type Condition, type SqlChange } from './parameters';
import { reachOf, type Reach } from './references';

/** The columns of a row that a change alters. */
export const rowState = z.object({
  row: z.record(z.string(), z.string().nullable()).optional(),
  /** The hash of values that are not stored. */
  digest: z.string().optional(),
  /** The effects on rows of other tables. */
  follows: z.array(followSchema).optional(),
});
export type RowState = z.infer<typeof rowState>;

export interface RowItem extends ToolItem<RowState> {
  readonly facts: {
    readonly table: Table;
    readonly change: SqlChange;
    readonly to: RowState;
    readonly key: string[];
    /** The key of a new row, such that equal keys are equal texts, if the database compares texts in another way. */
    readonly same?: string;
    readonly outlook?: Outlook;
  };
}

export const MAX_KEPT_BYTES = 800;
export const SHOWN_CHARACTERS = 200;
/** The maximum number of rows whose references one statement counts. */
const MAX_ROOTS = 1_000;

/** The table and the change of a call. `restored`: the row that an undo restores. */
export interface Scope {
  readonly table: Table;
  readonly change: SqlChange;
  readonly restored?: Row | undefined;
}

export interface FoundRow {
  /** The number of rows of the table that it depends on; null if that does not matter. */
  readonly depth: number | null;
  readonly key: string[];
  readonly label: string | null;
  readonly version: string;
  readonly row: string;
  /** The altered columns after the change; null for a deletion and an undo. */
  readonly set: string | null;
}

/** Returns the key and label of a row, the digest that its change depends on, and the columns that it alters. */
function fieldsOf(scope: Scope) {
  const { table, change } = scope;
  const labelSource = labelColumn(table.columns);
  const label = labelSource && sql`left(cast(${sql.id(labelSource.name)} as text), ${SHOWN_CHARACTERS}::int)`;
  const isOrdered = change.ordered && !change.undo && table.mayRead && table.selfReferences.length > 0;
  const stored = (column: Column) => storedValue(column, change.set[column.name] ?? null);
  const isSet = change.action !== 'delete' && !change.undo;
  return sql`${isOrdered ? ancestors(table) : sql`cast(null as int)`} as depth, ${keyTexts(table)} as key,
    ${label ?? sql`cast(null as text)`} as label, ${digestOf(table, change)} as version,
    ${keptTexts(scope)} as row, ${isSet ? keptTexts(scope, stored) : sql`cast(null as text)`} as set`;
}

/**
 * Returns the values of a row as a JSON object, or their hash. For an undo: the values of the columns that it restores.
 */
export function keptTexts({ table, change, restored }: Scope, valueOf?: (column: Column) => Piece): Piece {
  const altered = alteredColumns(table, change).filter(
    ({ name }) => restored === undefined || Object.hasOwn(restored, name),
  );
  const texts = textsOf(altered, valueOf);
  const maxBytes = altered.some(({ name }) => isPrivate(name)) ? 0 : MAX_KEPT_BYTES;
  return sql`case when octet_length(${texts}) <= ${maxBytes}::int then ${texts} else ${hashOf(texts)} end`;
}

const isHash = (texts: string): boolean => !texts.startsWith('{');

/** Returns a state from the texts of `keptTexts`. A column that no longer exists counts as null. */
export function stateOf(texts: string, { restored }: Scope, isKept: boolean): RowState {
  if (isHash(texts)) return { digest: texts };
  if (!isKept) return { digest: createHash('sha256').update(texts).digest('hex') };
  const lostColumns = Object.fromEntries(Object.keys(restored ?? {}).map((name) => [name, null]));
  return { row: { ...lostColumns, ...(JSON.parse(texts) as Row) } };
}

/** @throws BatchgateError `INVALID_INPUT` for a row whose key cannot be an id. */
export function itemOf(scope: Scope, { key, label, row, set, version, depth }: FoundRow): RowItem {
  const { table, change } = scope;
  const id = idOfKey(key);
  if (!bulkItemSchema.shape.id.safeParse(id).success)
    throw mistake(
      `A row of ${shownTable(table)} has a key that cannot be an item's id: ${shortened(JSON.stringify(id))}`,
      'A key has at most 500 characters and no control character. Exclude such rows with where.',
    );
  const isKept = ![row, set].some((texts) => texts !== null && isHash(texts));
  const shownKey = key.join(', ');
  return {
    ...{ id, version, name: label?.trim() ? `${label} (${shownKey})` : shownKey },
    state: stateOf(row, scope, isKept),
    facts: { table, change, key, to: set === null ? {} : stateOf(set, scope, isKept) },
    ...(!isKept && { unkept: whyUnkept(change) }),
    ...(depth !== null && { rank: depth }),
  };
}

/**
 * Returns the reason that values are neither shown nor stored. The parameters of a deletion do not name its columns.
 */
function whyUnkept({ action, set }: SqlChange): string {
  const large = `the values of this row, which are larger than ${MAX_KEPT_BYTES} bytes`;
  if (action === 'delete') return `${large}, or a column of which is private`;
  const isPersonal = Object.keys(set).some(isPrivate);
  return isPersonal ? 'the values of this row, because a column that changes is private' : large;
}

export async function countRows(db: Db, { table }: Scope, where: readonly Condition[]): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select cast(count(*) as text) as count from ${tableRef(table)} where ${whereOf(table, where)}`.execute(
    db,
  );
  return Number(rows[0]?.count);
}

/**
 * Reads the rows that the conditions select, in the order of their keys, but each before the rows that it refers to.
 */
export async function foundRows(
  db: Db,
  scope: Scope,
  { wanted: limit, deadline }: { wanted: number; deadline: number },
): Promise<RowItem[]> {
  const { table, change } = scope;
  const order = sql.join(table.key.map(({ name }) => sql.id(table.schema, table.name, name)));
  const { rows } = await sql<FoundRow>`
    select ${fieldsOf(scope)} from ${tableRef(table)} where ${whereOf(table, change.where)}
    order by 1 desc, ${order} limit ${limit}`.execute(db);
  return withOutlook(
    db,
    scope,
    rows.map((row) => itemOf(scope, row)),
    { deadline },
  );
}

/** Reads the row with this id. */
export async function rowOf(db: Db, scope: Scope, id: string): Promise<RowItem | undefined> {
  const { table } = scope;
  const { rows } = await sql<FoundRow>`
    select ${fieldsOf(scope)} from ${tableRef(table)} where ${keyIs(table, id)}`.execute(db);
  return rows[0] && itemOf(scope, rows[0]);
}

/** Returns a row that does not exist yet, as its columns would store it. */
export async function newRow(db: Db, scope: Scope, values: readonly ColumnValue[]): Promise<RowItem> {
  const { table, change } = scope;
  const stored = (column: Column) => storedValue(column, change.set[column.name] ?? null);
  const keys = values.filter(({ column }) => column.keyPosition !== null);
  const key = sql.join(keys.map(({ column, text }) => sql`cast(${asStored(column, text)} as text)`));
  const labelSource = labelColumn(table.columns.filter(({ name }) => Object.hasOwn(change.set, name)));
  const label = labelSource
    ? sql`left(cast(${stored(labelSource)} as text), ${SHOWN_CHARACTERS}::int)`
    : sql`null`;
  const { rows } = await sql<Pick<FoundRow, 'key' | 'label' | 'row'>>`
    select array[${key}] as key, cast(${label} as text) as label, ${keptTexts(scope, stored)} as row`.execute(
    db,
  );
  const { row, ...fields } = rows[0]!;
  const item = itemOf(scope, { ...fields, row, set: row, version: '', depth: null });
  const { version: _, ...rest } = item;
  return { ...rest, state: null };
}

/** Adds the effects of a change on other rows. `named`: the keys of the whole plan, if its rows were named. */
export async function withOutlook(
  db: Db,
  { table, change }: Scope,
  items: readonly RowItem[],
  { named, deadline }: { named?: readonly string[][]; deadline: number },
): Promise<RowItem[]> {
  if (items.length === 0) return [];
  const reach = await reachOf(db, change);
  const complete: RowItem[] = [];
  for (let from = 0; from < items.length; from += MAX_ROOTS) {
    const part = items.slice(from, from + MAX_ROOTS);
    const keys = part.map(({ facts }) => facts.key);
    const counts = await dependentsOf(db, table, change, reach, { keys, named }, deadline);
    part.forEach((item, at) => complete.push(withEffects(item, reach, counts && (counts[at] ?? []))));
  }
  return complete;
}

/** Adds the effects of its change to a row. `dependents`: undefined if they were not counted. */
export function withEffects(item: RowItem, reach: Reach, dependents: Dependents[] | undefined): RowItem {
  const { table, change } = item.facts;
  const { follows, ...outlook } = outlookOf(table, change, reach, dependents);
  const state = item.state && follows.length > 0 ? { ...item.state, follows } : item.state;
  return { ...item, state, facts: { ...item.facts, outlook } };
}

/** Names of columns by which users recognise a row, best first. */
const KNOWN_BY = ['name', 'title', 'label', 'subject', 'email', 'username', 'login'];

/** Returns the text column that is shown for a row; undefined if none is suitable. */
export function labelColumn(columns: readonly Column[]): Column | undefined {
  const texts = columns.filter(
    ({ category, keyPosition, name }) => category === 'S' && keyPosition === null && !isPrivate(name),
  );
  const candidates = KNOWN_BY.flatMap((word) => [
    ...texts.filter(({ name }) => wordsOf(name).join(' ') === word),
    ...texts.filter(({ name }) => wordsOf(name).at(-1) === word),
  ]);
  return candidates[0] ?? texts[0];
}
