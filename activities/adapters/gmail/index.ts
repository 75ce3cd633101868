import type { BulkAdapter, CallLimits } from '../../../src/contract/adapter';
import type { BulkItem, PreparedBulkContext } from '../../../src/contract/items';
import { mapConcurrently, parseAction } from '../shared/actions';
import { displayName } from '../shared/names';
import { gmailClient, PAGE_SIZE, type GmailClient } from './client';
import type { GoogleOptions } from '../google/transport';
import { createAllowance } from '../shared/allowance';
import { ProviderFailure } from '../shared/failure';
import { CONCURRENCY, executeChange, results, shows } from './execute';
import { findLabel, lookUpLabel, makeLabel } from './labels';
import { describeGmailChange } from './describe';
import { missingLabel, type LabelChange, changeOf, GMAIL_ACTIONS, searchOf } from './parameters';

/**
 * Of 6,000 units a minute and user: a burst that reads the subjects of a plan of 200 emails, and the rest evenly
 * (https://developers.google.com/workspace/gmail/api/reference/quota).
 */
const QUOTA = { perInterval: 1_800, intervalMs: 60_000, burst: 4_200 };

/**
 * Gmail as a bulk adapter: label, unlabel, archive, mark_read, mark_unread, star, trash.
 *
 * With `create_label: true` the first confirmed batch creates the label; nothing before it writes.
 * `rootUrl` is another server with Gmail's API. `accessToken` is called before every request, and after a 401 once more
 * with the refused token.
 */
export function createGmailAdapter(options: GoogleOptions): BulkAdapter {
  const { allowance = createAllowance(QUOTA) } = options;
  const client = (limits: CallLimits) => gmailClient({ ...options, allowance }, limits);
  return {
    toolName: 'gmail',
    itemNoun: { one: 'email', many: 'emails' },
    actions: GMAIL_ACTIONS,
    planPageSize: PAGE_SIZE,
    describeChange: describeGmailChange,

    async prepare(request, limits) {
      const { query, change } = parseAction('gmail', GMAIL_ACTIONS, request);
      return {
        tool_name: 'gmail',
        action: request.action,
        query_params: query,
        action_params: await results.explained('Failed to read the labels', () =>
          prepareChange(client(limits), request.action, change),
        ),
      };
    },

    async getTotalCount(context, limits) {
      const search = searchOf(context);
      return results.explained('Failed to count emails', async () => {
        return (await client(limits).search(search, Infinity)).length;
      });
    },

    async getNextBatch(context, batchSize, offset, limits) {
      const search = searchOf(context);
      return results.explained('Failed to fetch emails', async () => {
        const requests = client(limits);
        const ids = (await requests.search(search, offset + batchSize)).slice(offset);
        return mapConcurrently(ids, CONCURRENCY, (id) => describeEmail(requests, id));
      });
    },

    async executeBatch(items, context, limits) {
      const requests = client(limits);
      if (items.length === 0) return [];
      return executeChange(requests, items, await changeToMake(requests, context));
    },

    async reconcile(item, context, limits) {
      return results.reconcile(async () => {
        const change = await changeToLookFor(client(limits), context);
        if (change === undefined) return 'not_applied';
        return shows(await client(limits).labelsOf(item.id), change);
      });
    },
  };
}

/** The change with its label, which the first batch creates if necessary. */
async function changeToMake(client: GmailClient, context: PreparedBulkContext): Promise<LabelChange> {
  const name = missingLabel(context);
  if (name === undefined) return changeOf(context);
  return results.explained('Failed to create the label', async () => ({
    add: (await makeLabel(client, name)).id,
  }));
}

/** The change to look for on an email; undefined if its label was never created. */
async function changeToLookFor(
  client: GmailClient,
  context: PreparedBulkContext,
): Promise<LabelChange | undefined> {
  const name = missingLabel(context);
  if (name === undefined) return changeOf(context);
  const label = findLabel(await client.labels(), name);
  return label && { add: label.id };
}

async function prepareChange(
  client: GmailClient,
  action: string,
  change: Record<string, unknown>,
): Promise<PreparedBulkContext['action_params']> {
  if (typeof change.label_name !== 'string') return {};
  const label = await lookUpLabel(client, change.label_name, {
    create: change.create_label === true,
    mayCreate: action === 'label',
  });
  return label ? { label_id: label.id, label_name: label.name } : { label_name: change.label_name };
}

async function describeEmail(client: GmailClient, id: string): Promise<BulkItem> {
  try {
    const { subject, received } = await client.heading(id);
    const display_name = displayName(subject, '(no subject)');
    return { id, display_name, raw_data: received === undefined ? undefined : { received } };
  } catch (error) {
    // Deleted since the list was read: it stays in the plan, so that the counts agree, and fails there by name.
    if (error instanceof ProviderFailure && error.status === 404)
      return { id, display_name: '(deleted email)' };
    throw error;
  }
}
