import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Config } from '../../src/host/config';
import { ensureMailboxProcess, type MailboxProcess } from '../../src/host/local-google/process';
import { findTemporalCli } from '../../src/host/temporal/find-server';
import { startPostgres } from '../../test/helpers/postgres';
import { ensureBinaries } from './binaries';
import { runInitScript } from './database';
import { lastLines, startPart, type Env, type Part } from './process';
import { startTemporal } from './temporal';
import { startUi } from './ui';

const root = resolve(__dirname, '../..');
export const BATCHGATE = join(root, 'bin/batchgate.cjs');
export const NAMESPACE = 'batchgate';

/** The services of docker-compose.yml as processes of this machine. */
export interface Topology {
  temporal: Part & { address: string };
  ui: Part & { url: string };
  workers: Part[];
  mailbox: MailboxProcess;
  /** The variables of a process that uses it: command line or worker. */
  variables: Record<string, string>;
  /** The caller's environment with these variables, and no others of batchgate, Temporal or PostgreSQL. */
  env: Env;
  folder: string;
  /** Rejects if a part ends by itself. */
  ended: Promise<never>;
  stop(): Promise<void>;
}

/** Starts all services, in the order of docker-compose.yml's `depends_on`, in a temporary folder. */
export async function startTopology(
  config: Config,
  workers: number,
  say: (line: string) => void,
): Promise<Topology> {
  const inherited = Object.fromEntries(
    Object.entries(config.env).filter(([name]) => !/^(BATCHGATE_|TEMPORAL_|PG)/.test(name)),
  );
  const binaries = await ensureBinaries(config.cacheDir, inherited, say);
  const cli = await findTemporalCli({ cacheDir: config.cacheDir, log: { info: () => undefined } });
  const path = [binaries, ...(cli.source === 'path' ? [] : [dirname(cli.path)]), inherited['PATH']].join(
    delimiter,
  );
  const folder = await mkdtemp(join(tmpdir(), 'batchgate-topology-'));
  const undo: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    return { ...(await bringUp({ folder, path, inherited, workers, say, undo })), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Ground {
  folder: string;
  path: string;
  inherited: Env;
  workers: number;
  say: (line: string) => void;
  undo: (() => Promise<unknown>)[];
}

async function bringUp(ground: Ground): Promise<Omit<Topology, 'stop'>> {
  const { folder, inherited, say, undo } = ground;
  const secret = () => randomBytes(24).toString('hex');
  const passwords = { temporal: secret(), batchgate: secret() };
  const postgres = await startPostgres(secret());
  undo.push(() => postgres.stop());
  await runInitScript(postgres.urlOf('postgres'), join(root, 'deploy/postgres/init.sql'), {
    TEMPORAL_DB_PASSWORD: passwords.temporal,
    BATCHGATE_DB_PASSWORD: passwords.batchgate,
  });
  say(`PostgreSQL: 127.0.0.1:${postgres.port}, databases temporal, temporal_visibility and batchgate`);
  const temporal = await startTemporal({
    deploy: join(root, 'deploy/temporal'),
    path: ground.path,
    env: inherited,
    log: join(folder, 'temporal-server.log'),
    namespace: NAMESPACE,
    postgres: { port: postgres.port, password: passwords.temporal },
  });
  undo.push(() => temporal.stop());
  say(`Temporal server: ${temporal.address}, namespace ${NAMESPACE}`);
  const ui = await startUi({
    path: ground.path,
    env: inherited,
    folder,
    temporal: temporal.address,
    namespace: NAMESPACE,
  });
  undo.push(() => ui.stop());
  say(`Temporal UI: ${ui.url}`);
  const mailbox = await startMailbox(join(folder, 'mailbox'));
  undo.push(() => {
    // An interrupted check may leave the mailbox suspended, which then cannot receive the signal to end.
    process.kill(mailbox.pid, 'SIGCONT');
    return mailbox.stop();
  });
  say(`Gmail and Calendar: the local mailbox at ${mailbox.url}`);
  const variables = {
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: NAMESPACE,
    BATCHGATE_DATA_DIR: join(folder, 'data'),
    BATCHGATE_DATABASE_URL: `postgres://batchgate@127.0.0.1:${postgres.port}/batchgate`,
    PGPASSWORD: passwords.batchgate,
    BATCHGATE_GMAIL_BASE_URL: mailbox.url,
    BATCHGATE_CALENDAR_BASE_URL: mailbox.url,
    BATCHGATE_GOOGLE_ACCESS_TOKEN: 'local-mailbox',
  };
  const env = { ...inherited, ...variables };
  const workers = Array.from({ length: ground.workers }, (_, at) => {
    const name = `worker-${at + 1}`;
    return startPart(name, process.execPath, [BATCHGATE, 'worker'], {
      env,
      log: join(folder, `${name}.log`),
    });
  });
  undo.push(() => Promise.all(workers.map((worker) => worker.stop())));
  await Promise.all(workers.map((worker) => worker.says('The worker serves')));
  workers.forEach(({ name, pid }) => say(`${name}: pid ${pid}`));
  const ended = firstEnd([temporal, ui, ...workers]);
  return { temporal, ui, workers, mailbox, variables, env, folder, ended };
}

function firstEnd(parts: readonly { readonly ended: Promise<never> }[]): Promise<never> {
  const ended = Promise.race(parts.map((part) => part.ended));
  ended.catch(() => undefined);
  return ended;
}

async function startMailbox(dataDir: string): Promise<MailboxProcess> {
  await mkdir(dataDir, { recursive: true });
  return ensureMailboxProcess({ dataDir, entry: join(root, 'dist/dev/google/main.js') });
}

/** The last output of the parts, to find the cause of a failure. */
export async function lastWords({ folder, temporal, ui, workers }: Topology): Promise<string> {
  const logs = [temporal, ui, ...workers].map(async ({ name }) => {
    return `--- ${name}\n${await lastLines(join(folder, `${name}.log`))}`;
  });
  return (await Promise.all(logs)).join('\n');
}
