import { BatchgateError } from '../../../src/contract/errors';
import type { BulkItem, BulkResult } from '../../../src/contract/items';
import { mapConcurrently } from '../shared/actions';
import { failureOf } from '../shared/failure';
import { createResults, reconciliation } from '../shared/results';
import type { GmailClient } from './client';
import type { LabelChange } from './parameters';

export const results = createResults({
  provider: 'Gmail',
  item: 'email',
  hints: {
    signIn: 'Sign in again with `batchgate login google`, or renew BATCHGATE_GOOGLE_ACCESS_TOKEN.',
    grant: 'Grant the scope gmail.modify to these credentials and enable the Gmail API in their project.',
    tryLater: 'Check the connection and BATCHGATE_GMAIL_BASE_URL, and try again in a minute.',
  },
});

/** Concurrent requests: Gmail answers 429 to many of one user. */
export const CONCURRENCY = 5;

/** Whether these labels of an email show the change. */
export const shows = (labels: readonly string[], change: LabelChange) =>
  reconciliation('add' in change ? labels.includes(change.add) : !labels.includes(change.remove));

/**
 * Sends one batchModify and then reads every email, because batchModify answers success for ids that it ignored.
 * @throws BatchgateError `CREDENTIALS_INVALID` when Gmail refuses our credentials before anything was changed.
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
    if (failure.refusesUs) throw results.callError(failure, 'Nothing was changed');
    // Gmail refuses all ids if one is invalid.
    if (failure.status === 400 || failure.status === 404) {
      return mapConcurrently(items, CONCURRENCY, (item) => changeOne(client, item, change));
    }
    return items.map(({ id }) => results.failed(id, failure));
  }
  // One or two pages can confirm an added label for many emails at once; the rest are read one by one.
  const seen = 'add' in change ? await seenWith(client, items, change.add) : new Set<string>();
  return mapConcurrently(items, CONCURRENCY, (item) =>
    seen.has(item.id)
      ? Promise.resolve(results.accepted(item.id, 'applied'))
      : readBack(client, item.id, change),
  );
}

/**
 * The emails that up to two pages of 500 list under the label: the newest ones, and if some are missing, the newest of
 * their period. If more than 500 emails of that period have the label, the rest are read one by one.
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
    // Emails that were not listed are read one by one, and that read reports what is wrong.
  }
  return seen;
}

/** The period from the oldest to the newest of the emails whose time is in the plan. */
function spanOf(items: readonly BulkItem[]): { from: number; to: number } | undefined {
  const times = items.flatMap(({ raw_data }) =>
    typeof raw_data?.received === 'number' ? raw_data.received : [],
  );
  return times.length === 0 ? undefined : { from: Math.min(...times), to: Math.max(...times) };
}

async function changeOne(client: GmailClient, { id }: BulkItem, change: LabelChange): Promise<BulkResult> {
  try {
    return results.accepted(id, shows(await client.modify(id, change), change));
  } catch (error) {
    const failure = failureOf(error);
    return failure.kind === 'malformed' ? readBack(client, id, change) : results.failed(id, failure);
  }
}

const readBack = (client: GmailClient, id: string, change: LabelChange): Promise<BulkResult> =>
  results.readBack(id, async () => shows(await client.labelsOf(id), change));
