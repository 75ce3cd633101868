import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig } from '../../src/host/config';

const run = promisify(execFile);
const QUIET = ['--no-audit', '--no-fund'];

/**
 * Installs npm packages into the user's cache, once, and returns the folder of their commands. For programs that only
 * a test runs, and that would outweigh the rest of the lockfile.
 */
export async function withNpmPrograms(name: string, packages: readonly string[]): Promise<string> {
  const target = await installedOnce(name, (folder) =>
    run('npm', ['install', '--prefix', folder, ...QUIET, ...packages]),
  );
  return join(target, 'node_modules/.bin');
}

/**
 * Installs `test/programs/NAME` from its lockfile into the user's cache, once, and returns its `node_modules`. For
 * packages of a single test or check, which `npm ci` then need not install.
 */
export async function withLockedPrograms(name: string): Promise<string> {
  const source = join(__dirname, '../programs', name);
  const lockfile = await readFile(join(source, 'package-lock.json'));
  const digest = createHash('sha256').update(lockfile).digest('hex').slice(0, 12);
  const target = await installedOnce(`${name}-${digest}`, async (folder) => {
    for (const file of ['package.json', 'package-lock.json'])
      await copyFile(join(source, file), join(folder, file));
    await run('npm', ['ci', '--prefix', folder, ...QUIET, '--ignore-scripts']);
  });
  return join(target, 'node_modules');
}

/** The folder in the user's cache that `install` has filled, now or before. */
async function installedOnce(name: string, install: (folder: string) => Promise<unknown>): Promise<string> {
  const { cacheDir } = loadConfig();
  const target = join(cacheDir, name);
  if (existsSync(target)) return target;
  await mkdir(cacheDir, { recursive: true });
  const partial = await mkdtemp(`${target}.partial-`);
  try {
    await install(partial);
    await rename(partial, target).catch((error: unknown) => {
      if (!existsSync(target)) throw error;
    });
    return target;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
