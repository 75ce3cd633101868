import { tmpdir } from 'node:os';
import { z } from 'zod';
import { awaitMacro, startMacro } from '../../src/client';
import type { Macro } from '../../src/contract/macro';
import { createDatabases } from '../../src/postgres/databases';
import { createRowSource } from '../../src/worker/macros';
import { gateway, startHarness } from '../helpers/harness';
import { tool } from '../helpers/macro-tools';
import { sharedPostgres } from '../helpers/postgres';
import { call, command } from '../helpers/transaction-stage';

/** The connections to a server database, and the activities that a worker runs at the same time by default. */
const CONNECTIONS = 10;
const ACTIVITIES = 100;
const NAMES = Array.from({ length: ACTIVITIES / CONNECTIONS }, (_, at) => `db_${at}`);

it('runs the calls of as many transactions as its databases have connections', async () => {
  const postgres = sharedPostgres();
  const urls = await Promise.all(NAMES.map(() => postgres.newDatabase()));
  const named = Object.fromEntries(NAMES.map((name, at) => [name, { url: urls[at] ?? '' }]));
  const databases = createDatabases({ databases: named, folder: tmpdir() }, {});
  const all = gateway();
  let within = 0;
  const enter = tool('enter', z.strictObject({}), () => 'entered');
  // It runs outside of the transaction, which stays open meanwhile.
  const meet = tool('meet', z.strictObject({}), async () => {
    within += 1;
    if (within === ACTIVITIES) all.open();
    await all.opened;
  });
  const harness = await startHarness({
    adapters: [],
    databases,
    tools: [{ ...enter, transactional: true }, meet],
    macros: { databases: createRowSource(databases, NAMES) },
    settings: { tool_timeout_ms: 150_000 },
  });
  const ended = await Promise.all(
    NAMES.map(async (database) => {
      const one: Macro = {
        name: 'one',
        database,
        steps: [command('enter'), command('meet'), command('enter')],
      };
      const steps = Array.from({ length: CONNECTIONS }, () => call('one', { is_async: true }));
      const input = { macro: { name: 'main', steps }, macros: { one } };
      const { run_id } = await startMacro(harness.client, input, { task_queue: harness.taskQueue });
      return awaitMacro(harness.client, run_id);
    }),
  );
  await harness.close();
  await databases.close();
  expect(ended.map(({ state, error }) => error?.message ?? state)).toEqual(NAMES.map(() => 'completed'));
});
