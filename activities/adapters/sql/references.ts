import { sql } from 'kysely';
import type { Db } from '../../../src/postgres/databases';
import { columnNames } from './catalogue';
import type { SqlChange, TableName } from './parameters';

/** The action of a foreign key when the referenced row is deleted, or its column changes. */
type Effect = 'deleted' | 'emptied' | 'set to its default' | 'changed' | 'blocks' | 'cannot be empty';

/** A foreign key. */
export interface Reference extends TableName {
  readonly parent: string;
  readonly child: string;
  readonly partitioned: boolean;
  /** Whether this role may read the referring rows. */
  readonly readable: boolean;
  readonly from: readonly string[];
  readonly to: readonly string[];
  /** https://www.postgresql.org/docs/current/catalog-pg-constraint.html, confdeltype and confupdtype */
  readonly on_delete: string;
  readonly on_update: string;
  /** The columns that `on delete set null` sets to null. `required`: one of them cannot be null. */
  readonly empties: readonly string[];
  readonly required: boolean;
}

/** A kind of rows that a change reaches: the rows of one table with the same effect. */
export interface Reached extends TableName {
  readonly oid: string;
  readonly partitioned: boolean;
  readonly effect: Effect;
  /** The columns that change; empty for rows that are deleted. */
  readonly columns: readonly string[];
}

/** A foreign key from rows of one kind to rows of another. Kinds are numbered; 0 is the rows of the change itself. */
export interface Step {
  readonly from: number;
  readonly to: number;
  readonly reference: Reference;
}

/** The rows that a change can reach through foreign keys. */
export interface Reach {
  readonly kinds: readonly Reached[];
  readonly steps: readonly Step[];
  /** The rows that this role may not read. */
  readonly unseen: readonly Reached[];
}

/** The maximum number of kinds. Foreign keys are not followed beyond it. */
const MAX_KINDS = 100;

export const isRefused = ({ effect }: Pick<Reached, 'effect'>): boolean =>
  effect === 'blocks' || effect === 'cannot be empty';

export async function reachOf(db: Db, change: SqlChange): Promise<Reach> {
  const references = await loadReferences(db, change.table);
  const [first] = references;
  const root = { oid: first?.root ?? '', partitioned: first?.root_partitioned ?? false };
  return reachThrough(references, change, root);
}

/** Returns the reach of a change through these foreign keys, which identify tables in the same way as `own`. */
export function reachThrough(
  references: readonly Reference[],
  change: SqlChange,
  own: Pick<Reached, 'oid' | 'partitioned'>,
): Reach {
  const steps: Step[] = [];
  const unseen: Reached[] = [];
  const root = { ...change.table, ...own };
  const effect = change.action === 'delete' ? 'deleted' : 'changed';
  const kinds: Reached[] = [{ ...root, effect, columns: Object.keys(change.set) }];
  for (let at = 0; at < kinds.length && kinds.length < MAX_KINDS; at++) {
    const kind = kinds[at]!;
    for (const reference of isRefused(kind) ? [] : references) {
      const next = follow(kind, reference);
      if (next && !reference.readable) unseen.push(next);
      if (!next || !reference.readable) continue;
      const index = kinds.findIndex((other) => isSameKind(other, next));
      steps.push({ from: at, to: index < 0 ? kinds.push(next) - 1 : index, reference });
    }
  }
  return { kinds, steps, unseen };
}

function follow(kind: Reached, reference: Reference): Reached | undefined {
  const { parent, child: oid, schema, name, partitioned, from, to, empties, required } = reference;
  const isDeleted = kind.effect === 'deleted';
  if (parent !== kind.oid || (!isDeleted && !to.some((column) => kind.columns.includes(column))))
    return undefined;
  const lost = isDeleted ? empties : from;
  const effects: Record<string, [effect: Effect, columns?: readonly string[]]> = {
    c: isDeleted ? ['deleted'] : ['changed', from],
    n: required ? ['cannot be empty', empties] : ['emptied', lost],
    d: ['set to its default', lost],
  };
  const [effect, columns = []] = effects[isDeleted ? reference.on_delete : reference.on_update] ?? ['blocks'];
  return { oid, schema, name, partitioned, effect, columns };
}

const isSameKind = (left: Reached, right: Reached): boolean =>
  left.oid === right.oid && left.effect === right.effect && left.columns.join() === right.columns.join();

interface ReferenceRow extends Reference {
  readonly root: string;
  readonly root_partitioned: boolean;
}

/**
 * Reads the foreign keys that refer to a table, directly or through other tables. Omits the foreign keys of partitions,
 * which are copies. A foreign key that refers to the whole table also refers to its partitions.
 */
async function loadReferences(db: Db, { schema, name }: TableName): Promise<ReferenceRow[]> {
  const { rows } = await sql<ReferenceRow>`
    with recursive
      root as (
        select c.oid, c.relkind from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where n.nspname = ${schema} and c.relname = ${name} and c.relkind in ('r', 'p')
      ),
      whole as (select a.relid from root cross join lateral pg_catalog.pg_partition_ancestors(root.oid) a),
      reached (oid) as (
        select oid from root
        union select relid from whole
        union select k.conrelid from reached r join pg_catalog.pg_constraint k on k.confrelid = r.oid
          where k.contype = 'f' and k.conparentid = 0
      ),
      keys as (
        select k.*, case when jsonb_typeof(to_jsonb(k) -> 'confdelsetcols') = 'array'
          then array(select cast(jsonb_array_elements_text(to_jsonb(k) -> 'confdelsetcols') as int2))
          else k.conkey end as emptied
        from pg_catalog.pg_constraint k where k.contype = 'f' and k.conparentid = 0
      )
    select cast(cast(root.oid as oid) as text) as root, root.relkind = 'p' as root_partitioned,
      cast(cast(case when k.confrelid in (select relid from whole) then root.oid else k.confrelid end as oid) as text)
        as parent,
      cast(cast(k.conrelid as oid) as text) as child,
      n.nspname as schema, c.relname as name, c.relkind = 'p' as partitioned,
      has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as readable,
      ${columnNames(sql`k.conrelid, k.conkey`)} as "from", ${columnNames(sql`k.confrelid, k.confkey`)} as "to",
      cast(k.confdeltype as text) as on_delete, cast(k.confupdtype as text) as on_update,
      ${columnNames(sql`k.conrelid, k.emptied`)} as empties,
      exists (select from pg_catalog.pg_attribute a
        where a.attrelid = k.conrelid and a.attnum = any (k.emptied) and a.attnotnull) as required
    from keys k cross join root
      join pg_catalog.pg_class c on c.oid = k.conrelid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where k.confrelid in (select oid from reached)
    order by n.nspname, c.relname, k.conname`.execute(db);
  return rows;
}
