import type { Kysely } from 'kysely';

/** One connection, over tables that are not known in advance. */
export type Db = Kysely<Record<string, Record<string, unknown>>>;
