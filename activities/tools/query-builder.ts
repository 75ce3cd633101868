import { DummyDriver, Kysely, PostgresAdapter, PostgresQueryCompiler, sql, type CompiledQuery } from 'kysely';
import { BatchgateError } from '../../src/contract/errors';
import type { FetchInput } from '../../src/contract/macro-activities';
import type { ToolDatabase } from '../../src/contract/tools';
import { columnTypesOf, type ColumnType } from '../../src/postgres/databases/column-types';
import { condition, type Piece } from '../../src/postgres/databases/conditions';
import { tableNameParts } from '../../src/postgres/databases/table-name';
import {
  comparable,
  notKept,
  readValue,
  unkept,
  type GivenValue,
} from '../../src/postgres/databases/typed-values';

type Filter = NonNullable<FetchInput['filter']>;
type Values = Readonly<Record<string, unknown>>;
/** The types of a table's columns by name. PostgreSQL itself reports a name that is missing here. */
export type Types = ReadonlyMap<string, ColumnType>;
const UNKNOWN: Types = new Map();

/** A statement and its values. */
interface Statement {
  readonly query: CompiledQuery;
  readonly values: readonly GivenValue[];
}

/** Compiles statements without sending them. */
const builder = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: () => {
      throw new Error('It knows no tables');
    },
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** The limit of the protocol: https://www.postgresql.org/docs/current/limits.html */
const MAX_BOUND = 65_535;

function compiled(statement: Piece): CompiledQuery {
  const query = statement.compile(builder);
  refuseMany(query.parameters.length);
  return query;
}

function refuseMany(values: number): void {
  if (values <= MAX_BOUND) return;
  throw new BatchgateError(
    'INVALID_INPUT',
    `One statement takes at most ${MAX_BOUND} values, and these are ${values}.`,
    'Send them in several calls; within a transaction they still take effect together.',
  );
}

const tableRef = (name: string): Piece => sql.id(...tableNameParts(name));
/** Quotes a column name; a dot is part of the name. */
const columnRef = (name: string): Piece => sql.id(name);
const columnList = (names: readonly string[]): Piece => sql.join(names.map(columnRef));

type Scalar = string | number | boolean;
const scalarText = (value: Scalar): string => String(value);

/** Returns the text of a value for its column. A string for a json column becomes JSON, and a list an array. */
function textOf(column: ColumnType | undefined, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (column?.json) return JSON.stringify(value);
  if (column?.category === 'A' && Array.isArray(value))
    return arrayText(value, /^jsonb?\[\]$/.test(column.base));
  return typeof value === 'object' ? JSON.stringify(value) : scalarText(value as Scalar);
}

/** https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
function arrayText(list: readonly unknown[], json: boolean): string {
  const element = (value: unknown): string => {
    if (value === null || value === undefined) return 'NULL';
    if (Array.isArray(value) && !json) return arrayText(value, json);
    const text = json || typeof value === 'object' ? JSON.stringify(value) : scalarText(value as Scalar);
    return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  };
  return `{${list.map(element).join(',')}}`;
}

const bound = (column: ColumnType | undefined, value: unknown): Piece =>
  column === undefined ? sql`${textOf(column, value)}` : readValue(column, textOf(column, value));

const where = (types: Types, filter: Filter): Piece =>
  filter.length === 0
    ? sql``
    : sql` where ${sql.join(
        filter.map((test) => conditionOf(types, test)),
        sql` and `,
      )}`;

const isPattern = (op: Filter[number]['op']): boolean => op === 'like';
const listOf = ({ op, value = null }: Filter[number]) =>
  op === 'in' && Array.isArray(value) ? value : [value];

function conditionOf(types: Types, test: Filter[number]): Piece {
  const { column, op, value = null } = test;
  if (op === 'is_null' || op === 'is_not_null') return condition(columnRef(column), op);
  if (value === null) {
    throw new BatchgateError(
      'INVALID_INPUT',
      `The condition on '${column}' compares by ${op} with null, which no row satisfies.`,
      'Give it a value, or find empty columns with is_null.',
    );
  }
  const type = isPattern(op) ? undefined : types.get(column);
  const operand = type === undefined ? columnRef(column) : comparable(type);
  return condition(operand, op, ...listOf(test).map((each) => bound(type, each)));
}

const comparedValues = (types: Types, filter: Filter): GivenValue[] =>
  filter.flatMap((test) => {
    const column = isPattern(test.op) ? undefined : types.get(test.column);
    if (column === undefined) return [];
    return listOf(test).map((value) => ({ column, text: textOf(column, value), assigned: false }));
  });

const assignedValues = (types: Types, row: Values): GivenValue[] =>
  Object.entries(row).flatMap(([name, value]) => {
    const column = types.get(name);
    return column === undefined ? [] : [{ column, text: textOf(column, value), assigned: true }];
  });

/** True for an empty list: SQL cannot express it, and it matches no row. */
export const matchesNothing = (filter: FetchInput['filter'] = []): boolean =>
  filter.some(({ op, value }) => op === 'in' && Array.isArray(value) && value.length === 0);

