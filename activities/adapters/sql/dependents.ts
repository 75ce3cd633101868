import { sql } from 'kysely';
import type { Db } from '../../../src/postgres/databases';
import type { Piece } from '../../../src/postgres/databases/conditions';
import { sqlState } from '../../../src/postgres/databases/failure';
import { settings } from '../../../src/postgres/databases/settings';
import type { Column, Table } from './catalogue';
import { storedValue, tableRef, whereOf } from './expressions';
import type { SqlChange } from './parameters';
import type { Reach, Reached, Step } from './references';

/** The rows of one kind that the change of one row reaches. */
export interface Dependents {
  readonly kind: Reached;
  readonly rows: number;
}

/** The rows to examine, by the texts of their keys. */
interface Roots {
  readonly keys: readonly (readonly string[])[];
  /** The keys of all rows of the plan if they were named. Otherwise the conditions select the rows of the plan. */
  readonly named?: readonly (readonly string[])[] | undefined;
}

/** query_canceled, and insufficient_privilege for a referenced column. */
const UNCOUNTABLE = ['57014', '42501'];

/**
 * Counts the other rows that the change of each row changes, deletes or is blocked by through foreign keys,
 * recursively. Does not count rows of the plan, which are items themselves. Undefined if the rows cannot be counted in
 * time.
 */
export async function dependentsOf(
  db: Db,
  table: Table,
  change: SqlChange,
  reach: Reach,
  roots: Roots,
  deadline: number,
): Promise<Dependents[][] | undefined> {
  if (reach.steps.length === 0 || roots.keys.length === 0) return roots.keys.map(() => []);
  const time = Math.max(1, Math.floor((deadline - Date.now()) / 3));
  // The rollback to the savepoint restores the time limit of the transaction.
  await sql`savepoint dependents`.execute(db);
  try {
    await sql`select ${settings({ statement_timeout: String(time) })}`.execute(db);
    const { rows } = await counting(table, change, reach, roots).execute(db);
    const counts: Dependents[][] = roots.keys.map(() => []);
    for (const { root, kind, rows: count } of rows)
      counts[Number(root) - 1]?.push({ kind: reach.kinds[kind]!, rows: Number(count) });
    return counts;
  } catch (error) {
    if (!UNCOUNTABLE.includes(sqlState(error))) throw error;
    return undefined;
  } finally {
    await sql`rollback to savepoint dependents`.execute(db);
  }
}

function counting(table: Table, change: SqlChange, { kinds, steps }: Reach, { keys, named }: Roots) {
  const isPlanned = named ? isNamed(table) : isChosen(table, change);
  const step = (edge: Step, source: Piece, more: Piece[] = []): Piece => {
    const { from, to } = edge.reference;
    const child = kinds[edge.to]!;
    const conditions = [
      ...from.map((name, at) => sql`${sql.id('c', name)} = ${sql.id('p', to[at] ?? '')}`),
      ...(child.oid === kinds[0]?.oid ? [isOutside(table, change, child, isPlanned)] : []),
      ...more,
    ];
    return sql`select r.root, cast(${edge.to} as int) as kind, cast(c.tableoid as text) as place, cast(c.ctid as text) as line
      from ${source} join ${only(child)} c on true where ${sql.join(conditions, sql` and `)}`;
  };
  const first = steps
    .filter(({ from }) => from === 0)
    .map((edge) =>
      step(
        edge,
        sql`roots r join ${tableRef(table)} p on ${matches(table, 'p', 'r')}`,
        changes(table, change, edge),
      ),
    );
  const further = steps
    .filter(({ from }) => steps.some(({ to }) => to === from))
    .map((edge) =>
      step(edge, sql`${only(kinds[edge.from]!)} p`, [
        sql`r.kind = ${edge.from}::int and cast(p.tableoid as text) = r.place and p.ctid = cast(r.line as tid)`,
      ]),
    );
  const recursion = sql`union select x.root, x.kind, x.place, x.line
    from reached r cross join lateral (${sql.join(further, sql` union all `)}) x`;
  return sql<{ root: string; kind: number; rows: string }>`
    with recursive roots (key, root) as (${listed(keys)}), named (key) as (select key from (${listed(named ?? [])}) n (key, at)),
      reached (root, kind, place, line) as (
        (${sql.join(first, sql` union all `)}) ${further.length > 0 ? recursion : sql``}
      )
    select cast(root as text) as root, kind, cast(count(*) as text) as rows from reached r
    where ${isNotDeletedToo(kinds)} group by root, kind order by root, kind`;
}

