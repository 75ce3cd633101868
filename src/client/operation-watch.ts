import { isGrpcDeadlineError, WorkflowFailedError, type Client } from '@temporalio/client';
import type { OperationWatch } from '../contract/macro-activities';
import { bulkTurnSchema } from '../contract/operation';
import { toBatchgateError } from './failures';
import { describeOperation, getBulkStatus } from './operations';

/** How long the server may hold one question; whoever is stopped leaves it behind for no longer. Milliseconds. */
const HELD_MS = 10_000;

/** Waits for the end of bulk operations by the server's own long poll, across all runs of their chains. */
export function createOperationWatch(client: Client): OperationWatch {
  return {
    async ended(operationId, signal, withinMs) {
      const overAt = Date.now() + withinMs;
      const { status } = await describeOperation(client, operationId);
      let running = status.name === 'RUNNING';
      while (running) {
        signal.throwIfAborted();
        if (Date.now() >= overAt) return undefined;
        running = !(await unlessAborted(signal, hasEnded(client, operationId)));
      }
      return bulkTurnSchema.parse(await getBulkStatus(client, operationId));
    },
  };
}

/** Whether a workflow ends within the time that the server holds one question. */
export async function hasEnded(client: Client, operationId: string): Promise<boolean> {
  const handle = client.workflow.getHandle(operationId);
  try {
    await client.withDeadline(Date.now() + HELD_MS, () => handle.result());
    return true;
  } catch (error) {
    // Ended from outside: the ledger says what was done.
    if (error instanceof WorkflowFailedError) return true;
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (isGrpcDeadlineError(cause)) return false;
    throw toBatchgateError(error);
  }
}

/** The native connection of a worker takes no signal for a call that is under way. */
async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let abort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
