import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rename, rm, rmdir, symlink } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve as absolute } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BatchgateError } from './contract/errors';
import { whenMissing } from './files';

/**
 * A lock is a folder with one listening socket in it. A listener ends with its process, however that ends, so a
 * refused connection means a dead holder. Neither a file's age nor a process id could say that: containers give the
 * same id again, also one's own. Taking the lock is one rename of a folder over an empty one, which the system does for
 * one of several starters and refuses while the folder has a socket. Names are never used twice, so removing a dead
 * one cannot hit a living one.
 */
export interface Held {
  /** Never given again. A record that names it is true for as long as the lock is held. */
  readonly token: string;
  /** For the `stdio` of a child: the lock is then the child's too, until both are gone. */
  readonly fd: number;
  /** Leaves the lock to the child that inherited it. */
  handOver(): Promise<void>;
  release(): Promise<void>;
}

/** A living process that holds a lock. */
export interface Holder {
  readonly token: string;
  /** The process that took the lock; another one may have inherited it. */
  readonly pid: number;
  /** Resolves when it holds the lock no more. */
  readonly released: Promise<void>;
  /** Stops watching. */
  leave(): void;
}

/** Nothing that is done under `withLock` takes this long. */
const STUCK_MS = 300_000;
const LOOK_AGAIN_MS = 1_000;
/** Socket paths end here on macOS, and a little later on Linux; Node cuts longer ones off without a word. */
const MAX_SOCKET_PATH = 103;

/**
 * Takes the lock at this path, in a folder that exists; undefined when a living process holds it.
 * @throws Error of the file system, also where it carries no sockets.
 */
export async function tryHold(lock: string): Promise<Held | undefined> {
  const token = `${process.pid}-${randomBytes(6).toString('hex')}`;
  const starting = await mkdtemp(`${lock}.new-`);
  const watchers = new Set<Socket>();
  const server = createServer((socket) => {
    watchers.add(socket.unref());
    socket.on('error', () => undefined).once('close', () => watchers.delete(socket));
  });
  const handOver = async () => {
    watchers.forEach((socket) => socket.destroy());
    await new Promise((resolve) => server.close(resolve));
  };
  const release = async () => {
    await handOver();
    await rm(join(lock, token), { force: true });
    await rm(starting, { recursive: true, force: true });
    // Another one may have it by now.
    await rmdir(lock).catch(() => undefined);
  };
  try {
    await withShortPath(join(starting, token), (path) => listen(server, path));
    while (!(await moveOver(starting, lock))) {
      const dead: string[] = [];
      const holder = await findHolder(lock, dead);
      for (const socket of dead) await rm(socket, { force: true });
      if (holder === undefined) continue;
      holder.leave();
      await release();
      return undefined;
    }
    return { token, fd: fdOf(server), handOver, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** The living holder of a lock. Changes nothing; adds what dead ones left to `dead`. */
export async function findHolder(lock: string, dead: string[] = []): Promise<Holder | undefined> {
  for (const token of (await readdir(lock).catch(whenMissing)) ?? []) {
    const socket = join(lock, token);
    const connection = await reach(socket);
    if (connection !== undefined) return holderOf(token, socket, connection);
    dead.push(socket);
  }
  return undefined;
}

export async function isHeld(lock: string): Promise<boolean> {
  const holder = await findHolder(lock);
  holder?.leave();
  return holder !== undefined;
}

/**
 * Runs `action` while no other process of this machine does so under the same lock.
 * @throws `stuck` when another process holds it and does not finish.
 */
export async function withLock<T>(lock: string, stuck: BatchgateError, action: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + STUCK_MS;
  for (;;) {
    const held = await tryHold(lock);
    if (held !== undefined) return action().finally(() => held.release());
    if (Date.now() >= deadline) throw stuck;
    const holder = await findHolder(lock);
    if (holder === undefined) continue;
    await releasesWithin(holder, Math.max(0, deadline - Date.now()));
    holder.leave();
  }
}

/** Whether a holder gave its lock back within so many milliseconds. */
async function releasesWithin({ released }: Pick<Holder, 'released'>, ms: number): Promise<boolean> {
  const stop = new AbortController();
  const late = pause(ms, false, { signal: stop.signal }).catch(() => false);
  try {
    return await Promise.race([released.then(() => true), late]);
  } finally {
    stop.abort();
  }
}

function holderOf(token: string, path: string, first: Socket | 'unreachable'): Holder {
  let left = false;
  let connection = first;
  const leave = () => {
    left = true;
    if (connection !== 'unreachable') connection.destroy();
  };
  const watch = async () => {
    for (let now: Socket | 'unreachable' | undefined = first; now !== undefined && !left;) {
      connection = now;
      if (now === 'unreachable') await pause(LOOK_AGAIN_MS, undefined, { ref: false });
      else await closed(now);
      if (!left) now = await reach(path);
    }
    // Who no longer watches is not told.
    if (left) await new Promise(() => undefined);
  };
  const pid = Number(token.split('-')[0]);
  return { token, pid, released: watch(), leave };
}

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => (socket.destroyed ? resolve() : socket.once('close', () => resolve())));

/**
 * Connects to a lock's socket; undefined when its process is gone. Anything but a plain "nobody listens" counts as
 * alive: a stopped process has a full queue, and still holds.
 */
async function reach(file: string): Promise<Socket | 'unreachable' | undefined> {
  return withShortPath(file, (path) => {
    const socket = connect(path);
    return new Promise((resolve) => {
      socket.once('connect', () => resolve(socket.resume().unref()));
      socket.on('error', ({ code }: NodeJS.ErrnoException) =>
        resolve(code === 'ECONNREFUSED' || code === 'ENOENT' ? undefined : 'unreachable'),
      );
    });
  });
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve(void server.unref()));
  });
}

/** Node names it nowhere else, and takes numbers only for what a child inherits. */
function fdOf(server: Server): number {
  return (server as unknown as { _handle: { fd: number } })._handle.fd;
}

/** The same file by a path that fits a socket's address: as seen from here, or else through a link. */
async function withShortPath<T>(file: string, use: (path: string) => Promise<T>): Promise<T> {
  const fromHere = relative(process.cwd(), file);
  const path = fromHere.length < file.length ? fromHere : file;
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH) return use(path);
  const folder = await mkdtemp(join(tmpdir(), 'lock-'));
  try {
    const link = join(folder, 'l');
    await symlink(dirname(absolute(file)), link);
    return await use(join(link, basename(file)));
  } finally {
    await rm(folder, { recursive: true, force: true });
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

const TERMINATE_MS = 10_000;

/** Ends the process that holds a lock, by force when it does not end by itself, and waits until it is gone. */
export async function terminate(pid: number, holder: Pick<Holder, 'released'>): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    // A process id is used again; only while the lock is held is it the holder's.
    if (await releasesWithin(holder, 0)) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    if (await releasesWithin(holder, TERMINATE_MS)) return;
  }
}
