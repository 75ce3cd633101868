import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as PgClient } from 'pg';
import type { Diagnosis } from '../../src/cli/doctor';
import { openStore } from '../../src/postgres/store/open';
import { connectClient } from '../../src/host/temporal/connection';
import { runBatchgate, startBatchgate } from '../helpers/command-line';
import { seedStore } from '../helpers/embedded';
import { keepLogin, SECRETS } from '../helpers/google';
import { sharedPostgres } from '../helpers/postgres';

/** The built command line as an operator, or a container's health check, runs it. */
const temporal = process.env['BATCHGATE_TEST_TEMPORAL'] ?? '';
/** In the order of the report. */
const PARTS =
  'versions, system, data folder, configuration, temporal server, namespace, search attributes, restarts, store, worker, ' +
  'hygiene, quarantine, webhooks, port 7233, port 8233, port 8787, gmail, calendar, local mailbox, trello, imap, caldav, model, sql, http';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-doctor-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function doctor(env: Record<string, string> = {}, dataDir = join(folder, 'none')) {
  const { code, stdout } = await runBatchgate(['doctor', '--json'], { dataDir, env });
  const diagnosis = JSON.parse(stdout) as Diagnosis;
  const faults = diagnosis.checks.filter(({ status }) => status !== 'ok');
  expect(faults.filter(({ remedy }) => !remedy)).toEqual([]);
  expect(diagnosis.ok).toBe(code === 0);
  const of = (part: string) => diagnosis.checks.find(({ name }) => name === part);
  const problems = diagnosis.checks.filter(({ status }) => status === 'problem');
  return { code, stdout, of, problems, parts: diagnosis.checks.map(({ name }) => name).join(', ') };
}

it('reports no problem while `up` runs, which holds the store', async () => {
  const dataDir = await mkdtemp(join(folder, 'up-'));
  await seedStore(dataDir);
  const up = startBatchgate(['up'], { dataDir });
  try {
    await up.says('batchgate is up');

    const { problems, of, parts } = await doctor({}, dataDir);

    expect(parts).toBe(PARTS);
    expect(problems).toEqual([]);
    for (const part of [
      'temporal server',
      'namespace',
      'search attributes',
      'store',
      'worker',
      'hygiene',
      'local mailbox',
    ])
      expect(of(part)).toMatchObject({ status: 'ok' });
    expect(of('temporal server')?.detail).toMatch(/127\.0\.0\.1:\d+ \(of `up`\), server \d/);
    expect(of('namespace')?.detail).toBe('default, keeps ended operations 30 day(s)');
    const holder = /held by process (\d+)/.exec(of('store')?.detail ?? '')?.[1];
    expect(of('worker')?.detail).toMatch(new RegExp(`^${holder}@.* on the task queue batchgate`));
    expect(of('hygiene')?.detail).toMatch(/^schedule batchgate-hygiene, next at \d{4}-/);
  } finally {
    await up.interrupt();
  }
  const { code, of } = await doctor({}, dataDir);
  expect(code).toBe(0);
  expect(of('temporal server')).toMatchObject({
    status: 'warning',
    remedy: expect.stringContaining('batchgate up'),
  });
  expect(of('store')?.detail).toBe('embedded, held by no process');
});

it('lists what a fresh folder lacks, reports no problem, and creates nothing', async () => {
  const { code, of } = await doctor();

  expect(code).toBe(0);
  expect(of('data folder')?.detail).toContain('is made at the first start');
  expect(of('gmail')?.detail).toContain('nothing real is touched');
  expect(of('calendar')?.detail).toContain('the local calendar is used instead, and nothing real is touched');
  expect(await readdir(folder)).not.toContain('none');
});

it('says that a login for Gmail does not cover the calendar, and how to allow it, without reporting a problem', async () => {
  const dataDir = await mkdtemp(join(folder, 'login-'));
  await keepLogin(dataDir);

  const { code, of, stdout } = await doctor({}, dataDir);

  expect(code).toBe(0);
  expect(of('gmail')).toMatchObject({ status: 'ok' });
  expect(of('calendar')).toMatchObject({
    status: 'warning',
    detail: expect.stringContaining('not allowed'),
    remedy: expect.stringContaining('batchgate login google --for calendar'),
  });
  for (const secret of SECRETS) expect(stdout).not.toContain(secret);
});

it('names what a bare namespace of a configured server lacks, with the commands that fix it', async () => {
  const connection = await connectClient({ address: temporal });
  const namespace = `bare-${process.pid}`;
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  await connection.close();

  const { code, of } = await doctor({ TEMPORAL_ADDRESS: temporal, TEMPORAL_NAMESPACE: namespace });

  expect(code).toBe(1);
  expect(of('temporal server')).toMatchObject({
    status: 'ok',
    detail: expect.stringContaining('configured'),
  });
  expect(of('namespace')).toMatchObject({
    status: 'warning',
    remedy: expect.stringContaining(`namespace update --namespace ${namespace} --retention 30d`),
  });
  expect(of('search attributes')).toMatchObject({
    status: 'problem',
    remedy: expect.stringContaining('--name BatchgateState --type Keyword'),
  });
  expect(of('worker')).toMatchObject({
    status: 'problem',
    remedy: expect.stringContaining('batchgate worker'),
  });
  expect(of('hygiene')).toMatchObject({
    status: 'warning',
    detail: 'there is no schedule batchgate-hygiene, so idle data is kept',
  });
});

