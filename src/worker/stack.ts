import { Client } from '@temporalio/client';
import { DefaultLogger, Runtime as TemporalRuntime } from '@temporalio/worker';
import { pino, type Logger } from 'pino';
import type { Config } from '../config';
import { describeGoogleCredentials, isLocal, type GoogleService } from '../credentials';
import { loadDataConverter } from '../data-converter';
import { ensureMailboxProcess } from '../mailbox/process';
import { removeRuntime, writeRuntime, type Runtime } from '../runtime-file';
import { knownSecrets } from '../secrets';
import { openStore, type Store } from '../store/open';
import { connectClient, connectionOptions, type Target } from '../temporal/connection';
import { connectWorker } from '../temporal/worker-connection';
import { ensureHygieneSchedule } from '../temporal/hygiene-schedule';
import { ensureSearchAttributes } from '../temporal/search-attributes';
import { ensureServer } from '../temporal/start-server';
import { createAdapters } from './adapters';
import { createMacros } from './macros';
import { createBatchgateWorker, type CreateWorkerOptions } from './create-worker';
import { watchQuarantine } from './quarantine-watch';
import { supervise } from './supervise';
import { configuredTools } from './tools';

/** What is told while parts come up. */
export type Progress = (line: string) => void;

export interface Stack {
  client: Client;
  taskQueue: string;
  runtime: Runtime;
  /** Gmail is the local mailbox, because no account is configured. */
  localMailbox: boolean;
  /** The Temporal server is a configured one, which others may use too. */
  shared: boolean;
  /** Settles when the worker ends, with its error if it died. */
  ended: Promise<void>;
  /** Stops accepting work, lets the item in hand end, and stops what was started here. */
  stop(): Promise<void>;
}

/**
 * The whole product on one machine: a Temporal server, the local mailbox and calendar where no account is configured,
 * the store, the worker.
 */
export async function startStack(config: Config, say: Progress): Promise<Stack> {
  const log = createLog(config);
  const configured = connectionOptions(config.env);
  const undo: Undo[] = [];
  const stop = () => undoAll(undo);
  try {
    say(
      configured.address
        ? `Temporal server: ${configured.address}`
        : 'Temporal server: looking for one on this machine',
    );
    const local = { gmail: await isLocal(config, 'gmail'), calendar: await isLocal(config, 'calendar') };
    await tellAccounts(config, local, say);
    // The store first: it is for one process, and whoever holds it may stop what runs over its folder.
    const store = await openStore(config);
    undo.push(() => store.close());
    const [server, mailbox] = await allOrNone([
      ensureServer({ ...config, ...configured, log: progressLog(say, log), terminal: process.stderr }).then(
        (it) => kept(undo, it, () => it.stop()),
      ),
      local.gmail || local.calendar
        ? ensureMailboxProcess({ dataDir: config.dataDir }).then((it) => kept(undo, it, () => it.stop()))
        : undefined,
    ]);
    if (server.uiUrl) say(`Temporal UI: ${server.uiUrl}`);
    if (mailbox) tellMailbox(mailbox.url, local, say);
    const target = { address: server.address, options: configured.options };
    const parts = await runWorker(config, log, store, target, configured.namespace, mailbox?.url);
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
    return {
      client: parts.client,
      taskQueue: config.taskQueue,
      runtime,
      localMailbox: local.gmail,
      shared: server.source === 'configured',
      ended: parts.ended,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const NAMES = { gmail: 'Gmail', calendar: 'Calendar' } as const;
const SERVICES = ['gmail', 'calendar'] as const;
/** Of which services a local counterpart takes the place. */
type Local = Readonly<Record<GoogleService, boolean>>;

async function tellAccounts(config: Config, local: Local, say: Progress): Promise<void> {
  for (const service of SERVICES.filter((one) => !local[one])) {
    const { ok, detail, remedy } = await describeGoogleCredentials(config, service);
    say(`${NAMES[service]}: ${detail}.${ok ? '' : ` ${remedy}`}`);
  }
}

function tellMailbox(url: string, local: Local, say: Progress): void {
  const names = SERVICES.filter((one) => local[one]).map((one) => NAMES[one]);
  say(
    `${names.join(' and ')}: the local mailbox at ${url}, because no Google account is configured. Nothing real is touched.`,
  );
}

export interface RunningWorker {
  client: Client;
  ended: Promise<void>;
  stop(): Promise<void>;
}

/** The worker alone, over a store of its own. `mailboxUrl`: the local mailbox and calendar that take Google's place. */
export async function startWorker(
  config: Config,
  target: Target,
  namespace: string,
  mailboxUrl?: string,
): Promise<RunningWorker> {
  const store = await openStore(config);
  try {
    const worker = await runWorker(config, createLog(config), store, target, namespace, mailboxUrl);
    return { ...worker, stop: () => worker.stop().finally(() => store.close()) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function runWorker(
  config: Config,
  log: Logger,
  store: Store,
  target: Target,
  namespace: string,
  mailboxUrl: string | undefined,
): Promise<RunningWorker> {
  installRuntime(config, log);
  const undo: Undo[] = [];
  const stop = () => undoAll(undo);
  try {
    const dataConverter = await loadDataConverter(config.payloadCodecPath);
    const connection = await connectClient(target);
    undo.push(() => connection.close());
    await ensureSearchAttributes(connection, namespace);
    const client = new Client({ connection, namespace, dataConverter });
    await scheduleHygiene(client, config.taskQueue, log);
    const native = await connectWorker(target);
    undo.push(() => native.close());
    const adapters = await createAdapters(config, mailboxUrl);
    undo.push(() => adapters.close());
    const options: CreateWorkerOptions = {
      connection: native,
      namespace,
      taskQueue: config.taskQueue,
      dataConverter,
      tools: await configuredTools(config, adapters.httpAllowance),
      ...(Object.keys(config.file.databases).length > 0 && { databases: adapters.databases }),
      secrets: () => knownSecrets(config.file, config.env),
      dependencies: {
        adapters,
        ledger: store.ledger,
        hygiene: store.hygiene,
        scratchpad: store.scratchpad,
        profiles: store.profiles,
        settings: config.settings,
        macros: createMacros(config, adapters.databases),
        log,
      },
    };
    const worker = await supervise(() => createBatchgateWorker(options), log);
    undo.push(() => worker.stop());
    const watch = watchQuarantine(client, config.taskQueue, log);
    undo.push(() => Promise.resolve(watch.stop()));
    return { client, ended: worker.ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Everything else works without it. */
async function scheduleHygiene(client: Client, taskQueue: string, log: Logger): Promise<void> {
  const refused = await ensureHygieneSchedule(client, taskQueue);
  if (refused !== undefined) log.warn({ reason: refused }, 'hygiene is not scheduled: idle data is kept');
}

type Undo = () => Promise<unknown>;

/** Backwards, as it was done; what was stopped once is not stopped again. */
async function undoAll(undo: Undo[]): Promise<void> {
  for (const step of undo.splice(0).reverse()) await step();
}

function kept<T>(undo: Undo[], it: T, stop: Undo): T {
  undo.push(stop);
  return it;
}

/** Waits for all of them, also when one fails early, so that none is left starting behind our back. */
async function allOrNone<T extends readonly unknown[]>(
  work: [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

function createLog(config: Config): Logger {
  return pino(
    { level: config.logLevel, serializers: { error: pino.stdSerializers.err } },
    pino.destination({ fd: 2, sync: true }),
  );
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
