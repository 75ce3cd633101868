import { readFileSync } from 'node:fs';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { z } from 'zod';
import { BatchgateError } from '../contract/errors';

export const HOST = '127.0.0.1';
/** Where a mailbox says who it is. */
export const IDENTITY_PATH = '/mailbox';
const IDENTITY_TIMEOUT_MS = 2_000;

const identitySchema = z.object({
  service: z.literal('batchgate-mailbox'),
  folder: z.string(),
  pid: z.number().int().positive(),
});
export type MailboxIdentity = z.infer<typeof identitySchema>;

const runtimeSchema = z.object({ url: z.url(), pid: z.number().int().positive() });
/** `mailbox.json`: the process that serves this folder, written before it answers anything. */
export type MailboxRuntime = z.infer<typeof runtimeSchema>;

const runtimeFile = (dataDir: string) => join(dataDir, 'mailbox.json');
const portFile = (dataDir: string) => join(dataDir, 'mailbox.port');

/** Asks a url who it is. Undefined when nobody is there, or somebody else; throws when it stays silent. */
export async function identify(url: string): Promise<MailboxIdentity | undefined> {
  let text: string;
  try {
    const answer = await fetch(`${url}${IDENTITY_PATH}`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(IDENTITY_TIMEOUT_MS),
    });
    text = await answer.text();
  } catch (error) {
    if ((error as Error).name !== 'TimeoutError') return undefined;
    throw new BatchgateError(
      'ADAPTER_UNAVAILABLE',
      `What listens on ${url} does not say whether it is the local mailbox`,
      'Stop the program on that port, or wait until it answers, and start again.',
    );
  }
  try {
    return identitySchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export function readRuntime(dataDir: string): MailboxRuntime | undefined {
  try {
    return runtimeSchema.parse(JSON.parse(readFileSync(runtimeFile(dataDir), 'utf8')));
  } catch {
    return undefined;
  }
}

/** The mailbox of this folder that is running now, if there is one. */
export async function findRunning(dataDir: string): Promise<MailboxRuntime | undefined> {
  const runtime = readRuntime(dataDir);
  if (runtime === undefined) return undefined;
  const identity = await identify(runtime.url);
  return identity?.folder === dataDir && identity.pid === runtime.pid ? runtime : undefined;
}

export async function writeRuntime(dataDir: string, runtime: MailboxRuntime): Promise<void> {
  const draft = `${runtimeFile(dataDir)}.${runtime.pid}`;
  await writeFile(draft, JSON.stringify(runtime));
  await rename(draft, runtimeFile(dataDir));
}

export const removeRuntime = (dataDir: string): Promise<void> => rm(runtimeFile(dataDir), { force: true });

/**
 * Listens on the port of this folder's mailbox. The port is chosen once and kept: it is the lock, which the system
 * frees when its holder dies, and it leaves the url as it was after a restart.
 * @throws BatchgateError `ADAPTER_UNAVAILABLE` when a mailbox of this folder runs already.
 */
export async function listenAsOnly(server: Server, dataDir: string, wanted: number): Promise<number> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const kept = await keptPort(dataDir);
    if (kept === undefined) {
      const port = await listen(server, wanted);
      if (await keepPort(dataDir, port)) return port;
      await new Promise((resolve) => server.close(resolve));
      continue;
    }
    try {
      if (wanted === 0 || wanted === kept) return await listen(server, kept);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
    const url = `http://${HOST}:${kept}`;
    if ((await identify(url))?.folder === dataDir) throw runsAlready(url);
    await rm(portFile(dataDir), { force: true });
  }
  throw new BatchgateError(
    'ADAPTER_UNAVAILABLE',
    'The local mailbox found no port to listen on',
    'Start it again, or choose a free port.',
  );
}

const runsAlready = (url: string) =>
  new BatchgateError(
    'ADAPTER_UNAVAILABLE',
    `The local mailbox of this folder runs already, at ${url}`,
    'Use that one, or stop it first.',
  );

async function keptPort(dataDir: string): Promise<number | undefined> {
  const text = await readFile(portFile(dataDir), 'utf8').catch(() => '');
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

/** False when another process kept its port first. A link, unlike a write, is whole or not there. */
async function keepPort(dataDir: string, port: number): Promise<boolean> {
  const draft = `${portFile(dataDir)}.${process.pid}`;
  await writeFile(draft, String(port));
  try {
    await link(draft, portFile(dataDir));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
