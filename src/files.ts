import { open, rename, rm } from 'node:fs/promises';

/**
 * Replaces a file whole: a reader, also after a crash, finds the old content or the new one. Only one process may do
 * so with a file at a time, as under `withLock`; what another one left unfinished is removed. By default no other user
 * may read it.
 */
export async function replaceFile(path: string, content: string, mode = 0o600): Promise<void> {
  const draft = `${path}.draft`;
  await rm(draft, { force: true });
  try {
    const file = await open(draft, 'wx', mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** For `catch`: undefined where there is no such file or folder. */
export function whenMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}
