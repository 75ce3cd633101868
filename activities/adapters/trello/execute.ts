import type { BulkItem, BulkResult, PreparedBulkContext } from '../../../src/contract/items';
import { mapConcurrently } from '../../../src/provider/actions';
import type { ProviderFailure } from '../../../src/provider/failure';
import { failureOf } from '../../../src/provider/failure';
import { changedSince, changeOf, isApplied, type Card, type CardChange } from './cards';
import type { TrelloClient } from './client';
import { callError, failedResult } from './errors';

/** One card's result, and whether anything of it may have reached Trello's data. */
interface Attempt {
  readonly result: BulkResult;
  readonly touched: boolean;
  /** It is us that Trello refused, whatever the card. */
  readonly refusal?: ProviderFailure;
}

/**
 * Looks at each card and changes it. Trello has no If-Match, so that a card which changes between the look and the
 * write is overwritten: the two follow each other at once, card by card.
 * @throws BatchgateError `CREDENTIALS_INVALID` when Trello refused us and no card was touched.
 */
export async function executeChange(
  client: TrelloClient,
  items: readonly BulkItem[],
  context: PreparedBulkContext,
  concurrency: number,
): Promise<BulkResult[]> {
  const change = changeOf(context);
  const attempts = await mapConcurrently(items, concurrency, (item) =>
    changeOne(client, item, context, change),
  );
  const refusal = attempts.find((attempt) => attempt.refusal)?.refusal;
  if (refusal && !attempts.some(({ touched }) => touched)) throw callError(refusal, 'Nothing was changed');
  return attempts.map(({ result }) => result);
}

async function changeOne(
  client: TrelloClient,
  item: BulkItem,
  context: PreparedBulkContext,
  change: CardChange,
): Promise<Attempt> {
  const item_id = item.id;
  let card: Card;
  try {
    card = await client.card(item.id, context.query_params.text !== undefined);
  } catch (error) {
    return unread(item_id, failureOf(error));
  }
  if (isApplied(card, change)) return { result: { item_id, success: true }, touched: false };
  const happened = changedSince(item, card, context);
  if (happened !== undefined) {
    const error = `The card changed since it was planned: ${happened}`;
    return { result: { item_id, success: false, error, retryable: true }, touched: false };
  }
  try {
    const shown = await client.change(item.id, change);
    const result = isApplied(shown, change)
      ? { item_id, success: true }
      : await readBack(client, item.id, change);
    return { result, touched: true };
  } catch (error) {
    const failure = failureOf(error);
    const result = failedResult(item_id, failure);
    if (failure.refusesUs) return { result, touched: false, refusal: failure };
    return { result, touched: failure.kind !== 'not_sent' };
  }
}

/** A card that could not be looked at was not touched, whatever became of the look. */
function unread(item_id: string, failure: ProviderFailure): Attempt {
  const { error, retryable } = failedResult(item_id, failure);
  const result = { item_id, success: false, error, retryable: retryable ?? true };
  return { result, touched: false, ...(failure.refusesUs && { refusal: failure }) };
}

/** Looks at a card whose change Trello accepted without showing it. Without a look, nobody knows what became of it. */
async function readBack(client: TrelloClient, item_id: string, change: CardChange): Promise<BulkResult> {
  try {
    if (isApplied(await client.card(item_id), change)) return { item_id, success: true };
    const error = 'Trello accepted the change, but the card is as it was';
    return { item_id, success: false, error, retryable: true };
  } catch (error) {
    const failure = failureOf(error);
    if (failure.status === 404) return failedResult(item_id, failure);
    return {
      item_id,
      success: false,
      error: `Trello accepted the change, but the card could not be read back: ${failure.message}`,
      outcome_unknown: true,
    };
  }
}
