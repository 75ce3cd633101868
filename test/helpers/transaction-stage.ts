import { z } from 'zod';
import { awaitMacro, startMacro } from '../../src/client';
import type { Macro, MacroInput, Step, Variables } from '../../src/contract/macro';
import type { Settings } from '../../src/contract/settings';
import type { ToolDefinition } from '../../src/contract/tools';
import { createRowSource } from '../../src/worker/macros';
import { startHarness, type Harness } from './harness';
import { tool } from './macro-tools';
import type { TwoDatabases } from './two-databases';

const NAMES = ['users_db', 'audit_db'];
const id = z.strictObject({ id: z.number() });

export const command = (name: string, args: Variables = {}, more: object = {}): Step => ({
  type: 'command',
  command: name,
  args,
  ...more,
});
export const insert = (id: number, more: object = {}): Step =>
  command('sql_insert', { table: 'users', rows: [{ id }] }, more);
export const log = (message: string): Step =>
  command('sql_insert', { table: 'audit_log', rows: [{ message }] });
export const manage = (action: string): Step => command('manage_transaction', { action });
export const call = (macro_name: string, more: object = {}): Step => ({ type: 'macro', macro_name, ...more });
/** A step that fails after it has changed something. */
export const fail = command('half', { id: 99 });

/** A worker with two databases and the tools of this file, for the tests of one block. */
export interface TransactionStage {
  world: TwoDatabases;
  harness: Harness;
  /** The arguments of the tool `note`, and the ids that the tool `look` read, in order. */
  calls: string[];
  /** The promise that the tool `hold` awaits after its statement, and the tool `linger` outside of the transaction. */
  held: (signal: AbortSignal, tool: 'hold' | 'linger') => Promise<void>;
  ids(): Promise<unknown[]>;
  logged(): Promise<unknown[]>;
  begin(macro: Partial<Macro>, others?: Macro[], more?: Partial<MacroInput>): Promise<{ run_id: string }>;
  run(...input: Parameters<TransactionStage['begin']>): ReturnType<typeof awaitMacro>;
  onUsers(steps: Step[], others?: Macro[]): ReturnType<typeof awaitMacro>;
}

/** Short timeouts, for tests that wait for them; other tests must not depend on the load of the machine. */
export const SHORT_TIMEOUTS: Partial<Settings> = { tool_timeout_ms: 4_000, heartbeat_timeout_ms: 2_000 };

export function useTransactions(
  open: () => Promise<TwoDatabases>,
  settings?: Partial<Settings>,
): TransactionStage {
  const stage = { calls: [], held: () => Promise.resolve() } as unknown as TransactionStage;
  const readColumn = async (database: string, text: string, column: string) =>
    (await stage.world.run(database, text)).map((row) => row[column]);
  stage.ids = () => readColumn('users_db', 'select id from users order by id', 'id');
  stage.logged = () => readColumn('audit_db', 'select message from audit_log', 'message');
  stage.begin = (macro, others = [], more = {}) =>
    startMacro(
      stage.harness.client,
      {
        macro: { name: 'main', steps: [], ...macro },
        macros: Object.fromEntries(others.map((one) => [one.name, one])),
        ...more,
      },
      { task_queue: stage.harness.taskQueue },
    );
  stage.run = async (...input) => awaitMacro(stage.harness.client, (await stage.begin(...input)).run_id);
  stage.onUsers = (steps, others) => stage.run({ database: 'users_db', steps }, others);

  beforeAll(async () => {
    stage.world = await open();
    await stage.world.run('users_db', 'create table users (id integer primary key, name text)');
    await stage.world.run(
      'users_db',
      'create table likes (user_id integer references users deferrable initially deferred)',
    );
    await stage.world.run('audit_db', 'create table audit_log (message text)');
    stage.harness = await startHarness({
      adapters: [],
      settings,
      databases: stage.world.databases,
      tools: toolsOf(stage),
      macros: { databases: createRowSource(stage.world.databases, NAMES) },
    });
  });
  afterAll(async () => {
    await stage.harness.close();
    await stage.world.close();
  });
  beforeEach(async () => {
    stage.calls = [];
    stage.held = () => Promise.resolve();
    await stage.world.run('users_db', 'truncate users, likes');
    await stage.world.run('audit_db', 'truncate audit_log');
  });
  return stage;
}

function toolsOf(stage: TransactionStage): ToolDefinition[] {
  return [
    within('half', id, async ({ id: added }, { database }) => {
      await database?.query('insert into users (id) values ($1)', [added]);
      throw new Error('it broke in the middle');
    }),
    within('hold', id, async ({ id: added }, { database, signal }) => {
      await database?.query('insert into users (id) values ($1)', [added]);
      await stage.held(signal, 'hold');
    }),
    within('say', z.strictObject({ text: z.string() }), ({ text }, { database }) =>
      database?.query(text as string),
    ),
    within('stall', z.strictObject({ ms: z.number() }), ({ ms }) => {
      // This blocks the whole process, so it sends no heartbeat.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms as number);
    }),
    within('swallow', z.strictObject({}), async (_, { database }) => {
      await database?.query('insert into users (id) values (98)');
      await database?.query('no SQL').catch(() => undefined);
    }),
    // An embedded database would not answer `look` while a transaction holds its connection.
    tool('look', z.strictObject({}), async () => stage.calls.push(JSON.stringify(await stage.ids()))),
    tool('linger', z.strictObject({}), (_, { signal }) => stage.held(signal, 'linger')),
    tool('note', z.strictObject({ what: z.string() }), ({ what }) => stage.calls.push(what as string)),
  ];
}

const within = (...[name, args, handler]: Parameters<typeof tool>): ToolDefinition => ({
  ...tool(name, args, handler),
  transactional: true,
});
