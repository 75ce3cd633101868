import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createGmailAdapter } from '../../activities/adapters/gmail';
import { unlimited } from '../../activities/adapters/shared/allowance';
import {
  httpCalls,
  type HttpRefusals,
  type ConformanceRequest,
  type ConformanceWorld,
  type ProviderCall,
} from '../../src/testing/conformance';
import { startHttpTap, type SeenRequest } from '../../src/testing/http-tap';
import { RUN_TYPESCRIPT } from '../helpers/run-typescript';
import { apiError } from './fault-proxy';

const USER = 'sam@mailbox.example';
const SENDER = 'news@northwind-weekly.example';
const LABEL = { id: 'Label_1', name: 'Newsletters' };
const PUT_ON = { id: 'Label_2', name: 'Receipts' };
const MISSING = '19affffffffffffff';

const email = (at: number, from: string) => ({
  id: `message-${at}`,
  thread_id: `thread-${at}`,
  user_email: USER,
  from,
  to: USER,
  subject: `Issue ${at}`,
  body_text: 'Hello',
  internal_date: String(1_700_000_000_000 + at * 1_000),
  label_ids: ['INBOX', PUT_ON.id, ...(from === SENDER && at % 2 === 0 ? ['UNREAD'] : [])],
});
const ANOTHER = Buffer.from(`From: ${SENDER}\r\nTo: ${USER}\r\nSubject: One more\r\n\r\nHello`).toString(
  'base64url',
);
const SEED = {
  google: {
    users: [{ email: USER, name: 'Sam' }],
    labels: [LABEL, PUT_ON].map((label) => ({ ...label, user_email: USER })),
    messages: Array.from({ length: 72 }, (_, at) => email(at, at < 60 ? SENDER : 'other@example.org')),
  },
};

/** `sender` matches every email of the sender; `mark_read` needs unread emails, and `mark_unread` read ones. */
const QUERY = { sender: SENDER };
const SEARCHES: Record<string, string> = {
  mark_read: `from:${SENDER} is:unread`,
  mark_unread: `from:${SENDER} is:read`,
};
const requests: ConformanceRequest[] = [
  ...Object.entries(SEARCHES).map(([action, query]) => ({ action, params: { query } })),
  { action: 'label', params: { ...QUERY, label_name: LABEL.name } },
  { action: 'unlabel', params: { ...QUERY, label_name: PUT_ON.name } },
  { action: 'archive', params: QUERY },
  { action: 'star', params: QUERY },
  { action: 'trash', params: QUERY },
];

const CHANGES: Record<string, (labels: string[]) => boolean> = {
  mark_read: (labels) => !labels.includes('UNREAD'),
  mark_unread: (labels) => labels.includes('UNREAD'),
  label: (labels) => labels.includes(LABEL.id),
  unlabel: (labels) => !labels.includes(PUT_ON.id),
  archive: (labels) => !labels.includes('INBOX'),
  star: (labels) => labels.includes('STARRED'),
  trash: (labels) => labels.includes('TRASH'),
};

const refusals: HttpRefusals = {
  limited: () => ({ ...apiError(429, 'rateLimitExceeded'), headers: { 'retry-after': '1' } }),
  broken: () => apiError(503, 'backendError'),
  missing: () => apiError(404, 'notFound'),
  refused: ({ authorization }) => apiError(401, 'authError', `Invalid credentials: ${authorization}`),
};

function classify({ method, path }: SeenRequest): ProviderCall | undefined {
  const [, , , , , collection, id] = path.split('/');
  if (collection === 'labels') return { kind: method === 'GET' ? 'lookup' : 'write' };
  if (collection !== 'messages') return undefined;
  if (id !== undefined) return { kind: method === 'GET' ? 'read' : 'write', item_id: id };
  return { kind: 'list' };
}

let emulator: { process: ChildProcess; url: string } | undefined;
let worlds = 0;

/** The emulator's mailbox behind a tap, reset to its seed. */
export async function openGmailWorld(): Promise<ConformanceWorld> {
  emulator ??= await startEmulator();
  const { url } = emulator;
  await putBack(emulator.process);
  const tap = await startHttpTap(url);
  // The emulator limits the requests per token, so each world has its own.
  const token = `ya29.secret-${++worlds}`;
  const ask = async (path: string, method = 'GET', body?: object) => {
    const answer = await fetch(`${url}/gmail/v1/users/me/${path}`, {
      method,
      headers: { authorization: `Bearer truth-${worlds}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (answer.status === 204 ? {} : await answer.json()) as {
      messages?: { id: string }[];
      labelIds?: string[];
    };
  };
  const search = async (query: string) =>
    ((await ask(`messages?maxResults=500&${query}`)).messages ?? []).map(({ id }) => id);
  const labelsOf = async (id: string) => (await ask(`messages/${id}?format=minimal`)).labelIds ?? [];
  const calls = httpCalls(tap, classify, refusals);
  return {
    ...calls,
    adapter: () =>
      createGmailAdapter({
        rootUrl: tap.url,
        accessToken: () => Promise.resolve(token),
        allowance: unlimited,
      }),
    requests,
    making: [{ action: 'label', params: { ...QUERY, label_name: 'Not there yet', create_label: true } }],
    matching: ({ action }) => search(`q=${encodeURIComponent(SEARCHES[action] ?? `from:${SENDER}`)}`),
    isChanged: async (id, { action }) => CHANGES[action]?.(await labelsOf(id)) ?? false,
    async state() {
      const ids = await search('includeSpamTrash=true');
      return Promise.all(ids.map(async (id) => [id, (await labelsOf(id)).sort()]));
    },
    async remove(id) {
      await ask(`messages/${id}`, 'DELETE');
    },
    async add() {
      await ask('messages', 'POST', { raw: ANOTHER, labelIds: ['INBOX', 'UNREAD', PUT_ON.id] });
    },
    missing: { id: MISSING, display_name: 'Gone' },
    names: {
      unknown: [{ action: 'label', params: { ...QUERY, label_name: 'Newslettres' } }],
      resolved: [
        { request: { action: 'label', params: { ...QUERY, label_name: 'newsletters' } }, id: LABEL.id },
      ],
    },
    secrets: [token],
    close: () => tap.close(),
  };
}

export async function stopGmail(): Promise<void> {
  if (!emulator) return;
  const exit = once(emulator.process, 'exit');
  emulator.process.disconnect();
  await exit;
  emulator = undefined;
}

async function startEmulator(): Promise<{ process: ChildProcess; url: string }> {
  const entry = join(__dirname, '../helpers/google-process.ts');
  const child = fork(entry, [JSON.stringify(SEED)], { execArgv: RUN_TYPESCRIPT });
  const [port] = (await once(child, 'message')) as [string];
  return { process: child, url: `http://127.0.0.1:${port}` };
}

async function putBack(child: ChildProcess): Promise<void> {
  const done = once(child, 'message');
  child.send('put back');
  await done;
}
