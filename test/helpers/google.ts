import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startFaultProxy, type SeenRequest } from '../adapters/fault-proxy';
import { storedLoginSchema, type StoredLogin } from '../../activities/adapters/google/protocol';
import { GMAIL_SCOPE } from '../../activities/adapters/google/services';
import { RUN_TYPESCRIPT } from './run-typescript';

export const USER = 'sam@mailbox.example';
export const SENDER = 'news@northwind-weekly.example';
export const LABEL = 'Newsletters';

const SEED = {
  google: {
    users: [{ email: USER, name: 'Sam' }],
    labels: [{ id: 'Label_1', name: LABEL, user_email: USER }],
    messages: Array.from({ length: 12 }, (_, at) => ({
      id: `message-${at}`,
      thread_id: `thread-${at}`,
      user_email: USER,
      from: SENDER,
      to: USER,
      subject: `Issue ${at}`,
      body_text: 'Hello',
      internal_date: String(1_700_000_000_000 + at),
      label_ids: ['INBOX'],
    })),
  },
};

/** Google's OAuth and Gmail with 12 emails of one sender, behind a proxy that tests can break. */
export async function startGoogle() {
  const emulator = fork(join(__dirname, 'google-process.ts'), [JSON.stringify(SEED)], {
    execArgv: RUN_TYPESCRIPT,
  });
  const [port] = (await once(emulator, 'message')) as [string];
  const direct = `http://127.0.0.1:${port}`;
  const front = await startFaultProxy(direct);
  return {
    front,
    url: front.url,
    direct,
    /** The proxy's requests to the token endpoint, as forms. */
    tokenRequests: () =>
      front.requests
        .filter(({ path }) => path === '/oauth2/token')
        .map(({ body }: SeenRequest) => new URLSearchParams(body)),
    /** Grants access like a browser: opens the page, sends its form, and follows the redirect. */
    async allow(page: string, changes: Record<string, string> = {}) {
      return fetch(await this.redirectOf(page, changes));
    },
    /** The address of the redirect after access is granted. */
    async redirectOf(page: string, changes: Record<string, string> = {}): Promise<string> {
      const { pathname, search } = new URL(page);
      const html = await (await fetch(`${direct}${pathname}${search}`)).text();
      const form = html.split('<form').find((part) => part.includes(`value="${USER}"`)) ?? '';
      const fields = [...form.matchAll(/name="([^"]*)" value="([^"]*)"/g)].map(
        ([, name, value]) => [name!, changes[name!] ?? value!.replaceAll('&amp;', '&')] as const,
      );
      const answer = await fetch(`${direct}${/action="([^"]*)"/.exec(form)?.[1]}`, {
        method: 'POST',
        body: new URLSearchParams(Object.fromEntries(fields)),
        redirect: 'manual',
      });
      return answer.headers.get('location') ?? '';
    },
    async labelled(): Promise<number> {
      const answer = await fetch(`${direct}/gmail/v1/users/me/messages?labelIds=Label_1`, {
        headers: { authorization: 'Bearer reader' },
      });
      return ((await answer.json()) as { messages?: unknown[] }).messages?.length ?? 0;
    },
    async close() {
      await front.close();
      await stopped(emulator);
    },
  };
}

async function stopped(emulator: ChildProcess): Promise<void> {
  const exit = once(emulator, 'exit');
  emulator.disconnect();
  await exit;
}

export type Google = Awaited<ReturnType<typeof startGoogle>>;

export const loginFile = (dataDir: string): string => join(dataDir, 'credentials', 'google.json');

export const readLogin = async (dataDir: string) =>
  storedLoginSchema.parse(JSON.parse(await readFile(loginFile(dataDir), 'utf8')));

export const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

export const PAST = new Date(0).toISOString();
export const FUTURE = new Date(Date.now() + 3_600_000).toISOString();

/** Stores a login as if a person had logged in, with secrets that tests can search for. */
export async function keepLogin(
  dataDir: string,
  changes: Partial<StoredLogin> = {},
  mode = 0o600,
): Promise<void> {
  const login: StoredLogin = {
    client_id: 'client',
    client_secret: 'kept-secret',
    refresh_token: 'kept-refresh',
    access_token: 'kept-access',
    expires_at: FUTURE,
    scopes: [GMAIL_SCOPE],
    ...changes,
  };
  await mkdir(dirname(loginFile(dataDir)), { recursive: true, mode: 0o700 });
  await writeFile(loginFile(dataDir), JSON.stringify(login));
  await chmod(loginFile(dataDir), mode);
}

/** Secrets that must be in no error and no description. */
export const SECRETS = ['kept-access', 'kept-refresh', 'kept-secret', 'access-by-variable', 'PRIVATE KEY'];

export function expectNoSecret(error: Error): void {
  const text = JSON.stringify(error) + String(error.stack) + String(error.cause);
  for (const secret of SECRETS) expect(text).not.toContain(secret);
}
