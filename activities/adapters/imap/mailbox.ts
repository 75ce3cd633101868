import type { SearchObject } from 'imapflow';
import type { CallLimits } from '../../../src/contract/adapter';
import { outdated, ProviderFailure } from '../shared/failure';
import type { Connections, Session } from './connections';
import { hasFlag, identityOf, MAIL, type Identity, type Mail, type Place } from './emails';

/** Reads and changes emails in one call. Each function throws `ProviderFailure`. */
export type Mailbox = ReturnType<typeof mailboxOf>;

/** The server has none of the folder's emails under their old UIDs. */
const isAnother = ({ mailbox }: Session, { validity }: Place): boolean => mailbox.uidValidity !== validity;

async function fetched({ client, ask, mailbox }: Session, uids: readonly number[]): Promise<Mail[]> {
  const found = uids.length === 0 ? [] : await ask(() => client.fetchAll([...uids], MAIL, BY_UID));
  return found
    .filter((shown) => uids.includes(shown.uid) && !hasFlag(shown.flags, '\\Deleted'))
    .map((shown) => ({
      shown,
      place: { folder: mailbox.path, validity: mailbox.uidValidity, uid: shown.uid },
    }));
}

const has = ({ client: { capabilities } }: Session, extension: string): boolean =>
  capabilities.has(extension) || capabilities.has('IMAP4rev2');

const BY_UID = { uid: true };
/** The condition of a write: the email is as it was read. Servers without CONDSTORE take none. */
const onlyIf = ({ shown: { modseq } }: Mail) => ({ ...BY_UID, ...(modseq && { unchangedSince: modseq }) });

/** @throws ProviderFailure 412 if the server did not change it, because somebody else had. */
async function conditionally(session: Session, command: () => Promise<boolean>): Promise<void> {
  await session.send(command);
  if (session.answers.some(({ code }) => code === 'MODIFIED')) throw outdated();
}

/** Marks an email as deleted and removes it, and no other that is marked so. */
async function remove(session: Session, { uid }: Place, condition: ReturnType<typeof onlyIf>): Promise<void> {
  const { client, answers } = session;
  const range = [uid];
  if (!has(session, 'UIDPLUS'))
    return conditionally(session, () => client.messageFlagsAdd(range, ['\\Deleted'], condition));
  try {
    await conditionally(session, () => client.messageDelete(range, condition));
  } catch (error) {
    // It is marked, and the server refuses to remove it.
    const isMarked = answers.length > 1 && answers.at(-1)?.response === 'NO';
    if (isMarked) await client.messageFlagsRemove(range, ['\\Deleted'], BY_UID);
    throw error;
  }
}

const keyOf = ({ email_id, message_id, size }: Identity): SearchObject => {
  if (email_id !== undefined) return { emailId: email_id };
  if (message_id !== undefined) return { header: { 'message-id': message_id } };
  return { larger: size - 1, smaller: size + 1 };
};
const isSame = (one: Identity, other: Identity): boolean =>
  one.email_id === other.email_id && one.received === other.received && one.size === other.size;

export const mailboxOf = (connections: Connections, limits: CallLimits) => ({
  ...readsOf(connections, limits),
  ...writesOf(connections, limits),
});

