import { Client } from 'pg';
import { z } from 'zod';
import { defineTool } from '../../src/contract/tools';
import { openStore } from '../../src/postgres/store/open';
import { choose, replies, told, turnOf, use, useAssistantStage } from '../helpers/assistant-stage';
import { newStoreUrl } from '../helpers/store';

/** The letters that were written. */
const written: string[] = [];
let database: Client;
beforeEach(() => void (written.length = 0));
afterAll(() => database.end());

const writes = { description: 'Writes a letter', category: 'post', read_only: false } as const;
const tools = [
  defineTool({
    ...{ ...writes, name: 'write_at_length', idempotent: false, transactional: false },
    args: z.strictObject({ to: z.string() }),
    async handler({ to }) {
      written.push(to);
      await database.query('alter table batchgate.scratchpad rename to scratchpad_away');
      return { copy: `Dear ${to}, ${'word '.repeat(10_000)}` };
    },
  }),
];

useAssistantStage(
  undefined,
  () => Promise.resolve(tools),
  async () => {
    const databaseUrl = await newStoreUrl();
    database = new Client(databaseUrl);
    await database.connect();
    return { store: await openStore({ dataDir: '', databaseUrl }) };
  },
);

it('shows the result of a call that was made, and says that it was not kept if the scratchpad fails', async () => {
  replies(choose('post'), use('write_at_length', { to: 'ana' }), { text: 'The letter is written.' });
  const { state, calls } = await turnOf('unkept', 'write to ana');
  await database.query('alter table batchgate.scratchpad_away rename to scratchpad');
  expect(state).toBe('answered');
  expect(calls).toMatchObject([{ tool: 'write_at_length', state: 'done' }]);
  expect(told()).toMatch(/was not kept: the scratchpad failed\..*Dear ana, word/);
  expect(written).toEqual(['ana']);
});
