import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '@temporalio/client';
import { connectClient } from '../../src/host/temporal/connection';
import { Worker } from '@temporalio/worker';
import { readable } from '../../src/client/readable';
import { TASK_QUEUE } from '../../src/contract/messages';
import { sentinelId } from '../../src/contract/sentinel';
import { historiesOf } from '../../test/replay/stage';
import type { Env } from '../topology/process';
import { ALWAYS, type Hours } from './hours';
import { startNetwork, type Network } from './network';
import {
  startDatabase,
  startTemporal,
  startWorker,
  writeConfig,
  type TestDatabase,
  type Victim,
  type WorkerVictim,
} from './parts';
import { startTarget, type RecordingTarget } from './target';

const BUNDLE = resolve(__dirname, '../../dist/workflow-bundle.js');

export interface StageOptions {
  /** The ledger's store: a PostgreSQL server, or the embedded store of the only worker. */
  database: 'postgres' | 'embedded';
  workers: number;
  env: Env;
  cacheDir: string;
  everythingTwice?: boolean;
  unfenced?: boolean;
  /** The times at which batches may begin; by default always. */
  hours?: Hours;
}

/** The product on a network that can fail, a target that records, and a client that the faults do not affect. */
export interface Stage {
  client: Client;
  target: RecordingTarget;
  /** The address of the target for the workers. */
  targetPort: number;
  network: Network;
  server: Victim;
  database: TestDatabase | undefined;
  workers: readonly WorkerVictim[];
  /** The folder of all logs. */
  folder: string;
  /** Replays the histories of these workflows and of the sentinel. Returns their number, and the replay errors. */
  replay(ids: readonly string[]): Promise<{ replayed: number; unreplayable: string[] }>;
  /** `keepFolder` leaves the folder for inspection. */
  close(keepFolder: boolean): Promise<void>;
}

export async function startStage(options: StageOptions): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'batchgate-faults-'));
  const undo: (() => Promise<unknown>)[] = [];
  const closing = <T>(it: T, stop: (it: T) => Promise<unknown>): T => {
    undo.push(() => stop(it));
    return it;
  };
  const close = async (keepFolder: boolean) => {
    for (const step of undo.splice(0).reverse()) await step();
    if (!keepFolder) await rm(folder, { recursive: true, force: true });
  };
  const env = Object.fromEntries(
    Object.entries(options.env).filter(([name]) => !/^(BATCHGATE_|TEMPORAL_|PG)/.test(name)),
  );
  try {
    const target = closing(await startTarget(options.everythingTwice), (it) => it.close());
    const server = closing(await startTemporal(folder, options.cacheDir), (it) => it.close());
    const database =
      options.database === 'postgres' ? closing(await startDatabase(), (it) => it.close()) : undefined;
    const network = closing(await startNetwork(env, join(folder, 'toxiproxy.log')), (it) => it.close());
    const databasePort = database && (await network.open('database', database.port));
    const databaseUrl = database?.url.replace(`:${database.port}/`, `:${databasePort}/`);
    const targetPort = await network.open('target', target.port);
    const configFile = await writeConfig(folder, targetPort, options.hours ?? ALWAYS);
    const serverPort = await network.open('temporal', server.port);
    const { unfenced } = options;
    const common = { folder, env, databaseUrl, configFile, unfenced };
    const workers = await Promise.all(
      Array.from({ length: options.workers }, async (_, at) => {
        const name = `worker-${at + 1}`;
        const temporalPort = await network.open(name, serverPort);
        return closing(await startWorker({ ...common, name, temporalPort }), (it) => it.close());
      }),
    );
    const connection = closing(await connectClient({ address: server.address }), (it) => it.close());
    const client = new Client({ connection });
    return {
      ...{ client, target, targetPort, network, server, database, workers, folder, close },
      replay: (ids) => replay(client, [...ids, sentinelId(TASK_QUEUE)]),
    };
  } catch (error) {
    await close(true);
    throw error;
  }
}

async function replay(
  client: Client,
  ids: readonly string[],
): Promise<{ replayed: number; unreplayable: string[] }> {
  const histories = [];
  for (const workflowId of ids) {
    for (const history of await historiesOf(client, workflowId)) histories.push({ workflowId, history });
  }
  const idOf = new Map(
    histories.map(({ workflowId, history }) => [
      history.events?.[0]?.workflowExecutionStartedEventAttributes?.originalExecutionRunId,
      workflowId,
    ]),
  );
  const errors: string[] = [];
  const code = { workflowBundle: { codePath: BUNDLE }, dataConverter: readable() };
  for await (const { runId, error } of Worker.runReplayHistories(code, histories)) {
    if (error) errors.push(`${idOf.get(runId) ?? runId}: ${error.message}`);
  }
  return { replayed: histories.length, unreplayable: errors };
}
