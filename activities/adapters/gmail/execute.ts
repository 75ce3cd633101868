import { BatchgateError } from '../../../src/contract/errors';
import type { BulkItem, BulkResult } from '../../../src/contract/items';
import { mapConcurrently } from '../../../src/provider/actions';
import type { GmailClient } from './client';
import { failureOf } from '../../../src/provider/failure';
import { callError, failedResult } from './errors';
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
  // What a page or two show of an additive change saves a request for each email; the rest are read singly.
  const seen = 'add' in change ? await seenWith(client, items, change.add) : new Set<string>();
  return mapConcurrently(items, CONCURRENCY, (item) =>
    seen.has(item.id) ? Promise.resolve({ item_id: item.id, success: true }) : readBack(client, item, change),
  );
}

/**
 * Those of the emails that two pages of 500 show under the label: the newest under it, and where that misses some, the
 * newest of the time that these come from. A label on more than 500 emails of that time leaves some to single reads.
 */
async function seenWith(
  client: GmailClient,
  items: readonly BulkItem[],
  label: string,
): Promise<Set<string>> {
  const seen = new Set<string>();
  try {
    for (const id of await client.newestWith(label)) seen.add(id);
    const span = spanOf(items.filter(({ id }) => !seen.has(id)));
    if (span) for (const id of await client.newestWith(label, span)) seen.add(id);
  } catch {
    // What was not seen is read singly, which says what is wrong.
  }
  return seen;
}

/** The time from the oldest to the newest of those emails whose time the plan froze. */
function spanOf(items: readonly BulkItem[]): { from: number; to: number } | undefined {
  const times = items.flatMap(({ raw_data }) =>
    typeof raw_data?.received === 'number' ? raw_data.received : [],
  );
  return times.length === 0 ? undefined : { from: Math.min(...times), to: Math.max(...times) };
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
