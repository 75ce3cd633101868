import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';
import { BatchgateError } from '../contract/errors';
import { connectClient } from './connection';
import type { ConnectionSettings } from './connection';
import { launch, untilReady } from './dev-server';
import { reasonOf } from './failure';
import { findTemporalCli } from './find-server';
import { withLock } from './lock';
import { freePort, runsWith, terminate } from './process';

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
}

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
  const dataDir = resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true });
  const files: Files = {
    record: join(dataDir, 'temporal.json'),
    database: join(dataDir, 'temporal.db'),
    log: join(dataDir, 'temporal.log'),
    lock: join(dataDir, 'temporal.lock'),
  };
  // Outside the lock, because fetching may take minutes.
  const cli = (await livingRecord(files)) === undefined ? await findTemporalCli(options) : undefined;
  return withLock(files.lock, async () => {
    const living = await reuse(files, namespace);
    if (living !== undefined) {
      log.info({ address: living.address, pid: living.pid }, 'reusing the embedded Temporal server');
      return toServer(living, files, true);
    }
    const record = await start(cli ?? (await findTemporalCli(options)), files, namespace);
    log.info({ address: record.address, pid: record.pid, source: record.source }, 'started Temporal');
    return toServer(record, files, false);
  });
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
  namespace: string,
): Promise<ServerRecord> {
  let reason = '';
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt += 1) {
    // Another process may take a free port before the server does, so the next attempt takes others.
    const port = await freePort(attempt === 0 ? 7233 : 0);
    const uiPort = await freePort(attempt === 0 ? 8233 : 0);
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
