import { fork, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { unpacked } from './debian-package';
import { RUN_TYPESCRIPT } from './run-typescript';
import { freePort } from '../../src/host/temporal/ports';

/** The password of the user `sam`: unlike any other text, so that tests can search where no secret may be. */
export const PASSWORD = 'mariadb-secret-of-sam';

export interface MariaDb {
  readonly port: number;
  /** The address of a new database, for a user with all rights. */
  newDatabase(): Promise<string>;
}

let shared: Promise<MariaDb> | undefined;

/** One server for all tests of a process. It ends with the process. */
export const sharedMariaDb = (): Promise<MariaDb> => (shared ??= startMariaDb());

/**
 * Starts MariaDB on a free port, with its data in a temporary folder. It runs under a separate process (this file),
 * which ends it when this process ends for any reason.
 */
async function startMariaDb(): Promise<MariaDb> {
  const root = await unpacked('mariadb-server-core');
  const folder = await mkdtemp(join(tmpdir(), 'batchgate-mariadb-'));
  const port = await freePort(0);
  const child = fork(__filename, [root, folder, String(port)], {
    execArgv: RUN_TYPESCRIPT,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true,
    env: { ...process.env, LD_LIBRARY_PATH: (await librariesIn(root)).join(':') },
  });
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('MariaDB did not start'))),
  ]);
  child.unref();
  child.channel?.unref();
  const urlOf = (database: string) => `mariadb://sam:${PASSWORD}@127.0.0.1:${port}/${database}`;
  return {
    port,
    async newDatabase() {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      const connection = await createConnection({ uri: urlOf('').replace('mariadb', 'mysql') });
      await connection.query(`create database ${name}`);
      await connection.end();
      return urlOf(name);
    },
  };
}

async function librariesIn(root: string): Promise<string[]> {
  const files = await readdir(root, { recursive: true });
  return [
    ...new Set(files.filter((file) => /\.so(?:\.|$)/.test(file)).map((file) => join(root, dirname(file)))),
  ];
}

/** The statements that create the system tables, from MariaDB's own scripts, and the user. Each ends with its line. */
const systemTables = (share: string): string =>
  [
    'create database mysql;',
    'use mysql;',
    ...['mysql_system_tables', 'mysql_performance_tables', 'mysql_system_tables_data'].map((name) =>
      readFileSync(join(share, `${name}.sql`), 'utf8'),
    ),
    'flush privileges;',
    `create user 'sam'@'%' identified by '${PASSWORD}';`,
    `grant all on *.* to 'sam'@'%' with grant option;`,
    '',
  ].join('\n');

const READY = 'ready for connections';

function serve(root: string, folder: string, port: string): void {
  const share = join(root, 'usr/share/mysql');
  const program = join(root, 'usr/sbin/mariadbd');
  const settings = [
    ...[
      '--no-defaults',
      `--basedir=${join(root, 'usr')}`,
      `--datadir=${folder}`,
      `--lc-messages-dir=${share}`,
    ],
    ...(process.getuid?.() === 0 ? ['--user=root'] : []),
    // Test data need not survive a crash of the machine.
    ...['--innodb-flush-log-at-trx-commit=0', '--innodb-doublewrite=0', '--innodb-log-file-size=16M'],
  ];
  const bootstrap = spawnSync(program, [...settings, '--bootstrap'], {
    input: systemTables(share),
    encoding: 'utf8',
  });
  if (bootstrap.status !== 0) throw new Error(bootstrap.stderr);
  const server = spawn(
    program,
    [...settings, '--bind-address=127.0.0.1', `--port=${port}`, `--socket=${join(folder, 'socket')}`],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  server.stderr.on('data', (bytes: Buffer) => {
    if (log.includes(READY)) return;
    log += bytes.toString();
    if (log.includes(READY)) process.send?.('ready');
  });
  server.once('exit', () => {
    if (!log.includes(READY)) console.error(log);
    rmSync(folder, { recursive: true, force: true });
    process.exit();
  });
  process.once('disconnect', () => server.kill('SIGKILL'));
}

if (require.main === module) {
  const [root = '', folder = '', port = ''] = process.argv.slice(2);
  serve(root, folder, port);
}
