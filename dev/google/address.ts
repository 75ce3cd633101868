import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { replaceFile } from '../../src/host/files';

export const HOST = '127.0.0.1';

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
