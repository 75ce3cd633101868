import type { BatchCall } from '../../../src/contract/adapter';
import type { BulkItem, BulkResult, PreparedBulkContext } from '../../../src/contract/items';
import { mapConcurrently } from '../shared/actions';
import { reported } from '../shared/results';
import { failureOf, type ProviderFailure } from '../shared/failure';
import { changedSincePreview, NOT_RECORDED } from '../shared/frozen-state';
import { shows, type Card } from './cards';
import { changedSince, changeFor } from './frozen';
import type { TrelloClient } from './client';
import { results } from './errors';

/** The result of one card, and whether its data may have changed. */
interface Attempt {
  readonly result: BulkResult;
  readonly touched: boolean;
  /** Trello refused our credentials, whatever the card. */
  readonly refusal?: ProviderFailure;
}

/**
 * Reads each card and changes it. Trello has no If-Match, so a card that somebody changes between the read and the
 * write is overwritten: the write follows the read at once, card by card.
 * @throws BatchgateError `CREDENTIALS_INVALID` when Trello refused our credentials and no card was changed.
 */
export async function executeChange(
  client: TrelloClient,
  items: readonly BulkItem[],
  context: PreparedBulkContext,
  { concurrency, call }: { concurrency: number; call: BatchCall },
): Promise<BulkResult[]> {
  const attempts = await mapConcurrently(items, concurrency, async (item) => {
    const attempt = await changeOne(client, item, context);
    if (!attempt.refusal) reported(call, attempt.result);
    return attempt;
  });
  const refusal = attempts.find((attempt) => attempt.refusal)?.refusal;
  if (refusal && !attempts.some(({ touched }) => touched))
    throw results.callError(refusal, 'Nothing was changed');
  return attempts.map(({ result }) => result);
}

async function changeOne(
  client: TrelloClient,
  item: BulkItem,
  context: PreparedBulkContext,
): Promise<Attempt> {
  const item_id = item.id;
  const change = changeFor(item, context);
  if (change === undefined)
    return { result: { item_id, success: false, error: NOT_RECORDED, retryable: false }, touched: false };
  let card: Card;
  try {
    card = await client.card(item.id, context.query_params.text !== undefined);
  } catch (error) {
    return unread(item_id, failureOf(error));
  }
  if (shows(card, change) === 'applied')
    return { result: results.accepted(item_id, 'applied'), touched: false };
  const happened = changedSince(item, card, context);
  if (happened !== undefined) return { result: changedSincePreview(item_id, happened), touched: false };
  try {
    const shown = shows(await client.change(item.id, change), change);
    const result =
      shown === 'applied'
        ? results.accepted(item_id, shown)
        : await results.readBack(item_id, async () => shows(await client.card(item_id), change));
    return { result, touched: true };
  } catch (error) {
    const failure = failureOf(error);
    const result = results.failed(item_id, failure);
    if (failure.refusesUs) return { result, touched: false, refusal: failure };
    return { result, touched: failure.kind !== 'not_sent' };
  }
}

/** A card that could not be read was not changed, whatever the failure. */
function unread(item_id: string, failure: ProviderFailure): Attempt {
  const { error, retryable } = results.failed(item_id, failure);
  const result = { item_id, success: false, error, retryable: retryable ?? true };
  return { result, touched: false, refusal: failure.refusesUs ? failure : undefined };
}
