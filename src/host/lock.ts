import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rename, rm, rmdir, stat, symlink, readFile } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve as absolute } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { BatchgateError } from '../contract/errors';
import { whenMissing, replaceFile } from './files';

/**
 * A lock is a folder that contains one listening socket. The listener ends with its process, whatever the cause, so a
 * refused connection means that the holder is dead. The age of a file or a process id cannot prove that: containers
 * reuse process ids. A process takes the lock by renaming a folder over an empty one. The system lets one process
 * succeed, and refuses the rename while the folder contains a socket. Names are never reused, so removing a dead socket
 * cannot remove a living one.
 */
export interface Held {
  /** Unique. A record with this token is valid while the lock is held. */
  readonly token: string;
  /** A handle for the `stdio` of a child. The child then holds the lock too, until both have ended. */
  readonly fd: number;
  /** Transfers the lock to the child that inherited it. */
  handOver(): Promise<void>;
  release(): Promise<void>;
}

/** A living process that holds a lock. */
export interface Holder {
  readonly token: string;
  /** The process that took the lock; a child may have inherited it. */
  readonly pid: number;
  /** Resolves when the process no longer holds the lock. */
  readonly released: Promise<void>;
  /** Stops watching. */
  leave(): void;
}

/** No action under `withLock` takes this long. */
const STUCK_MS = 300_000;
const LOOK_AGAIN_MS = 1_000;
/** The limit of socket paths on macOS; Linux allows a little more. Node truncates longer ones silently. */
const MAX_SOCKET_PATH = 103;

/**
 * Takes the lock at this path, in an existing folder; undefined when a living process holds it.
 * @throws Error of the file system, for example if it does not support sockets.
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
    // Another process may have taken it by now.
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
    await removeLeftovers(lock);
    return { token, fd: fdOf(server), handOver, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** A starter creates the socket in its folder within this time. */
const STARTING_MS = 60_000;

/** Removes the folders of starters that were killed before they had the lock. */
async function removeLeftovers(lock: string): Promise<void> {
  const around = dirname(lock);
  const prefix = `${basename(lock)}.new-`;
  for (const name of (await readdir(around)).filter((entry) => entry.startsWith(prefix))) {
    const folder = join(around, name);
    const { mtimeMs } = (await stat(folder).catch(whenMissing)) ?? { mtimeMs: Infinity };
    if (Date.now() - mtimeMs < STARTING_MS || (await isHeld(folder))) continue;
    await rm(folder, { recursive: true, force: true });
  }
}

/** The living holder of a lock. Changes nothing; adds the sockets of dead holders to `dead`. */
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
 * Runs `action` under the lock, one process of this machine at a time.
 * @throws `stuck` when another process holds the lock and does not finish.
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

/** Whether a holder releases its lock within this time, in milliseconds. */
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
  let hasLeft = false;
  let connection = first;
  const leave = () => {
    hasLeft = true;
    if (connection !== 'unreachable') connection.destroy();
  };
  const watch = async () => {
    for (let now: Socket | 'unreachable' | undefined = first; now !== undefined && !hasLeft;) {
      connection = now;
      if (now === 'unreachable') await pause(LOOK_AGAIN_MS, undefined, { ref: false });
      else await closed(now);
      if (!hasLeft) now = await reach(path);
    }
    // After `leave` the promise never resolves.
    if (hasLeft) await new Promise(() => undefined);
  };
  const pid = Number(token.split('-')[0]);
  return { token, pid, released: watch(), leave };
}

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => (socket.destroyed ? resolve() : socket.once('close', () => resolve())));

/**
 * Connects to a lock's socket; undefined when its process is gone. Any error except "connection refused" or a missing
 * socket counts as alive: a stopped process has a full queue and still holds the lock.
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

/** The descriptor of a server. Node has no public property for it, and accepts only numbers for inherited files. */
function fdOf(server: Server): number {
  return (server as unknown as { _handle: { fd: number } })._handle.fd;
}

/** The path of the same file in a form that fits a socket address: relative, or through a link. */
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

/** Ends the process that holds a lock, by force if necessary, and waits until it has ended. */
export async function terminate(pid: number, holder: Pick<Holder, 'released'>): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    // Process ids are reused; this one is the holder's only while the lock is held.
    if (await releasesWithin(holder, 0)) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    if (await releasesWithin(holder, TERMINATE_MS)) return;
  }
}

/** A file in which the holder of a lock publishes its address. It is valid while that holder lives. */
export interface LivingRecord<T> {
  readonly lock: string;
  write(held: Pick<Held, 'token'>, content: T): Promise<void>;
  /** The record of the living holder; undefined if there is no holder, or no record yet. */
  read(): Promise<T | undefined>;
  /** Reads the record with its holder, to watch it. Call `leave` afterwards. */
  find(): Promise<{ content: T; holder: Holder } | undefined>;
}

export function livingRecord<T>(file: string, lock: string, schema: z.ZodType<T>): LivingRecord<T> {
  const holding = z.object({ lock: z.string() });
  const find = async () => {
    // A folder that cannot be read contains no record.
    const holder = await findHolder(lock).catch(() => undefined);
    if (holder === undefined) return undefined;
    try {
      const value: unknown = JSON.parse(await readFile(file, 'utf8'));
      if (holding.parse(value).lock === holder.token) return { content: schema.parse(value), holder };
    } catch {
      // Not written yet, or written by an older holder in another format.
    }
    holder.leave();
    return undefined;
  };
  return {
    lock,
    find,
    write: ({ token }, content) =>
      replaceFile(file, `${JSON.stringify({ ...content, lock: token }, null, 2)}\n`),
    async read() {
      const record = await find();
      record?.holder.leave();
      return record?.content;
    },
  };
}
