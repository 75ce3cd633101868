import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Client } from 'pg';
import { createPool } from '../../src/postgres/pool';
import { holdFolder as holdFolderFor } from '../../src/postgres/guard';
import { migrate, MIGRATIONS } from '../../src/postgres/store/migrations';
import { EMBEDDED_STORE, openStore } from '../../src/postgres/store/open';
import { seedStore } from '../helpers/embedded';
import { BATCH } from '../helpers/ledger';
import { sharedPostgres } from '../helpers/postgres';
import { RUN_TYPESCRIPT } from '../helpers/run-typescript';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

/** A worker in a separate process, and the lines that it prints. */
function startWorker(folder = dataDir) {
  const script = join(__dirname, '..', 'helpers', 'store-process.ts');
  const child = spawn(process.execPath, [...RUN_TYPESCRIPT, script, folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, line: async () => ((await lines.next()) as { value?: string }).value, rest: lines };
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

describe('the embedded store', () => {
  it('serves one process, and tells a second one which process holds it and what to set', async () => {
    await seedStore(dataDir);
    const { child, line } = startWorker();
    expect(await line()).toBe('open');
    await expect(openStore({ dataDir })).rejects.toMatchObject({
      code: 'NOT_CONFIGURED',
      message: `Another process (pid ${child.pid}) holds the embedded store.`,
      hint: expect.stringContaining('BATCHGATE_DATABASE_URL') as string,
    });
    await kill(child);
  });

  it('refuses another process while this one holds it', async () => {
    await seedStore(dataDir);
    const store = await openStore({ dataDir });
    const { child } = startWorker();
    const [said] = (await once(child.stderr, 'data')) as [Buffer];
    expect(JSON.parse(said.toString())).toMatchObject({ error: { details: { pid: process.pid } } });
    expect(await once(child, 'exit')).toEqual([1, null]);
    await store.close();
  });

  it('keeps every acknowledged row when its process is killed, and is free at once', async () => {
    await seedStore(dataDir);
    const { child, line, rest } = startWorker();
    let acknowledged = 0;
    while (acknowledged < 20) acknowledged = Number(await line()) || 0;
    await kill(child);
    for await (const said of rest) acknowledged = Number(said);

    const store = await openStore({ dataDir });
    const record = await store.ledger.read('worker');
    const done = record?.items.slice(0, acknowledged * BATCH) ?? [];
    expect(done).toHaveLength(acknowledged * BATCH);
    expect(done.filter(({ state }) => state !== 'succeeded')).toEqual([]);
    await store.close();
  });

  it('opens after its process was killed while creating it', async () => {
    const { child } = startWorker();
    await mkdir(join(dataDir, 'store'), { recursive: true });
    const draft = join(dataDir, 'store', 'data.new');
    const watcher = watch(join(dataDir, 'store'));
    while (!existsSync(draft)) await once(watcher, 'change');
    watcher.close();
    await kill(child);
    const store = await openStore({ dataDir });
    expect(await store.ledger.read('worker')).toBeNull();
    await store.close();
  });

  it('keeps its id when it is reopened, and gets a new one when its folder was emptied', async () => {
    const open = async () => {
      const store = await openStore({ dataDir });
      await store.close();
      await store.close();
      return store.ledger.storeId;
    };
    await seedStore(dataDir);
    const id = await open();
    expect(await open()).toBe(id);
    await rm(join(dataDir, 'store'), { recursive: true });
    await seedStore(dataDir);
    expect(await open()).not.toBe(id);
  });
});

describe('holding a folder', () => {
  const holdFolder = (folder: string) => holdFolderFor(folder, EMBEDDED_STORE);

  it('succeeds for exactly one of several concurrent starters, even if a dead holder left files', async () => {
    const hold = `require('./src/postgres/guard').holdFolder(process.argv[1], {}).then(() => console.log('held'))`;
    const dead = spawn(process.execPath, [...RUN_TYPESCRIPT, '-e', hold, dataDir], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    void dead.stdout.once('data', () => dead.kill('SIGKILL'));
    await once(dead, 'exit');

    for (let round = 0; round < 25; round += 1) {
      const starts = await Promise.allSettled(Array.from({ length: 8 }, () => holdFolder(dataDir)));
      const holders = starts.filter((start) => start.status === 'fulfilled');
      expect(holders).toHaveLength(1);
      await expect(holdFolder(dataDir)).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
      await holders[0]?.value.release();
    }
  });
});

describe('the store in PostgreSQL', () => {
  const postgres = sharedPostgres();

  const migrationsOf = (db: Kysely<never>) =>
    sql<{ name: string }>`select name from batchgate.kysely_migration order by name`
      .execute(db)
      .then(({ rows }) => rows.map(({ name }) => name));

  it('is migrated once when three workers start at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const databaseUrl = await postgres.newDatabase();
      const stores = await Promise.all([1, 2, 3].map(() => openStore({ dataDir, databaseUrl })));
      expect(new Set(stores.map(({ ledger }) => ledger.storeId)).size).toBe(1);
      expect(await migrationsOf(stores[0]!.db as Kysely<never>)).toEqual(Object.keys(MIGRATIONS));
      await Promise.all(stores.map((store) => store.close()));
    }
  });

  it('is migrated without a limit of time, for the other workers too, which holds again afterwards', async () => {
    const pool = createPool({ connectionString: await postgres.newDatabase(), statement_timeout: 1_000 });
    const db = new Kysely<never>({ dialect: new PostgresDialect({ pool }) });
    const up = (on: Kysely<unknown>) => sql`select pg_sleep(1.5)`.execute(on).then(() => undefined);
    const migrations = { ...MIGRATIONS, '9999_next': { up } };
    await Promise.all([1, 2].map(() => migrate(db, migrations)));
    expect(await migrationsOf(db)).toEqual(Object.keys(migrations));
    const limits = await Promise.all([1, 2].map(() => pool.query('show statement_timeout')));
    expect(limits.map(({ rows }) => rows as unknown)).toEqual(Array(2).fill([{ statement_timeout: '1s' }]));
    await db.destroy();
  });

  it('names the migration that failed, rolls it back, and resumes from there', async () => {
    const store = await openStore({ dataDir, databaseUrl: await postgres.newDatabase() });
    const db = store.db as unknown as Kysely<never>;
    const next = (statement: string) => ({
      ...MIGRATIONS,
      '9999_next': {
        async up(on: Kysely<unknown>) {
          await sql`create table batchgate.next (id integer)`.execute(on);
          await sql.raw(statement).execute(on);
        },
      },
    });
    await expect(migrate(db, next('no sql'))).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringMatching(/9999_next failed and was rolled back: syntax error/) as string,
    });
    expect(await migrationsOf(db)).toEqual(Object.keys(MIGRATIONS));
    await migrate(db, next('select 1'));
    expect(await migrationsOf(db)).toContain('9999_next');
    await expect(migrate(db)).rejects.toMatchObject({
      hint: expect.stringContaining('newer version') as string,
    });
    await store.close();
  });

  it('survives the loss of its connections, idle and in a transaction', async () => {
    const databaseUrl = await postgres.newDatabase();
    const store = await openStore({ dataDir, databaseUrl });
    const admin = new Client(databaseUrl);
    await admin.connect();
    const cut = () =>
      admin.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'batchgate' and datname = current_database()",
      );
    const lost = store.db.transaction().execute(async (trx) => {
      await trx.selectFrom('store').selectAll().execute();
      await cut();
      await trx.selectFrom('store').selectAll().execute();
    });
    await expect(lost).rejects.toThrow();
    expect(await store.ledger.read('nothing')).toBeNull();
    await admin.end();
    await store.close();
  });

  it('reports a database that does not answer without showing its password', async () => {
    const refused = openStore({ dataDir, databaseUrl: 'postgres://ana:hush@127.0.0.1:1/none' });
    const error: unknown = await refused.catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'NOT_CONFIGURED',
      message: expect.stringContaining('ECONNREFUSED'),
      hint: expect.stringContaining('PGPASSWORD'),
    });
    expect(JSON.stringify(error)).not.toContain('hush');
  });
});
