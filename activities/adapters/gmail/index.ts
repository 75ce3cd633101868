import type { BulkAdapter, CallLimits } from '../../../src/contract/adapter';
import type { BulkItem, PreparedBulkContext } from '../../../src/contract/items';
import { mapConcurrently, parseAction } from '../shared/actions';
import { displayName } from '../shared/names';
import { gmailClient, PAGE_SIZE, type GmailClient } from './client';
import { placeOf, type GoogleOptions } from '../google/transport';
import { createAllowance } from '../shared/allowance';
import { ProviderFailure } from '../shared/failure';
import { reconciliation } from '../shared/results';
import { CONCURRENCY, executeChange, results, shows } from './execute';
import { keepingUndo } from '../shared/frozen-state';
import { findLabel, lookUpLabel, makeLabel, ownLabels } from './labels';
import { describeGmailChange } from './describe';
import { missingLabel, changeOf, GMAIL_ACTIONS, searchOf } from './parameters';
import { freeze, GONE, labelsFor, previewEmail, touchedLabel, wish } from './state';

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
    previewItem: previewEmail,
    place: () => placeOf(options),

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
        const found = ids.map((id) => ({ id, display_name: '(deleted email)' }));
        return freezeAll(requests, found, context);
      });
    },

    freezeItems: (items, context, limits) =>
      results.explained('Failed to fetch emails', () => freezeAll(client(limits), items, context)),

    suggest: async ({ parameter }, limits) =>
      parameter === 'label_name' ? suggestLabels(client(limits)) : [],

    async executeBatch(items, context, limits) {
      const requests = client(limits);
      if (items.length === 0) return [];
      const wanted = items.some((item) => wish(item, context) === true);
      const label = await (wanted ? labelToAdd : labelToLookFor)(requests, context);
      // No email has a label that does not exist.
      if (label === undefined) return items.map(({ id }) => ({ item_id: id, success: true }));
      return executeChange(requests, items, context, label);
    },

    async reconcile(item, context, limits) {
      return results.reconcile(async () => {
        const requests = client(limits);
        const label = await labelToLookFor(requests, context);
        if (label === undefined) return reconciliation(wish(item, context) === false);
        const labels = labelsFor(item, context, label);
        return labels === undefined ? 'unknown' : shows(await requests.labelsOf(item.id), labels);
      });
    },
  };
}

const suggestLabels = (client: GmailClient): Promise<string[]> =>
  results.explained('Failed to read the labels', async () => ownLabels(await client.labels()));

/** The id of the label of the change. The first batch creates the label if necessary. */
async function labelToAdd(client: GmailClient, context: PreparedBulkContext): Promise<string> {
  const name = missingLabel(context);
  if (name === undefined) return touchedLabel(changeOf(context));
  return results.explained('Failed to create the label', async () => (await makeLabel(client, name)).id);
}

/** The id of the label of the change; undefined if the label does not exist. */
async function labelToLookFor(
  client: GmailClient,
  context: PreparedBulkContext,
): Promise<string | undefined> {
  const name = missingLabel(context);
  if (name === undefined) return touchedLabel(changeOf(context));
  return findLabel(await client.labels(), name)?.id;
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

async function freezeAll(
  client: GmailClient,
  items: readonly BulkItem[],
  context: PreparedBulkContext,
): Promise<BulkItem[]> {
  const label = await labelToLookFor(client, context);
  return mapConcurrently(items, CONCURRENCY, (item) => freezeEmail(client, item, label));
}

/** A missing email stays in the plan, so that the counts agree, and fails there by name. */
async function freezeEmail(
  client: GmailClient,
  item: BulkItem,
  label: string | undefined,
): Promise<BulkItem> {
  const { id } = item;
  try {
    const { subject, labels } = await client.heading(id);
    const display_name = displayName(subject, '(no subject)');
    return keepingUndo({ id, display_name, raw_data: { ...freeze(labels, label) } }, item);
  } catch (error) {
    if (!(error instanceof ProviderFailure && isMissing(error))) throw error;
    return keepingUndo({ id, display_name: item.display_name, raw_data: { ...GONE } }, item);
  }
}

/** 400: an id that Gmail could not have given. */
const isMissing = ({ status, refusesUs }: ProviderFailure): boolean =>
  status === 404 || (status === 400 && !refusesUs);
