import { readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';
import { BatchgateError } from '../contract/errors';
import { makeFolder } from '../folder';
import { withLock } from '../lock';
import { connectClient } from './connection';
import type { ConnectionSettings } from './connection';
import { launch, untilReady } from './dev-server';
import { reasonOf } from './failure';
import { findTemporalCli } from './find-server';
import { choosePorts, freePort } from './ports';
import { runsWith, terminate } from './process';
import type { TransferView } from './transfer';

const START_ATTEMPTS = 3;

/** A Temporal server that answers. */
export interface TemporalServer {
  address: string;
  uiUrl?: string;
  /** The process id of an embedded server. */
  pid?: number;
  /** Where it came from: `configured`, or the way its command line was found. */
  source: string;
  /** Whether it was there before. */
  reused: boolean;
  /** Ends an embedded server, whoever started it; its data stays. A configured server is left alone. */
  stop(): Promise<void>;
}

export interface EnsureServerOptions {
  /** Holds the embedded server's database, log and record. One server a directory. */
  dataDir: string;
  cacheDir: string;
  /** A configured server: then nothing is started. */
  address?: string;
  /** How to speak to the configured server. */
  options?: ConnectionSettings;
  namespace: string;
  log: Pick<Logger, 'info'>;
  /** A terminal on which a download shows how far it is. */
  terminal?: TransferView['terminal'];
  /** The ports it prefers, by default Temporal's own. */
  ports?: { server: number; ui: number };
}

export const USUAL_PORTS = { server: 7233, ui: 8233 };

const recordSchema = z.object({
  pid: z.number().int().positive(),
  address: z.string(),
  ui_url: z.string(),
  source: z.string(),
});
type ServerRecord = z.infer<typeof recordSchema>;

interface Files {
  record: string;
  database: string;
  log: string;
  lock: string;
}

/**
 * Connects to the configured server, or reuses the embedded one of this data directory, or starts it. The embedded
 * server outlives this process until `stop`, and has the namespace with 30 days of retention and our search attributes.
 * @throws BatchgateError `TEMPORAL_UNAVAILABLE`.
 */
export async function ensureServer(options: EnsureServerOptions): Promise<TemporalServer> {
  const { address, namespace, log } = options;
  if (address !== undefined) {
    const target = { address, ...(options.options === undefined ? {} : { options: options.options }) };
    await (await connectClient(target)).close();
    return { address, source: 'configured', reused: true, stop: () => Promise.resolve() };
  }
  await makeFolder(options.dataDir);
  // A process is known by the path of its database, so one folder has one path, whatever links lead to it.
  const files = filesIn(await realpath(options.dataDir));
  // Outside the lock, because fetching may take minutes.
  const cli = (await livingRecord(files)) === undefined ? await findTemporalCli(options) : undefined;
  return withLock(files.lock, stuckStart(files.lock), async () => {
    const living = await reuse(files, namespace);
    if (living !== undefined) {
      log.info({ address: living.address, pid: living.pid }, 'reusing the embedded Temporal server');
      return toServer(living, files, true);
    }
    const record = await start(cli ?? (await findTemporalCli(options)), files, options);
    log.info({ address: record.address, pid: record.pid, source: record.source }, 'started Temporal');
    return toServer(record, files, false);
  });
}

const stuckStart = (lock: string) =>
  new BatchgateError(
    'TEMPORAL_UNAVAILABLE',
    `Another process is starting the server and does not finish; it holds ${lock}.`,
    'End that process, or remove the file when there is none, and start again.',
  );

const filesIn = (dataDir: string): Files => ({
  record: join(dataDir, 'temporal.json'),
  database: join(dataDir, 'temporal.db'),
  log: join(dataDir, 'temporal.log'),
  lock: join(dataDir, 'temporal.lock'),
});

/** The embedded server of this data directory whose process lives. Starts nothing. */
export async function findEmbeddedServer(
  dataDir: string,
): Promise<{ address: string; uiUrl: string; pid: number } | undefined> {
  const record = await livingRecord(filesIn(await realpath(dataDir).catch(() => dataDir)));
  return record && { address: record.address, uiUrl: record.ui_url, pid: record.pid };
}

function toServer(record: ServerRecord, files: Files, reused: boolean): TemporalServer {
  const { address, ui_url: uiUrl, pid, source } = record;
  // The record stays: without its process it says nothing, and by now it may be that of another server.
  return { address, uiUrl, pid, source, reused, stop: () => terminate(pid, files.database) };
}

async function livingRecord(files: Files): Promise<ServerRecord | undefined> {
  try {
    const record = recordSchema.parse(JSON.parse(await readFile(files.record, 'utf8')));
    return (await runsWith(record.pid, files.database)) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** A server that lives and does not answer still holds the database, so it is ended before another one starts. */
async function reuse(files: Files, namespace: string): Promise<ServerRecord | undefined> {
  const record = await livingRecord(files);
  if (record === undefined) return undefined;
  try {
    await untilReady(record.address, namespace);
    return record;
  } catch {
    await terminate(record.pid, files.database);
    return undefined;
  }
}

async function start(
  cli: { path: string; source: string },
  files: Files,
  { namespace, log: progress, ports = USUAL_PORTS }: EnsureServerOptions,
): Promise<ServerRecord> {
  let reason = '';
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt += 1) {
    // Another process may take a free port before the server does, so the next attempt takes others.
    const { port, uiPort } =
      attempt === 0
        ? await choosePorts(ports, (line) => progress.info(line))
        : { port: await freePort(0), uiPort: await freePort(0) };
    const { database, log } = files;
    const server = launch({ cli: cli.path, database, log, namespace, port, uiPort });
    const stopped = new AbortController();
    try {
      if (server.pid === undefined) throw await server.ended;
      const record: ServerRecord = {
        pid: server.pid,
        address: `127.0.0.1:${port}`,
        ui_url: `http://127.0.0.1:${uiPort}`,
        source: cli.source,
      };
      // Before it answers, so that it is found even when this process dies now.
      await writeFile(files.record, JSON.stringify(record));
      await Promise.race([
        untilReady(record.address, namespace, stopped.signal),
        server.ended.then((why) => Promise.reject(why)),
      ]);
      return record;
    } catch (error) {
      reason = reasonOf(error);
      stopped.abort();
      if (server.pid !== undefined) await terminate(server.pid, database);
    }
  }
  throw new BatchgateError(
    'TEMPORAL_UNAVAILABLE',
    `The embedded Temporal server did not start: ${reason}`,
    `Read ${files.log} for its own words, or set TEMPORAL_ADDRESS to a running server.`,
  );
}
