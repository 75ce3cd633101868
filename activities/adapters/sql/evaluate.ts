import { sql } from 'kysely';
import type { Db } from '../../../src/postgres/databases';
import { columnOf, type Column, type Table } from './catalogue';
import { typed } from './expressions';
import type { Condition, SetValues, SqlChange } from './parameters';

/**
 * Categories of types whose texts may depend on the moment or the session: dates and times, and types that are made of
 * others. `tomorrow` is a date. https://www.postgresql.org/docs/current/catalog-pg-type.html, typcategory
 */
const DEPENDS = /^[DRACU]$/;

const isRelative = ({ category, json }: Column, value: unknown): value is string =>
  typeof value === 'string' && !json && DEPENDS.test(category);

/**
 * The conditions and the new values of a change as PostgreSQL reads them now: `tomorrow` becomes a date, once. From then
 * on every session reads them in the same way.
 */
export async function evaluated(
  db: Db,
  table: Table,
  { where, set }: Pick<SqlChange, 'where' | 'set'>,
): Promise<{ where: Condition[]; set: SetValues }> {
  const texts = await readNow(db, [
    ...where.flatMap((one) =>
      'value' in one && one.op !== 'like' && one.op !== 'ilike'
        ? [one.value].flat().map((value) => ({ column: columnOf(table, one.column), value }))
        : [],
    ),
    ...Object.entries(set).map(([name, value]) => ({ column: columnOf(table, name), value })),
  ]);
  const absolute = <V>(name: string, value: V): V =>
    typeof value === 'string' ? ((texts.get(name)?.get(value) ?? value) as V) : value;
  return {
    where: where.map((one) => {
      if (!('value' in one)) return one;
      const value = Array.isArray(one.value)
        ? one.value.map((each) => absolute(one.column, each))
        : absolute(one.column, one.value);
      return { ...one, value } as Condition;
    }),
    set: Object.fromEntries(Object.entries(set).map(([name, value]) => [name, absolute(name, value)])),
  };
}

/** By column and text: the text that PostgreSQL prints for it. */
async function readNow(
  db: Db,
  values: readonly { column: Column; value: unknown }[],
): Promise<Map<string, Map<string, string>>> {
  const asked = values.flatMap(({ column, value }) => (isRelative(column, value) ? [{ column, value }] : []));
  const texts = new Map<string, Map<string, string>>();
  if (asked.length === 0) return texts;
  const printed = sql.join(asked.map(({ column, value }) => sql`cast(${typed(column, value)} as text)`));
  const { rows } = await sql<{ texts: string }>`
    select cast(to_json(array[${printed}]) as text) as texts`.execute(db);
  const found = JSON.parse(rows[0]?.texts ?? '[]') as string[];
  asked.forEach(({ column, value }, at) => {
    const ofColumn = texts.get(column.name) ?? new Map<string, string>();
    texts.set(column.name, ofColumn.set(value, found[at] ?? value));
  });
  return texts;
}
