import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join, relative } from 'node:path';
import { BatchgateError } from '../contract/errors';

/** How errors speak of an embedded database, and what whoever reads them can do about it. */
export interface FolderUse {
  /** As in "Another process holds the embedded store". */
  readonly what: string;
  /** Where several processes want it. */
  readonly share: string;
  /** Where its folder cannot be held. */
  readonly move: string;
  /** Where its folder is held and the database in it cannot be opened. */
  readonly mend: string;
}

/**
 * Holds a folder for this process, until `release` or until the process is gone, however it went.
 *
 * The lock is a folder with one listening socket in it. A socket's listener ends with its process, so a refused
 * connection means a dead holder: no file's age and no process id, which another process may have by now. Taking it
 * is one rename of a folder over an empty one, which the system does for one of several starters and refuses while
 * the folder has a socket. Names are never used twice, so removing a dead one cannot hit a living one.
 * @throws BatchgateError `NOT_CONFIGURED` when another process holds it, or when the folder cannot carry a socket.
 */
export async function holdFolder(folder: string, use: FolderUse): Promise<{ release: () => Promise<void> }> {
  const lock = join(folder, 'lock');
  const name = `${process.pid}-${randomBytes(4).toString('hex')}`;
  const starting = await mkdtemp(join(folder, 'new-'));
  const server = createServer((socket) => socket.destroy());
  const release = async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(join(lock, name), { force: true });
    await rm(starting, { recursive: true, force: true });
  };
  try {
    await listen(server, join(starting, name), use);
    while (!(await moveOver(starting, lock))) {
      for (const other of await readdir(lock)) {
        if (await answers(join(lock, other))) throw heldBy(use, other.split('-')[0] ?? '?');
        await rm(join(lock, other), { force: true });
      }
    }
    return { release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** The process that holds the folder. Takes and changes nothing. */
export async function holderOf(folder: string): Promise<number | undefined> {
  const lock = join(folder, 'lock');
  for (const name of await readdir(lock).catch(() => [])) {
    if (await answers(join(lock, name))) return Number(name.split('-')[0]);
  }
  return undefined;
}

function heldBy({ what, share }: FolderUse, pid: string): BatchgateError {
  return new BatchgateError(
    'NOT_CONFIGURED',
    `Another process (pid ${pid}) holds ${what}.`,
    `An embedded database is for one process. Stop the other one, or ${share}`,
    { pid: Number(pid) },
  );
}

/** Socket paths end here on macOS, and a little later on Linux; Node cuts longer ones off without a word. */
const MAX_SOCKET_PATH = 103;

/** The shorter way to say the same path. */
function shortest(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere.length < path.length ? fromHere : path;
}

async function listen(server: Server, file: string, { what, move }: FolderUse): Promise<void> {
  const path = shortest(file);
  try {
    if (Buffer.byteLength(path) > MAX_SOCKET_PATH) throw new Error(`${path} is too long a path for a socket`);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
    server.unref();
  } catch (error) {
    throw new BatchgateError(
      'NOT_CONFIGURED',
      `Cannot hold the folder of ${what} for one process: ${(error as Error).message}`,
      move,
    );
  }
}

async function moveOver(starting: string, lock: string): Promise<boolean> {
  try {
    await rename(starting, lock);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    throw error;
  }
}

/** Anything but a plain "nobody listens" counts as alive: a stopped process has a full queue, and still holds. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(shortest(path), () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    );
  });
}
