import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGmailAdapter } from '../../activities/adapters/gmail';
import type { BatchCall } from '../../src/contract/adapter';
import type { BulkItem } from '../../src/contract/items';
import { ensureMailboxProcess, type MailboxProcess } from '../../src/host/local-google/process';
import { startFaultProxy } from './fault-proxy';

export const TOKEN = 'ya29.secret-of-sam';
/** The proxy that every adapter of this suite calls; it is reset before each test. */
export let proxy: Awaited<ReturnType<typeof startFaultProxy>>;
let mailbox: MailboxProcess;
let dataDir: string;
let free: string[] = [];

/** A mailbox behind a proxy, for the tests of one file. */
export function useMailbox(): void {
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'batchgate-gmail-'));
    mailbox = await ensureMailboxProcess({
      dataDir,
      entry: join(__dirname, '../../dev/google/main.ts'),
      execArgv: ['--import', 'tsx'],
    });
    proxy = await startFaultProxy(mailbox.url);
    free = [...(await idsOf('q=from:builds@')), ...(await idsOf('q=from:statements@'))];
  });
  afterAll(async () => {
    await proxy.close();
    await mailbox.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  beforeEach(() => proxy.reset());
}

export const gmail = (
  accessToken: () => Promise<string> = () => Promise.resolve(TOKEN),
  rootUrl = proxy.url,
) => createGmailAdapter({ rootUrl, accessToken });
export const within = (ms = 30_000, signal: AbortSignal = new AbortController().signal): BatchCall => ({
  operation_id: 'bulk-test',
  run_id: 'run-1',
  signal,
  deadline: Date.now() + ms,
});
export const prepare = (action: string, params: Record<string, unknown>, explicit_items = false) =>
  gmail().prepare({ action, params, explicit_items }, within());
/** Prepares for explicit items. The proxy forgets the requests that this takes. */
export async function prepared(action: string, params: Record<string, unknown> = {}) {
  const context = await prepare(action, params, true);
  proxy.reset();
  return context;
}
export { failure } from '../helpers/failure';

/** Calls the mailbox directly, past the proxy and the adapter. */
export async function ask(path: string) {
  const answer = await fetch(`${mailbox.url}/gmail/v1/users/me/${path}`, {
    headers: { authorization: 'Bearer test' },
  });
  return (await answer.json()) as {
    messages?: { id: string }[];
    labelIds?: string[];
    labels?: { name: string }[];
  };
}
export const idsOf = async (query: string): Promise<string[]> =>
  ((await ask(`messages?maxResults=500&${query}`)).messages ?? []).map(({ id }) => id);
export const labelsOf = async (id: string): Promise<string[]> =>
  (await ask(`messages/${id}?format=minimal`)).labelIds ?? [];

export const item = (id: string): BulkItem => ({ id, display_name: id });
/** Emails that no other test of the file uses. */
export function fresh(count: number): BulkItem[] {
  const items = free.splice(0, count).map(item);
  expect(items).toHaveLength(count);
  return items;
}
