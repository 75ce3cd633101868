import { z } from 'zod';
import type { AdapterAction } from '../../../src/contract/adapter';
import { BatchgateError } from '../../../src/contract/errors';
import type { PreparedBulkContext } from '../../../src/contract/items';
import { notPrepared } from '../shared/actions';

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

/** A column's new value; objects and lists are for json columns. */
const setValue = z.union([
  scalar,
  z.null(),
  z.array(z.unknown()),
  // A plain record: what JSON calls an object.
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

export const SQL_ACTIONS = {
  update: {
    description: 'Set columns of rows',
    already: 'already have these values',
    query: rowsQuery,
    change: updateChange,
    undo: true,
  },
  delete: { description: 'Delete rows', query: rowsQuery, change: deleteChange, undo: true },
} as const satisfies Record<string, AdapterAction>;

export type SetValues = z.infer<typeof setSchema>;

/** A table in the catalogue. */
export interface TableName {
  readonly schema: string;
  readonly name: string;
}

const tableNameSchema = z.object({ schema: z.string().min(1), name: z.string().min(1) });
const preparedParams = z.object({
  database: z.string().min(1),
  /** With the columns of its primary key, in order: an item's id means a row only by them. */
  table: tableNameSchema.extend({ key: z.array(z.string()).min(1) }),
  set: setSchema.optional(),
  /** The table of commit markers; null if there can be none. Fixed for the whole operation: see marks.ts. */
  marks: tableNameSchema.nullable(),
});

export interface SqlChange {
  readonly action: keyof typeof SQL_ACTIONS;
  readonly database: string;
  readonly table: TableName & { readonly key: readonly string[] };
  readonly set: SetValues;
  readonly where: readonly Condition[];
  readonly marks: TableName | null;
  /** Each row is restored from its `raw_data.undo`. */
  readonly undo?: true;
}

/** The change of a prepared context. @throws BatchgateError `INVALID_INPUT` when this adapter did not prepare it. */
export function changeOf(context: PreparedBulkContext): SqlChange {
  const { action } = context;
  const params = preparedParams.safeParse(context.action_params);
  const where = z.array(conditionSchema).safeParse(context.query_params['where'] ?? []);
  const complete = action === 'update' ? params.data?.set !== undefined : action === 'delete';
  if (!params.success || !where.success || !complete) {
    throw notPrepared('sql', 'its change or its conditions are incomplete');
  }
  const { set = {}, ...rest } = params.data;
  return {
    action: action === 'update' ? 'update' : 'delete',
    ...rest,
    set,
    // An undo depends on the changed values, and no longer on the conditions that found the rows.
    where: context.undo ? [] : where.data,
    ...(context.undo && { undo: true as const }),
  };
}

/**
 * The conditions of a prepared context.
 * @throws BatchgateError `INVALID_INPUT` when there are none: they would match the whole table.
 */
export function conditionsOf({ where }: SqlChange): readonly Condition[] {
  if (where.length > 0) return where;
  throw new BatchgateError(
    'INVALID_INPUT',
    'Without conditions this would change every row of the table.',
    'Send where, or name the rows by items.',
  );
}

export const shownTable = ({ schema, name }: TableName): string =>
  [schema, name].map((part) => (part.includes('.') ? `"${part}"` : part)).join('.');
