import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';
import { BatchgateError } from '../../contract/errors';
import { makeFolder } from '../files';
import { livingRecord, type LivingRecord, tryHold, withLock, type Holder, terminate } from '../lock';
import { connectClient, type ConnectionSettings } from './connection';
import { launch, untilReady } from './dev-server';
import { reasonOf } from './failure';
import { findTemporalCli } from './find-server';
import { chooseServerPort, freePort, portsClosedToBrowsers } from './ports';
import type { TransferView } from './transfer';

const START_ATTEMPTS = 3;

/** A Temporal server that answers. */
export interface TemporalServer {
  address: string;
  /** The UI's own address. Browsers do not open that port; openUiDoor serves it. */
  uiUrl?: string;
  /** The process id of an embedded server. */
  pid?: number;
  /** `configured`, or the source of its command line. */
  source: string;
  /** Whether it was already running. */
  reused: boolean;
  /** Resolves when the process of an embedded server has ended. */
  ended?: Promise<void>;
  /** Ends an embedded server, also a reused one; its data stays. It does not end a configured server. */
  stop(): Promise<void>;
}

export interface EnsureServerOptions {
  /** The folder of the embedded server's database, log and record. One server a folder. */
  dataDir: string;
  cacheDir: string;
  /** A configured server; no server is started then. */
  address?: string;
  /** Connection settings of the configured server. */
  options?: ConnectionSettings;
  namespace: string;
  log: Pick<Logger, 'info'>;
  /** A terminal for the progress of a download. */
  terminal?: TransferView['terminal'];
  /** Also starts the UI, if a port is free that browsers do not open. */
  ui?: boolean;
  /** The preferred ports: by default Temporal's own one, and any for the UI. */
  ports?: { server: number; ui?: number | undefined };
  /** Use only these ports, because clients use them already. */
  samePorts?: boolean;
}

export const USUAL_PORTS = { server: 7233, ui: 8233 };

const recordSchema = z.object({
  pid: z.number().int().positive(),
  address: z.string(),
  ui_url: z.string().optional(),
  source: z.string(),
});
type ServerRecord = z.infer<typeof recordSchema>;

interface Files {
  record: LivingRecord<ServerRecord>;
  database: string;
  log: string;
  /** The lock for finding and starting a server. */
  starting: string;
}

/** A running server, and the process to watch. */
interface Living {
  content: ServerRecord;
  holder: Holder;
}

/**
 * Connects to the configured server, or reuses or starts the embedded one of this data folder. The embedded server runs
 * until `stop`, also after this process, and has the namespace with 30 days of retention and our search attributes.
 * @throws BatchgateError `TEMPORAL_UNAVAILABLE`.
 */
export async function ensureServer(options: EnsureServerOptions): Promise<TemporalServer> {
  const { address, namespace, log } = options;
  if (address !== undefined) {
    await (await connectClient({ address, options: options.options })).close();
    return { address, source: 'configured', reused: true, stop: () => Promise.resolve() };
  }
  await makeFolder(options.dataDir, 0o700);
  const files = filesIn(await realpath(options.dataDir));
  // Outside the lock, because a download may take minutes.
  const cli = (await files.record.read()) === undefined ? await findTemporalCli(options) : undefined;
  return withLock(files.starting, stuckStart(files.starting), async () => {
    const living = await reuse(files, namespace);
    if (living !== undefined) {
      const { address: at, pid } = living.content;
      log.info({ address: at, pid }, 'reusing the embedded Temporal server');
      return toServer(living, true);
    }
    const started = await start(cli ?? (await findTemporalCli(options)), files, options);
    const { address: at, pid, source } = started.content;
    log.info({ address: at, pid, source }, 'started Temporal');
    return toServer(started, false);
  });
}

const stuckStart = (lock: string) =>
  new BatchgateError(
    'TEMPORAL_UNAVAILABLE',
    `Another process has been starting the server for too long; it holds ${lock}.`,
    'Stop that process, then try again.',
  );

const filesIn = (dataDir: string): Files => ({
  record: livingRecord(join(dataDir, 'temporal.json'), join(dataDir, 'temporal.lock'), recordSchema),
  database: join(dataDir, 'temporal.db'),
  log: join(dataDir, 'temporal.log'),
  starting: join(dataDir, 'temporal.start.lock'),
});

