import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig } from '../../src/host/config';

const run = promisify(execFile);

/**
 * The folder of the commands of these npm packages, which are installed into the user's cache, once. For programs that
 * only a test runs, and that would outweigh everything else in the lockfile.
 */
export async function withNpmPrograms(name: string, packages: readonly string[]): Promise<string> {
  const { cacheDir } = loadConfig();
  const target = join(cacheDir, name);
  const commands = join(target, 'node_modules/.bin');
  if (existsSync(target)) return commands;
  await mkdir(cacheDir, { recursive: true });
  const partial = await mkdtemp(`${target}.partial-`);
  try {
    await run('npm', ['install', '--prefix', partial, '--no-audit', '--no-fund', ...packages]);
    await rename(partial, target).catch((error: unknown) => {
      if (!existsSync(target)) throw error;
    });
    return commands;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