function readsOf({ use }: Connections, limits: CallLimits) {
  const inFolder = <T>(folder: string, work: (session: Session) => Promise<T>) => use(limits, folder, work);
  return {
    /** The folders, `INBOX` among them. */
    folders: () => use(limits, undefined, ({ client, ask }) => ask(() => client.list())),
    /** The keywords that are used in a folder, and whether others can be. */
    keywords: (folder: string) =>
      inFolder(folder, ({ mailbox: { flags, permanentFlags } }) => {
        const known = [...flags].filter((flag) => !flag.startsWith('\\'));
        return Promise.resolve({ known, open: permanentFlags === undefined || permanentFlags.has('\\*') });
      }),
    /** The places of the emails that a search finds, oldest first. */
    search: (folder: string, search: SearchObject): Promise<Place[]> =>
      inFolder(folder, async ({ client, ask, mailbox: { uidValidity: validity } }) => {
        const uids = await ask(() => client.search({ ...search, deleted: false }, BY_UID));
        return uids.map((uid) => ({ folder, validity, uid }));
      }),
    /** Those that are there, and what the folder allows. */
    read: (place: Place, uids: readonly number[]) =>
      inFolder(place.folder, async (session) => {
        const { readOnly = false, permanentFlags: kept, uidNext } = session.mailbox;
        const isKept = (flag: string) => !kept || kept.has('\\*') || hasFlag(kept, flag);
        return {
          mails: isAnother(session, place) ? [] : await fetched(session, uids),
          facts: { readOnly, kept: isKept, removes: has(session, 'UIDPLUS'), moves: has(session, 'MOVE') },
          next: `${session.mailbox.uidValidity}/${uidNext}`,
        };
      }),
    /** `UIDVALIDITY/UIDNEXT` of a folder. */
    next: (folder: string) =>
      inFolder(folder, ({ mailbox: { uidValidity, uidNext } }) =>
        Promise.resolve(`${uidValidity}/${uidNext}`),
      ),
    /** The emails of a folder that are this one, or copies of it. `since`: of those that arrived after a plan. */
    copies: (folder: string, wanted: Identity, since = ''): Promise<Mail[]> =>
      inFolder(folder, async (session) => {
        const { client, ask, mailbox } = session;
        const [validity, next] = since.split('/');
        const first = validity === String(mailbox.uidValidity) ? Number(next) : 1;
        const search = { ...keyOf(wanted), uid: `${first}:*`, deleted: false };
        const uids = await ask(() => client.search(search, BY_UID));
        // The range includes the last email of the folder, whatever its UID.
        const later = uids.filter((uid) => uid >= first);
        const mails = await fetched(session, later);
        return mails.filter((mail) => isSame(identityOf(mail), wanted));
      }),
  };
}

function writesOf({ use }: Connections, limits: CallLimits) {
  const inPlace = <T>(place: Place, work: (session: Session) => Promise<T>) =>
    use(limits, place.folder, (session) => {
      if (isAnother(session, place)) throw GONE;
      return work(session);
    });
  return {
    flag: (mail: Mail, flag: string, wanted: boolean) =>
      inPlace(mail.place, (session) => {
        const change = wanted ? 'messageFlagsAdd' : 'messageFlagsRemove';
        const command = () => session.client[change]([mail.place.uid], [flag], onlyIf(mail));
        return conditionally(session, command);
      }),
    remove: (mail: Mail) => inPlace(mail.place, (session) => remove(session, mail.place, onlyIf(mail))),
    copy: ({ place }: Mail, target: string) =>
      inPlace(place, ({ client, send }) => send(() => client.messageCopy([place.uid], target, BY_UID))),
    /** `isCopied`: an earlier try made the copy, on a server without MOVE, and left the email. */
    move: ({ place }: Mail, target: string, isCopied: boolean): Promise<Place | undefined> =>
      inPlace(place, async (session) => {
        const { client, send } = session;
        const range = [place.uid];
        if (has(session, 'MOVE'))
          return arrived(target, await send(() => client.messageMove(range, target, BY_UID)));
        const copy = isCopied ? undefined : await send(() => client.messageCopy(range, target, BY_UID));
        await remove(session, place, BY_UID);
        return copy && arrived(target, copy);
      }),
  };
}

const GONE = new ProviderFailure('refused', 'The folder was made anew', { status: 404 });

function arrived(
  folder: string,
  { uidValidity: validity, uidMap }: { uidValidity?: bigint; uidMap?: Map<number, number> },
): Place | undefined {
  const [uid] = uidMap?.values() ?? [];
  return validity === undefined || uid === undefined ? undefined : { folder, validity, uid };
}
