import { sql } from 'kysely';
import type { Db } from '../../../../src/postgres/databases';
import type { Piece } from '../../../../src/postgres/databases/conditions';
import type { Table } from '../catalogue';
import { tableRef } from '../expressions';
import type { Identity } from './dialect';

/** The maximum number of rows that one statement names. */
const MAX_NAMED = 1_000;

export function* partsOf<T>(all: readonly T[]): Generator<T[]> {
  for (let from = 0; from < all.length; from += MAX_NAMED) yield all.slice(from, from + MAX_NAMED);
}

/** Two rows, the first of which refers or leads to the second. */
export interface Pair {
  readonly of: string;
  readonly to: string;
}

/** The columns by which rows refer to others. */
interface Referring {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

export const refersTo = ({ from, to }: Referring, child: string, parent: string): Piece =>
  sql.join(
    from.map((name, at) => sql`${sql.id(child, name)} = ${sql.id(parent, to[at] ?? '')}`),
    sql` and `,
  );

/** Runs a query for `MAX_NAMED` ids at a time. */
export async function inParts<T>(
  ids: Iterable<string>,
  query: (chunk: string[]) => Promise<readonly T[]>,
): Promise<T[]> {
  const rows: T[] = [];
  for (const part of partsOf([...ids])) rows.push(...(await query(part)));
  return rows;
}

/** Returns the number of rows of the same table that each row depends on: see `ancestors` in dependents.ts. */
export async function depthsOf(
  db: Db,
  { table, identity }: { table: Table; identity: Identity },
  ids: readonly string[],
): Promise<number[]> {
  const above = new Map<string, Set<string>>();
  for (let fresh = new Set(ids); fresh.size > 0;) {
    for (const id of fresh) above.set(id, new Set());
    for (const reference of table.selfReferences) {
      const pairs = await inParts(fresh, async (chunk) => {
        const { rows } = await sql<Pair>`
          select ${identity.of('c')} as ${sql.id('of')}, ${identity.of('p')} as ${sql.id('to')}
          from ${tableRef(table)} as c join ${tableRef(table)} as p on ${refersTo(reference, 'c', 'p')}
          where ${identity.isIn('c', chunk)}`.execute(db);
        return rows;
      });
      for (const { of, to } of pairs) above.get(of)?.add(to);
    }
    fresh = new Set([...above.values()].flatMap((rows) => [...rows].filter((id) => !above.has(id))));
  }
  return ids.map((id) => ancestorsOf(id, above));
}

function ancestorsOf(id: string, above: ReadonlyMap<string, ReadonlySet<string>>): number {
  const reached = new Set<string>();
  const open = [...(above.get(id) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...(above.get(next) ?? []));
  }
  return reached.size;
}
