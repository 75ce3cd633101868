import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createSqlAdapter } from '../../activities/adapters/sql';
import { awaitMacro, cancelBulkOperation, cancelMacro, getCooldown, startMacro } from '../../src/client';
import type { HygieneReport } from '../../src/contract/hygiene';
import { WORKFLOW_TYPES } from '../../src/contract/messages';
import { createDatabases, type Databases } from '../../src/postgres/databases';
import { createRowSource } from '../../src/worker/macros';
import { runIn } from '../adapters/sql-setup';
import { seedEmbedded } from '../helpers/embedded';
import { startHarness, type Harness } from '../helpers/harness';
import { sharedPostgres } from '../helpers/postgres';
import { startTimeSkipping } from '../helpers/time-skipping';
import { command } from '../helpers/transaction-stage';
import { confirmOpen } from '../helpers/confirm';

/** Hygiene of the commit markers in users' databases, on a server that skips time. */
const NAMES = ['embedded', 'owned', 'guarded'];
const DAY = 86_400_000;

let folder: string;
let owner: Databases;
let databases: Databases;
let env: TestWorkflowEnvironment;
let client: Client;
let harness: Harness;
const warned: unknown[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-markers-'));
  const role = `clerk_${randomUUID().replaceAll('-', '')}`;
  const guarded = await sharedPostgres().newDatabase();
  const asClerk = new URL(guarded);
  asClerk.username = role;
  await seedEmbedded(join(folder, 'embedded'));
  const urls = { embedded: 'pglite:embedded', owned: await sharedPostgres().newDatabase() };
  const named = (all: Record<string, string>) =>
    Object.fromEntries(Object.entries(all).map(([name, url]) => [name, { url }]));
  databases = createDatabases({ databases: named({ ...urls, guarded: asClerk.href }), folder }, {});
  owner = createDatabases({ databases: named({ guarded }), folder }, {});
  for (const name of NAMES)
    await runIn(
      name === 'guarded' ? owner : databases,
      name,
      'create table users (id integer primary key, name text)',
    );
  for (const statement of [
    `create role ${role} login password '${asClerk.password}'`,
    `create table batchgate_transactions (transaction_id uuid primary key, run_id text not null, outcome text not null,
      at timestamptz not null default now())`,
    `create table batchgate_changes (operation_id text not null, run_id text not null, item_id text not null,
      action text not null, deadline timestamptz not null, at timestamptz not null default now(),
      primary key (operation_id, run_id, item_id))`,
    `grant select, insert, update on users, batchgate_transactions, batchgate_changes to ${role}`,
  ])
    await runIn(owner, 'guarded', statement);
  env = await startTimeSkipping();
  client = new Client({ connection: env.connection });
  harness = await startHarness({
    adapters: [createSqlAdapter({ databases, concurrency: 5 })],
    databases,
    macros: { databases: createRowSource(databases, NAMES) },
    log: { info: () => undefined, warn: (...said) => void warned.push(said) },
    connect: { client, connection: env.nativeConnection },
  });
});
afterAll(async () => {
  await harness.close();
  await env.teardown();
  await databases.close();
  await owner.close();
  await rm(folder, { recursive: true, force: true });
});

const hygiene = (): Promise<HygieneReport> =>
  client.workflow.execute(WORKFLOW_TYPES.hygiene, {
    workflowId: `hygiene-${randomUUID()}`,
    taskQueue: harness.taskQueue,
  });

/** A macro run that commits to the database and, if `waits`, then waits for a person. */
async function macroRun(database: string, id: number, waits: boolean): Promise<string> {
  const writing = {
    name: 'writing',
    database,
    steps: [command('sql_insert', { table: 'users', rows: [{ id }] })],
  };
  const question = { type: 'ask' as const, of: 'person' as const, prompt: 'Go on?', output_variable: 'x' };
  const macro = {
    name: 'main',
    steps: [{ type: 'macro' as const, macro_name: 'writing' }, ...(waits ? [question] : [])],
  };
  const input = { macro, macros: { writing } };
  const { run_id } = await startMacro(client, input, { task_queue: harness.taskQueue });
  return run_id;
}

/** An operation that has run the first of its two batches. */
async function operation(database: string): Promise<string> {
  await runIn(databases, database, 'insert into users select 100 + n from generate_series(1, 10) n');
  const where = [{ column: 'id', op: '>', value: 100 }];
  const params = { database, table: 'users', where, set: { name: 'seen' } };
  const input = {
    domain: 'sql',
    action: 'update',
    params,
    batch_size: 5,
    idle_timeout_seconds: 100 * 86_400,
  };
  const { operation_id } = await harness.start(input);
  await confirmOpen(client, operation_id);
  return operation_id;
}

const jobsIn = async (database: string, table: string, column: string) =>
  (await runIn(databases, database, `select distinct ${column} as job from ${table}`)).map(({ job }) => job);
const runsIn = async (name: string) => (await jobsIn(name, 'batchgate_transactions', 'run_id')).sort();
const operationsIn = async (name: string) => (await jobsIn(name, 'batchgate_changes', 'operation_id')).sort();

it('deletes the commit markers of jobs that ended 30 days ago, if the role may, and never those of live jobs', async () => {
  const open: Record<string, { ended: string; live: string; operation: string }> = {};
  for (const name of NAMES) {
    const ended = await macroRun(name, 1, false);
    await awaitMacro(client, ended);
    open[name] = { ended, live: await macroRun(name, 2, true), operation: await operation(name) };
  }
  const of = (name: string) => open[name] ?? { ended: '', live: '', operation: '' };
  const all = (name: string) => [of(name).ended, of(name).live].sort();
  // The live runs have committed once their markers are there.
  for (const name of NAMES)
    while ((await runsIn(name)).length < 2) await new Promise((go) => setImmediate(go));

  const { cron_pause_until = '' } = (await getCooldown(client, harness.taskQueue)) ?? {};
  await env.sleep(Date.parse(cron_pause_until) - (await env.currentTimeMs()) + 1_000);
  expect(await hygiene()).toMatchObject({ ran: true, dropped: { markers: 0 } });
  expect(await runsIn('embedded')).toEqual(all('embedded'));

  await env.sleep(30 * DAY);
  expect(await hygiene()).toMatchObject({ ran: true, dropped: { markers: 2 } });
  await hygiene();
  for (const name of NAMES) {
    expect(await runsIn(name)).toEqual(name === 'guarded' ? all(name) : [of(name).live]);
    expect(await operationsIn(name)).toEqual([of(name).operation]);
  }
  expect(warned).toEqual(
    ['batchgate_changes', 'batchgate_transactions'].map((table) => [
      { database: 'guarded', remedy: `grant delete on public.${table} to this role` },
      'old commit markers are kept',
    ]),
  );

  for (const name of NAMES) {
    await cancelMacro(client, of(name).live);
    await cancelBulkOperation(client, of(name).operation);
  }
  await env.sleep(DAY);
  expect(await hygiene()).toMatchObject({ ran: true, dropped: { markers: 0 } });
  await env.sleep(30 * DAY);
  expect(await hygiene()).toMatchObject({ ran: true, dropped: { markers: 2 * (1 + 5) } });
  for (const name of ['embedded', 'owned'])
    expect([await runsIn(name), await operationsIn(name)]).toEqual([[], []]);
});
