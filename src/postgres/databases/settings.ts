import { sql } from 'kysely';
import type { Piece } from './conditions';

/**
 * Settings for printing values and reading dates, which override those of the server, the role and the connection: a
 * text that was read in one transaction means the same in the next. `YMD` refuses a date that means one day here and
 * another there.
 */
const PINNED = {
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  extra_float_digits: '3',
  bytea_output: 'hex',
};

/** Settings of the current transaction as the list of a select, the pinned ones with them. */
export const settings = (more: Readonly<Record<string, string>>): Piece =>
  sql.join(
    Object.entries({ ...PINNED, ...more }).map(([name, value]) => sql`set_config(${name}, ${value}, true)`),
  );
