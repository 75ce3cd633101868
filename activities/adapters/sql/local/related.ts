import { sql } from 'kysely';
import type { Db } from '../../../../src/postgres/databases';
import type { Piece } from '../../../../src/postgres/databases/conditions';
import type { Table } from '../catalogue';
import type { Dependents } from '../dependents';
import { idOfKey, tableRef } from '../expressions';
import type { SqlChange } from '../parameters';
import type { Reach, Reached, Step } from '../references';
import { inParts, partsOf, refersTo, type Pair } from './ancestors';
import type { Dialect, Identity } from './dialect';
import { changedRow, keyIsIn, keyTexts, rawRows } from './rows';

interface Counting {
  readonly table: Table;
  readonly change: SqlChange;
  readonly reach: Reach;
  /** Conditions that together select the rows of the plan, which are items themselves. */
  readonly planned: readonly Piece[];
  /** The keys of the rows to examine. */
  readonly keys: readonly (readonly string[])[];
  /** The time at which counting stops. */
  readonly until: number;
}

/** Conditions that together select the rows with these keys. */
export const keysAre = (dialect: Dialect, table: Table, keys: readonly (readonly string[])[]): Piece[] =>
  [...partsOf(keys)].map((part) => keyIsIn(dialect, table, part));

/** The rows of each kind that a row reaches. */
type Reaching = Map<number, Set<string>>;

class NoTime extends Error {}

/**
 * Counts the other rows that the change of each row reaches. Undefined if there was not enough time: see `dependentsOf`
 * in dependents.ts.
 */
export async function dependentsIn(
  dialect: Dialect,
  db: Db,
  counting: Counting,
): Promise<Dependents[][] | undefined> {
  const { table, reach, keys } = counting;
  if (reach.steps.length === 0 || keys.length === 0) return keys.map(() => []);
  try {
    const identities = await identitiesOf(dialect, db, reach.kinds);
    const { of } = identities.get(reach.kinds[0]!.oid)!;
    /** By key: the identifying texts of the rows. */
    const idsWhere = async (conditions: Iterable<Piece>) => {
      const ids = new Map<string, string>();
      for (const where of conditions)
        for (const { raw, also } of await rawRows(dialect, db, table, where, {
          columns: table.key,
          also: of(table.name),
        }))
          ids.set(idOfKey(keyTexts(dialect, table, raw).map(String)), String(also));
      return ids;
    };
    const planned = new Set((await idsWhere(counting.planned)).values());
    const roots = await idsWhere(keysAre(dialect, table, keys));
    const next = nextIn(dialect, db, counting, { identities, planned });
    const reached = await reachedFrom([...roots.values()], reach.steps, next);
    return keys.map((key) =>
      countsOf(reach.kinds, reached.get(roots.get(idOfKey(key)) ?? '') ?? new Map<number, Set<string>>()),
    );
  } catch (error) {
    if (error instanceof NoTime) return undefined;
    throw error;
  }
}

type Identities = ReadonlyMap<string, Identity>;

async function identitiesOf(dialect: Dialect, db: Db, kinds: readonly Reached[]): Promise<Identities> {
  const identities = new Map<string, Identity>();
  for (const { oid, schema, name } of kinds)
    if (!identities.has(oid)) identities.set(oid, await dialect.identityOf(db, { schema, name }));
  return identities;
}

type Next = (step: Step, parents: Iterable<string>) => Promise<Pair[]>;

/** Returns a function that follows one step from `parents`. It omits the rows of the plan. */
function nextIn(
  dialect: Dialect,
  db: Db,
  { table, change, reach: { kinds }, until }: Counting,
  { identities, planned }: { identities: Identities; planned: ReadonlySet<string> },
): Next {
  return async (step, parents) => {
    const [parent, child] = [kinds[step.from]!, kinds[step.to]!];
    const [ofParent, ofChild] = [identities.get(parent.oid)!, identities.get(child.oid)!];
    const pairs = await inParts(parents, async (ids) => {
      if (Date.now() >= until) throw new NoTime();
      const conditions = [
        ofParent.isIn('p', ids),
        ...(step.from === 0 ? changes(dialect, table, change, step) : []),
      ];
      const { rows } = await sql<Pair>`
        select ${ofParent.of('p')} as ${sql.id('of')}, ${ofChild.of('c')} as ${sql.id('to')}
        from ${tableRef(parent)} as p join ${tableRef(child)} as c on ${refersTo(step.reference, 'c', 'p')}
        where ${sql.join(conditions, sql` and `)}`.execute(db);
      return rows;
    });
    return child.oid === kinds[0]?.oid ? pairs.filter(({ to }) => !planned.has(to)) : pairs;
  };
}

/** Returns, by root, the rows of each kind. Follows the steps until they lead to no new rows. */
async function reachedFrom(
  roots: readonly string[],
  steps: readonly Step[],
  next: Next,
): Promise<Map<string, Reaching>> {
  const reached = new Map<string, Reaching>(roots.map((root) => [root, new Map()]));
  /** The roots of the new rows of each kind. */
  let fresh = new Map([[0, new Map(roots.map((root) => [root, new Set([root])]))]]);
  while (fresh.size > 0) {
    const newRows: typeof fresh = new Map();
    for (const step of steps) {
      const parents = fresh.get(step.from) ?? new Map<string, Set<string>>();
      if (parents.size === 0) continue;
      for (const { of, to } of await next(step, parents.keys()))
        for (const root of parents.get(of) ?? []) {
          const rows = entry(reached.get(root)!, step.to, () => new Set<string>());
          if (rows.has(to)) continue;
          rows.add(to);
          entry(
            entry(newRows, step.to, () => new Map<string, Set<string>>()),
            to,
            () => new Set<string>(),
          ).add(root);
        }
    }
    fresh = newRows;
  }
  return reached;
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/** Returns the counts by kind. A deleted row is not also counted as changed, and does not block. */
function countsOf(kinds: readonly Reached[], reached: Reaching): Dependents[] {
  const deleted = (oid: string) =>
    kinds.flatMap((kind, at) =>
      kind.effect === 'deleted' && kind.oid === oid ? [...(reached.get(at) ?? [])] : [],
    );
  return [...reached].flatMap(([at, ids]) => {
    const kind = kinds[at]!;
    const deletedIds = new Set(kind.effect === 'deleted' ? [] : deleted(kind.oid));
    const rows = [...ids].filter((id) => !deletedIds.has(id)).length;
    return rows === 0 ? [] : [{ kind, rows }];
  });
}

/** The condition that a referenced column changes: otherwise an update does not reach the rows that refer to it. */
function changes(dialect: Dialect, table: Table, change: SqlChange, { reference }: Step): Piece[] {
  if (change.action === 'delete') return [];
  const after = changedRow(dialect, table, change, {});
  const columns = table.columns.filter(
    ({ name }) => reference.to.includes(name) && Object.hasOwn(change.set, name),
  );
  const differing = columns.map((column) =>
    dialect.differs(sql.id('p', column.name), dialect.bound(column, after[column.name] ?? null)),
  );
  return [sql`(${sql.join(differing, sql` or `)})`];
}
