import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { BatchgateError } from '../../src/contract/errors';
import { runToEnd, type Env } from './process';

type Say = (line: string) => void;

/** Programs of one Go module. Go names each after its folder; the scripts use the names here. */
interface Build {
  name: string;
  module: string;
  version: string;
  programs: Readonly<Record<string, string>>;
}

/** The versions in docker-compose.yml. */
export const SERVER: Build = {
  name: 'temporal-server',
  module: 'go.temporal.io/server',
  version: '1.32.0',
  programs: { 'temporal-server': 'cmd/server', 'temporal-sql-tool': 'cmd/tools/sql' },
};
export const UI: Build = {
  name: 'temporal-ui',
  module: 'github.com/temporalio/ui-server/v2',
  version: '2.54.1',
  programs: { 'temporal-ui-server': 'cmd/server' },
};
const PROGRESS_MS = 30_000;

/**
 * Builds Temporal's server, its schema tool and its UI from their Go modules, because they have no downloads of their
 * own. Each is built once, then kept. Returns their folders, as a PATH.
 * @throws BatchgateError `NOT_CONFIGURED` if one must be built and Go is missing.
 */
export async function ensureBinaries(cacheDir: string, env: Env, say: Say): Promise<string> {
  const folders: string[] = [];
  for (const build of [SERVER, UI]) {
    const target = join(cacheDir, `${build.name}-${build.version}`);
    if (!isWhole(build, target)) await install(build, target, env, say);
    folders.push(target);
  }
  return folders.join(delimiter);
}

const isWhole = ({ programs }: Build, folder: string): boolean =>
  Object.keys(programs).every((name) => existsSync(join(folder, name)));

async function install(build: Build, target: string, env: Env, say: Say): Promise<void> {
  await requireGo(build, env);
  await mkdir(join(target, '..'), { recursive: true });
  // Next to the target, because a rename is atomic only within one file system.
  const partial = await mkdtemp(`${target}.partial-`);
  try {
    await compile(build, partial, env, say);
    for (const [name, path] of Object.entries(build.programs)) {
      await rename(join(partial, path.split('/').at(-1) ?? ''), join(partial, name));
    }
    await rename(partial, target).catch((error: unknown) => {
      // If two processes build at once, the second finds the finished program.
      if (!isWhole(build, target)) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function requireGo({ name, version }: Build, env: Env): Promise<void> {
  try {
    await runToEnd('go', ['version'], env);
  } catch {
    throw new BatchgateError(
      'NOT_CONFIGURED',
      `${name} ${version} has to be built from its Go module, and \`go\` is not on the PATH.`,
      'Install Go 1.26.8 or newer (https://go.dev/doc/install), and run this again. The build is done once.',
    );
  }
}

async function compile(
  { name, module, version, programs }: Build,
  folder: string,
  env: Env,
  say: Say,
): Promise<void> {
  say(`Building ${name} ${version} from its Go module, once; it takes minutes.`);
  const packages = Object.values(programs).map((path) => `${module}/${path}@v${version}`);
  const child = spawn('go', ['install', '-v', ...packages], {
    env: { ...env, GOBIN: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const started = Date.now();
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  const timer = setInterval(
    () => say(`  ${Math.round((Date.now() - started) / 1_000)} s: ${lines.at(-1) ?? 'starting'}`),
    PROGRESS_MS,
  );
  const [code] = (await once(child, 'close').finally(() => clearInterval(timer))) as [number | null];
  if (code !== 0) throw new Error(`\`go install\` ended with ${code}:\n${lines.slice(-15).join('\n')}`);
}
