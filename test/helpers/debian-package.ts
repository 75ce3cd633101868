import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig } from '../../src/host/config';

/** Installs a Debian package if its program is missing, as on a new CI machine. Test files take turns. */
export function installed(program: string, debianPackage: string): void {
  if (existsSync(program)) return;
  const install = `apt-get update -qq && apt-get install -y -qq --no-install-recommends ${debianPackage}`;
  const lock = join(tmpdir(), 'batchgate-apt.lock');
  try {
    execFileSync('flock', [lock, 'sh', '-c', `test -e ${program} || { ${install}; }`], { stdio: 'pipe' });
  } catch (error) {
    throw new Error(`${program} is missing and cannot be installed here. Install "${debianPackage}".`, {
      cause: error,
    });
  }
}

/**
 * Unpacks a Debian package, and those of its dependencies that this machine lacks, into the user's cache, once. Returns
 * the folder. For a server that any user can run, and that must not start by itself.
 */
export async function unpacked(debianPackage: string): Promise<string> {
  const { cacheDir } = loadConfig();
  const target = join(cacheDir, `debian-${debianPackage}`);
  if (existsSync(target)) return target;
  await mkdir(cacheDir, { recursive: true });
  const partial = await mkdtemp(`${target}.partial-`);
  try {
    await unpack(debianPackage, partial);
    await rename(join(partial, 'root'), target).catch((error: unknown) => {
      if (!existsSync(target)) throw error;
    });
    return target;
  } catch (error) {
    throw new Error(`The Debian package "${debianPackage}" cannot be fetched here.`, { cause: error });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

async function unpack(debianPackage: string, folder: string): Promise<void> {
  const parts = ['lists/partial', 'archives/partial', 'debs', 'root'].map((part) => join(folder, part));
  for (const part of parts) await mkdir(part, { recursive: true });
  const debs = join(folder, 'debs');
  // Lists and archives in its own folder need no root rights.
  const own = [`Dir::State::lists=${folder}/lists`, `Dir::Cache=${folder}`, 'APT::Sandbox::User=root'];
  const apt = async (...words: string[]) => {
    const { stdout } = await run('apt-get', ['-qq', ...own.flatMap((one) => ['-o', one]), ...words], {
      cwd: debs,
    });
    return stdout;
  };
  await apt('update');
  const needed = await apt(
    'install',
    '--print-uris',
    '--reinstall',
    '--no-install-recommends',
    debianPackage,
  );
  const names = [...needed.matchAll(/^'[^']+' ([^_\s]+)_/gm)].map(([, name = '']) => name);
  await apt('download', ...names);
  for (const deb of await readdir(debs)) await run('dpkg', ['-x', join(debs, deb), join(folder, 'root')]);
}

const run = promisify(execFile);