/** Builds the statement that reads rows. */
export function selectOf(
  {
    resource,
    filter = [],
    order = [],
    limit,
    columns = [],
  }: Pick<FetchInput, 'resource' | 'filter' | 'order'> & {
    limit: number;
    columns?: readonly string[];
  },
  types: Types = UNKNOWN,
): Statement {
  const selected = columns.length > 0 ? columnList(columns) : sql`*`;
  const by = order.map(
    ({ column, direction }) => sql`${columnRef(column)} ${direction === 'desc' ? sql`desc` : sql`asc`}`,
  );
  const sorted = by.length > 0 ? sql` order by ${sql.join(by)}` : sql``;
  const query = compiled(
    sql`select ${selected} from ${tableRef(resource)}${where(types, filter)}${sorted} limit ${sql.lit(limit)}`,
  );
  return { query, values: comparedValues(types, filter) };
}

/** Builds the statement that inserts rows and returns one row for each. A column that a row omits gets its default. */
export function insertOf(
  table: string,
  rows: readonly Values[],
  returning: readonly string[] = [],
  types: Types = UNKNOWN,
): Statement {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  // Check the size first: to build a larger statement would block the process for longer than the heartbeat timeout.
  refuseMany(rows.reduce((sum, row) => sum + Object.keys(row).length, 0));
  const tuples = rows.map((row) => {
    const cells = names.map((name) =>
      Object.hasOwn(row, name) ? bound(types.get(name), row[name]) : sql`default`,
    );
    return sql`(${sql.join(cells)})`;
  });
  const output = returning.length > 0 ? columnList(returning) : sql`1 as one`;
  const query = compiled(
    sql`insert into ${tableRef(table)} (${columnList(names)}) values ${sql.join(tuples)} returning ${output}`,
  );
  return { query, values: rows.flatMap((row) => assignedValues(types, row)) };
}

/** Builds the statement that sets columns. It returns `{ rows }`, the number of changed rows. */
export function updateOf(table: string, set: Values, filter: Filter, types: Types = UNKNOWN): Statement {
  const assigned = Object.entries(set).map(
    ([name, value]) => sql`${columnRef(name)} = ${bound(types.get(name), value)}`,
  );
  return {
    query: counting(sql`update ${tableRef(table)} set ${sql.join(assigned)}${where(types, filter)}`),
    values: [...comparedValues(types, filter), ...assignedValues(types, set)],
  };
}

/** Builds the statement that deletes rows. It returns `{ rows }`, the number of deleted rows. */
export const deleteOf = (table: string, filter: Filter, types: Types = UNKNOWN): Statement => ({
  query: counting(sql`delete from ${tableRef(table)}${where(types, filter)}`),
  values: comparedValues(types, filter),
});

const counting = (change: Piece): CompiledQuery =>
  compiled(
    sql`with changed as (${change} returning 1) select cast(count(*) as integer) as rows from changed`,
  );

const quotedName = (name: string): string =>
  tableNameParts(name)
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.');

/**
 * Builds a statement on a table with the types of its columns, and sends it through a macro's transaction.
 * @throws BatchgateError `INVALID_INPUT` for a value that PostgreSQL would cut or round; its own errors unchanged.
 */
export async function send(
  database: ToolDatabase,
  table: string,
  build: (types: Types) => Statement,
): Promise<Record<string, unknown>[]> {
  const query = ({ sql: text, parameters }: CompiledQuery) => database.query(text, parameters);
  const rows = await query(columnTypesOf(quotedName(table)).compile(builder));
  const types = new Map((rows as unknown as ColumnType[]).map((column) => [column.name, column]));
  const statement = build(types);
  const unkeptValue = await unkept(statement.values, (test) => query(compiled(test)));
  if (unkeptValue !== undefined) throw notKept(unkeptValue, table);
  return query(statement.query);
}
