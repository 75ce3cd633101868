import { constants } from 'node:fs';
import { open, rename, rm, type FileHandle } from 'node:fs/promises';

/**
 * Replaces a file atomically: a reader finds the old or the new content, also after a crash. Only one process may replace
 * a file at a time, for example under `withLock`; an unfinished draft is removed. By default no other user may read it.
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

/** For `catch`: undefined if there is no such file or folder. */
export function whenMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}

/**
 * Opens a file for reading. It does not wait for devices and named pipes, which may never end or begin.
 * @throws Error when the path is not a regular file.
 */
export async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new NotAFile();
}

export class NotAFile extends Error {
  constructor() {
    super('it is not a file');
  }
}

/** The text of a file; undefined if it is larger than `maxBytes`. @throws like `openFile`. */
export async function readBounded(path: string, maxBytes: number): Promise<string | undefined> {
  const file = await openFile(path);
  try {
    // The file may grow meanwhile.
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0);
    return bytesRead > maxBytes ? undefined : buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
