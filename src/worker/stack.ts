import { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { AccessStore } from '../contract/access';
import type { Config } from '../host/config';
import { BatchgateError } from '../contract/errors';
import { describeGoogleCredentials, isLocal } from '../../activities/adapters/google/describe';
import type { GoogleService } from '../../activities/adapters/google/services';
import { loadDataConverter } from '../host/data-converter';
import { exposureOf, makeFolder } from '../host/files';
import { tryHold, type Held } from '../host/lock';
import { ensureMailboxProcess, type MailboxProcess } from '../host/local-google/process';
import { refusePolicies } from '../host/policies';
import { findRuntime, runtimeRecord, type Runtime, type Supervised } from '../host/runtime-file';
import { openStore } from '../postgres/store/open';
import { connectClient, connectionOptions, type TemporalConfig } from '../host/temporal/connection';
import { chooseUiPort } from '../host/temporal/ports';
import {
  ensureServer,
  USUAL_PORTS,
  type EnsureServerOptions,
  type TemporalServer,
} from '../host/temporal/start-server';
import { openUiDoor, type UiDoor } from '../host/temporal/ui-door';
import { createPlainLog } from './plain-log';
import { runWorker } from './run-worker';
import { createSupervisor, type Supervisor } from './stack-supervisor';
import { undoAll, type Undo } from './run-worker';

/** Reports progress while the parts start. */
export type Progress = (line: string) => void;

export interface Stack {
  client: Client;
  taskQueue: string;
  runtime: Runtime;
  /** Set if the local mailbox replaces Gmail, because no account is configured. */
  localMailbox: boolean;
  /** The store of the HTTP API; undefined if another process serves it. */
  access?: AccessStore;
  /** Publishes the address of the HTTP API for the other verbs. */
  publishHttp(url: string): Promise<void>;
  /** Set if the Temporal server is a configured one, which may have other users. */
  shared: boolean;
  /** Rejects when a part ended and could not be started again. */
  ended: Promise<void>;
  /** Stops accepting work, finishes the current item, and stops the parts that were started here. */
  stop(): Promise<void>;
}

/**
 * Starts the whole product on one machine: a Temporal server, the local mailbox and calendar where no account is
 * configured, the store, and the worker. A part that ends is restarted.
 * @throws BatchgateError `NOT_CONFIGURED` when another process runs it over the same folder.
 */
export async function startStack(config: Config, say: Progress): Promise<Stack> {
  refusePolicies(config);
  const log = createPlainLog(config.logLevel, say);
  const configured = connectionOptions(config.env);
  const { namespace } = configured;
  const undo: Undo[] = [];
  const stop = () => undoAll(undo);
  try {
    const lock = await holdAsOnly(config.dataDir);
    undo.push(() => lock.release());
    const exposure = await exposureOf(config.dataDir);
    if (exposure) say(`${exposure.detail}. ${exposure.remedy}`);
    // Before the server: the holder of the store may stop the processes of its folder.
    const store = await openStore(config);
    undo.push(() => store.close());
    const published: { runtime?: Runtime; supervised: Supervised[] } = { supervised: [] };
    const publish = async (supervised: Supervised[]) => {
      published.supervised = supervised;
      if (published.runtime)
        await runtimeRecord(config.dataDir).write(lock, { ...published.runtime, supervised });
    };
    const supervisor = createSupervisor({ say, publish });
    undo.push(() => supervisor.stop());
    const { server, mailbox, localMailbox } = await startServers(config, configured, supervisor, say, log);
    const ui = server.uiUrl === undefined ? undefined : await openUi(server.uiUrl, say);
    if (ui) undo.push(() => ui.close());
    const target = { address: server.address, options: configured.options };
    const run = () => runWorker(config, log, store, target, namespace, mailbox?.url);
    supervisor.watch('worker', await run(), run);
    const connection = await connectClient(target);
    undo.push(() => connection.close());
    const dataConverter = await loadDataConverter(config.payloadCodecPath);
    const runtime = {
      pid: process.pid,
      temporal_address: server.address,
      namespace,
      ui_url: ui?.url,
      mailbox_url: mailbox?.url,
    };
    published.runtime = runtime;
    await publish([]);
    return {
      client: new Client({ connection, namespace, dataConverter }),
      taskQueue: config.taskQueue,
      runtime,
      localMailbox,
      access: store.access,
      async publishHttp(http_url) {
        published.runtime = { ...runtime, http_url };
        await publish(published.supervised);
      },
      shared: server.source === 'configured',
      ended: supervisor.failed,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts the Temporal server, and the local mailbox if an account is missing. */
async function startServers(
  config: Config,
  configured: TemporalConfig,
  supervisor: Supervisor,
  say: Progress,
  log: Logger,
): Promise<{ server: TemporalServer; mailbox: MailboxProcess | undefined; localMailbox: boolean }> {
  say(
    configured.address
      ? `Temporal server: ${configured.address}`
      : 'Temporal server: looking for one on this machine',
  );
  const local = { gmail: await isLocal(config, 'gmail'), calendar: await isLocal(config, 'calendar') };
  await tellAccounts(config, local, say);
  const start: StartServer = (more = {}) =>
    ensureServer({
      ...config,
      ...configured,
      log: progressLog(say, log),
      terminal: process.stderr,
      ui: true,
      ...more,
    });
  const [server, mailbox] = await allOrNone([
    start().then((it) => watchServer(supervisor, it, start)),
    local.gmail || local.calendar
      ? startMailbox(config).then((it) => watchMailbox(supervisor, it, config))
      : undefined,
  ]);
  if (mailbox) tellMailbox(mailbox.url, local, say);
  return { server, mailbox, localMailbox: local.gmail };
}

/** Serves the UI to people, at its usual port if that is free. */
async function openUi(uiUrl: string, say: Progress): Promise<UiDoor> {
  const door = await openUiDoor(uiUrl, await chooseUiPort(USUAL_PORTS.ui, say));
  say(`Temporal UI: ${door.url}`);
  return door;
}

type StartServer = (
  more?: Partial<Pick<EnsureServerOptions, 'ports' | 'samePorts'>>,
) => Promise<TemporalServer>;

/** Locks the folder: two instances of `up` for one folder would stop each other's server. */
async function holdAsOnly(dataDir: string): Promise<Held> {
  await makeFolder(dataDir, 0o700);
  const lock = await tryHold(runtimeRecord(dataDir).lock);
  if (lock !== undefined) return lock;
  const running = await findRuntime(dataDir);
  throw new BatchgateError(
    'NOT_CONFIGURED',
    `batchgate is already running over ${dataDir}${running ? ` (pid ${running.pid})` : ''}.`,
    'Use that one, or set BATCHGATE_DATA_DIR to another folder.',
  );
}

/** Supervises the server. A configured server is not restarted. */
function watchServer(supervisor: Supervisor, first: TemporalServer, start: StartServer): TemporalServer {
  const { address, source, uiUrl } = first;
  if (source === 'configured') return first;
  const portOf = (url: string) => Number(new URL(url).port);
  const ports = { server: portOf(`http://${address}`), ui: uiUrl === undefined ? undefined : portOf(uiUrl) };
  supervisor.watch('Temporal server', first, () => start({ ports, samePorts: true }));
  return first;
}

const startMailbox = ({ dataDir }: Config) => ensureMailboxProcess({ dataDir });

/** Supervises the mailbox. The adapters have its URL, so a restart keeps it. */
function watchMailbox(supervisor: Supervisor, first: MailboxProcess, config: Config): MailboxProcess {
  supervisor.watch('local mailbox', first, async () => {
    const next = await startMailbox(config);
    if (next.url === first.url) return next;
    await next.stop();
    throw new Error(`another program listens on ${first.url}`);
  });
  return first;
}

const NAMES = { gmail: 'Gmail', calendar: 'Calendar' } as const;
const SERVICES = ['gmail', 'calendar'] as const;
/** The services that a local counterpart replaces. */
type Local = Readonly<Record<GoogleService, boolean>>;

async function tellAccounts(config: Config, local: Local, say: Progress): Promise<void> {
  for (const service of SERVICES.filter((name) => !local[name])) {
    const { ok, detail, remedy } = await describeGoogleCredentials(config, service);
    say(`${NAMES[service]}: ${detail}.${ok ? '' : ` ${remedy}`}`);
  }
}

function tellMailbox(url: string, local: Local, say: Progress): void {
  const names = SERVICES.filter((service) => local[service]).map((service) => NAMES[service]);
  say(
    `${names.join(' and ')}: the local mailbox at ${url}, because no Google account is configured. Nothing real is touched.`,
  );
}

/** Waits for all of them, even if one fails early, so that none is left starting unnoticed. */
async function allOrNone<T extends readonly unknown[]>(
  work: [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

function progressLog(say: Progress, log: Logger): Pick<Logger, 'info'> {
  const info = (...parts: unknown[]) => {
    const text = parts.find((part) => typeof part === 'string');
    if (text !== undefined) say(text);
    log.debug(parts[0] as object, text);
  };
  return { info: info };
}
