import { z } from 'zod';
import { defineTool, type ToolDefinition } from '../../src/contract/tools';

const plain = {
  category: 'fuzz',
  description: 'of the fuzzer',
  read_only: false,
  transactional: false,
} as const;

/** The tools for the fuzzer's macros: data of any size and depth, failures, and a tool within transactions. */
export const FUZZ_TOOLS: readonly ToolDefinition[] = [
  defineTool({
    ...{ ...plain, name: 'echo', idempotent: true, args: z.strictObject({ x: z.json() }) },
    handler: ({ x }) => Promise.resolve({ got: x }),
  }),
  defineTool({
    ...{ ...plain, name: 'rows', idempotent: true },
    args: z.strictObject({ count: z.number().int().min(0), bytes: z.number().int().min(0) }),
    handler: ({ count, bytes }) =>
      Promise.resolve(
        Array.from({ length: Math.min(count, 5_000) }, (_, at) => ({
          id: String(at),
          note: 'n'.repeat(bytes),
        })),
      ),
  }),
  defineTool({
    ...{ ...plain, name: 'big', idempotent: true },
    args: z.strictObject({ bytes: z.number().int().min(0).max(2_000_000) }),
    handler: ({ bytes }) => Promise.resolve('b'.repeat(bytes)),
  }),
  defineTool({
    ...{ ...plain, name: 'deep', idempotent: true },
    args: z.strictObject({ levels: z.number().int().min(1).max(100) }),
    handler: ({ levels }) => {
      let value: unknown = 1;
      for (let at = 0; at < levels; at++) value = [value];
      return Promise.resolve(value);
    },
  }),
  defineTool({
    ...{ ...plain, name: 'boom', idempotent: false, args: z.strictObject({}) },
    handler: () => Promise.reject(new Error('boom')),
  }),
  defineTool({
    ...{
      ...plain,
      name: 'put',
      idempotent: true,
      args: z.strictObject({ id: z.string(), title: z.string() }),
    },
    handler: ({ id }) => Promise.resolve(id),
  }),
  defineTool({
    ...{
      ...plain,
      name: 'note',
      idempotent: false,
      transactional: true,
      args: z.strictObject({ text: z.string() }),
    },
    async handler({ text }, { database }) {
      if (database === undefined) throw new Error('no transaction');
      await database.query('insert into notes (text) values ($1)', [
        text.slice(0, 1_000).replaceAll('\0', ''),
      ]);
      return null;
    },
  }),
];
