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
