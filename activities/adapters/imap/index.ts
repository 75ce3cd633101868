import type { SearchObject } from 'imapflow';
import type { BulkAdapter, CallLimits } from '../../../src/contract/adapter';
import { defineAdapter } from '../kit/define';
import type { Named, Tool, ToolItem } from '../kit/types';
import { ProviderFailure, unlessGone } from '../shared/failure';
import { once } from '../shared/once';
import { placeAt, type ServerAccount } from '../shared/server-account';
import { IMAP_ACTIONS, NO_COPY } from './actions';
import { imapConnections } from './connections';
import {
  changeSchema,
  emailState,
  hasFlag,
  identityOf,
  idOf,
  isSamePlace,
  marksOf,
  nameOf,
  placeIn,
  searchSchema,
  showEmail,
  type EmailChange,
  type EmailSearch,
  type EmailState,
  type Mail,
  type Place,
  type PreparedEmails,
} from './emails';
import { PROVIDER } from './failure';
import { mailboxOf, type Mailbox } from './mailbox';
import { namesIn, resolve, suggested } from './names';

const HINTS = {
  signIn: 'Renew BATCHGATE_IMAP_PASSWORD or BATCHGATE_IMAP_ACCESS_TOKEN, and start the worker again.',
  grant: 'Give this account the right to change the folder.',
  tryLater: 'Check the connection and BATCHGATE_IMAP_URL, and try again in a minute.',
};

/** Concurrent connections. Providers allow 5 to 20 per account, and other programs of the user need some of them. */
export const CONNECTIONS = 3;

/**
 * Creates a bulk adapter for IMAP mailboxes: label, unlabel, move, archive, mark_read, mark_unread, flag, unflag,
 * trash, delete. `account` is called before every connection.
 */
export function createImapAdapter(options: {
  readonly account: () => ServerAccount;
}): BulkAdapter & { close(): void } {
  const connections = imapConnections(options.account, CONNECTIONS);
  const adapter = defineAdapter<EmailState, EmailSearch, EmailChange, ImapTool>({
    name: 'imap',
    provider: PROVIDER,
    noun: { one: 'email', many: 'emails' },
    hints: HINTS,
    state: emailState,
    adjusts: ['identity'],
    actions: IMAP_ACTIONS,
    prepared: { query: searchSchema, change: changeSchema },
    resolve: (request, { mailbox }) => resolve(mailbox, request),
    connect(limits: CallLimits, prepared) {
      options.account();
      return toolOf(mailboxOf(connections, limits), prepared, 'operation_id' in limits);
    },
    show: showEmail,
    resolvedParams: (prepared, { mailbox }, items) => namesIn(prepared, mailbox, items),
    suggest: ({ parameter, params }, { mailbox }) => suggested(mailbox, parameter, params['folder']),
    place: () => placeAt(options.account()),
    concurrency: CONNECTIONS,
  });
  return { ...adapter, close: connections.close };
}

interface ImapTool extends Tool<EmailState, EmailSearch> {
  readonly mailbox: Mailbox;
}

const searchFor = ({ sender, folder: _folder, ...search }: EmailSearch): SearchObject => ({
  ...search,
  ...(sender !== undefined && { from: sender }),
});

const NOTHING: PreparedEmails = { action: '', change: {}, undo: false };

/** `isRun`: the call changes or reconciles planned emails. */
function toolOf(mailbox: Mailbox, prepared: PreparedEmails = NOTHING, isRun: boolean): ImapTool {
  const { flag, folder } = prepared.change;
  const { ahead, located, itemAt, moved } = emailsOf(mailbox, prepared, isRun);
  return {
    mailbox,
    async list(search, limit) {
      const places = await mailbox.search(search.folder.id, searchFor(search));
      return places.slice(0, limit).map(idOf);
    },
    ahead,
    count: async (search) => (await mailbox.search(search.folder.id, searchFor(search))).length,
    async read(givenId, named) {
      const place = placeIn(givenId);
      if (place === undefined) return undefined;
      const id = idOf(place);
      const movedTo = placeIn(named.kept['at']);
      for (const at of movedTo ? [movedTo, place] : [place]) {
        const item = await unlessGone(() => itemAt(id, at, named.planned));
        if (item) return item;
      }
      const elsewhere = await moved(place, named);
      return elsewhere && itemAt(id, elsewhere, named.planned);
    },
    async write({ id, keep, planned }, target) {
      const mail = located.get(id);
      if (mail === undefined) return undefined;
      if (target === null) return mailbox.remove(mail);
      if (flag !== undefined) return mailbox.flag(mail, flag, target.has === true);
      if (target.folder === undefined)
        return folder && relabel(mailbox, mail, folder.id, target.has === true);
      const { identity } = (planned ?? {}) as EmailState;
      const to = target.folder;
      const isCopied =
        !mail.moves && identity && (await mailbox.copies(to, identity, identity.next?.[to])).length > 0;
      const at = await mailbox.move(mail, to, isCopied === true);
      if (at) keep({ at: idOf(at) });
      return at && ((await itemAt(id, at))?.state ?? undefined);
    },
  };
}

