import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig } from '../../src/host/config';

const run = promisify(execFile);

/** The environment in which `python3` imports this package. It is installed from PyPI into the user's cache, once. */
export async function withPythonPackage(name: string, version: string): Promise<NodeJS.ProcessEnv> {
  return { ...process.env, PYTHONPATH: await installed(name, version) };
}

async function installed(name: string, version: string): Promise<string> {
  const { cacheDir } = loadConfig();
  const target = join(cacheDir, `${name}-${version}`);
  if (existsSync(target)) return target;
  await mkdir(cacheDir, { recursive: true });
  const partial = await mkdtemp(`${target}.partial-`);
  try {
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', partial];
    await run('python3', [...pip, `${name}==${version}`]);
    await rename(partial, target).catch((error: unknown) => {
      if (!existsSync(target)) throw error;
    });
    return target;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
