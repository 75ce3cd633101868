import { realpath } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeFolder } from '../folder';
import { HOST, IDENTITY_PATH, listenAsOnly, removeRuntime, writeRuntime } from './address';
import type { MailboxIdentity } from './address';
import { CALENDAR_PATH, openCalendar } from './calendar';
import type { CalendarStore } from './calendar';
import { openMailbox } from './store';
import type { MailboxStore } from './store';

interface RunningMailbox {
  readonly url: string;
  close(): Promise<void>;
}

interface Stores {
  readonly emails: MailboxStore;
  readonly calendar: CalendarStore;
}

/**
 * Serves a Gmail API over a seeded mailbox, and a Calendar API over seeded calendars, on the loopback interface only. What was changed is in `dataDir` before
 * it is answered, and is there again after a restart or a crash, under the same ids and, without `port`, the same url.
 * @throws BatchgateError `ADAPTER_UNAVAILABLE` when a mailbox of this folder runs already.
 */
export async function startMailbox(options: { dataDir: string; port?: number }): Promise<RunningMailbox> {
  await makeFolder(options.dataDir);
  const dataDir = await realpath(options.dataDir);
  const announced = deferred();
  const opened = deferred<Stores>();
  const identity: MailboxIdentity = { service: 'batchgate-mailbox', folder: dataDir, pid: process.pid };
  const server = createServer((request, response) => {
    void (request.url === IDENTITY_PATH
      ? announced.promise.then(() => send(response, 200, 'application/json', JSON.stringify(identity)))
      : answer(request, response, opened.promise));
  });
  // Nothing is opened before the port is ours: the log has one writer.
  const port = await listenAsOnly(server, dataDir, options.port ?? 0);
  const url = `http://${HOST}:${port}`;
  const stopListening = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  try {
    // Written before anything is answered, so that whoever meets this mailbox can look it up.
    await writeRuntime(dataDir, { url, pid: process.pid });
    announced.resolve();
    const calendar = await openCalendar(join(dataDir, 'calendar.jsonl'));
    const emails = await openMailbox(join(dataDir, 'mailbox.jsonl')).catch(async (error: unknown) => {
      await calendar.close();
      throw error;
    });
    opened.resolve({ emails, calendar });
    return {
      url,
      async close() {
        await removeRuntime(dataDir);
        await Promise.all([emails.close(), calendar.close()]);
        await stopListening();
      },
    };
  } catch (error) {
    await removeRuntime(dataDir);
    await stopListening();
    throw error;
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  opened: Promise<Stores>,
): Promise<void> {
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