/** Finds the emails of one call, and reads the part of their state that the change concerns. */
function emailsOf(mailbox: Mailbox, { action, change }: PreparedEmails, isRun: boolean) {
  const { flag, folder } = change;
  const isMove = folder !== undefined && action !== 'label' && action !== 'unlabel';
  /** By id: answers that were read in advance. */
  const answers = new Map<string, Awaited<ReturnType<Mailbox['read']>>>();
  /** By id: the emails that were read, with their places. */
  const located = new Map<string, Mail & { moves: boolean }>();
  const nextInTarget = once(() => mailbox.next(folder?.id ?? ''));

  /** Reads emails of one folder in advance. */
  async function ahead(ids: readonly string[]): Promise<void> {
    const places = ids.flatMap((id) => placeIn(id) ?? []);
    const [first] = places;
    const uids = places.map(({ uid }) => uid);
    const answer = first && (await mailbox.read(first, uids));
    if (answer) for (const place of places) answers.set(idOf(place), answer);
  }
  /**
   * Returns the place of an email that this operation, or another client, has moved, so that its UID is no longer
   * valid.
   */
  async function moved({ folder: home }: Place, { planned }: Named): Promise<Place | undefined> {
    const { identity } = (planned ?? {}) as EmailState;
    if (!isMove || identity === undefined) return undefined;
    for (const path of new Set([folder.id, home])) {
      const copies = await mailbox.copies(path, identity, identity.next?.[path]);
      if (copies.length > 1) throw new ProviderFailure('refused', `It is several times in ${path}`);
      if (copies[0]) return copies[0].place;
    }
    return undefined;
  }
  async function stateOf(
    mail: Mail,
    next: string,
    planned: Named['planned'],
  ): Promise<{ state: EmailState; copies?: Mail[] }> {
    if (isMove) {
      const { folder: path } = mail.place;
      // An undo searches all emails that arrived since the plan of the change.
      const nexts =
        (planned as EmailState | undefined)?.identity?.next ??
        (isRun ? undefined : { [path]: next, [folder.id]: await nextInTarget() });
      return { state: { folder: path, identity: { ...identityOf(mail), ...(nexts && { next: nexts }) } } };
    }
    if (folder) {
      const copies = await mailbox.copies(folder.id, identityOf(mail));
      return { state: { has: copies.length > 0 }, copies };
    }
    return flag === undefined
      ? { state: { marks: marksOf(mail.shown) } }
      : { state: { has: hasFlag(mail.shown.flags, flag) } };
  }
  async function itemAt(
    id: string,
    place: Place,
    planned?: Named['planned'],
  ): Promise<ToolItem<EmailState> | undefined> {
    const { mails, facts, next } = answers.get(idOf(place)) ?? (await mailbox.read(place, [place.uid]));
    const mail = mails.find(({ place: { uid } }) => uid === place.uid);
    if (!mail) return undefined;
    located.set(id, { ...mail, moves: facts.moves });
    const { state, copies = [] } = await stateOf(mail, next, planned);
    const among = copies.some((copy) => isSamePlace(copy.place, mail.place));
    return { id, name: nameOf(mail), state, facts: { ...facts, copies: copies.length, among } };
  }
  return { ahead, located, moved, itemAt };
}

/** Creates the copy in a folder, or removes the only copy. */
async function relabel(mailbox: Mailbox, mail: Mail, folder: string, has: boolean): Promise<void> {
  if (has) return void (await mailbox.copy(mail, folder));
  const [copy, ...others] = await mailbox.copies(folder, identityOf(mail));
  if (others.length > 0) throw new ProviderFailure('refused', `It is several times in ${folder}`);
  if (copy && isSamePlace(copy.place, mail.place)) throw new ProviderFailure('refused', NO_COPY);
  if (copy) await mailbox.remove(copy);
}
