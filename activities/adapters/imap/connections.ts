import type * as Flow from 'imapflow';
import type { ImapFlow, MailboxObject, ResponseEvent } from 'imapflow';
import type { CallLimits } from '../../../src/contract/adapter';
import { BatchgateError } from '../../../src/contract/errors';
import { isLoopback } from '../../../src/core/shared/allowed-hosts';
import { unlessAborted } from '../../../src/core/shared/promises';
import { optional } from '../../../src/host/optional';
import { failureOf, malformed, outOfTime, ProviderFailure } from '../shared/failure';
import { withLimits } from '../shared/limits';
import type { ServerAccount } from '../shared/server-account';
import { imapFailure, PROVIDER } from './failure';

/** The time that an unused connection stays open. A login for each page or slice would exceed the server's limits. */
const IDLE_MS = 10_000;

interface Connection {
  readonly client: ImapFlow;
  /** The server's answers during the current work. `failed`: the error of a command that ImapFlow reports as false. */
  readonly answers: ResponseEvent[];
  failed?: Error;
  timer?: NodeJS.Timeout;
}

/** A connection in use by one work, with a folder open. */
export interface Session {
  readonly client: ImapFlow;
  readonly mailbox: MailboxObject;
  readonly answers: readonly ResponseEvent[];
  /** Runs a command that can change something. @throws the server's refusal as an error of ImapFlow. */
  readonly send: <T>(command: () => Promise<T | false | undefined>) => Promise<T>;
  /** Runs a command that only reads. */
  readonly ask: Session['send'];
}

export type Connections = ReturnType<typeof imapConnections>;

/** Creates a pool of at most `limit` connections, each for one work at a time. Each work throws ProviderFailure. */
export function imapConnections(account: () => ServerAccount, limit: number) {
  const idle: Connection[] = [];
  const waiting: (() => void)[] = [];
  let busy = 0;

  const end = ({ client, timer }: Connection) => {
    clearTimeout(timer);
    client.close();
  };
  const keep = (connection: Connection) => {
    idle.push(connection);
    const forget = () => idle.splice(idle.indexOf(connection), 1).forEach(end);
    connection.timer = setTimeout(forget, IDLE_MS).unref();
  };
  const acquire = async (signal: AbortSignal) => {
    while (busy >= limit)
      await unlessAborted(signal, new Promise<void>((resolve) => waiting.push(resolve)), outOfTime);
    busy += 1;
  };
  const release = () => {
    busy -= 1;
    for (const resolve of waiting.splice(0)) resolve();
  };

  return {
    /** Runs a work with the current contents of a folder, or without a folder. */
    use: <T>(limits: CallLimits, folder: string | undefined, work: (session: Session) => Promise<T>) =>
      withLimits(limits.deadline, limits.signal, async ({ signal }) => {
        if (signal.aborted || Date.now() >= limits.deadline) throw outOfTime();
        const login = account();
        await acquire(signal);
        let connection: Connection | undefined;
        let isSent = false;
        try {
          connection = await unlessAborted(
            signal,
            openConnection(login, folder, idle, (created) => (connection = created)),
          );
          const session = sessionOf(connection, () => (isSent = true));
          const result = await unlessAborted(signal, work(session));
          keep(connection);
          return result;
        } catch (error) {
          const failure =
            error instanceof ProviderFailure || error instanceof BatchgateError
              ? failureOf(error)
              : imapFailure(error, {
                  ...{ isSent, answer: connection?.answers.at(-1) },
                  secrets: Object.values(login.secret),
                });
          if (connection && failure.kind === 'refused' && connection.client.usable) keep(connection);
          else if (connection) end(connection);
          throw failure;
        } finally {
          release();
        }
      }),
    close: () => idle.splice(0).forEach(end),
  };
}

function sessionOf(connection: Connection, onSend: () => void): Session {
  const { client, answers } = connection;
  const ask: Session['ask'] = async (command) => {
    connection.failed = undefined;
    answers.length = 0;
    const result = await command();
    if (result === false || result === undefined) throw connection.failed ?? malformed(PROVIDER);
    return result;
  };
  return {
    ...{ client, ask, answers, mailbox: client.mailbox as MailboxObject },
    send: (command) => {
      onSend();
      return ask(command);
    },
  };
}

/**
 * Returns an idle or new connection, with the folder open. `onMade` receives it early, to end it if the time runs out.
 */
async function openConnection(
  account: ServerAccount,
  folder: string | undefined,
  idle: Connection[],
  onMade: (connection: Connection) => void,
): Promise<Connection> {
  const pooled = idle.pop();
  if (pooled) {
    clearTimeout(pooled.timer);
    onMade(pooled);
    // The server may have closed it in the meantime. Then nothing was sent.
    if (await isOpen(pooled, folder)) return pooled;
    pooled.client.close();
  }
  const created = newConnection(account);
  onMade(created);
  await created.client.connect();
  if (folder !== undefined) await created.client.mailboxOpen(folder);
  return created;
}

async function isOpen({ client }: Connection, folder: string | undefined): Promise<boolean> {
  try {
    if (folder === undefined) await client.noop();
    else await client.mailboxOpen(folder);
    return client.usable;
  } catch (error) {
    if (client.usable) throw error;
    return false;
  }
}

function newConnection({ url, user, secret }: ServerAccount): Connection {
  const { ImapFlow: Client } = optional<typeof Flow>('imapflow');
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = protocol === 'imaps:';
  const ignore = () => undefined;
  const note = ({ err }: { err?: Error }) => (connection.failed = err ?? connection.failed);
  const client = new Client({
    ...{ host, secure, doSTARTTLS: secure ? undefined : !isLoopback(hostname) },
    port: port === '' ? (secure ? 993 : 143) : Number(port),
    auth: { user, ...secret },
    // ImapFlow reports the reason of a failed command only to its logger.
    logger: { debug: ignore, info: ignore, warn: note, error: ignore },
    ...{ disableAutoIdle: true, disableCompression: true },
  });
  const connection: Connection = { client, answers: [] };
  client.on('error', ignore).on('response', (answer) => connection.answers.push(answer));
  return connection;
}
