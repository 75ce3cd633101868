import { DummyDriver, Kysely, PostgresAdapter, PostgresQueryCompiler } from 'kysely';
import type { FetchInput } from '../../src/contract/macro-activities';
import type { Json } from '../../src/contract/macro';
import type { ToolDatabase } from '../../src/contract/tools';

/** Tables that we do not know beforehand. */
type AnyTables = Record<string, Record<string, unknown>>;

/** Builds statements, and sends none. Names are quoted, values bound. */
export const builder = new Kysely<AnyTables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: () => {
      throw new Error('It knows no tables');
    },
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

interface Filterable<Q> {
  where(column: string, op: never, value: never): Q;
}

/** A query with all conditions. */
export function filtered<Q extends Filterable<Q>>(query: Q, filter: FetchInput['filter'] = []): Q {
  return filter.reduce((narrowed, { column, op, value = null }) => {
    const [operator, bound] = comparison(op, value);
    return narrowed.where(column, operator as never, bound as never);
  }, query);
}

function comparison(op: string, value: Json): [string, unknown] {
  if (op === 'is_null') return ['is', null];
  if (op === 'is_not_null') return ['is not', null];
  return op === 'in' ? ['in', Array.isArray(value) ? value : [value]] : [op, value];
}

/** An empty list is nothing that SQL can say; no row is in it. */
export const matchesNothing = (filter: FetchInput['filter'] = []): boolean =>
  filter.some(({ op, value }) => op === 'in' && Array.isArray(value) && value.length === 0);

/** The statement that reads rows. */
export function selectOf({
  resource,
  filter,
  order = [],
  limit,
  columns = [],
}: Pick<FetchInput, 'resource' | 'filter' | 'order'> & { limit: number; columns?: readonly string[] }) {
  const from = builder.selectFrom(resource);
  const read = filtered(columns.length > 0 ? from.select([...columns]) : from.selectAll(), filter);
  return order
    .reduce((sorted, { column, direction = 'asc' }) => sorted.orderBy(column, direction), read)
    .limit(limit);
}

/** Sends a statement through the transaction of a macro. */
export function send(
  database: ToolDatabase,
  statement: { compile(): { sql: string; parameters: readonly unknown[] } },
): Promise<Record<string, unknown>[]> {
  const { sql, parameters } = statement.compile();
  return database.query(sql, parameters);
}