/**
 * A condition: the row `c` of the same table, which refers to the row `p`, is not an item that is changed before `p`.
 * Rows that refer to each other in a circle block each other.
 */
function isOutside(table: Table, { action }: SqlChange, { effect }: Reached, isPlanned: Piece): Piece {
  if (effect !== 'blocks') return sql`not ${isPlanned}`;
  const isOther = sql`(c.tableoid, c.ctid) is distinct from (p.tableoid, p.ctid)`;
  if (action === 'update') return isOther;
  const above = upFrom(table, (column) => sql.id('p', column));
  const isCircular = sql`exists (${above} select from up where place = c.tableoid and line = cast(c.ctid as text))`;
  return sql`${isOther} and (not ${isPlanned} or ${isCircular})`;
}

/** Excludes deleted rows from the other kinds: a deleted row is not also counted as changed, and does not block. */
function isNotDeletedToo(kinds: readonly Reached[]): Piece {
  const deleted = kinds.flatMap(({ effect }, at) => (effect === 'deleted' ? [sql`${at}::int`] : []));
  if (deleted.length === 0) return sql`true`;
  const list = sql.join(deleted);
  return sql`(r.kind in (${list}) or not exists (select from reached d
    where d.root = r.root and d.place = r.place and d.line = r.line and d.kind in (${list})))`;
}

const only = ({ schema, name, partitioned }: Reached): Piece =>
  partitioned ? sql.id(schema, name) : sql`only ${sql.id(schema, name)}`;

/** Keys as rows, numbered from 1. */
const listed = (keys: readonly (readonly string[])[]): Piece => sql`
  select e.key, e.at from json_array_elements(cast(cast(${JSON.stringify(keys)} as text) as json))
    with ordinality as e (key, at)`;

/** A condition: a row has the key in a row of a list. */
const matches = ({ key }: Table, row: string, list: string): Piece =>
  sql.join(
    key.map(
      (column, at) =>
        sql`${based(row, column)} = cast(${sql.id(list)}.key ->> ${at}::int as ${sql.raw(column.base)})`,
    ),
    sql` and `,
  );

const based = (row: string, { name, base }: Column): Piece =>
  sql`cast(${sql.id(row, name)} as ${sql.raw(base)})`;

const isNamed = (table: Table): Piece =>
  sql`exists (select from named where ${matches(table, 'c', 'named')})`;

/** A condition: the change selects the row. The names in it refer to the innermost table. */
const isChosen = (table: Table, { where }: SqlChange): Piece =>
  where.length === 0
    ? sql`false`
    : sql`exists (select from ${tableRef(table)} s
        where s.tableoid = c.tableoid and s.ctid = c.ctid and ${whereOf(table, where)})`;

/** The condition that a referenced column changes: otherwise an update does not reach the rows that refer to it. */
function changes(table: Table, { action, set }: SqlChange, { reference }: Step): Piece[] {
  if (action === 'delete') return [];
  const columns = table.columns.filter(({ name }) => reference.to.includes(name) && Object.hasOwn(set, name));
  const differs = columns.map(
    (column) =>
      sql`${sql.id('p', column.name)} is distinct from ${storedValue(column, set[column.name] ?? null)}`,
  );
  return [sql`(${sql.join(differs, sql` or `)})`];
}

/**
 * Returns the number of rows of the same table that a row depends on, directly or indirectly. A row that refers to it
 * has a higher number, so rows can be deleted in descending order. For use in a query over the table itself.
 */
export const ancestors = (table: Table): Piece =>
  sql`(${upFrom(table, (column) => sql.id(table.schema, table.name, column))} select cast(count(*) as int) from up)`;

/** `with up as …`: the rows to which a row refers, directly or indirectly. */
function upFrom(table: Table, row: (column: string) => Piece): Piece {
  const refersTo = (child: (column: string) => Piece) =>
    sql.join(
      table.selfReferences.map(
        ({ from, to }) =>
          sql`(${sql.join(
            from.map((name, at) => sql`${sql.id('upper', to[at] ?? '')} = ${child(name)}`),
            sql` and `,
          )})`,
      ),
      sql` or `,
    );
  return sql`with recursive up (place, line) as (
    select upper.tableoid, cast(upper.ctid as text) from ${tableRef(table)} upper where ${refersTo(row)}
    union
    select upper.tableoid, cast(upper.ctid as text) from up
      join ${tableRef(table)} lower on lower.tableoid = up.place and lower.ctid = cast(up.line as tid)
      join ${tableRef(table)} upper on ${refersTo((name) => sql.id('lower', name))}
  )`;
}
