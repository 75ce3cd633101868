import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Diagnosis } from '../../src/cli/doctor';
import { runBatchgate } from '../helpers/command-line';
import { PASSWORD, sharedPostgres } from '../helpers/postgres';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-doctor-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

it('checks each database and each secret of the file, and shows none of their values', async () => {
  const url = await sharedPostgres().newDatabase();
  const guarded = await guardedMarkers();
  const wrong = url.replace(PASSWORD, 'wrong-one');
  const gone = url.replace(/:\d+\//, ':1/');
  await writeFile(join(folder, 'token.txt'), 'token-of-sam\n');
  await writeFile(join(folder, 'empty.txt'), '\n');
  await writeFile(join(folder, 'stock.db'), '');
  const config = {
    databases: {
      good: { url: { env: 'GOOD_URL' } },
      guarded: { url: guarded },
      wrong: { url: wrong },
      gone: { url: gone },
      unset: { url: { env: 'UNSET_URL' } },
      local: { url: 'pglite:shop' },
      stock: { url: 'sqlite:stock.db' },
      absent: { url: 'sqlite:absent.db' },
    },
    secrets: {
      there: { file: 'token.txt' },
      empty: { file: 'empty.txt' },
      nowhere: { file: 'nowhere.txt' },
      unset: { env: 'UNSET_SECRET' },
    },
  };
  const file = join(folder, 'batchgate.config.json');
  await writeFile(file, JSON.stringify(config));
  const { code, stdout, stderr } = await runBatchgate(['doctor', '--json'], {
    dataDir: join(folder, 'data'),
    env: { BATCHGATE_CONFIG_FILE: file, GOOD_URL: url },
  });
  expect(code).toBe(1);
  for (const secret of [PASSWORD, 'wrong-one', 'token-of-sam', 'postgres://']) {
    expect(stdout + stderr).not.toContain(secret);
  }
  const { checks } = JSON.parse(stdout) as Diagnosis;
  const of = (name: string) => checks.find((check) => check.name === name);
  expect(of('database good')).toMatchObject({
    status: 'ok',
    detail: expect.stringMatching(/^PostgreSQL \d+.* at 127/),
  });
  expect(of('database stock')).toMatchObject({
    status: 'ok',
    detail: expect.stringMatching(/^SQLite 3\.\d+\S* in .*stock\.db$/),
  });
  expect(of('database absent')?.detail).toContain("The SQLite database 'absent' cannot be opened");
  expect(of('database guarded')).toMatchObject({
    status: 'warning',
    detail: expect.stringContaining('cannot delete old commit markers'),
    remedy: expect.stringContaining('grant delete on public.batchgate_transactions to'),
  });
  expect(of('database local')).toMatchObject({ status: 'ok', detail: expect.stringContaining('first used') });
  for (const [name, detail, remedy] of [
    ['database wrong', /password authentication failed/, /password/],
    ['database gone', /cannot be reached/, /Start it/],
    ['database unset', /UNSET_URL is not set/, /Set UNSET_URL/],
    ['secret empty', /is empty/, /Put it there/],
    ['secret nowhere', /no such file/, /Put it there/],
    ['secret unset', /UNSET_SECRET is not set/, /Set UNSET_SECRET/],
  ] as const) {
    expect(of(name)).toMatchObject({
      status: 'problem',
      detail: expect.stringMatching(detail),
      remedy: expect.stringMatching(remedy),
    });
  }
  expect(of('secret there')).toEqual({
    name: 'secret there',
    status: 'ok',
    detail: 'is there, and no host is allowed yet',
  });
});

/** A database whose role may use the commit markers of transactions but not delete them. */
async function guardedMarkers(): Promise<string> {
  const url = new URL(await sharedPostgres().newDatabase());
  const client = new Client(url.href);
  await client.connect();
  const role = `clerk_${url.pathname.slice(1)}`;
  await client.query(`create role ${role} login password '${PASSWORD}'`);
  await client.query('create table batchgate_transactions (run_id text)');
  await client.query(`grant select, insert, update on batchgate_transactions to ${role}`);
  await client.end();
  url.username = role;
  return url.href;
}

it('names the place of a mistake in the file, without showing an address', async () => {
  const file = join(folder, 'broken.json');
  await writeFile(
    file,
    JSON.stringify({
      databases: { shop: { url: `oracle://u:${PASSWORD}@h/d` } },
      http: { allowed_hosts: ['a/b'], requests_per_second: 0 },
    }),
  );
  const { stdout } = await runBatchgate(['doctor', '--json'], {
    dataDir: join(folder, 'data'),
    env: { BATCHGATE_CONFIG_FILE: file },
  });
  expect(stdout).toContain('databases.shop.url');
  expect(stdout).toContain('http.allowed_hosts[0]');
  expect(stdout).not.toContain(PASSWORD);
});
