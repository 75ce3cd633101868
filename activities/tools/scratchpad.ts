import { z } from 'zod';
import { BatchgateError } from '../../src/contract/errors';
import { MAY } from '../../src/core/access/permissions';
import { scratchpadEntrySchema, scratchpadKeySchema, type Scratchpad } from '../../src/contract/scratchpad';
import { defineTool, type ToolContext, type ToolDefinition } from '../../src/contract/tools';

const key = scratchpadKeySchema.meta({ clamp: 'id' });
/** The scratchpad belongs to the session: a role that may speak in it may use it. */
const common = {
  category: 'scratchpad',
  idempotent: true,
  transactional: false,
  roles: MAY.speak.roles,
} as const;

/** Tools for the data that a session keeps outside its history. `ref:key` in an argument stands for the value. */
export function createScratchpadTools(scratchpad: () => Scratchpad): ToolDefinition[] {
  return [
    defineTool({
      ...{ ...common, name: 'scratchpad_save', read_only: false, output: scratchpadEntrySchema },
      description:
        "Saves data under a key, and replaces earlier data there. Pass it to other tools as 'ref:key'.",
      args: z.strictObject({
        key: key.describe('Without blanks, at most 150 characters'),
        value: z.json().meta({ clamp: 'none' }).describe('Any JSON, at most 1 MB'),
      }),
      handler: (args, context) => scratchpad().save(sessionOf(context), args.key, args.value),
    }),
    defineTool({
      ...{ ...common, name: 'scratchpad_get', read_only: true },
      description:
        'Shows the data under a key. To use it in another tool, pass ref:key to that tool instead.',
      args: z.strictObject({ key: key.describe("The key, without 'ref:'") }),
      output: z.object({ key: z.string(), value: z.json() }),
      async handler(args, context) {
        const values = await scratchpad().read(sessionOf(context), [args.key]);
        if (values.has(args.key)) return { key: args.key, value: values.get(args.key) };
        throw new BatchgateError('NOT_FOUND', 'Nothing is saved under this key.', 'Look at scratchpad_list.');
      },
    }),
    defineTool({
      ...{ ...common, name: 'scratchpad_list', read_only: true },
      description: 'Lists the keys of this session, with sizes and times, without the data.',
      args: z.strictObject({}),
      output: z.object({ entries: z.array(scratchpadEntrySchema) }),
      handler: async (_, context) => ({ entries: await scratchpad().list(sessionOf(context)) }),
    }),
    defineTool({
      ...{ ...common, name: 'scratchpad_delete', read_only: false },
      description: 'Deletes the data under a key.',
      args: z.strictObject({ key: key.describe("The key, without 'ref:'") }),
      output: z.object({ deleted: z.boolean() }),
      handler: async (args, context) => ({
        deleted: await scratchpad().delete(sessionOf(context), args.key),
      }),
    }),
  ];
}

function sessionOf({ session_id }: ToolContext): string {
  if (session_id !== undefined) return session_id;
  throw new BatchgateError(
    'INVALID_INPUT',
    'A scratchpad belongs to a session, and this call has none.',
    'Give the macro or the conversation a session_id.',
  );
}
