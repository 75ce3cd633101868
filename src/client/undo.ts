import type { Client } from '@temporalio/client';
import { BatchgateError } from '../contract/errors';
import type { BulkOperationInput, BulkStatus } from '../contract/operation';
import { isClosed } from '../core/bulk/transitions';
import { askedSizes, awaitEnd, followUpIfThere } from './follow-ups';
import { ledgerParts } from './ledger';
import { hasEnded } from './operation-watch';
import { cancelBulkOperation, startBulkOperation, type StartOptions } from './operations';
import { locateOperation, getBulkStatus, undoId } from './status';
import { foundNoPlace } from './start-once';

export interface UndoOptions extends StartOptions {
  /** Items to restore even if they were changed after the operation. */
  overwrite?: BulkOperationInput['overwrite'];
  batch_size?: number;
  /** The sizes of growing batches, in place of `batch_size`. */
  batch_sizes?: number[];
  session_id?: string;
  requested_by?: string;
  requested_subject?: BulkOperationInput['requested_subject'];
  /** The requester's reason. */
  reason?: string | undefined;
  by_agent?: BulkOperationInput['by_agent'];
  /** Cancels the original operation first if it has not ended. */
  cancel_first?: boolean;
  /** Waits for the original operation to end. */
  wait?: boolean;
}

/**
 * Starts an operation that undoes an ended operation. It restores the items' previous values in batches, each after its
 * own confirmation. A repeated request returns the existing undo, unless that undo left something to restore.
 * @throws BatchgateError `INVALID_INPUT` if the operation has not ended or cannot be undone.
 */
export async function undoBulkOperation(
  client: Client,
  operationId: string,
  options: UndoOptions = {},
): Promise<BulkStatus> {
  const { overwrite, batch_size, batch_sizes, session_id, cancel_first, wait, ...others } = options;
  const { requested_by, requested_subject, reason, by_agent, ...start } = others;
  let status = await getBulkStatus(client, operationId);
  if (!isClosed(status.state)) {
    if (cancel_first) await cancelBulkOperation(client, operationId, { reason: 'to be undone' });
    else if (wait) while (!(await hasEnded(client, operationId))) start.signal?.throwIfAborted();
    else throw notEnded(operationId);
  }
  const place = await locateOperation(client, operationId);
  if (place.running) await awaitEnd(client, operationId);
  status = await getBulkStatus(client, operationId);
  const { id, there } = await nextUndo(client, operationId, overwrite);
  if (there) return there;
  const session = session_id ?? status.session_id;
  const input: BulkOperationInput = {
    domain: status.domain,
    action: status.action,
    undoes: operationId,
    ...(batch_size !== undefined || batch_sizes
      ? { batch_size, batch_sizes }
      : await sizesOf(client, status)),
    overwrite,
    session_id: session,
    ...{ requested_by, requested_subject, reason, by_agent },
  };
  return startBulkOperation(client, input, {
    task_queue: place.taskQueue,
    ...start,
    operation_id: start.operation_id ?? id,
  });
}

/** Returns the sizes that the start of the operation requested. */
async function sizesOf(
  client: Client,
  { operation_id, policy, batch_size, batch_sizes }: BulkStatus,
): Promise<Pick<BulkOperationInput, 'batch_size' | 'batch_sizes'>> {
  if (policy === undefined) return batch_sizes ? { batch_sizes } : { batch_size };
  const first = await ledgerParts(client, await locateOperation(client, operation_id)).next();
  return first.done ? {} : askedSizes(first.value);
}

function notEnded(operationId: string): BatchgateError {
  return new BatchgateError(
    'INVALID_INPUT',
    `The operation ${operationId} has not ended.`,
    `Wait for its end, or cancel it first: npx batchgate undo ${operationId} --cancel-first`,
  );
}

/** Returns the existing undo if it is still valid; otherwise the id of the next one. */
async function nextUndo(
  client: Client,
  operationId: string,
  overwrite: UndoOptions['overwrite'],
): Promise<{ id: string; there?: BulkStatus }> {
  for (let number = 1; ; number++) {
    const id = undoId(operationId, number);
    const there = await followUpIfThere(client, id);
    if (there === 'taken') continue;
    if (!there || foundNoPlace(there.error)) return { id };
    const whole = there.state === 'completed' && there.succeeded === there.total && overwrite === undefined;
    if (!isClosed(there.state) || whole) return { id, there };
  }
}
