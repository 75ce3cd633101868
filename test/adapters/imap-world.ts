import { ImapFlow } from 'imapflow';
import { createImapAdapter } from '../../activities/adapters/imap';
import type { ConformanceRequest, ConformanceWorld } from '../../src/testing/conformance';
import { PASSWORD, startDovecot, type Dovecot, type SeededEmail } from '../helpers/dovecot';
import { startImapTap } from './imap-tap';

const FRESH = { folder: 'INBOX', subject: 'Fresh' };
const KNOWN = { folder: 'INBOX', subject: 'Known' };
const requests: ConformanceRequest[] = [
  { action: 'mark_read', params: FRESH },
  { action: 'flag', params: FRESH },
  { action: 'label', params: { ...FRESH, label_name: 'Later' } },
  { action: 'label', params: { ...FRESH, target_folder: 'Kept' } },
  { action: 'move', params: { ...FRESH, target_folder: 'projects/2026' } },
  { action: 'archive', params: FRESH },
  { action: 'mark_unread', params: KNOWN },
  { action: 'unflag', params: KNOWN },
  { action: 'unlabel', params: { ...KNOWN, label_name: 'receipts' } },
  { action: 'unlabel', params: { ...KNOWN, target_folder: 'Filed' } },
  { action: 'trash', params: KNOWN },
  { action: 'delete', params: KNOWN },
];
const COUNT = 36;
const FOLDERS = ['INBOX', 'Archive', 'Trash', 'Kept', 'Filed', 'Projects/2026'];

let shared: Promise<Dovecot> | undefined;
let worlds = 0;

export const sharedDovecot = (): Promise<Dovecot> => (shared ??= startDovecot());
export const newUser = (): string => `user-${(worlds += 1)}@mail.example`;

export async function stopDovecot(): Promise<void> {
  await (await shared)?.stop();
  shared = undefined;
}

export interface Truth {
  readonly client: ImapFlow;
  /** Where an email is, by its Message-ID, with its flags. */
  find(id: string): Promise<Record<string, string[]>>;
  /** All emails of some folders. */
  all(folders: readonly string[]): Promise<[folder: string, id: string, flags: string[]][]>;
}

/** The mailbox of a user as it is. */
export async function truthOf(port: number, user: string): Promise<Truth> {
  const auth = { user, pass: PASSWORD };
  const client = new ImapFlow({
    host: '127.0.0.1',
    port,
    secure: false,
    auth,
    logger: false,
    disableAutoIdle: true,
  });
  client.on('error', () => undefined);
  await client.connect();
  const all: Truth['all'] = async (folders) => {
    const found: [string, string, string[]][] = [];
    for (const folder of folders) {
      if (!(await client.mailboxOpen(folder).catch(() => undefined))) continue;
      for (const { envelope, flags } of await client.fetchAll('1:*', { envelope: true, flags: true })) {
        const kept = [...(flags ?? [])].filter((flag) => flag !== '\\Recent').sort();
        if (!kept.includes('\\Deleted')) found.push([folder, envelope?.messageId ?? '', kept]);
      }
    }
    return found.sort((one, other) => (`${one[0]}${one[1]}` < `${other[0]}${other[1]}` ? -1 : 1));
  };
  return {
    client,
    all,
    async find(id) {
      const found = (await all(FOLDERS)).filter(([, one]) => one === `<${id}>`);
      return Object.fromEntries(found.map(([folder, , flags]) => [folder, flags]));
    },
  };
}

const CHANGED: Record<string, (places: Record<string, string[]>, folder?: unknown) => boolean> = {
  mark_read: ({ INBOX }) => INBOX?.includes('\\Seen') === true,
  mark_unread: ({ INBOX }) => INBOX?.includes('\\Seen') === false,
  flag: ({ INBOX }) => INBOX?.includes('\\Flagged') === true,
  unflag: ({ INBOX }) => INBOX?.includes('\\Flagged') === false,
  label: ({ INBOX, Kept }, folder) => (folder ? Kept !== undefined : INBOX?.includes('Later') === true),
  unlabel: ({ INBOX, Filed }, folder) =>
    folder ? Filed === undefined : INBOX?.includes('Receipts') === false,
  move: (places) =>
    Object.keys(places).join() === 'Filed,Projects/2026' || Object.keys(places).join() === 'Projects/2026',
  archive: ({ INBOX, Archive }) => INBOX === undefined && Archive !== undefined,
  trash: ({ INBOX, Trash }) => INBOX === undefined && Trash !== undefined,
  delete: ({ INBOX, Trash }) => INBOX === undefined && Trash === undefined,
};

