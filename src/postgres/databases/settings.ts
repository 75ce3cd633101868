import { sql } from 'kysely';
import type { Piece } from './conditions';

/**
 * Settings for the output of values and the input of dates. They override those of the server, the role and the
 * connection, so that a text has the same meaning in every transaction. `YMD` rejects ambiguous dates.
 */
const PINNED = {
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  extra_float_digits: '3',
  bytea_output: 'hex',
};

/** Builds a select list that applies these settings and the pinned ones to the current transaction. */
export const settings = (more: Readonly<Record<string, string>>): Piece =>
  sql.join(
    Object.entries({ ...PINNED, ...more }).map(([name, value]) => sql`set_config(${name}, ${value}, true)`),
  );
