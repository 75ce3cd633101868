import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { BatchgateError } from '../contract/errors';
import type { BulkOperationInput } from '../contract/operation';
import type { Config } from '../host/config';
import { packageFolder } from '../host/version';
import { NEWSLETTER_SENDER } from '../host/local-google/record';
import { note } from './output';

/** A server with sample data, which the demo starts for itself. */
interface DemoServer {
  /** Its program in the examples, which exits with 2 if the server is not installed. */
  readonly program: string;
  readonly missing: readonly [message: string, hint: string];
  readonly configured: (port: number) => Partial<Config>;
  readonly input: (label: string, sender?: string) => Pick<BulkOperationInput, 'action' | 'params'>;
}

const USER = 'sam@mail.example';
const PASSWORD = 'example';
const INSTALL = 'then run this again. Without `--domain`, the demo has a mailbox of its own.';

const SERVERS: Readonly<Record<string, DemoServer>> = {
  imap: {
    program: 'examples/imap/mail-server.mjs',
    missing: [
      'The demo of imap needs the mail server Dovecot, which is not installed.',
      `Install it (on Debian: apt install dovecot-imapd), ${INSTALL}`,
    ],
    configured: (port) => ({
      ...{ imapUrl: `imap://127.0.0.1:${port}`, imapUser: USER },
      ...{ imapPassword: PASSWORD, imapAccessToken: undefined },
    }),
    input: (label_name, sender = NEWSLETTER_SENDER) => ({ action: 'label', params: { sender, label_name } }),
  },
  caldav: {
    program: 'examples/caldav/calendar-server.mjs',
    missing: [
      'The demo of caldav needs the calendar server Radicale, which is not installed.',
      `Install it (pip install radicale==3.9.0), ${INSTALL}`,
    ],
    configured: (port) => ({
      ...{ caldavUrl: `http://127.0.0.1:${port}`, caldavUser: USER },
      ...{ caldavPassword: PASSWORD, caldavAccessToken: undefined },
    }),
    input: () => ({
      action: 'shift',
      params: {
        ...{ calendar: 'Team', text: 'Review', single_events: false },
        ...{ shift_minutes: 30, send_updates: 'none' },
      },
    }),
  },
};

/** @throws BatchgateError `INVALID_INPUT` for a tool without such a server. */
export function demoServer(domain: string): DemoServer {
  const server = Object.hasOwn(SERVERS, domain) ? SERVERS[domain] : undefined;
  if (server) return server;
  throw new BatchgateError(
    'INVALID_INPUT',
    `There is no demo of ${domain}.`,
    `Use --domain with ${['gmail', ...Object.keys(SERVERS)].join(', ')}.`,
  );
}

/** The demo's own folder. Its server and its operations begin anew with each start. */
export const demoFolder = (config: Config, domain: string): Config => ({
  ...config,
  dataDir: join(config.dataDir, `demo-${domain}`),
});

/**
 * Runs `start` beside this server, which stops after it.
 * @throws BatchgateError `NOT_CONFIGURED` if the server is not installed or does not start.
 */
export async function startBeside<T extends { stop(): Promise<void> }>(
  server: DemoServer,
  config: Config,
  start: (config: Config) => Promise<T>,
): Promise<T> {
  const beside = await startServer(server, config);
  note('Started a server of its own for this demo; what is in it is gone when the demo ends.');
  try {
    const stack = await start(beside.config);
    return { ...stack, stop: () => stack.stop().finally(() => beside.stop()) };
  } catch (error) {
    await beside.stop();
    throw error;
  }
}

async function startServer(
  { program, missing, configured }: DemoServer,
  config: Config,
): Promise<{ config: Config; stop(): Promise<void> }> {
  const port = await freePort();
  const server = fork(join(packageFolder() ?? '', program), [String(port)], {
    ...{ execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] as const },
    env: { ...config.env, IMAP_PASSWORD: PASSWORD, CALDAV_PASSWORD: PASSWORD, CALDAV_USERS: USER },
    // Ctrl-C reaches only the demo, which ends its server last.
    detached: true,
  });
  const ended = once(server, 'exit') as Promise<[number | null]>;
  const failed = ended.then(([code]) => {
    const [message, hint] =
      code === 2 ? missing : [`${program} ended before it was ready.`, `Run \`node ${program}\` to see why.`];
    throw new BatchgateError('NOT_CONFIGURED', message, hint);
  });
  failed.catch(() => undefined);
  await Promise.race([once(server, 'message'), failed]);
  await rm(config.dataDir, { recursive: true, force: true });
  return {
    config: { ...config, ...configured(port) },
    async stop() {
      if (server.connected) server.disconnect();
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
