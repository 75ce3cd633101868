import { createImapAdapter } from '../../activities/adapters/imap';
import type { BatchCall, CallLimits } from '../../src/contract/adapter';
import type { BulkItem } from '../../src/contract/items';
import { itemToRestore } from '../../src/core/bulk/undo';
import { PASSWORD, startDovecot, type Dovecot, type SeededEmail } from '../helpers/dovecot';
import { startImapTap, type ImapTap } from './imap-tap';
import { newUser, sharedDovecot, stopDovecot, truthOf, type Truth } from './imap-world';

/** Of a call that plans. */
export const limits = (): CallLimits => ({
  deadline: Date.now() + 60_000,
  signal: new AbortController().signal,
});
export const call = (): BatchCall => ({ ...limits(), operation_id: 'bulk-1', run_id: 'run-1' });

interface Mailbox {
  readonly truth: Truth;
  readonly tap: ImapTap;
  readonly adapter: ReturnType<typeof createImapAdapter>;
  readonly plan: (action: string, params: object, named?: BulkItem[]) => ReturnType<typeof planned>;
}

export const closing: (() => Promise<void>)[] = [];
let plain: Dovecot | undefined;
let bare: Dovecot | undefined;

/** A server with little of what newer ones have, its own delimiter, and rights. */
export const plainServer = async () =>
  (plain ??= await startDovecot(`imap_capability = IMAP4rev1 UIDPLUS SPECIAL-USE
mail_plugins = acl
mail_max_userip_connections = 3
namespace inbox {
  separator = .
}
plugin {
  acl = vfile
}`));

/** A server with nothing of what newer ones have, and folders that hold no emails. */
export const bareServer = async () =>
  (bare ??= await startDovecot('imap_capability = IMAP4rev1\nmail_location = maildir:~:LAYOUT=fs'));

/** For `afterEach`. */
export async function closeMailboxes(): Promise<void> {
  for (const close of closing.splice(0)) await close();
}
/** For `afterAll`. */
export async function stopServers(): Promise<void> {
  await stopDovecot();
  await plain?.stop();
  await bare?.stop();
}

export async function mailbox(
  emails: readonly SeededEmail[],
  {
    server,
    folders = {},
    acl = {},
    pass = PASSWORD,
  }: {
    server?: Dovecot;
    folders?: Record<string, SeededEmail[]>;
    acl?: Record<string, string>;
    pass?: string;
  } = {},
): Promise<Mailbox> {
  const dovecot = server ?? (await sharedDovecot());
  const user = newUser();
  await dovecot.seed(user, 'INBOX', emails);
  for (const [folder, those] of Object.entries(folders)) await dovecot.seed(user, folder, those, acl[folder]);
  const truth = await truthOf(dovecot.port, user);
  const tap = await startImapTap(dovecot.port, PASSWORD);
  const account = { url: `imap://127.0.0.1:${tap.port}`, user, secret: { pass } };
  const adapter = createImapAdapter({ account: () => account });
  closing.push(async () => {
    adapter.close();
    truth.client.close();
    await tap.close();
  });
  return { truth, tap, adapter, plan: (...asked) => planned(adapter, ...asked) };
}

async function planned(adapter: Mailbox['adapter'], action: string, params: object, named?: BulkItem[]) {
  const request = { action, params: { ...params }, explicit_items: named !== undefined };
  const context = await adapter.prepare(request, limits());
  const items = named
    ? await adapter.freezeItems!(named, context, limits())
    : await adapter.getNextBatch(context, 500, 0, limits());
  const undoing = { ...context, undo: true as const };
  return {
    ...{ context, items },
    previews: items.map((item) => adapter.previewItem!(item, context)),
    run: (some = items) => adapter.executeBatch(some, context, call()),
    /** Undoes it, knowing what `results` kept. */
    undo: async (results: { kept?: Record<string, unknown> }[] = []) => {
      const restored = items.map((item, at) => itemToRestore({ ...item, kept: results[at]?.kept }));
      return adapter.executeBatch(await adapter.freezeItems!(restored, undoing, limits()), undoing, call());
    },
  };
}

export const emails = (count: number, more: Partial<SeededEmail> = {}): SeededEmail[] =>
  Array.from({ length: count }, (_, at) => ({ id: `email-${at}`, subject: `Email ${at}`, ...more }));
