import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { MacroTrace } from '../../src/contract/macro-run';
import { createDatabases, type Databases } from '../../src/postgres/databases';
import { runIn } from '../adapters/sql-setup';
import { sharedBackend } from '../helpers/backend';
import { runBatchgate, startBatchgate } from '../helpers/command-line';
import { seedEmbedded } from '../helpers/embedded';
import { sharedPostgres } from '../helpers/postgres';
import { SHORT_PROCESS } from '../helpers/run-typescript';

/** The examples of the macro framework, unchanged (specification M17), through the built command line and a real worker. */
const examples = join(__dirname, '../../examples');
const AUDITED = { message: 'User 123 updated' };

type Run = (...args: string[]) => ReturnType<typeof runBatchgate>;

/** A folder with the databases `users_db` and `audit_db`, set up the way examples/make-databases.mjs does it. */
class World {
  private backend: Record<string, string> | undefined;

  constructor(
    private readonly folder: string,
    private readonly urls: Record<string, string>,
  ) {}

  static async embedded(): Promise<World> {
    const folder = await mkdtemp(join(tmpdir(), 'batchgate-examples-'));
    await Promise.all(['users_db', 'audit_db'].map((name) => seedEmbedded(join(folder, name))));
    const script = join(examples, 'make-databases.mjs');
    await promisify(execFile)(process.execPath, [SHORT_PROCESS, script, folder]);
    return new World(folder, { users_db: 'pglite:users_db', audit_db: 'pglite:audit_db' });
  }

  static async server(): Promise<World> {
    const folder = await mkdtemp(join(tmpdir(), 'batchgate-examples-'));
    const postgres = sharedPostgres();
    const urls = { users_db: await postgres.newDatabase(), audit_db: await postgres.newDatabase() };
    const world = new World(folder, urls);
    await world.query(
      'users_db',
      'create table users (id text primary key, name text, updated_at timestamptz)',
    );
    await world.query('users_db', `insert into users values ('123', 'Ana')`);
    await world.query(
      'users_db',
      'create table processed_items (id text primary key, processed_at timestamptz default now())',
    );
    await world.query(
      'audit_db',
      'create table audit_log (id bigint generated always as identity, message text not null)',
    );
    return world;
  }

  /** Works only while no worker has the databases open: an embedded one allows a single process. */
  async query(name: string, ...[text, ...values]: [string, ...unknown[]]) {
    const named = Object.fromEntries(Object.entries(this.urls).map(([key, url]) => [key, { url }]));
    const databases: Databases = createDatabases({ databases: named, folder: this.folder }, {});
    try {
      return await runIn(databases, name, text, ...values);
    } finally {
      await databases.close();
    }
  }
  async updated(): Promise<boolean> {
    const [row] = await this.query('users_db', `select updated_at from users where id = '123'`);
    return (row?.['updated_at'] ?? null) !== null;
  }
  audited = () => this.query('audit_db', 'select message from audit_log order by id');
  processed = async () =>
    (await this.query('users_db', 'select id from processed_items order by id')).map(({ id }) => id);

