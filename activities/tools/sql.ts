import { z } from 'zod';
import { filterSchema, orderSchema } from '../../src/contract/macro';
import {
  defineTool,
  type ToolContext,
  type ToolDatabase,
  type ToolDefinition,
} from '../../src/contract/tools';
import { deleteOf, insertOf, matchesNothing, selectOf, send, updateOf, type Types } from './query-builder';

const MAX_ROWS = 1_000;
const table = z
  .string()
  .min(1)
  .max(150)
  .describe('A table, as "name" or "schema.name"; put a name that contains a dot in double quotes');
const column = z.string().min(1).max(63);
const rowSchema = z
  .record(column, z.json())
  .refine((row) => Object.keys(row).length > 0, 'names no column')
  .meta({ clamp: 'none' })
  .describe(
    'Values by column: any JSON for a json column (a text is a JSON string), a list for an array column',
  );
const requiredFilter = filterSchema.min(1, 'is empty, and that would be every row of the table');
const common = { category: 'sql', idempotent: false, transactional: true } as const;

/**
 * Tools that run one statement in the transaction of a macro (specification M15). Names are quoted and values bound.
 * The adapter `sql` changes rows that a person should confirm first.
 */
export const SQL_TOOLS: readonly ToolDefinition[] = [
  defineTool({
    ...{ ...common, name: 'sql_select', read_only: true },
    description:
      "Reads rows of a table in the macro's database, including uncommitted changes of its transaction.",
    args: z.strictObject({
      table,
      columns: z.array(column).min(1).optional().describe('Columns to return; default: all'),
      where: filterSchema.optional(),
      order: orderSchema.optional(),
      limit: z.number().int().min(1).max(MAX_ROWS).optional(),
    }),
    output: z.object({ rows: z.array(z.record(z.string(), z.json())), truncated: z.boolean() }),
    async handler({ table: resource, where: filter, columns, order, limit = MAX_ROWS }, context) {
      if (matchesNothing(filter)) return { rows: [], truncated: false };
      const rows = await send(databaseOf(context), resource, (types) =>
        selectOf({ resource, filter, order, columns, limit: limit + 1 }, types),
      );
      return { rows: rows.slice(0, limit), truncated: rows.length > limit };
    },
  }),
  defineTool({
    ...{ ...common, name: 'sql_insert', read_only: false },
    description: "Adds rows to a table in the macro's database.",
    args: z.strictObject({
      table,
      rows: z.array(rowSchema).min(1).max(MAX_ROWS),
      returning: z.array(column).min(1).optional().describe('Columns of the new rows to return'),
    }),
    output: z.object({ inserted: z.number(), rows: z.array(z.record(z.string(), z.json())).optional() }),
    async handler({ table: target, rows, returning }, context) {
      const newRows = await send(databaseOf(context), target, (types) =>
        insertOf(target, rows, returning, types),
      );
      return { inserted: newRows.length, ...(returning && { rows: newRows }) };
    },
  }),
  defineTool({
    ...{ ...common, name: 'sql_update', read_only: false },
    description: "Sets columns in the rows of a table in the macro's database that meet all conditions.",
    args: z.strictObject({ table, set: rowSchema, where: requiredFilter }),
    output: z.object({ updated: z.number() }),
    async handler({ table: target, set, where }, context) {
      if (matchesNothing(where)) return { updated: 0 };
      const update = (types: Types) => updateOf(target, set, where, types);
      return { updated: await count(databaseOf(context), target, update) };
    },
  }),
  defineTool({
    ...{ ...common, name: 'sql_delete', read_only: false },
    description: "Deletes the rows of a table in the macro's database that meet all conditions.",
    args: z.strictObject({ table, where: requiredFilter }),
    output: z.object({ deleted: z.number() }),
    async handler({ table: target, where }, context) {
      if (matchesNothing(where)) return { deleted: 0 };
      return { deleted: await count(databaseOf(context), target, (types) => deleteOf(target, where, types)) };
    },
  }),
];

/** Returns the database of a call. The gateway calls these tools only with one. */
function databaseOf({ database }: ToolContext): ToolDatabase {
  if (database === undefined) throw new Error('There is no transaction');
  return database;
}

async function count(...statement: Parameters<typeof send>): Promise<number> {
  const [row] = await send(...statement);
  return Number(row?.['rows'] ?? 0);
}