/** The running embedded server of this data folder. Starts nothing. */
export async function findEmbeddedServer(
  dataDir: string,
): Promise<{ address: string; pid: number } | undefined> {
  const record = await filesIn(dataDir).record.read();
  return record && { address: record.address, pid: record.pid };
}

function toServer({ content, holder }: Living, reused: boolean): TemporalServer {
  const { address, ui_url: uiUrl, pid, source } = content;
  return {
    address,
    ...(uiUrl !== undefined && { uiUrl }),
    pid,
    source,
    reused,
    ended: holder.released,
    stop: () => terminate(pid, holder),
  };
}

/** A running server that does not answer still holds the database, so it is ended before another one starts. */
async function reuse(files: Files, namespace: string): Promise<Living | undefined> {
  const living = await files.record.find();
  if (living === undefined) return undefined;
  const { content, holder } = living;
  const stopped = new AbortController();
  try {
    // A server that was just killed holds its lock for a moment longer.
    await Promise.race([
      untilReady(content.address, namespace, stopped.signal),
      holder.released.then(() => Promise.reject(new Error('it has ended'))),
    ]);
    return living;
  } catch {
    stopped.abort();
    await terminate(content.pid, holder);
    return undefined;
  }
}

async function start(
  cli: { path: string; source: string },
  files: Files,
  options: EnsureServerOptions,
): Promise<Living> {
  let reason = '';
  for (let attempt = 0; attempt < (options.samePorts ? 1 : START_ATTEMPTS); attempt += 1) {
    try {
      return await startAt(cli, files, options.namespace, await choosePorts(options, attempt));
    } catch (error) {
      reason = reasonOf(error);
    }
  }
  throw new BatchgateError(
    'TEMPORAL_UNAVAILABLE',
    `The embedded Temporal server did not start: ${reason}`,
    `Read ${files.log} for the reason, or set TEMPORAL_ADDRESS to a running server.`,
  );
}

interface Ports {
  port: number;
  uiPort: number | undefined;
  httpPort: number | undefined;
  metricsPort: number | undefined;
}

/** Another process may take a free port before the server does, so the next attempt uses other ports. */
async function choosePorts(
  { log, ports = { server: USUAL_PORTS.server }, samePorts = false, ui = false }: EnsureServerOptions,
  attempt: number,
): Promise<Ports> {
  // Only `up`, which a person runs beside a browser, needs them.
  const closed = ui ? await portsClosedToBrowsers() : [];
  const uiPort = samePorts ? ports.ui : closed.shift();
  if (ui && uiPort === undefined) log.info(NO_UI);
  const [httpPort, metricsPort] = closed.filter((port) => port !== uiPort);
  if (samePorts) return { port: ports.server, uiPort, httpPort, metricsPort };
  const port =
    attempt === 0 ? await chooseServerPort(ports.server, (line) => log.info(line)) : await freePort(0);
  return { port, uiPort, httpPort, metricsPort };
}

const NO_UI = 'the Temporal UI is left out: other programs use every port that browsers do not open';

async function startAt(
  cli: { path: string; source: string },
  { record, database, log }: Files,
  namespace: string,
  ports: Ports,
): Promise<Living> {
  const lock = await tryHold(record.lock);
  if (lock === undefined) throw new Error(`a process without a record holds ${record.lock}`);
  const server = launch({ cli: cli.path, database, log, namespace, ...ports, held: lock });
  await lock.handOver();
  if (server.pid === undefined) throw await server.ended;
  const address = `127.0.0.1:${ports.port}`;
  const ui_url = ports.uiPort === undefined ? undefined : `http://127.0.0.1:${ports.uiPort}`;
  // Before it answers, so that others find it even if this process dies now.
  await record.write(lock, { pid: server.pid, address, ui_url, source: cli.source });
  const stopped = new AbortController();
  try {
    await Promise.race([
      untilReady(address, namespace, stopped.signal),
      server.ended.then((why) => Promise.reject(why)),
    ]);
    const living = await record.find();
    if (living !== undefined) return living;
    throw await server.ended;
  } catch (error) {
    stopped.abort();
    await terminate(server.pid, { released: server.ended.then(() => undefined) });
    throw error;
  }
}
