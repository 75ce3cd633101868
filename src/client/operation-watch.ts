import { WorkflowFailedError, type Client } from '@temporalio/client';
import { BatchgateError } from '../contract/errors';
import type { OperationWatch } from '../contract/macro-activities';
import { turnOf } from './operation-turn';
import { EXPIRED } from '../core/macro/proposal';
import { unlessAborted } from '../core/shared/promises';
import { describeWorkflow, heartbeatOf } from './calls';
import { orDeleted } from './deleted';
import { isTimeUp, toBatchgateError } from './failures';
import { answerMacro, awaitMacro } from './macros';
import { describeOperation, getBulkStatus } from './status';
import { batchProgressSchema, type BatchProgress } from '../contract/activities';

/** The timeout of one long poll, in milliseconds. A stopped client leaves it open for no longer. */
const HELD_MS = 10_000;

/** Waits for the end of jobs by the server's own long poll, across all runs of their chains. */
export function createOperationWatch(client: Client): OperationWatch {
  return {
    async ended(operationId, signal, withinMs) {
      const { status } = await describeOperation(client, operationId);
      const over = status.name !== 'RUNNING' || (await endsWithin(client, operationId, signal, withinMs));
      return over ? turnOf(await getBulkStatus(client, operationId)) : undefined;
    },
    async macroEnded(runId, signal, withinMs) {
      return (await endsWithin(client, runId, signal, withinMs)) ? awaitMacro(client, runId) : undefined;
    },
    async expireProposal(runId) {
      const answer = { answer: EXPIRED, question: 1, by: 'batchgate' };
      await answerMacro(client, runId, answer).catch((error: unknown) => {
        if (!(error instanceof BatchgateError) || !ANSWERED.has(error.code)) throw error;
      });
    },
  };
}

const ANSWERED = new Set(['NOT_AWAITING_CONFIRMATION', 'OPERATION_CLOSED', 'NOT_FOUND']);

async function endsWithin(
  client: Client,
  jobId: string,
  signal: AbortSignal,
  withinMs: number,
): Promise<boolean> {
  for (const overAt = Date.now() + withinMs; Date.now() < overAt;) {
    signal.throwIfAborted();
    // The native connection of a worker does not take a signal for a running call.
    if (await unlessAborted(signal, hasEnded(client, jobId))) return true;
  }
  return false;
}

/** Whether a workflow ends within the time that the server holds one poll. */
export async function hasEnded(client: Client, operationId: string): Promise<boolean> {
  const handle = client.workflow.getHandle(operationId);
  try {
    await client.withDeadline(Date.now() + HELD_MS, () => handle.result());
    return true;
  } catch (error) {
    // It was ended from outside. The ledger has its changes.
    if (error instanceof WorkflowFailedError) return true;
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (isTimeUp(cause)) return false;
    throw toBatchgateError(error);
  }
}

/** Makes a call under a signal that outlives it. The SDK leaves a listener on the signal after each call. */
export async function abortable<T>(client: Client, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const own = new AbortController();
  try {
    return await unlessAborted(signal, client.withAbortSignal(own.signal, work));
  } finally {
    own.abort();
  }
}

/** Returns the id of the latest change of a workflow, as `watchChanges` yields it. */
export async function latestChange(client: Client, workflowId: string): Promise<string> {
  const { runId, historyLength } = await describeWorkflow(client, workflowId);
  return `${runId}.${historyLength}`;
}

/** The facts about an operation that need no worker and no event in the history. */
export interface Glance {
  /** Changes whenever the operation may have changed. A status that was read at the same revision is current. */
  revision: string;
  /** The progress of the running batch, from its last heartbeat. */
  progress?: BatchProgress;
  /** Set if only the ledger still has the operation, and Temporal does not. */
  deleted?: true;
}

/** Reads the revision and progress of an operation without a query to its workflow. */
export async function glanceAt(client: Client, operationId: string): Promise<Glance> {
  const look = async (): Promise<Glance> => {
    const description = await describeOperation(client, operationId);
    const { runId, historyLength, status } = description;
    const progress = await heartbeatOf(client, description, batchProgressSchema);
    return { revision: `${runId}/${historyLength}/${status.name}`, ...(progress && { progress }) };
  };
  return orDeleted(client, operationId, look, ({ updated_at }) => ({
    revision: `deleted/${updated_at}`,
    deleted: true,
  }));
}
