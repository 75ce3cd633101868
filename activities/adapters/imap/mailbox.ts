import type { SearchObject } from 'imapflow';
import type { CallLimits } from '../../../src/contract/adapter';
import { outdated, ProviderFailure } from '../shared/failure';
import type { Connections, Session } from './connections';
import { hasFlag, identityOf, MAIL, type Identity, type Mail, type Place } from './emails';

/** Reads and changes emails in one call. Each function throws `ProviderFailure`. */
export type Mailbox = ReturnType<typeof mailboxOf>;

/** Returns true if the folder was recreated, so that the earlier UIDs of its emails are invalid. */
const isAnother = ({ mailbox }: Session, { validity }: Place): boolean => mailbox.uidValidity !== validity;

async function fetched({ client, ask, mailbox }: Session, uids: readonly number[]): Promise<Mail[]> {
  const messages = uids.length === 0 ? [] : await ask(() => client.fetchAll([...uids], MAIL, BY_UID));
  return messages
    .filter((message) => uids.includes(message.uid) && !hasFlag(message.flags, '\\Deleted'))
    .map((message) => ({
      shown: message,
      place: { folder: mailbox.path, validity: mailbox.uidValidity, uid: message.uid },
    }));
}

const has = ({ client: { capabilities } }: Session, extension: string): boolean =>
  capabilities.has(extension) || capabilities.has('IMAP4rev2');

const BY_UID = { uid: true };
/** Returns the condition that the email has not changed since it was read. Servers without CONDSTORE support none. */
const onlyIf = ({ shown: { modseq } }: Mail) => ({ ...BY_UID, ...(modseq && { unchangedSince: modseq }) });

/** @throws ProviderFailure 412 if the server did not change the email, because another client had. */
async function conditionally(session: Session, command: () => Promise<boolean>): Promise<void> {
  await session.send(command);
  if (session.answers.some(({ code }) => code === 'MODIFIED')) throw outdated();
}

/** Marks an email as deleted and removes it, but no other email with that mark. */
async function remove(session: Session, { uid }: Place, condition: ReturnType<typeof onlyIf>): Promise<void> {
  const { client, answers } = session;
  const range = [uid];
  if (!has(session, 'UIDPLUS'))
    return conditionally(session, () => client.messageFlagsAdd(range, ['\\Deleted'], condition));
  try {
    await conditionally(session, () => client.messageDelete(range, condition));
  } catch (error) {
    // The email is marked, but the server refused to remove it.
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
const isSame = (left: Identity, right: Identity): boolean =>
  left.email_id === right.email_id && left.received === right.received && left.size === right.size;

export const mailboxOf = (connections: Connections, limits: CallLimits) => ({
  ...readsOf(connections, limits),
  ...writesOf(connections, limits),
});

function readsOf({ use }: Connections, limits: CallLimits) {
  const inFolder = <T>(folder: string, work: (session: Session) => Promise<T>) => use(limits, folder, work);
  return {
    /** Reads the folders, `INBOX` among them. */
    folders: () => use(limits, undefined, ({ client, ask }) => ask(() => client.list())),
    /** Returns the keywords in use in a folder, and whether new ones are possible. */
    keywords: (folder: string) =>
      inFolder(folder, ({ mailbox: { flags, permanentFlags } }) => {
        const keywords = [...flags].filter((flag) => !flag.startsWith('\\'));
        return Promise.resolve({
          known: keywords,
          open: permanentFlags === undefined || permanentFlags.has('\\*'),
        });
      }),
    /** Returns the places of the emails that match a search, oldest first. */
    search: (folder: string, search: SearchObject): Promise<Place[]> =>
      inFolder(folder, async ({ client, ask, mailbox: { uidValidity: validity } }) => {
        const uids = await ask(() => client.search({ ...search, deleted: false }, BY_UID));
        return uids.map((uid) => ({ folder, validity, uid }));
      }),
    /** Reads the emails that exist, and the changes that the folder allows. */
    read: (place: Place, uids: readonly number[]) =>
      inFolder(place.folder, async (session) => {
        const { readOnly = false, permanentFlags: storable, uidNext } = session.mailbox;
        const isKept = (flag: string) => !storable || storable.has('\\*') || hasFlag(storable, flag);
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
    /**
     * Returns the emails of a folder with this identity. `since`: only those that arrived since this
     * `UIDVALIDITY/UIDNEXT`.
     */
    copies: (folder: string, identity: Identity, since = ''): Promise<Mail[]> =>
      inFolder(folder, async (session) => {
        const { client, ask, mailbox } = session;
        const [validity, next] = since.split('/');
        const first = validity === String(mailbox.uidValidity) ? Number(next) : 1;
        const search = { ...keyOf(identity), uid: `${first}:*`, deleted: false };
        const uids = await ask(() => client.search(search, BY_UID));
        // The range includes the last email of the folder, whatever its UID.
        const later = uids.filter((uid) => uid >= first);
        const mails = await fetched(session, later);
        return mails.filter((mail) => isSame(identityOf(mail), identity));
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
    flag: (mail: Mail, flag: string, isSet: boolean) =>
      inPlace(mail.place, (session) => {
        const change = isSet ? 'messageFlagsAdd' : 'messageFlagsRemove';
        const command = () => session.client[change]([mail.place.uid], [flag], onlyIf(mail));
        return conditionally(session, command);
      }),
    remove: (mail: Mail) => inPlace(mail.place, (session) => remove(session, mail.place, onlyIf(mail))),
    copy: ({ place }: Mail, target: string) =>
      inPlace(place, ({ client, send }) => send(() => client.messageCopy([place.uid], target, BY_UID))),
    /** `isCopied`: on a server without MOVE, an earlier try copied the email but did not remove it. */
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
