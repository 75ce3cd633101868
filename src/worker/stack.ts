import { Client } from '@temporalio/client';
import { DefaultLogger, Runtime as TemporalRuntime } from '@temporalio/worker';
import { pino, type Logger } from 'pino';
import { createGmailAdapter } from '../../activities/adapters/gmail';
import type { Config } from '../config';
import { BatchgateError } from '../contract/errors';
import { createRegistry } from '../core/registry';
import { loadDataConverter } from '../data-converter';
import { ensureMailboxProcess } from '../mailbox/process';
import { removeRuntime, writeRuntime, type Runtime } from '../runtime-file';
import { openStore } from '../store/open';
import { connectClient, connectionOptions, type Target } from '../temporal/connection';
import { connectWorker } from '../temporal/worker-connection';
import { ensureSearchAttributes } from '../temporal/search-attributes';
import { ensureServer } from '../temporal/start-server';
import { createBatchgateWorker } from './create-worker';

/** What is told while parts come up. */
export type Progress = (line: string) => void;

export interface Stack {
  client: Client;
  runtime: Runtime;
  /** Gmail is the local mailbox, because no account is configured. */
  localMailbox: boolean;
  /** Settles when the worker ends, with its error if it died. */
  ended: Promise<void>;
  /** Stops accepting work, lets the item in hand end, and stops what was started here. */
  stop(): Promise<void>;
}

/**
 * The whole product on one machine: a Temporal server, the local mailbox where no account is configured, the store,
 * the worker.
 */
export async function startStack(config: Config, say: Progress): Promise<Stack> {
  const log = createLog(config);
  const configured = connectionOptions(config.env);
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    say(
      configured.address
        ? `Temporal server: ${configured.address}`
        : 'Temporal server: looking for one on this machine',
    );
    const server = await ensureServer({ ...config, ...configured, log: progressLog(say, log) });
    undo.push(() => server.stop());
    if (server.uiUrl) say(`Temporal UI: ${server.uiUrl}`);
    const localMailbox = config.googleAccessToken === undefined && config.gmailBaseUrl === undefined;
    const mailbox = localMailbox ? await ensureMailboxProcess({ dataDir: config.dataDir }) : undefined;
    if (mailbox) {
      undo.push(() => mailbox.stop());
      say(
        `Gmail: the local mailbox at ${mailbox.url}, because no Google account is configured. Nothing real is touched.`,
      );
    }
    const target = { address: server.address, options: configured.options };
    const parts = await startWorker(config, log, target, configured.namespace, mailbox?.url);
    undo.push(() => parts.stop());
    const runtime: Runtime = {
      pid: process.pid,
      temporal_address: server.address,
      namespace: configured.namespace,
      ui_url: server.uiUrl,
      mailbox_url: mailbox?.url,
    };
    await writeRuntime(config.dataDir, runtime);
    undo.push(() => removeRuntime(config.dataDir));
    return { client: parts.client, runtime, localMailbox, ended: parts.ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export interface RunningWorker {
  client: Client;
  ended: Promise<void>;
  stop(): Promise<void>;
}

/** The store and the worker over it. `mailboxUrl`: the local mailbox that takes Gmail's place. */
export async function startWorker(
  config: Config,
  log: Logger,
  target: Target,
  namespace: string,
  mailboxUrl?: string,
): Promise<RunningWorker> {
  installRuntime(config, log);
  const dataConverter = await loadDataConverter(config.payloadCodecPath);
  const store = await openStore({ dataDir: config.dataDir, databaseUrl: config.databaseUrl });
  const undo: (() => Promise<unknown>)[] = [() => store.close()];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const connection = await connectClient(target);
    undo.push(() => connection.close());
    await ensureSearchAttributes(connection, namespace);
    const native = await connectWorker(target);
    undo.push(() => native.close());
    const worker = await createBatchgateWorker({
      connection: native,
      namespace,
      dataConverter,
      dependencies: {
        adapters: createRegistry([createGmailAdapter(gmailOptions(config, mailboxUrl))]),
        ledger: store.ledger,
        settings: config.settings,
        log,
      },
    });
    const ended = worker.run();
    undo.push(async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended.catch(() => undefined);
    });
    return { client: new Client({ connection, namespace, dataConverter }), ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function gmailOptions(
  config: Config,
  mailboxUrl: string | undefined,
): Parameters<typeof createGmailAdapter>[0] {
  if (mailboxUrl !== undefined)
    return { rootUrl: mailboxUrl, accessToken: () => Promise.resolve('local-mailbox') };
  return {
    rootUrl: config.gmailBaseUrl,
    accessToken: () => {
      if (config.googleAccessToken !== undefined) return Promise.resolve(config.googleAccessToken);
      throw new BatchgateError(
        'NOT_CONFIGURED',
        'No Gmail account is configured.',
        'Set BATCHGATE_GOOGLE_ACCESS_TOKEN to an access token with the scope gmail.modify.',
      );
    },
  };
}

export function createLog(config: Config): Logger {
  return pino({ level: config.logLevel }, pino.destination({ fd: 2, sync: true }));
}

/** The SDK's own log goes where ours goes. Once a process: a second installation is refused. */
function installRuntime(config: Config, log: Logger): void {
  const level =
    config.logLevel === 'silent' || config.logLevel === 'fatal' ? 'ERROR' : config.logLevel.toUpperCase();
  const write = (entry: { level: string; message: string; meta?: object }) =>
    log[entry.level.toLowerCase() as 'info'](entry.meta ?? {}, entry.message);
  try {
    // The verbs hear signals themselves: they still ask the worker what waits before they stop it.
    TemporalRuntime.install({ logger: new DefaultLogger(level as 'WARN', write), shutdownSignals: [] });
  } catch {
    // Installed before, by an earlier worker of this process or by whoever embeds us.
  }
}

function progressLog(say: Progress, log: Logger): Pick<Logger, 'info'> {
  const info = (...parts: unknown[]) => {
    const text = parts.find((part) => typeof part === 'string');
    if (text !== undefined) say(text);
    log.debug(parts[0] as object, text);
  };
  return { info: info };
}
