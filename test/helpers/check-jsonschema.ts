import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig } from '../../src/host/config';

const run = promisify(execFile);
const VERSION = '0.39.0';

/** The faults that the compose specification's own schema finds in a file; check-jsonschema carries it. */
export async function composeSchemaFaults(file: string): Promise<string | undefined> {
  const args = ['-m', 'check_jsonschema', '--builtin-schema', 'vendor.compose-spec', file];
  try {
    await run('python3', args, { env: { ...process.env, PYTHONPATH: await installed() } });
    return undefined;
  } catch (error) {
    const { stdout, code } = error as { stdout?: string; code?: number };
    if (code === 1 && stdout?.includes('Schema validation errors')) return stdout;
    throw error;
  }
}

/** From PyPI into the user's cache, once. */
async function installed(): Promise<string> {
  const target = join(loadConfig().cacheDir, `check-jsonschema-${VERSION}`);
  if (existsSync(target)) return target;
  await mkdir(loadConfig().cacheDir, { recursive: true });
  const partial = await mkdtemp(`${target}.partial-`);
  try {
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', partial];
    await run('python3', [...pip, `check-jsonschema==${VERSION}`]);
    await rename(partial, target).catch((error: unknown) => {
      if (!existsSync(target)) throw error;
    });
    return target;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
