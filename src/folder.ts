import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those above it, where there is none. Node's own recursive mkdir never ends where a folder is
 * there and yet nothing can be made in it, as under /proc.
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  try {
    await makeOne(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path), mode);
    await makeOne(path, mode);
  }
}

async function makeOne(path: string, mode?: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    // What is there already may be refused in other words, as by a read-only disk.
    const there = await stat(path).catch(() => undefined);
    if (!there?.isDirectory()) throw error;
  }
}

/** Why other users of this machine may look into a folder, and what to do; undefined when only its owner may. */
export async function exposureOf(path: string): Promise<{ detail: string; remedy: string } | undefined> {
  const { mode } = await stat(path);
  // Windows has no such bits.
  if (process.platform === 'win32' || (mode & 0o077) === 0) return undefined;
  const may = (mode & 0o022) === 0 ? 'look into it' : 'change it';
  return {
    detail: `${path} has mode ${(mode & 0o777).toString(8)}: other users of this machine may ${may}`,
    remedy: `Run chmod 700 ${path}: it holds the ledger and what the questions are about.`,
  };
}
