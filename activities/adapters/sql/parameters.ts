import { z } from 'zod';
import type { AdapterAction } from '../../../src/contract/adapter';
import type { Prepared } from '../kit/types';

const text = z
  .string()
  .max(10_000)
  .refine((value) => !/[\0\p{Cs}]/u.test(value), 'is not a text that PostgreSQL can store');
const scalar = z.union([text, z.number(), z.boolean()]);
const columnName = text.min(1).max(63);
const MAX_LISTED = 1_000;

const column = columnName.describe('A column of the table, as the database spells it');
const compared = z
  .strictObject({ column, op: z.enum(['=', '!=', '<', '<=', '>', '>=']), value: scalar })
  .describe("Compares the column with one value, in the column's own type");
const listed = z
  .strictObject({ column, op: z.enum(['in', 'not_in']), value: z.array(scalar).min(1).max(MAX_LISTED) })
  .describe('Tests whether the column is in a list of values');
const matched = z
  .strictObject({ column, op: z.enum(['like', 'ilike']), value: text })
  .describe('Matches a text column with a pattern: % for any characters, _ for one');
const nullness = z
  .strictObject({ column, op: z.enum(['is_null', 'is_not_null']) })
  .describe('Tests whether the column is null');
const conditionSchema = z.discriminatedUnion('op', [compared, listed, matched, nullness]);
export type Condition = z.infer<typeof conditionSchema>;

const whereSchema = z
  .array(conditionSchema)
  .min(1, 'is empty, which would match every row of the table')
  .max(50)
  .describe('The rows to change: all conditions must hold');

/** The new value of a column. Objects and lists are for json columns. */
const setValue = z.union([
  scalar,
  z.null(),
  z.array(z.unknown()),
  // A JSON object.
  z.record(z.string(), z.unknown()),
]);
const setSchema = z
  .record(columnName, setValue)
  .refine((set) => Object.keys(set).length > 0, 'names no column')
  .describe('New values by column; null clears it, and every value is parsed by the type of its column');

const database = z.string().min(1).max(150).describe('The name of a database in batchgate.config.json');
const table = text
  .min(1)
  .max(300)
  .describe('A table, as "name" or "schema.name"; put a name that contains a dot in double quotes');

const rowsQuery = z.strictObject({ where: whereSchema });
const updateChange = z.strictObject({ database, table, set: setSchema });
const deleteChange = z.strictObject({ database, table });

export const UPDATE = {
  description: 'Set columns of rows',
  already: 'already have these values',
  query: rowsQuery,
  change: updateChange,
  selects: ['database', 'table'],
} as const satisfies AdapterAction;
export const DELETE = {
  description: 'Delete rows',
  query: rowsQuery,
  change: deleteChange,
  selects: ['database', 'table'],
} as const satisfies AdapterAction;

const rowsOfFile = z.strictObject({
  ...{ database, table },
  set: setSchema.optional().describe('Values of further columns, the same in every row'),
});
const FILE_ROWS = {
  query: z.strictObject({}),
  change: rowsOfFile,
  selects: ['database', 'table'],
} as const;
export const INSERT = {
  ...{ description: 'Insert rows from a file, or other items that name their columns', ...FILE_ROWS },
} as const satisfies AdapterAction;
export const UPSERT = {
  ...{ description: 'Insert rows from a file, or set their columns where they are there', ...FILE_ROWS },
  already: 'already have these values',
} as const satisfies AdapterAction;

/** Returns true if the items of an action have their own values, such as the columns of a file. */
export const bringsRows = (action: string): boolean => action === 'insert' || action === 'upsert';

export type SetValues = z.infer<typeof setSchema>;

/** A text in the notation of the database, for a column of any type. */
export class Notation {
  constructor(readonly text: string) {}
}
export type Value = SetValues[string] | Notation;

/** A table in the catalogue. */
export interface TableName {
  readonly schema: string;
  readonly name: string;
}

const tableNameSchema = z.object({ schema: z.string().min(1), name: z.string().min(1) });

export const preparedQuery = z.object({ where: whereSchema });
export const preparedChange = z.object({
  database: z.string().min(1),
  /** Includes the columns of the primary key, in order, because they determine the row of an item's id. */
  table: tableNameSchema.extend({ key: z.array(z.string()).min(1) }),
  set: setSchema.optional(),
  /** The table of commit markers; null if there can be none. Fixed for the whole operation: see marks.ts. */
  marks: tableNameSchema.nullable(),
  /** Set if rows can refer to each other, so that one must be deleted or restored before another. */
  ordered: z.literal(true).optional(),
});
export type SqlQuery = z.infer<typeof preparedQuery>;
export type PreparedChange = z.infer<typeof preparedChange>;
export type PreparedSql = Prepared<SqlQuery, PreparedChange>;

export interface SqlChange extends Omit<PreparedChange, 'set'> {
  readonly action: string;
  readonly set: Readonly<Record<string, Value>>;
  /** Empty for an undo, which depends on the changed values and not on the conditions that selected the rows. */
  readonly where: readonly Condition[];
  readonly undo: boolean;
}

export const changeOf = ({ action, query, change, undo }: PreparedSql): SqlChange => ({
  ...{ set: {}, ...change, action, undo },
  where: undo ? [] : (query?.where ?? []),
});

export const shownTable = ({ schema, name }: TableName): string =>
  [schema, name].map((part) => (part.includes('.') ? `"${part}"` : part)).join('.');
