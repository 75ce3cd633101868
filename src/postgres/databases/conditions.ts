import { sql, type RawBuilder } from 'kysely';

/** A piece of SQL: names quoted, values bound. */
export type Piece = RawBuilder<unknown>;

const OPERATORS = {
  '=': sql`=`,
  '!=': sql`<>`,
  '<': sql`<`,
  '<=': sql`<=`,
  '>': sql`>`,
  '>=': sql`>=`,
  in: sql`in`,
  not_in: sql`not in`,
  like: sql`like`,
  ilike: sql`ilike`,
} as const;

/** One condition on a column. `is_null` and `is_not_null` take no value, `in` and `not_in` take several. */
export function condition(
  column: Piece,
  op: keyof typeof OPERATORS | 'is_null' | 'is_not_null',
  ...values: Piece[]
): Piece {
  if (op === 'is_null') return sql`${column} is null`;
  if (op === 'is_not_null') return sql`${column} is not null`;
  const listed = op === 'in' || op === 'not_in';
  return sql`${column} ${OPERATORS[op]} ${listed ? sql`(${sql.join(values)})` : sql.join(values)}`;
}
