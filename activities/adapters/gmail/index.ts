import type { BulkAdapter, CallLimits } from '../../../src/contract/adapter';
import { placeOf, type GoogleOptions } from '../google/transport';
import { defineAdapter } from '../kit/define';
import type { Asked, Tool, ToolItem } from '../kit/types';
import { createAllowance } from '../shared/allowance';
import { ProviderFailure } from '../shared/failure';
import { once } from '../shared/once';
import { FIXED_LABELS, GMAIL_ACTIONS, searchesFor, searchOf } from './actions';
import { gmailClient, type Email, type GmailClient, type Label } from './client';
import {
  adds,
  changeSchema,
  emailState,
  labelsOf,
  nameOf,
  searchSchema,
  showEmail,
  stateOf,
  type EmailChange,
  type EmailSearch,
  type EmailState,
  type PreparedEmails,
} from './emails';
import { changedLabel, findLabel, makeLabel, ownLabels, resolveLabel } from './labels';

/**
 * Gmail allows 6,000 units per minute and user: a burst that reads a plan of 200 emails, and the rest evenly
 * (https://developers.google.com/workspace/gmail/api/reference/quota).
 */
export const GMAIL_QUOTA = { perInterval: 1_800, intervalMs: 60_000, burst: 4_200 };

const HINTS = {
  signIn: 'Sign in again with `batchgate login google`, or renew BATCHGATE_GOOGLE_ACCESS_TOKEN.',
  grant: 'Grant the scope gmail.modify to these credentials and enable the Gmail API in their project.',
  tryLater: 'Check the connection and BATCHGATE_GMAIL_BASE_URL, and try again in a minute.',
};

/**
 * Creates a bulk adapter for Gmail: label, unlabel, archive, mark_read, mark_unread, star, trash.
 *
 * With `create_label: true` the first confirmed batch creates the label. No earlier step writes.
 * `rootUrl` is another server with Gmail's API. `accessToken` is called before every request, and after a 401 once more
 * with the refused token.
 */
export function createGmailAdapter(options: GoogleOptions): BulkAdapter {
  const { allowance = createAllowance(GMAIL_QUOTA) } = options;
  return defineAdapter<EmailState, EmailSearch, EmailChange, GmailTool>({
    name: 'gmail',
    provider: 'Gmail',
    noun: { one: 'email', many: 'emails' },
    hints: HINTS,
    state: emailState,
    adjusts: ['places', 'conversation'],
    actions: GMAIL_ACTIONS,
    prepared: { query: searchSchema, change: changeSchema },
    resolve: (request, { client }) => resolve(client, request),
    connect: (limits: CallLimits, prepared) =>
      toolOf(gmailClient({ ...options, allowance }, limits), prepared, 'operation_id' in limits),
    show: showEmail,
    resolvedParams: ({ action, change: { label } }) =>
      FIXED_LABELS.has(action) ? {} : { label_name: label.name },
    suggest: async ({ parameter }, { client }) =>
      parameter === 'label_name' ? ownLabels(await client.labels()) : [],
    place: () => placeOf(options),
  });
}

async function resolve(
  client: GmailClient,
  { action, query, change, explicit_items }: Asked,
): Promise<{ query?: EmailSearch; change: EmailChange }> {
  const fixedLabel = FIXED_LABELS.get(action);
  const create = change['create_label'] === true;
  const label =
    fixedLabel === undefined
      ? await resolveLabel(client, String(change['label_name']), { create, mayCreate: action === 'label' })
      : { id: fixedLabel, name: fixedLabel };
  return {
    ...(!explicit_items && { query: searchOf(query) }),
    change: { label, ...(create && { create }) },
  };
}

interface GmailTool extends Tool<EmailState, EmailSearch> {
  readonly client: GmailClient;
}

const NOTHING: PreparedEmails = { action: '', change: { label: { name: '' } }, undo: false };

/** `isRun`: the call changes or reconciles planned emails, so it need not count the emails of a conversation. */
function toolOf(client: GmailClient, prepared = NOTHING, isRun: boolean): GmailTool {
  const { change, action, undo } = prepared;
  const planned = change.label;
  /** Looked up in each call, because the label can be renamed, deleted or created after the confirmation. */
  const label = once(async (): Promise<Label | undefined> => {
    // The ids of Gmail's own labels are their names, and never change.
    if (planned.id === planned.name) return { id: planned.id, name: planned.name };
    const labels = await client.labels();
    return labels.find(({ id }) => id === planned.id) ?? findLabel(labels, planned.name);
  });
  const labelToSet = once(async (): Promise<Label> => {
    const existing = await label();
    if (existing?.id === planned.id && existing && existing.name !== planned.name)
      throw changedLabel(planned.name, existing.name);
    if (existing) return existing;
    if (change.create === true && adds(prepared)) return makeLabel(client, planned.name);
    throw changedLabel(planned.name);
  });
  const inbox = once(() => client.list({ labelIds: ['INBOX'] }));
  const itemOf = async (email: Email): Promise<ToolItem<EmailState>> => {
    const state = stateOf(email.labelIds, (await label())?.id);
    const id = action === 'archive' && !undo && !isRun ? email.threadId : undefined;
    const conversation = id !== undefined && {
      id,
      inbox: (await inbox()).filter(({ threadId }) => threadId === id).length,
    };
    return {
      id: email.id,
      name: nameOf(email),
      state: { ...state, ...(conversation && { conversation }) },
    };
  };
  return {
    client,
    list: (search, limit) => idsOf(client, search, limit, inbox),
    async read(id) {
      try {
        return await itemOf(await client.email(id));
      } catch (error) {
        // Gmail refuses an id that it cannot have issued.
        if (error instanceof ProviderFailure && error.status === 400 && !error.refusesUs) return undefined;
        throw error;
      }
    },
    async write({ id, state }, target) {
      if (state === null || target === null) return;
      const labelId = (await labelToSet()).id;
      const [from, to] = [labelsOf(state, labelId), labelsOf(target, labelId)];
      const add = to.filter((id) => !from.includes(id));
      const remove = from.filter((id) => !to.includes(id));
      return stateOf(await client.modify(id, { add, remove }), labelId);
    },
  };
}

/** Returns the ids of the emails of a search, without duplicates. */
async function idsOf(
  client: GmailClient,
  search: EmailSearch,
  limit: number,
  inbox: () => ReturnType<GmailClient['list']>,
): Promise<string[]> {
  const threadOf = new Map<string, string | undefined>();
  for (const q of searchesFor(search))
    for (const { id, threadId } of await client.list({ q }, limit)) threadOf.set(id, threadId);
  if (search.whole_conversations && threadOf.size < limit) {
    const conversations = new Set(threadOf.values());
    for (const { id, threadId } of await inbox())
      if (threadId !== undefined && conversations.has(threadId)) threadOf.set(id, threadId);
  }
  return [...threadOf.keys()].slice(0, limit);
}
