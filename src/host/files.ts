import { constants } from 'node:fs';
import { open, rename, rm, type FileHandle, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Replaces a file atomically: a reader sees the old or the new content, also after a crash. Only one process may
 * replace a file at a time, for example under `withLock`; an unfinished draft is removed. By default no other user may
 * read it.
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

/** The content of a file; undefined if it is larger than `maxBytes`. @throws like `openFile`. */
export async function readBytes(path: string, maxBytes: number): Promise<Buffer | undefined> {
  const file = await openFile(path);
  try {
    return (await file.stat()).size > maxBytes ? undefined : await file.readFile();
  } finally {
    await file.close();
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

/**
 * Creates a folder and its parents if they are missing. Node's own recursive mkdir never ends in an existing folder in
 * which nothing can be created, such as /proc.
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
    // For an existing folder the system may report another error, for example on a read-only disk.
    const stats = await stat(path).catch(() => undefined);
    if (!stats?.isDirectory()) throw error;
  }
}

/** The access of other users of this machine to a folder, and the remedy; undefined if only its owner has access. */
export async function exposureOf(path: string): Promise<{ detail: string; remedy: string } | undefined> {
  const { mode } = await stat(path);
  // Windows has no such bits.
  if (process.platform === 'win32' || (mode & 0o077) === 0) return undefined;
  const may = (mode & 0o022) === 0 ? 'look into it' : 'change it';
  return {
    detail: `${path} has mode ${(mode & 0o777).toString(8)}: other users of this machine may ${may}`,
    remedy: `Run chmod 700 ${path}: it contains the ledger and the content of the questions.`,
  };
}