/** A mailbox of its own on a real server, behind a tap. */
export async function openImapWorld(): Promise<ConformanceWorld> {
  const dovecot = await sharedDovecot();
  const user = newUser();
  const fresh: SeededEmail[] = [];
  const known: SeededEmail[] = [];
  for (let at = 0; at < COUNT; at += 1) {
    fresh.push({
      id: `fresh-${at}@mail.example`,
      subject: `Fresh ${at}`,
      flags: '',
      date: DATE + at * 1_000,
    });
    known.push({
      id: `known-${at}@mail.example`,
      subject: `Known ${at}`,
      flags: 'FSa',
      date: DATE + at * 1_000,
    });
  }
  await dovecot.seed(user, 'INBOX', [...fresh, ...known]);
  await dovecot.seed(user, 'Filed', known);
  for (const folder of ['Kept', 'Projects/2026']) await dovecot.seed(user, folder, []);
  const truth = await truthOf(dovecot.port, user);
  const { client } = truth;
  const adapters: { close(): void }[] = [];
  /** Message-IDs by item ids. */
  const names = new Map<string, string>();
  const listed = async (folder: string) => {
    const { uidValidity } = await client.mailboxOpen(folder);
    const found = await client.fetchAll('1:*', { envelope: true, uid: true });
    return found.map(({ uid, envelope }) => {
      const id = `${folder}/${uidValidity}/${uid}`;
      names.set(id, (envelope?.messageId ?? '').slice(1, -1));
      return { id, subject: envelope?.subject ?? '' };
    });
  };
  const inbox = () => listed('INBOX');
  const own = await inbox();
  await listed('Filed');
  // A copy stands for the email in the inbox.
  const itemOf = (id: string) => own.find((one) => names.get(one.id) === names.get(id))?.id ?? id;
  const tap = await startImapTap(dovecot.port, PASSWORD, itemOf);
  const uidOf = (id: string) => [Number(id.split('/')[2])];
  let added = 0;
  return {
    ...tap,
    adapter() {
      const account = { url: `imap://127.0.0.1:${tap.port}`, user, secret: { pass: PASSWORD } };
      const adapter = createImapAdapter({ account: () => account });
      adapters.push(adapter);
      return adapter;
    },
    requests,
    matching: async ({ params }) =>
      (await inbox())
        .filter(({ subject }) => subject.includes(String(params['subject'])))
        .map(({ id }) => id),
    isChanged: async (id, { action, params }) =>
      CHANGED[action]!(await truth.find(names.get(id) ?? ''), params['target_folder']),
    state: () => truth.all(FOLDERS),
    async remove(id) {
      await client.mailboxOpen('INBOX');
      await client.messageDelete(uidOf(id), { uid: true });
    },
    async add() {
      added += 1;
      const head = `From: a@mail.example\r\nSubject: Fresh and more\r\nMessage-ID: <added-${added}@mail.example>`;
      await client.append('INBOX', `${head}\r\n\r\nHello\r\n`);
    },
    missing: { id: [...names.keys()][0]!.replace(/\d+$/, '4000000'), display_name: 'Gone' },
    names: {
      unknown: [
        { action: 'mark_read', params: { folder: 'Projcets' } },
        { action: 'move', params: { ...FRESH, target_folder: 'Projects/2062' } },
        { action: 'unlabel', params: { ...FRESH, label_name: 'Reciepts' } },
      ],
      resolved: [
        { request: requests[4]!, id: 'Projects/2026' },
        { request: requests[8]!, id: 'Receipts' },
        { request: requests[5]!, id: 'Archive' },
      ],
    },
    secrets: [PASSWORD],
    async close() {
      for (const adapter of adapters) adapter.close();
      client.close();
      await tap.close();
    },
  };
}

const DATE = Date.parse('2026-01-05T08:00:00Z');
