import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { QUERIES, WORKFLOW_TYPES, SEARCH_ATTRIBUTES } from '../contract/messages';
import type { BulkStatus, BulkTurn } from '../contract/operation';
import { isClosed } from '../core/bulk/transitions';
import { describeWorkflow } from './calls';
import { locate, orDeleted, statusOfDeleted } from './deleted';
import { endedStatus, resolvedSince, resultOf } from './ended';
import { wrongKind } from './job-kinds';
import { ask, askIf, type Unanswered } from './messages';
import { unlessMissing } from './failures';

/**
 * Returns the status of an operation: from the live workflow, or later, even once deleted, its result or the ledger.
 */
export async function getBulkStatus(client: Client, operationId: string): Promise<BulkStatus> {
  return withUndo(client, await currentStatus(client, operationId));
}

/** Returns the status without `undone_by`, which needs a further call after the end. */
export async function currentStatus(client: Client, operationId: string): Promise<BulkStatus> {
  const fromWorkflow = async () => {
    const live = await liveStatus(client, operationId);
    if (typeof live === 'object') return live;
    if (live === 'ended') return getEndedStatus(client, operationId);
    return describedStatus(client, await describeWorkflow(client, operationId));
  };
  return orDeleted(client, operationId, fromWorkflow, statusOfDeleted);
}

/** Returns the status of a live operation in one call, or the reason why there is none. */
export async function liveStatus(client: Client, operationId: string): Promise<BulkStatus | Unanswered> {
  return askIf<BulkStatus>(client, operationId, 'NOT_OPEN', QUERIES.status);
}

/** Returns the last status of an operation that has ended or is about to. Needs one call if it ended by itself. */
export async function getEndedStatus(client: Client, operationId: string): Promise<BulkStatus> {
  const result = await resultOf(client, operationId);
  if (result?.operation_id === operationId) return resolvedSince(client, result);
  return describedStatus(client, await describeWorkflow(client, operationId));
}

/** Returns the status of an operation that was already described. */
export async function describedStatus(
  client: Client,
  description: WorkflowExecutionDescription,
): Promise<BulkStatus> {
  const { workflowId, status } = operationOnly(description);
  if (status.name !== 'RUNNING') return endedStatus(client, description);
  return ask(client, workflowId, (handle) => handle.query<BulkStatus>(QUERIES.status));
}

/** Returns the whole status after a decision. The answer of the decision shows whether the operation has ended. */
export async function getStatusAfter(client: Client, turn: BulkTurn | BulkStatus): Promise<BulkStatus> {
  if ('guard' in turn) return turn;
  const { operation_id, recorded } = turn;
  if (isClosed(turn.state))
    return orDeleted(client, operation_id, () => getEndedStatus(client, operation_id), statusOfDeleted);
  return { ...(await getBulkStatus(client, operation_id)), ...(recorded && { recorded }) };
}

/** Locates an operation, even after its deletion, and the queue of the workers that have its ledger. */
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

/** Returns the id of the undo with this number. */
export const undoId = (operationId: string, number: number) =>
  `${operationId}.undo${number === 1 ? '' : `-${number}`}`;

/** Adds the latest undo to the status of an operation that has ended. */
export async function withUndo(client: Client, status: BulkStatus): Promise<BulkStatus> {
  if (!isClosed(status.state)) return status;
  let undone_by: string | undefined;
  for (let number = 1; ; number++) {
    const id = undoId(status.operation_id, number);
    const state = await listedState(client, id);
    if (state === undefined) return undone_by === undefined ? status : { ...status, undone_by };
    if (state !== 'rejected') undone_by = id;
  }
}

/** Returns the state in lists; `rejected` for another kind of workflow, undefined if there is no such workflow. */
async function listedState(client: Client, workflowId: string): Promise<string | undefined> {
  const description = await describeWorkflow(client, workflowId).catch(unlessMissing);
  if (description && description.type !== WORKFLOW_TYPES.bulkOperation) return 'rejected';
  return description && String(description.searchAttributes[SEARCH_ATTRIBUTES.state]?.[0] ?? '');
}
