import { sql } from 'kysely';
import type { Db } from '../../../../src/postgres/databases';
import type { Piece } from '../../../../src/postgres/databases/conditions';
import type { Table } from '../catalogue';
import type { Dependents } from '../dependents';
import type { SqlChange } from '../parameters';
import type { Reach, Reached, Step } from '../references';
import { MAIN } from './catalogue';
import { changedRow } from './changed';

/** What tells a row of a table from its others, as text: its number, or its key in a table without numbers. */
async function identityIn(db: Db, table: string): Promise<(row: string) => Piece> {
  const { rows: kinds } = await sql<{ wr: bigint }>`
    select wr from pragma_table_list where schema = ${MAIN} and name = ${table}`.execute(db);
  const { rows } = await sql<{ name: string; pk: bigint }>`
    select name, pk from pragma_table_xinfo(${table}) order by pk`.execute(db);
  const names = rows.map(({ name }) => name.toLowerCase());
  const number = ['rowid', '_rowid_', 'oid'].find((name) => !names.includes(name));
  if (kinds[0]?.wr === 0n && number !== undefined) return (row) => sql`cast(${sql.id(row, number)} as text)`;
  const key = rows.filter(({ pk }) => pk > 0n);
  return (row) => sql`json_array(${sql.join(key.map(({ name }) => sql`quote(${sql.id(row, name)})`))})`;
}

type Identities = Map<string, (row: string) => Piece>;

async function identitiesOf(db: Db, tables: readonly string[]): Promise<Identities> {
  const identities: Identities = new Map();
  for (const table of new Set(tables)) identities.set(table, await identityIn(db, table));
  return identities;
}

const isIn = (identity: Piece, ids: Iterable<string>): Piece =>
  sql`${identity} in (select value from json_each(${JSON.stringify([...ids])}))`;

const refersTo = (
  { from, to }: { from: readonly string[]; to: readonly string[] },
  child: string,
  parent: string,
) =>
  sql.join(
    from.map((name, at) => sql`${sql.id(child, name)} = ${sql.id(parent, to[at] ?? '')}`),
    sql` and `,
  );

interface Counting {
  readonly table: Table;
  readonly change: SqlChange;
  readonly reach: Reach;
  /** The rows of the plan, which are items of their own. */
  readonly isPlanned: Piece;
}

/** Counts the other rows that the change of each row reaches: see `dependentsOf` in dependents.ts. */
export async function dependentsIn(
  db: Db,
  { table, change, reach, isPlanned }: Counting,
  roots: readonly Piece[],
): Promise<Dependents[][]> {
  const { kinds, steps } = reach;
  if (steps.length === 0) return roots.map(() => []);
  const identities = await identitiesOf(
    db,
    kinds.map(({ name }) => name),
  );
  const identity = (kind: Reached, row: string) => identities.get(kind.name)!(row);
  const list = async (text: Piece) =>
    (await sql<{ id: string }>`select distinct id from (${text})`.execute(db)).rows.map(({ id }) => id);
  const own = kinds[0]!;
  const planned = await list(
    sql`select ${identity(own, table.name)} as id from ${sql.id(MAIN, table.name)} where ${isPlanned}`,
  );
  const next = (step: Step, parents: Iterable<string>): Promise<string[]> => {
    const [parent, child] = [kinds[step.from]!, kinds[step.to]!];
    const outside = child.name === own.name ? [sql`not ${isIn(identity(child, 'c'), planned)}`] : [];
    const conditions = [
      refersTo(step.reference, 'c', 'p'),
      isIn(identity(parent, 'p'), parents),
      ...outside,
      ...(step.from === 0 ? changes(table, change, step) : []),
    ];
    return list(sql`select ${identity(child, 'c')} as id from ${sql.id(MAIN, child.name)} as c
      join ${sql.id(MAIN, parent.name)} as p where ${sql.join(conditions, sql` and `)}`);
  };
  const counted: Dependents[][] = [];
  for (const root of roots) {
    const first = await list(
      sql`select ${identity(own, table.name)} as id from ${sql.id(MAIN, table.name)} where ${root}`,
    );
    counted.push(countsOf(kinds, await reachedFrom(first, steps, next)));
  }
  return counted;
}

/** The rows of each kind, from kind to kind until there are no new ones. */
async function reachedFrom(
  first: readonly string[],
  steps: readonly Step[],
  next: (step: Step, parents: Iterable<string>) => Promise<string[]>,
): Promise<Map<number, Set<string>>> {
  const reached = new Map<number, Set<string>>();
  let fresh = new Map<number, Set<string>>([[0, new Set(first)]]);
  while (fresh.size > 0) {
    const found = new Map<number, Set<string>>();
    for (const step of steps) {
      const parents = fresh.get(step.from);
      if (parents === undefined || parents.size === 0) continue;
      const known = reached.get(step.to) ?? new Set<string>();
      const added = (await next(step, parents)).filter((id) => !known.has(id));
      if (added.length === 0) continue;
      reached.set(step.to, new Set([...known, ...added]));
      found.set(step.to, new Set([...(found.get(step.to) ?? []), ...added]));
    }
    fresh = found;
  }
  return reached;
}

/** A row that is deleted is not counted a second time as changed, and does not stand in the way. */
function countsOf(kinds: readonly Reached[], reached: Map<number, Set<string>>): Dependents[] {
  const deleted = (name: string) =>
    kinds.flatMap((kind, at) =>
      kind.effect === 'deleted' && kind.name === name ? [...(reached.get(at) ?? [])] : [],
    );
  return [...reached].flatMap(([at, ids]) => {
    const kind = kinds[at]!;
    const gone = new Set(kind.effect === 'deleted' ? [] : deleted(kind.name));
    const rows = [...ids].filter((id) => !gone.has(id)).length;
    return rows === 0 ? [] : [{ kind, rows }];
  });
}

/** An update reaches the rows that refer to a column only if the column changes. */
function changes(table: Table, change: SqlChange, { reference }: Step): Piece[] {
  if (change.action === 'delete') return [];
  const after = changedRow(table, change, {});
  const columns = reference.to.filter((name) => Object.hasOwn(change.set, name));
  return [
    sql`(${sql.join(
      columns.map((name) => sql`${sql.id('p', name)} is not ${after[name] ?? null}`),
      sql` or `,
    )})`,
  ];
}

/** How many rows of the same table a row depends on: see `ancestors` in dependents.ts. */
export async function depthOf(db: Db, table: Table, isRow: Piece): Promise<number> {
  const identity = await identityIn(db, table.name);
  const own = sql.id(MAIN, table.name);
  const refers = (child: string) =>
    sql.join(
      table.selfReferences.map((one) => sql`(${refersTo(one, child, 'upper')})`),
      sql` or `,
    );
  const { rows } = await sql<{ depth: bigint }>`
    with recursive
      start (id) as (select ${identity(table.name)} from ${own} where ${isRow}),
      up (id) as (
        select ${identity('upper')} from start
          join ${own} as lower on ${identity('lower')} = start.id join ${own} as upper on ${refers('lower')}
        union
        select ${identity('upper')} from up
          join ${own} as lower on ${identity('lower')} = up.id join ${own} as upper on ${refers('lower')}
      )
    select count(*) as depth from up`.execute(db);
  return Number(rows[0]?.depth ?? 0);
}
