import type { BulkAdapter, CallLimits } from '../../../src/contract/adapter';
import { MAX_NAME_LENGTH } from '../../../src/contract/items';
import type { BulkItem, PreparedBulkContext } from '../../../src/contract/items';
import { mapConcurrently, parseAction } from '../actions';
import { gmailClient } from './client';
import type { GmailClient } from './client';
import { callError, GmailFailure } from './errors';
import { CONCURRENCY, executeChange, isApplied } from './execute';
import { resolveLabel } from './labels';
import { changeOf, describeGmailChange, GMAIL_ACTIONS, searchOf } from './parameters';
import type { GmailOptions } from './transport';

/**
 * Gmail as a bulk adapter: label, unlabel, archive, mark_read, mark_unread, star, trash.
 *
 * `prepare` writes in one case: `create_label: true` asks for it, and there is no label of that name yet.
 * `rootUrl` is another server with Gmail's API. `accessToken` is asked before every request; after a 401 it is asked
 * once more, with the token that was refused.
 */
export function createGmailAdapter(options: GmailOptions): BulkAdapter {
  const client = (limits: CallLimits) => gmailClient(options, limits);
  return {
    toolName: 'gmail',
    itemNoun: { one: 'email', many: 'emails' },
    actions: GMAIL_ACTIONS,
    planPageSize: 100,
    describeChange: describeGmailChange,

    async prepare(request, limits) {
      const { query, change } = parseAction('gmail', GMAIL_ACTIONS, request);
      return {
        tool_name: 'gmail',
        action: request.action,
        query_params: query,
        action_params: await orCallError('Failed to read the labels', () =>
          prepareChange(client(limits), request.action, change),
        ),
      };
    },

    async getTotalCount(context, limits) {
      const search = searchOf(context);
      return orCallError('Failed to count emails', async () => {
        return (await client(limits).search(search, Infinity)).length;
      });
    },

    async getNextBatch(context, batchSize, offset, limits) {
      const search = searchOf(context);
      return orCallError('Failed to fetch emails', async () => {
        const requests = client(limits);
        const ids = (await requests.search(search, offset + batchSize)).slice(offset);
        return mapConcurrently(ids, CONCURRENCY, (id) => describeEmail(requests, id));
      });
    },

    async executeBatch(items, context, limits) {
      return executeChange(client(limits), items, changeOf(context));
    },

    async reconcile(item, context, limits) {
      const change = changeOf(context);
      try {
        return isApplied(await client(limits).labelsOf(item.id), change) ? 'applied' : 'not_applied';
      } catch (error) {
        // An email that is gone does not have the change, and running it again says so by name.
        if (error instanceof GmailFailure && error.status === 404) return 'not_applied';
        if (error instanceof GmailFailure && !error.retryable) return 'unknown';
        throw callError(error, 'Failed to read the email back');
      }
    },
  };
}

async function prepareChange(
  client: GmailClient,
  action: string,
  change: Record<string, unknown>,
): Promise<PreparedBulkContext['action_params']> {
  if (typeof change.label_name !== 'string') return {};
  const label = await resolveLabel(client, change.label_name, {
    create: change.create_label === true,
    mayCreate: action === 'label',
  });
  return { label_id: label.id, label_name: label.name };
}

async function describeEmail(client: GmailClient, id: string): Promise<BulkItem> {
  try {
    return { id, display_name: displayName(await client.subject(id)) };
  } catch (error) {
    // Deleted since the list was made: it stays in the plan, so that the counts agree, and fails there by name.
    if (error instanceof GmailFailure && error.status === 404) return { id, display_name: '(deleted email)' };
    throw error;
  }
}

/** A subject as one line, cut between characters to what a display name holds. */
function displayName(subject: string): string {
  const line = subject.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  if (line === '') return '(no subject)';
  return line.length <= MAX_NAME_LENGTH
    ? line
    : `${line.slice(0, MAX_NAME_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

async function orCallError<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw callError(error, what);
  }
}
