import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '@temporalio/client';
import { hygieneScheduleId } from '../../src/contract/hygiene';
import { sentinelId } from '../../src/contract/sentinel';
import type { Config, ModelConfig } from '../../src/host/config';
import { findRuntime } from '../../src/host/runtime-file';
import { findEmbeddedServer } from '../../src/host/temporal/start-server';
import { connectClient, connectionOptions } from '../../src/host/temporal/connection';
import { inherited } from '../../test/helpers/command-line';
import { prepareEmbedded, seedStore } from '../../test/helpers/embedded';
import { startPart, type Env, type Part } from '../topology/process';

const BATCHGATE = resolve(__dirname, '../../bin/batchgate.cjs');

/** A separate batchgate, with a new local mailbox and new local calendars. */
export interface Stage {
  client: Client;
  taskQueue: string;
  /** Rejects if batchgate ends by itself. */
  ended: Promise<never>;
  /** The changes in the mailbox and the calendars so far. */
  changes(): Promise<string[]>;
  close(): Promise<void>;
}

/**
 * Starts `batchgate up` in a temporary folder, as a person would, with this model. It has no accounts and no settings
 * file, so that it can reach nothing real. It uses the configured Temporal server, or its own.
 */
export async function openStage(config: Config, model: ModelConfig): Promise<Stage> {
  const dataDir = await mkdtemp(join(tmpdir(), 'batchgate-eval-'));
  // Another worker's assistants must not answer with this model.
  const taskQueue = `eval-${randomUUID()}`;
  const { address, options } = connectionOptions(config.env);
  const opened: { up?: Part; client?: Client } = {};
  const close = async () => {
    for (const signal of SIGNALS) process.off(signal, leave);
    const { up, client } = opened;
    await up?.stop();
    // The server outlives a batchgate that was killed.
    const left = await findEmbeddedServer(dataDir);
    if (left) process.kill(left.pid);
    if (client && address !== undefined) await leaveServer(client, taskQueue);
    await client?.connection.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  const leave = () => void close().finally(() => process.exit(130));
  for (const signal of SIGNALS) process.once(signal, leave);
  try {
    await prepareEmbedded();
    await seedStore(dataDir);
    const env = { ...(await settingsOf(config, dataDir, model)), BATCHGATE_TASK_QUEUE: taskQueue };
    const command = ['--liftoff-only', BATCHGATE, 'up'];
    const up = startPart('batchgate up', process.execPath, command, { env, log: join(dataDir, 'up.log') });
    opened.up = up;
    await up.says('batchgate is up');
    const runtime = await findRuntime(dataDir);
    if (!runtime) throw new Error(`batchgate is up and has no record in ${dataDir}`);
    const connection = await connectClient({ address: runtime.temporal_address, options });
    const client = new Client({ connection, namespace: runtime.namespace });
    opened.client = client;
    return { client, taskQueue, ended: up.ended, changes: () => changesIn(dataDir), close };
  } catch (error) {
    await close();
    throw error;
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

async function settingsOf({ env, cacheDir }: Config, dataDir: string, model: ModelConfig): Promise<Env> {
  const file = join(dataDir, 'settings.json');
  await writeFile(file, '{}');
  return {
    ...inherited(),
    ...Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('TEMPORAL_'))),
    ...{ BATCHGATE_DATA_DIR: dataDir, BATCHGATE_CACHE_DIR: cacheDir, BATCHGATE_CONFIG_FILE: file },
    ...{ BATCHGATE_HTTP_PORT: '0', BATCHGATE_MODEL_BASE_URL: model.baseUrl },
    ...{ BATCHGATE_MODEL_NAME: model.name, BATCHGATE_MODEL_API_KEY: model.apiKey },
  };
}

/** The task queue belongs to this run alone. On a permanent server, no worker would ever serve what remains on it. */
async function leaveServer(client: Client, taskQueue: string): Promise<void> {
  await client.schedule.getHandle(hygieneScheduleId(taskQueue)).delete();
  await client.workflow.getHandle(sentinelId(taskQueue)).terminate('the evaluation is over');
}

/** The changes so far: the local mailbox and calendar log each change before they answer it. */
async function changesIn(dataDir: string): Promise<string[]> {
  const logs = ['mailbox.jsonl', 'calendar.jsonl'].map((name) => readFile(join(dataDir, name), 'utf8'));
  const lines = (await Promise.all(logs)).flatMap((log) => log.split('\n').filter((line) => line !== ''));
  return lines.map((line) => {
    const { request, method, path } = JSON.parse(line) as Record<string, string>;
    return request ?? `${method} ${path}`;
  });
}
