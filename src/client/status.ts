import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { QUERIES, WORKFLOW_TYPES } from '../contract/messages';
import type { BulkStatus, BulkTurn } from '../contract/operation';
import { isClosed } from '../core/bulk/transitions';
import { describeWorkflow } from './calls';
import { locate, orDeleted, statusOfDeleted } from './deleted';
import { endedStatus, resolvedSince, resultOf } from './ended';
import { wrongKind } from './job-kinds';
import { ask, askIf, type Unanswered } from './messages';
import { withUndo } from './undone';

/** The status of an operation: from the workflow while it lives, then from its result or the ledger, also once it was deleted. */
export async function getBulkStatus(client: Client, operationId: string): Promise<BulkStatus> {
  return withUndo(client, await currentStatus(client, operationId));
}

/** The status without `undone_by`, which costs a call after the end. */
export async function currentStatus(client: Client, operationId: string): Promise<BulkStatus> {
  const read = async () => {
    const live = await liveStatus(client, operationId);
    if (typeof live === 'object') return live;
    if (live === 'ended') return getEndedStatus(client, operationId);
    return describedStatus(client, await describeWorkflow(client, operationId));
  };
  return orDeleted(client, operationId, read, statusOfDeleted);
}

/** The status of a live operation, in one call; else why there is none. */
export async function liveStatus(client: Client, operationId: string): Promise<BulkStatus | Unanswered> {
  return askIf<BulkStatus>(client, operationId, 'NOT_OPEN', QUERIES.status);
}

/** The last status of an operation that has ended, or is about to: one call for an operation that ended by itself. */
export async function getEndedStatus(client: Client, operationId: string): Promise<BulkStatus> {
  const result = await resultOf(client, operationId);
  if (result?.operation_id === operationId) return resolvedSince(client, result);
  return describedStatus(client, await describeWorkflow(client, operationId));
}

/** The status of an operation that was already described. */
export async function describedStatus(
  client: Client,
  description: WorkflowExecutionDescription,
): Promise<BulkStatus> {
  const { workflowId, status } = operationOnly(description);
  if (status.name !== 'RUNNING') return endedStatus(client, description);
  return ask(client, workflowId, (handle) => handle.query<BulkStatus>(QUERIES.status));
}

/** The whole status after a decision. The answer of the decision shows whether the operation has ended. */
export async function getStatusAfter(client: Client, turn: BulkTurn | BulkStatus): Promise<BulkStatus> {
  if ('guard' in turn) return turn;
  const { operation_id, recorded } = turn;
  if (isClosed(turn.state)) return getEndedStatus(client, operation_id);
  return { ...(await getBulkStatus(client, operation_id)), ...(recorded && { recorded }) };
}

/** An operation, and the queue of the workers that have its ledger, also once it was deleted. */
export const locateOperation = (client: Client, operationId: string) =>
  locate(client, operationId, () => describeOperation(client, operationId));

export async function describeOperation(
  client: Client,
  operationId: string,
): Promise<WorkflowExecutionDescription> {
  return operationOnly(await describeWorkflow(client, operationId));
}

function operationOnly(description: WorkflowExecutionDescription): WorkflowExecutionDescription {
  if (description.type === WORKFLOW_TYPES.bulkOperation) return description;
  throw wrongKind(description.workflowId, description.type, WORKFLOW_TYPES.bulkOperation);
}