  /** Starts batchgate over the databases, runs `work`, and stops it. */
  async up(work: (run: Run, plain: Run) => Promise<void>, databases = this.urls): Promise<void> {
    const config = join(this.folder, 'batchgate.config.json');
    const named = Object.fromEntries(Object.entries(databases).map(([name, url]) => [name, { url }]));
    const tools = [join(examples, 'tools.mjs')];
    await writeFile(
      config,
      JSON.stringify({ databases: named, tools, macros_dir: join(examples, 'macros') }),
    );
    this.backend ??= await sharedBackend();
    const env = { ...this.backend, BATCHGATE_CONFIG_FILE: config };
    const options = { dataDir: join(this.folder, 'data'), env };
    const up = startBatchgate(['up'], options);
    await up.says('batchgate is up');
    try {
      const plain: Run = (...args) => runBatchgate(['macro', ...args], options);
      await work((...args) => plain(...args, '--json'), plain);
    } finally {
      await up.interrupt();
    }
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The one object on stdout. */
const object = ({ stdout }: { stdout: string }) => JSON.parse(stdout) as Record<string, unknown>;
const completed = { code: 0, stdout: expect.stringContaining('"state":"completed"') as string };
const saga = ['run', 'user_update_saga'];
const batches = ['run', 'batch_processing', '--database', 'users_db'];

const embedded = ['PGlite', () => World.embedded()] as const;
const server = ['a PostgreSQL server', () => World.server()] as const;

describe.each([embedded, server])('over %s', (_, open) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world.close());

  it('runs each of them to its end', async () => {
    await world.up(async (run) => {
      expect(await run(...saga)).toMatchObject(completed);
      expect(await run(...batches)).toMatchObject(completed);
      const swarm = await run('run', 'parallel_processing');
      expect(swarm).toMatchObject(completed);
      const { steps } = object(
        await run('trace', object(swarm)['run_id'] as string),
      ) as unknown as MacroTrace;
      expect(steps.map(({ what, state }) => [what, state])).toEqual([
        ['heavy_computation', 'completed'],
        ['heavy_computation', 'completed'],
      ]);
      const begun = steps.map(({ started_at }) => Date.parse(started_at));
      const ended = steps.map(({ duration_ms = 0 }, at) => (begun[at] ?? 0) + duration_ms);
      expect(Math.max(...begun)).toBeLessThan(Math.min(...ended));
    });
    expect(await world.updated()).toBe(true);
    expect(await world.audited()).toEqual([AUDITED]);
    expect(await world.processed()).toEqual(['1', '2', '3', '4']);
  });

  it('undoes what failed, and nothing that was committed earlier', async () => {
    await world.query('users_db', 'delete from users');
    await world.query('users_db', 'truncate processed_items');
    await world.query('users_db', `alter table processed_items add check (id <> '4')`);
    await world.up(async (run) => {
      const noUser = await run(...saga);
      expect(noUser.code).toBe(1);
      expect(object(noUser)).toMatchObject({
        error: {
          message: '[TOOL ERROR] update_record: there is no user 123 (update_user steps[0]).',
          details: { macro: 'update_user', path: 'steps[0]', state: 'failed' },
        },
      });
      const secondBatch = await run(...batches);
      expect(secondBatch.code).toBe(1);
      expect(object(secondBatch)).toMatchObject({ error: { details: { path: 'steps[4]' } } });
    });
    // The saga ended before its second macro. In the second batch, item 3 was rolled back with item 4.
    expect(await world.audited()).toEqual([AUDITED]);
    expect(await world.processed()).toEqual(['1', '2']);

    await world.query('users_db', `insert into users values ('123', 'Ana')`);
    await world.query('audit_db', 'alter table audit_log add check (id < 2)');
    await world.up(async (run) => {
      const noLog = await run(...saga);
      expect(noLog.code).toBe(1);
      expect(object(noLog)).toMatchObject({ error: { details: { macro: 'log_audit', path: 'steps[0]' } } });
    });
    expect(await world.updated()).toBe(true);
    expect(await world.audited()).toEqual([AUDITED]);
  });
});

describe('a database that is not available', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.embedded();
  });
  afterAll(() => world.close());

  const mistake = (message: string, hint: string) => ({
    error: {
      code: 'INVALID_INPUT',
      message: expect.stringContaining(message) as string,
      hint: expect.any(String) as string,
      details: { mistakes: [{ path: 'database', message, hint }] },
    },
  });

  it('is refused by its name, for a macro that names one, with the known names', async () => {
    await world.up(async (run) => {
      const unknown = await run('run', 'batch_processing', '--database', 'user_db');
      expect(unknown.code).toBe(1);
      expect(object(unknown)).toMatchObject(
        mistake("there is no database 'user_db'", 'Use one of: users_db, audit_db.'),
      );
      const second = await run('run', 'update_user', '--arg', 'uid=123', '--database', 'audit_db');
      expect(second.code).toBe(1);
      expect(object(second)).toMatchObject(
        mistake(
          "it has the database 'users_db' already, and cannot be given 'audit_db'",
          'Run it without a database.',
        ),
      );
      const none = await run('run', 'batch_processing');
      expect(none.code).toBe(1);
      expect(object(none)).toMatchObject({
        error: {
          message: expect.stringContaining(
            'process_item runs inside a transaction, and there is none',
          ) as string,
          hint: expect.stringContaining('[HINT]: Give the macro a database') as string,
        },
      });
    });
    expect(await world.processed()).toEqual([]);
  });

  it('shows which macro works on which database, and what a run did about its transaction', async () => {
    await world.up(async (run, plain) => {
      expect((await plain('list')).stdout).toMatch(/^update_user +uid +users_db +\S+update_user\.json$/m);
      expect((await plain('show', 'log_audit')).stdout).toContain('database   audit_db\n');
      expect((await plain('show', 'batch_processing')).stdout).toContain(
        'command manage_transaction commit\n',
      );
      const ran = object(await run(...batches));
      const traced = await plain('trace', ran['run_id'] as string);
      expect(traced.stdout).toMatch(
        /3 +batch_processing steps\[2\] +command manage_transaction commit +completed/,
      );
    });
  });

  it('is refused if none is configured', async () => {
    await world.up(async (run) => {
      const refused = await run(...saga);
      expect(refused.code).toBe(1);
      const { error } = object(refused) as { error: { details: { mistakes: object[] } } };
      const hint = 'Name it under "databases" in batchgate.config.json where the worker runs.';
      const missing = (macro: string, name: string) => ({
        macro,
        path: 'database',
        message: `there is no database '${name}'`,
        hint,
      });
      expect(error.details.mistakes).toEqual([
        missing('log_audit', 'audit_db'),
        missing('update_user', 'users_db'),
      ]);
    }, {});
  });
});
