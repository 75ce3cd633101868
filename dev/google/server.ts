import { readFile, realpath } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeFolder, replaceFile } from '../../src/host/files';
import { isOwnRequest } from '../../src/host/loopback';
import { tryHold } from '../../src/host/lock';
import { BatchgateError } from '../../src/contract/errors';
import { mailboxRecord } from '../../src/host/local-google/record';
import { CALENDAR_PATH, openCalendar, type CalendarStore } from './calendar';
import { openMailbox, type MailboxStore } from './store';

const HOST = '127.0.0.1';

interface RunningMailbox {
  readonly url: string;
  /** The token of the lock on its folder. */
  readonly token: string;
  close(): Promise<void>;
}

interface Stores {
  readonly emails: MailboxStore;
  readonly calendar: CalendarStore;
}

/**
 * Serves a Gmail API with a sample mailbox, and a Calendar API with sample calendars, on the loopback interface only.
 * Changes are stored in `dataDir` before they are answered, and survive restarts and crashes, with the same ids and,
 * without `port`, the same url.
 * @throws BatchgateError `ADAPTER_UNAVAILABLE` when a mailbox of this folder is already running.
 */
export async function startMailbox(options: { dataDir: string; port?: number }): Promise<RunningMailbox> {
  await makeFolder(options.dataDir, 0o700);
  const dataDir = await realpath(options.dataDir);
  const record = mailboxRecord(dataDir);
  // Open the logs only under the lock: a log has one writer.
  const held = await tryHold(record.lock);
  if (held === undefined) throw await runsAlready(dataDir);
  const undo: (() => Promise<unknown>)[] = [() => held.release()];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const opened = deferred<Stores>();
    const server = createServer((request, response) => void answer(request, response, opened.promise));
    const port = await listenAsBefore(server, dataDir, options.port ?? 0);
    undo.push(() => stopListening(server));
    const url = `http://${HOST}:${port}`;
    await record.write(held, { url, pid: process.pid });
    const calendar = await openCalendar(join(dataDir, 'calendar.jsonl'));
    undo.push(() => calendar.close());
    const emails = await openMailbox(join(dataDir, 'mailbox.jsonl'));
    undo.push(() => emails.close());
    opened.resolve({ emails, calendar });
    return { url, token: held.token, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function runsAlready(dataDir: string): Promise<BatchgateError> {
  const running = await mailboxRecord(dataDir).read();
  return new BatchgateError(
    'ADAPTER_UNAVAILABLE',
    `The local mailbox of this folder is already running${running ? `, at ${running.url}` : ''}`,
    'Use that one, or stop it first.',
  );
}

const portFile = (dataDir: string) => join(dataDir, 'mailbox.port');

/** Listens on the last port of this folder's mailbox, so that its url stays, or on another one if it is taken. */
async function listenAsBefore(server: Server, dataDir: string, requested: number): Promise<number> {
  const preferred = requested === 0 ? await keptPort(dataDir) : requested;
  const port = await listen(server, preferred).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE' || preferred === requested) throw error;
    return listen(server, 0);
  });
  await replaceFile(portFile(dataDir), String(port));
  return port;
}

/** The last port of this folder's mailbox; 0 if there is none. */
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

const stopListening = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  opened: Promise<Stores>,
): Promise<void> {
  // Otherwise a page of another site could read and change the sample mails.
  if (!isOwnRequest(request.headers)) {
    const error = { code: 403, message: 'Not a request of this machine', status: 'PERMISSION_DENIED' };
    return send(response, 403, 'application/json', JSON.stringify({ error }));
  }
  try {
    const { emails, calendar } = await opened;
    const path = request.url ?? '/';
    const store = path.startsWith(CALENDAR_PATH) ? calendar : emails;
    const { status, type, body } = await store.handle({
      method: request.method ?? 'GET',
      path,
      ifMatch: request.headers['if-match'],
      authorized: /^Bearer \S+$/.test(request.headers.authorization ?? ''),
      body: await text(request),
    });
    send(response, status, type, body);
  } catch {
    const error = { code: 500, message: 'The local mailbox could not handle this', status: 'INTERNAL' };
    send(response, 500, 'application/json', JSON.stringify({ error }));
  }
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, type === '' ? {} : { 'content-type': type }).end(body);
}

function deferred<T = void>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