it('names a missing namespace', async () => {
  const { code, of } = await doctor({ TEMPORAL_ADDRESS: temporal, TEMPORAL_NAMESPACE: 'nowhere' });

  expect(code).toBe(1);
  for (const part of ['namespace', 'search attributes', 'worker', 'hygiene'])
    expect(of(part)).toMatchObject({
      status: 'problem',
      detail: expect.stringContaining('nowhere does not exist'),
    });
});

it('reports no problem with Google to an installation without the local mailbox and without an account', async () => {
  const root = join(__dirname, '../..');
  const installation = join(folder, 'installation');
  const leftOut = join(root, 'dist/dev');
  for (const part of ['package.json', 'bin', 'dist']) {
    await cp(join(root, part), join(installation, part), {
      recursive: true,
      filter: (path) => path !== leftOut,
    });
  }
  await symlink(join(root, 'node_modules'), join(installation, 'node_modules'));
  const env = {
    PATH: process.env['PATH'],
    BATCHGATE_DATA_DIR: join(folder, 'none'),
    TEMPORAL_ADDRESS: '127.0.0.1:1',
  };
  const doctorThere = [join(installation, 'bin/batchgate.cjs'), 'doctor', '--json'];
  const { stdout } = spawnSync(process.execPath, doctorThere, { env, encoding: 'utf8' });
  const { checks } = JSON.parse(stdout) as Diagnosis;
  for (const [service, command] of [
    ['gmail', 'login google'],
    ['calendar', 'login google --for calendar'],
  ] as const) {
    expect(checks.find(({ name }) => name === service)).toEqual({
      name: service,
      status: 'ok',
      detail: expect.stringMatching(
        new RegExp(`^no Google account is configured, and only a clone .* \`batchgate ${command}\`\\.$`),
      ),
    });
  }
});

it('reports every fault at once, and no password', async () => {
  const dataDir = join(folder, 'a-file');
  await writeFile(dataDir, '');
  const stranger = createServer((_request, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  const { port } = stranger.address() as AddressInfo;
  try {
    const { code, of, stdout, parts } = await doctor(
      {
        TEMPORAL_ADDRESS: '127.0.0.1:1',
        BATCHGATE_DATABASE_URL: 'postgres://someone:very-secret@127.0.0.1:1/ledger',
        BATCHGATE_MAX_BATCH_SIZE: 'many',
        BATCHGATE_LOG_LEVEL: 'loud',
        BATCHGATE_GMAIL_BASE_URL: 'http://127.0.0.1:1',
        BATCHGATE_HTTP_PORT: String(port),
      },
      dataDir,
    );

    expect(code).toBe(1);
    expect(parts).toBe(PARTS.replace('8787', String(port)));
    expect(of('data folder')).toMatchObject({
      status: 'problem',
      detail: expect.stringContaining('not a folder'),
    });
    expect(of('configuration')?.detail).toMatch(/BATCHGATE_MAX_BATCH_SIZE: .*BATCHGATE_LOG_LEVEL: /);
    expect(of('temporal server')).toMatchObject({
      status: 'problem',
      detail: expect.stringContaining('127.0.0.1:1'),
    });
    expect(of('store')).toMatchObject({
      status: 'problem',
      detail: expect.stringContaining('127.0.0.1:1/ledger'),
    });
    expect(of('worker')).toMatchObject({ status: 'warning' });
    expect(of(`port ${port}`)).toMatchObject({
      status: 'warning',
      remedy: expect.stringContaining('HTTP_PORT'),
    });
    expect(of('gmail')).toMatchObject({ status: 'problem' });
    expect(stdout).not.toContain('very-secret');
  } finally {
    stranger.closeAllConnections();
    stranger.close();
  }
});

it('shows a person one line per part and its remedy, without colour in a pipe', async () => {
  const env = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
  const { stdout, code } = await runBatchgate(['doctor'], { dataDir: join(folder, 'none'), env });

  expect(code).toBe(1);
  expect(stdout).toMatch(/^ok +versions +Node v/m);
  expect(stdout).toMatch(
    /^problem +temporal server +Temporal at 127.0.0.1:1 cannot be reached.*\n +Check that/m,
  );
  expect(stdout).not.toContain('\u001b');
});

it('reads the state of PostgreSQL without changing it', async () => {
  const url = await sharedPostgres().newDatabase();
  const store = async () => (await doctor({ BATCHGATE_DATABASE_URL: url })).of('store');
  const query = async (text: string) => {
    const client = new PgClient(url);
    await client.connect();
    return client.query(text).finally(() => client.end());
  };

  expect(await store()).toMatchObject({
    status: 'warning',
    detail: expect.stringContaining('0001_ledger'),
  });
  const schemas = await query("select 1 from pg_namespace where nspname = 'batchgate'");
  expect(schemas.rowCount).toBe(0);
  await (await openStore({ dataDir: folder, databaseUrl: url })).close();
  expect(await store()).toMatchObject({
    status: 'ok',
    detail: expect.stringMatching(/^PostgreSQL \d+.* up to date$/),
  });
  const asynchronous = `${url}?options=${encodeURIComponent('-c synchronous_commit=off')}`;
  expect((await doctor({ BATCHGATE_DATABASE_URL: asynchronous })).of('store')).toMatchObject({
    status: 'warning',
    detail: expect.stringContaining('synchronous_commit off'),
  });
  await query("insert into batchgate.kysely_migration values ('9999_later', now()::text)");
  expect(await store()).toMatchObject({ status: 'problem', detail: expect.stringContaining('9999_later') });
});
