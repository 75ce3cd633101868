import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { launch, untilReady } from '../../src/host/temporal/dev-server';
import { findTemporalCli } from '../../src/host/temporal/find-server';
import { freePort } from '../../src/host/temporal/ports';
import { startPostgres } from '../../test/helpers/postgres';
import type { Hours } from './hours';
import { REQUESTER } from './target';
import { startPart, type Env, type Part } from '../topology/process';

const BATCHGATE = resolve(__dirname, '../../bin/batchgate.cjs');
const NAMESPACE = 'default';
const RESTART_MS = 500;
/** Concurrent requests of a batch. Slices are small, so that a worker that was given up has more requests to send. */
export const CONCURRENCY = 2;

/** A process that can be killed, restarted and suspended. */
export interface Victim {
  kill(): Promise<void>;
  startAgain(): Promise<void>;
  suspend(): void;
  goOn(): void;
  close(): Promise<void>;
}

/** Ends the process when this one ends, for any reason. Returns a function that cancels this. */
function endWithUs(pid: number): () => void {
  const guard = spawn('sh', ['-c', 'read -r _; kill -9 "$0"', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.unref();
  return () => void guard.kill('SIGKILL');
}

/** Starts a Temporal server with a database file. It keeps its port when it is restarted. */
export async function startTemporal(
  folder: string,
  cacheDir: string,
): Promise<Victim & { address: string; port: number }> {
  const { path: cli } = await findTemporalCli({ cacheDir, log: { info: () => undefined } });
  const port = await freePort(0);
  const address = `127.0.0.1:${port}`;
  const files = { database: join(folder, 'temporal.db'), log: join(folder, 'temporal.log') };
  let pid = 0;
  let gone: Promise<unknown> = Promise.resolve();
  let callOff = () => undefined as void;
  const startAgain = async () => {
    const server = launch({ cli, ...files, namespace: NAMESPACE, port });
    pid = server.pid ?? 0;
    gone = server.ended;
    callOff = endWithUs(pid);
    await Promise.race([untilReady(address, NAMESPACE), server.ended.then((why) => Promise.reject(why))]);
  };
  const kill = async () => {
    callOff();
    process.kill(pid, 'SIGKILL');
    await gone;
  };
  await startAgain();
  return {
    ...{ address, port, startAgain, kill, close: kill },
    suspend: () => void process.kill(pid, 'SIGSTOP'),
    goOn: () => void process.kill(pid, 'SIGCONT'),
  };
}

export interface TestDatabase {
  url: string;
  port: number;
  kill(): Promise<void>;
  startAgain(): Promise<void>;
  close(): Promise<void>;
}

export async function startDatabase(): Promise<TestDatabase> {
  const postgres = await startPostgres();
  const url = await postgres.newDatabase();
  return {
    ...{ url, port: postgres.port },
    kill: () => postgres.kill(),
    startAgain: () => postgres.startAgain(),
    close: () => postgres.stop(),
  };
}

export interface WorkerOptions {
  folder: string;
  name: string;
  env: Env;
  /** The ports at the near end of the network. */
  temporalPort: number;
  databaseUrl?: string;
  configFile: string;
  /** Breaks the fence: the worker's ledger accepts the writes of a stale worker. */
  unfenced?: boolean;
}

export interface WorkerVictim extends Victim {
  /** The name of the process, and of its link to the server. */
  name: string;
  /** The number of times that it ended unexpectedly. */
  endedItself(): number;
  pid(): number;
}

/** `batchgate worker` as shipped, restarted whenever it ends, as by an operator's supervisor. */
export async function startWorker(options: WorkerOptions): Promise<WorkerVictim> {
  const { folder, name, env, temporalPort, databaseUrl, configFile, unfenced } = options;
  const dataDir = join(folder, name);
  await mkdir(dataDir, { mode: 0o700 });
  const variables = {
    ...env,
    TEMPORAL_ADDRESS: `127.0.0.1:${temporalPort}`,
    TEMPORAL_NAMESPACE: NAMESPACE,
    BATCHGATE_DATA_DIR: dataDir,
    BATCHGATE_CONFIG_FILE: configFile,
    ...(databaseUrl !== undefined && { BATCHGATE_DATABASE_URL: databaseUrl }),
    BATCHGATE_ITEM_CONCURRENCY: String(CONCURRENCY),
    ...(unfenced && { NODE_OPTIONS: `--require ${join(__dirname, 'unfenced.cjs')}` }),
  };
  let part: Part;
  let callOff = () => undefined as void;
  let deaths = 0;
  let isOpen = true;
  const startAgain = async () => {
    for (;;) {
      const log = join(folder, `${name}.log`);
      const started = startPart(name, process.execPath, [BATCHGATE, 'worker'], { env: variables, log });
      part = started;
      callOff = endWithUs(started.pid);
      try {
        await started.says('The worker serves');
        void started.ended.catch(again);
        return;
      } catch (error) {
        if (!isOpen) throw error;
        deaths += 1;
        callOff();
        await pause(RESTART_MS);
      }
    }
  };
  const again = async () => {
    deaths += 1;
    callOff();
    if (isOpen) await startAgain().catch(() => undefined);
  };
  const end = async (how: 'kill' | 'stop') => {
    callOff();
    await part[how]();
  };
  await startAgain();
  return {
    ...{ name, startAgain },
    kill: () => end('kill'),
    suspend: () => void process.kill(part.pid, 'SIGSTOP'),
    goOn: () => void process.kill(part.pid, 'SIGCONT'),
    endedItself: () => deaths,
    pid: () => part.pid,
    close() {
      isOpen = false;
      return end('kill');
    },
  };
}

/** The workers' configuration: requests to the target in these hours, and two approvals for one requester. */
export async function writeConfig(folder: string, targetPort: number, { rules }: Hours): Promise<string> {
  const path = join(folder, 'batchgate.config.json');
  const when = `"requester" in given && requester == "${REQUESTER}"`;
  const config = {
    http: { allowed_hosts: [`127.0.0.1:${targetPort}`] },
    policies: [{ name: 'four eyes', when, require: { approvals: 2, not_requester: true } }],
    ...(rules.length > 0 && { windows: { http: rules } }),
  };
  await writeFile(path, JSON.stringify(config));
  return path;
}
