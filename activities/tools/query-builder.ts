import { DummyDriver, Kysely, PostgresAdapter, PostgresQueryCompiler, sql, type CompiledQuery } from 'kysely';
import { BatchgateError } from '../../src/contract/errors';
import type { FetchInput } from '../../src/contract/macro-activities';
import type { ToolDatabase } from '../../src/contract/tools';
import { condition, type Piece } from '../../src/postgres/databases/conditions';
import { tableNameParts } from '../../src/postgres/databases/table-name';

type Filter = NonNullable<FetchInput['filter']>;
type Values = Readonly<Record<string, unknown>>;

/** Builds statements, and sends none. */
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
/** A dot is part of a column's name. */
const columnRef = (name: string): Piece => sql.id(name);
const columnList = (names: readonly string[]): Piece => sql.join(names.map(columnRef));

/** Drivers convert lists and objects differently; all of them accept JSON. */
const bound = (value: unknown): Piece =>
  sql`${value !== null && typeof value === 'object' ? JSON.stringify(value) : value}`;

const where = (filter: Filter): Piece =>
  filter.length === 0 ? sql`` : sql` where ${sql.join(filter.map(conditionOf), sql` and `)}`;

function conditionOf({ column, op, value = null }: Filter[number]): Piece {
  const left = columnRef(column);
  if (op === 'is_null' || op === 'is_not_null') return condition(left, op);
  if (value === null) {
    throw new BatchgateError(
      'INVALID_INPUT',
      `The condition on '${column}' compares by ${op} with null, which no row satisfies.`,
      'Give it a value, or find empty columns with is_null.',
    );
  }
  return condition(left, op, ...(op === 'in' && Array.isArray(value) ? value : [value]).map(bound));
}

/** SQL cannot express an empty list; no row is in it. */
export const matchesNothing = (filter: FetchInput['filter'] = []): boolean =>
  filter.some(({ op, value }) => op === 'in' && Array.isArray(value) && value.length === 0);

/** The statement that reads rows. */
export function selectOf({
  resource,
  filter = [],
  order = [],
  limit,
  columns = [],
}: Pick<FetchInput, 'resource' | 'filter' | 'order'> & {
  limit: number;
  columns?: readonly string[];
}): CompiledQuery {
  const read = columns.length > 0 ? columnList(columns) : sql`*`;
  const by = order.map(
    ({ column, direction }) => sql`${columnRef(column)} ${direction === 'desc' ? sql`desc` : sql`asc`}`,
  );
  const sorted = by.length > 0 ? sql` order by ${sql.join(by)}` : sql``;
  return compiled(
    sql`select ${read} from ${tableRef(resource)}${where(filter)}${sorted} limit ${sql.lit(limit)}`,
  );
}

/** The statement that adds rows; a column that a row does not name has its default. It answers one row for each. */
export function insertOf(
  table: string,
  rows: readonly Values[],
  returning: readonly string[] = [],
): CompiledQuery {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  // Checked before it is built: so large a statement blocks the process for longer than a heartbeat may wait.
  refuseMany(rows.reduce((sum, row) => sum + Object.keys(row).length, 0));
  const tuples = rows.map((row) => {
    const cells = names.map((name) => (Object.hasOwn(row, name) ? bound(row[name]) : sql`default`));
    return sql`(${sql.join(cells)})`;
  });
  const answered = returning.length > 0 ? columnList(returning) : sql`1 as one`;
  return compiled(
    sql`insert into ${tableRef(table)} (${columnList(names)}) values ${sql.join(tuples)} returning ${answered}`,
  );
}

/** The statement that sets columns, and answers `{ rows }`: how many it changed. */
export function updateOf(table: string, set: Values, filter: Filter): CompiledQuery {
  const assigned = Object.entries(set).map(([name, value]) => sql`${columnRef(name)} = ${bound(value)}`);
  return counting(sql`update ${tableRef(table)} set ${sql.join(assigned)}${where(filter)}`);
}

/** The statement that deletes rows, and answers `{ rows }`: how many there were. */
export const deleteOf = (table: string, filter: Filter): CompiledQuery =>
  counting(sql`delete from ${tableRef(table)}${where(filter)}`);

const counting = (change: Piece): CompiledQuery =>
  compiled(
    sql`with changed as (${change} returning 1) select cast(count(*) as integer) as rows from changed`,
  );

/** Sends a statement through the transaction of a macro. */
export const send = (
  database: ToolDatabase,
  { sql: text, parameters }: CompiledQuery,
): Promise<Record<string, unknown>[]> => database.query(text, parameters);
