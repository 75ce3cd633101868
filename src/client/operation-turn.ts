import type { Client } from '@temporalio/client';
import { bulkTurnSchema, type BulkStatus, type BulkTurn, type Confirmation } from '../contract/operation';
import { outcomeOfConfirmed } from '../core/bulk/repetitions';
import { requesterOf } from '../core/bulk/requester';
import { unlessMissing } from './failures';
import { findInLedger } from './ledger';
import { locateOperation } from './status';

/** Removes the lists from a status. */
export const turnOf = ({ requested_by, by_agent, ...status }: BulkStatus): BulkTurn =>
  bulkTurnSchema.parse({ ...status, ...requesterOf({ ...status, requested_by, by_agent }) });

/** Returns the turn of an operation that ended, if it had received the same decision. */
export const turnIf = (decision: unknown, ended: BulkStatus) => (decision ? turnOf(ended) : undefined);

/** The answer to a repeated confirmation after the end: the outcome of its own batch, which need not be the last. */
export async function turnOfConfirmed(
  client: Client,
  ended: BulkStatus,
  confirmation: Confirmation | undefined,
): Promise<BulkTurn | undefined> {
  if (confirmation === undefined) return undefined;
  const { last_batch, ...turn } = turnOf(ended);
  const isLast = last_batch?.number === confirmation.batch && last_batch.attempt === confirmation.attempt;
  if (isLast) return { ...turn, last_batch };
  const record = await locateOperation(client, ended.operation_id)
    .then((place) => findInLedger(client, place))
    .catch(unlessMissing);
  const own = record ? outcomeOfConfirmed(record.items, confirmation) : undefined;
  return { ...turn, ...(own && { last_batch: own }) };
}
