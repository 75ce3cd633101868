import { BatchgateError } from '../../../src/contract/errors';
import type { BulkItem, BulkResult } from '../../../src/contract/items';
import { mapConcurrently } from '../actions';
import type { GmailClient } from './client';
import { callError, failedResult, GmailFailure } from './errors';
import type { LabelChange } from './parameters';

/** Requests under way at once: Gmail answers 429 to many concurrent requests of one user. */
export const CONCURRENCY = 5;

export const isApplied = (labels: readonly string[], change: LabelChange): boolean =>
  'add' in change ? labels.includes(change.add) : !labels.includes(change.remove);

/**
 * One batchModify, and then a look at every email, because batchModify answers success for ids that it ignored.
 * @throws BatchgateError `CREDENTIALS_INVALID` when Gmail refused us before anything was touched.
 */
export async function executeChange(
  client: GmailClient,
  items: readonly BulkItem[],
  change: LabelChange,
): Promise<BulkResult[]> {
  if (items.length === 0) return [];
  try {
    const ids = [...new Set(items.map(({ id }) => id))];
    await client.modifyAll(ids, change);
  } catch (error) {
    if (error instanceof BatchgateError) throw error;
    const failure = failureOf(error);
    if (failure.refusesUs) throw callError(failure, 'Nothing was changed');
    // One bad id is enough for Gmail to refuse all of them.
    if (failure.status === 400 || failure.status === 404) {
      return mapConcurrently(items, CONCURRENCY, (item) => changeOne(client, item, change));
    }
    return items.map(({ id }) => failedResult(id, failure));
  }
  // The one page that shows most of an additive change saves a request for each email; the rest are read singly.
  const seen = 'add' in change ? await client.newestWith(change.add).catch(() => new Set()) : new Set();
  return mapConcurrently(items, CONCURRENCY, (item) =>
    seen.has(item.id) ? Promise.resolve({ item_id: item.id, success: true }) : readBack(client, item, change),
  );
}

async function changeOne(client: GmailClient, { id }: BulkItem, change: LabelChange): Promise<BulkResult> {
  try {
    return judge(id, await client.modify(id, change), change);
  } catch (error) {
    const failure = failureOf(error);
    return failure.kind === 'malformed' ? readBack(client, { id }, change) : failedResult(id, failure);
  }
}

/** Looks at an email whose change Gmail accepted. Without a look, nobody knows what became of it. */
async function readBack(
  client: GmailClient,
  { id }: Pick<BulkItem, 'id'>,
  change: LabelChange,
): Promise<BulkResult> {
  try {
    return judge(id, await client.labelsOf(id), change);
  } catch (error) {
    const failure = failureOf(error);
    if (failure.status === 404) return failedResult(id, failure);
    return {
      item_id: id,
      success: false,
      error: `Gmail accepted the change, but the email could not be read back: ${failure.message}`,
      outcome_unknown: true,
    };
  }
}

function judge(item_id: string, labels: readonly string[], change: LabelChange): BulkResult {
  if (isApplied(labels, change)) return { item_id, success: true };
  const error = 'Gmail accepted the change, but the email is as it was';
  return { item_id, success: false, error, retryable: true };
}

/** After the first write, credentials that ran out are one item's failure like any other. */
function failureOf(error: unknown): GmailFailure {
  if (error instanceof GmailFailure) return error;
  if (error instanceof BatchgateError) return new GmailFailure('credentials', error.message);
  throw error;
}
