import type { Client } from '@temporalio/client';
import type { BatchgateError } from '../contract/errors';
import type { BulkStatus } from '../contract/operation';
import { isClosed } from '../core/transitions';
import { toBatchgateError } from './failures';
import { startRemainingItems } from './follow-ups';
import { listBulkOperations } from './listing';
import { getBulkStatus } from './operations';

const AT_MOST = 1_000;

export interface ResumeFilter {
  session_id?: string;
  /** Operations that expired before are over; ISO 8601. */
  expired_after: string;
}

/** An operation to go on with. `rest_of`: the expired one whose remaining items it takes over. */
export type Resumed =
  | { operation_id: string; status: BulkStatus; rest_of?: string }
  | { operation_id: string; error: BatchgateError };

/**
 * What was interrupted, oldest first: the live operations, and for each expired one with items remaining the one
 * operation over these, started where it is not there yet. One that cannot be resumed does not keep the others.
 */
export async function* resumeOperations(client: Client, filter: ResumeFilter): AsyncGenerator<Resumed> {
  const { session_id, expired_after } = filter;
  const rows = async (more: { live?: true; state?: 'expired'; closed_after?: string }) =>
    (await listBulkOperations(client, { session_id, limit: AT_MOST, ...more })).reverse();
  const live = await rows({ live: true });
  const expired = await rows({ state: 'expired', closed_after: expired_after });
  const ids = [...new Set([...live, ...expired].map(({ operation_id }) => operation_id))];
  const shown = new Set<string>();
  for (const operation_id of ids) {
    try {
      const status = await goOn(client, operation_id);
      if (!status || shown.has(status.operation_id)) continue;
      shown.add(status.operation_id);
      yield status.operation_id === operation_id
        ? { operation_id, status }
        : { operation_id: status.operation_id, status, rest_of: operation_id };
    } catch (error) {
      yield { operation_id, error: toBatchgateError(error) };
    }
  }
}

/** The operation itself, or the one over what it left; none where nothing waits, or somebody ended that one too. */
async function goOn(client: Client, operationId: string): Promise<BulkStatus | undefined> {
  const status = await getBulkStatus(client, operationId);
  if (!isClosed(status.state)) return status;
  if (status.state !== 'expired' || status.remaining === 0) return undefined;
  const rest = await startRemainingItems(client, operationId);
  // An expired rest is an expired operation like any other, and has its own turn.
  return isClosed(rest.state) ? undefined : rest;
}
