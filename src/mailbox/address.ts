import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../files';
import { livingRecord, type LivingRecord } from '../living-record';

export const HOST = '127.0.0.1';

const runtimeSchema = z.object({ url: z.url(), pid: z.number().int().positive() });
/** The process that serves a folder, and its address. */
export type MailboxRuntime = z.infer<typeof runtimeSchema>;

/** `mailbox.json` of the mailbox that holds this folder; written before its first answer. */
export const mailboxRecord = (dataDir: string): LivingRecord<MailboxRuntime> =>
  livingRecord(join(dataDir, 'mailbox.json'), join(dataDir, 'mailbox.lock'), runtimeSchema);

const portFile = (dataDir: string) => join(dataDir, 'mailbox.port');

/** Listens on the last port of this folder's mailbox, so that its url stays, or on another one if it is taken. */
export async function listenAsBefore(server: Server, dataDir: string, wanted: number): Promise<number> {
  const kept = wanted === 0 ? await keptPort(dataDir) : wanted;
  const port = await listen(server, kept).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE' || kept === wanted) throw error;
    return listen(server, 0);
  });
  await replaceFile(portFile(dataDir), String(port));
  return port;
}

/** 0 if there is none. */
async function keptPort(dataDir: string): Promise<number> {
  const port = Number(await readFile(portFile(dataDir), 'utf8').catch(() => ''));
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
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
