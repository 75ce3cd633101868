import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common';
import { plainEnvironment } from '../config';
import { SEARCH_ATTRIBUTES } from '../../contract/messages';
import type { Held } from '../lock';
import { connectClient } from './connection';
import { reasonOf, GRPC, hasGrpcCode } from './failure';
import { ensureSearchAttributes } from './search-attributes';

/** grpc.health.v1.HealthCheckResponse.ServingStatus.SERVING */
const SERVING = 1;
const START_MS = 30_000;

export interface Launch {
  /** The path of Temporal's command line. */
  cli: string;
  database: string;
  log: string;
  namespace: string;
  port: number;
  /** Undefined for no UI. */
  uiPort?: number | undefined;
  /** Any free ports if undefined. */
  httpPort?: number | undefined;
  metricsPort?: number | undefined;
  /** The lock of its folder, which the process inherits. */
  held?: Held;
}

/**
 * Starts the development server in its own process group, so that Ctrl-C in the terminal ends the worker first. `ended`
 * resolves with the reason when the server could not be started or has stopped.
 */
export function launch(options: Launch): { pid: number | undefined; ended: Promise<Error> } {
  const log = openSync(options.log, 'a', 0o600);
  const server = spawn(options.cli, argumentsOf(options), {
    detached: true,
    env: plainEnvironment(),
    stdio: ['ignore', log, log, ...(options.held ? [options.held.fd] : [])],
  });
  closeSync(log);
  server.unref();
  const ended = new Promise<Error>((resolve) => {
    server.once('error', resolve);
    server.once('exit', (code, signal) => resolve(new Error(`it ended with ${signal ?? `code ${code}`}`)));
  });
  return { pid: server.pid, ended };
}

/** The settings of a server that batchgate needs. deploy/temporal/dynamic-config.yaml has them too. */
export const DYNAMIC_SETTINGS: Readonly<Record<string, number | string>> = {
  // By default each queue is polled every 50 ms: an empty confirmed batch took 107 ms, and takes 24 ms with these.
  ...Object.fromEntries(
    ['transfer', 'timer', 'visibility'].flatMap((queue) => [
      [`history.${queue}ProcessorMaxPollRPS`, 2000],
      [`history.${queue}ProcessorMaxPollHostRPS`, 5000],
    ]),
  ),
  // By default a timer fires up to a second late. A macro with much work has one of 1 ms between its tasks: 6,000
  // steps took 18 s, and take 3 s with this.
  'history.timerProcessorMaxTimeShift': '10ms',
  // Runs with this many consecutive failures of their task are listed (src/client/quarantine.ts).
  'system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute': 3,
  // A task whose worker died is dispatched again after this time, also if a plain client started the run.
  'history.defaultWorkflowTaskTimeout': '5s',
};

function argumentsOf({ database, namespace, port, uiPort, httpPort, metricsPort }: Launch): string[] {
  return [
    ...['server', 'start-dev', '--db-filename', database, '--ip', '127.0.0.1'],
    ...['--port', String(port)],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort), '--ui-disable-news-fetch']),
    ...(httpPort === undefined ? [] : ['--http-port', String(httpPort)]),
    ...(metricsPort === undefined ? [] : ['--metrics-port', String(metricsPort)]),
    // The HTTP API accepts requests from pages of any site, which could confirm a batch. Nothing needs that API.
    ...['--dynamic-config-value', 'frontend.httpAllowedHosts=[]'],
    ...['--namespace', namespace, '--log-level', 'warn'],
    ...Object.values(SEARCH_ATTRIBUTES).flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
    ...Object.entries(DYNAMIC_SETTINGS).flatMap(([name, value]) => [
      '--dynamic-config-value',
      `${name}=${JSON.stringify(value)}`,
    ]),
    // An acknowledged confirmation must survive a power cut.
    ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=full'],
  ];
}

/**
 * Waits until the server at this address answers and has the namespace, its retention and our search attributes.
 * @throws Error with the last reason, after 30 seconds or when `signal` aborts.
 */
export async function untilReady(address: string, namespace: string, signal?: AbortSignal): Promise<void> {
  const deadline = Date.now() + START_MS;
  for (;;) {
    try {
      return await prepare(address, namespace);
    } catch (error) {
      if (Date.now() >= deadline) throw new Error(`no answer: ${reasonOf(error)}`);
      await pause(100, undefined, { signal });
    }
  }
}

async function prepare(address: string, namespace: string): Promise<void> {
  const connection = await connectClient({ address }, 5_000);
  try {
    await connection.withDeadline(Date.now() + 20_000, async () => {
      const { status } = await connection.healthService.check({
        service: 'temporal.api.workflowservice.v1.WorkflowService',
      });
      if (Number(status) !== SERVING) throw new Error('it does not serve yet');
      await ensureNamespace(connection, namespace);
      await ensureSearchAttributes(connection, namespace);
    });
  } finally {
    await connection.close();
  }
}

/** The development server's default is one day, which is shorter than a weekend. */
const RETENTION = msToTs('30 days');

/** Creates the namespace if necessary, and keeps its closed workflows for 30 days. Idempotent. */
export async function ensureNamespace(
  { workflowService }: Pick<Connection, 'workflowService'>,
  namespace: string,
): Promise<void> {
  try {
    await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: RETENTION });
  } catch (error) {
    if (!hasGrpcCode(error, GRPC.alreadyExists)) throw error;
    await workflowService.updateNamespace({
      namespace,
      config: { workflowExecutionRetentionTtl: RETENTION },
    });
  }
}
