import { sql, type RawBuilder } from 'kysely';
import type { Piece } from './conditions';

/** The type of a column. Names of types are from the catalogue, and quoted if necessary. */
export interface ColumnType {
  readonly name: string;
  /** The declared type: the name of a domain for a column of a domain. */
  readonly type: string;
  /**
   * The base type of its domains, also for the elements of an array, without a length or precision. A cast to a type
   * with a length or precision truncates or rounds; a comparison does not.
   */
  readonly base: string;
  /** The type with the length and precision of the column or a domain. */
  readonly stored: string;
  /** https://www.postgresql.org/docs/current/catalog-pg-type.html, typcategory: `S` for texts, `A` for arrays. */
  readonly category: string;
  readonly json: boolean;
}

/** The columns of `ColumnType`, of the attribute `a`; joins `columnTypeJoin`. */
export const columnTypeFields: Piece = sql`
  a.attname as name, t.typcategory::text as category,
  pg_catalog.format_type(a.atttypid, -1) as type,
  pg_catalog.format_type(base.oid, -1) as base,
  pg_catalog.format_type(base.oid, base.typmod) as stored,
  base.oid in ('json'::regtype, 'jsonb'::regtype) as json`;

export const columnTypeJoin: Piece = sql`
  cross join lateral (
    with recursive step (oid, typmod, listed, depth) as (
      select a.atttypid, a.atttypmod, false, 0
      union all
      select case when d.typtype = 'd' then d.typbasetype else d.typelem end,
        case when d.typtype = 'd' and d.typtypmod >= 0 then d.typtypmod else step.typmod end,
        step.listed or d.typtype <> 'd', step.depth + 1
      from step join pg_catalog.pg_type d on d.oid = step.oid
      where d.typtype = 'd' or (not step.listed
        and exists (select from pg_catalog.pg_type e where e.oid = d.typelem and e.typarray = d.oid))
    )
    select case when not step.listed then step.oid when d.typarray <> 0 then d.typarray else a.atttypid end as oid,
      case when step.listed and d.typarray = 0 then -1 else step.typmod end as typmod
    from step join pg_catalog.pg_type d on d.oid = step.oid
    order by step.depth desc limit 1
  ) as base
  join pg_catalog.pg_type t on t.oid = base.oid`;

/** Selects the column types of a relation, by its quoted name. No rows if the relation does not exist. */
export const columnTypesOf = (relation: string): RawBuilder<ColumnType> => sql<ColumnType>`
  select ${columnTypeFields} from pg_catalog.pg_attribute a ${columnTypeJoin}
  where a.attrelid = pg_catalog.to_regclass(cast(${relation} as text)) and a.attnum > 0 and not a.attisdropped`;
