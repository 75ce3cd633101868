import { BatchgateError } from '../../../src/contract/errors';
import type { BulkItem, BulkResult, PreparedBulkContext } from '../../../src/contract/items';
import { mapConcurrently } from '../shared/actions';
import { failureOf } from '../shared/failure';
import { changedSincePreview, difference, NOT_RECORDED } from '../shared/frozen-state';
import { createResults, reconciliation } from '../shared/results';
import type { GmailClient } from './client';
import { isAlready, labelsFor, stateOf, wasMissing, type Labels } from './state';

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
export const shows = (found: readonly string[], { add, remove }: Labels) =>
  reconciliation(add.every((id) => found.includes(id)) && !remove.some((id) => found.includes(id)));

/** The emails that get the same labels. */
interface Group {
  readonly labels: Labels;
  readonly items: BulkItem[];
}

/**
 * Sends one batchModify and then reads every email, because batchModify answers success for ids that it ignored. An
 * email either has the label or lacks it, as frozen or as intended, so other people's changes cannot be overwritten.
 * Only an email that had the intended state when it was frozen, and no longer has it, has changed.
 * @throws BatchgateError `CREDENTIALS_INVALID` when Gmail refuses our credentials before anything was changed.
 */
export async function executeChange(
  client: GmailClient,
  items: readonly BulkItem[],
  context: PreparedBulkContext,
  label: string,
): Promise<BulkResult[]> {
  const found = new Map<string, BulkResult>();
  const keep = (made: readonly BulkResult[]) => made.forEach((result) => found.set(result.item_id, result));
  const groups = new Map<string, Group>();
  for (const item of items.filter((one) => !isAlready(one, context) && !wasMissing(one))) {
    const labels = labelsFor(item, context, label);
    if (labels === undefined)
      keep([{ item_id: item.id, success: false, error: NOT_RECORDED, retryable: false }]);
    else {
      const key = JSON.stringify(labels);
      groups.set(key, { labels, items: [...(groups.get(key)?.items ?? []), item] });
    }
  }
  // Read before the first change: from here on the history shows the outcome.
  const start = groups.size === 0 ? undefined : await startOf(client);
  const accepted: Group[] = [];
  let sent = false;
  for (const group of groups.values()) {
    const refused = await modifyGroup(client, group, !sent);
    sent = true;
    if (refused) keep(refused);
    else accepted.push(group);
  }
  keep(await confirmed(client, accepted, start));
  const already = items.filter((one) => isAlready(one, context));
  keep(await mapConcurrently(already, CONCURRENCY, (item) => readAlready(client, item, context, label)));
  keep(await mapConcurrently(items.filter(wasMissing), CONCURRENCY, (item) => readMissing(client, item)));
  return items.map(({ id }) => found.get(id)!);
}

/** An email that was not found when it was frozen is not changed, even if it exists by now. */
async function readMissing(client: GmailClient, { id }: BulkItem): Promise<BulkResult> {
  try {
    await client.labelsOf(id);
    return changedSincePreview(id, 'it was not found before');
  } catch (error) {
    return unread(id, error);
  }
}

/** The result of an email that was not changed and could not be read. */
function unread(item_id: string, error: unknown): BulkResult {
  const { error: text, retryable } = results.failed(item_id, failureOf(error));
  return { item_id, success: false, error: text, retryable: retryable ?? true };
}

/** Undefined if Gmail does not report them: then the emails are read one by one. */
async function startOf(client: GmailClient): Promise<string | undefined> {
  try {
    return await client.historyId();
  } catch (error) {
    if (error instanceof BatchgateError) throw error;
    const failure = failureOf(error);
    if (failure.refusesUs) throw results.callError(failure, 'Nothing was changed');
    return undefined;
  }
}

/** The results of emails whose change was refused or is unknown; undefined if Gmail accepted it. */
async function modifyGroup(
  client: GmailClient,
  { items, labels }: Group,
  nothingChanged: boolean,
): Promise<BulkResult[] | undefined> {
  try {
    await client.modifyAll([...new Set(items.map(({ id }) => id))], labels);
    return undefined;
  } catch (error) {
    if (error instanceof BatchgateError && nothingChanged) throw error;
    const failure = failureOf(error);
    if (failure.refusesUs && nothingChanged) throw results.callError(failure, 'Nothing was changed');
    // Gmail refuses all ids if one is invalid.
    if (failure.status === 400 || failure.status === 404)
      return mapConcurrently(items, CONCURRENCY, (item) => changeOne(client, item, labels));
    return items.map(({ id }) => results.failed(id, failure));
  }
}

/** One page of the history confirms a batch, however old its emails are; emails that it does not show are read. */
async function confirmed(
  client: GmailClient,
  groups: readonly Group[],
  start: string | undefined,
): Promise<BulkResult[]> {
  if (groups.length === 0) return [];
  const last = new Map<string, boolean>();
  // Emails that are not listed are read one by one, and that read reports what is wrong.
  const events = start === undefined ? [] : await client.labelEvents(start).catch(() => []);
  for (const { id, label, has } of events) last.set(`${label} ${id}`, has);
  const isSeen = (id: string, { add, remove }: Labels) =>
    add.every((label) => last.get(`${label} ${id}`) === true) &&
    remove.every((label) => last.get(`${label} ${id}`) === false);
  const all = groups.flatMap(({ items, labels }) => items.map(({ id }) => ({ id, labels })));
  return mapConcurrently(all, CONCURRENCY, ({ id, labels }) =>
    isSeen(id, labels) ? Promise.resolve(results.accepted(id, 'applied')) : readBack(client, id, labels),
  );
}

async function changeOne(client: GmailClient, { id }: BulkItem, labels: Labels): Promise<BulkResult> {
  try {
    return results.accepted(id, shows(await client.modify(id, labels), labels));
  } catch (error) {
    const failure = failureOf(error);
    return failure.kind === 'malformed' ? readBack(client, id, labels) : results.failed(id, failure);
  }
}

const readBack = (client: GmailClient, id: string, labels: Labels): Promise<BulkResult> =>
  results.readBack(id, async () => shows(await client.labelsOf(id), labels));

/** An email that was frozen in the intended state needs no change, unless somebody has changed it since. */
async function readAlready(
  client: GmailClient,
  item: BulkItem,
  context: PreparedBulkContext,
  label: string,
): Promise<BulkResult> {
  const { id } = item;
  const wished = (labelsFor(item, context, label)?.add ?? []).includes(label);
  try {
    const has = (await client.labelsOf(id)).includes(label);
    if (has === wished) return { item_id: id, success: true };
    return changedSincePreview(id, difference(stateOf(wished, context), stateOf(has, context)));
  } catch (error) {
    return unread(id, error);
  }
}
