import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGmailAdapter } from '../../activities/adapters/gmail';
import type { BatchCall, CallLimits } from '../../src/contract/adapter';
import type { BulkItem, BulkResult, PreparedBulkContext } from '../../src/contract/items';
import { itemToRestore } from '../../src/core/bulk/undo';
import { ensureMailboxProcess, type MailboxProcess } from '../../src/host/local-google/process';
import { RUN_TYPESCRIPT } from '../helpers/run-typescript';
import { startFaultProxy, type Rule } from './fault-proxy';

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
      execArgv: RUN_TYPESCRIPT,
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
/** The limits of a call that plans. */
export const reading = (): CallLimits => {
  const { signal, deadline } = within();
  return { signal, deadline };
};
export const prepare = (action: string, params: Record<string, unknown>, explicit_items = false) =>
  gmail().prepare({ action, params, explicit_items }, within());
/** Prepares for explicit items. The proxy forgets the requests that this takes. */
export async function prepared(action: string, params: Record<string, unknown> = {}) {
  const context = await prepare(action, params, true);
  proxy.reset();
  return context;
}
/** Plans a change of these emails. The proxy forgets the requests that this takes. */
export async function planned(
  action: string,
  params: Record<string, unknown>,
  named: readonly BulkItem[],
): Promise<Planned> {
  const context = await prepare(action, params, true);
  const items = await gmail().freezeItems!(named, context, reading());
  proxy.reset();
  return { context, items };
}
interface Planned {
  context: PreparedBulkContext;
  items: BulkItem[];
}
export const execute = ({ items, context }: Planned, limits = within()): Promise<BulkResult[]> =>
  gmail().executeBatch(items, context, limits);
/** Plans the undo of a change. */
export async function undoing({ items, context }: Planned): Promise<Planned> {
  const back: PreparedBulkContext = { ...context, undo: true };
  const frozen = await gmail().freezeItems!(items.map(itemToRestore), back, reading());
  proxy.reset();
  return { context: back, items: frozen };
}
export const succeeded = (items: readonly BulkItem[]): BulkResult[] =>
  items.map(({ id }) => ({ item_id: id, success: true }));
export const isWrite = (path: string): boolean => path.endsWith('/modify');
/** Every write gets this answer; every other request is forwarded. */
export const onWrite =
  (answer: ReturnType<Rule>): Rule =>
  (request, forward) =>
    isWrite(request.path) ? answer : forward();
export { failure } from '../helpers/failure';

/** Calls the mailbox directly, past the proxy and the adapter. */
export async function ask(path: string, method = 'GET', body?: object) {
  const answer = await fetch(`${mailbox.url}/gmail/v1/users/me/${path}`, {
    method,
    headers: { authorization: 'Bearer test', 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (answer.status === 204 ? {} : await answer.json()) as {
    messages?: { id: string }[];
    labelIds?: string[];
    labels?: { id: string; name: string }[];
    id?: string;
    threadId?: string;
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
