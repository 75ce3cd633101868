import type { Client } from '@temporalio/client';
import { SEARCH_ATTRIBUTES, WORKFLOW_TYPES } from '../contract/messages';
import type { BulkStatus } from '../contract/operation';
import { isClosed } from '../core/bulk/transitions';
import { describeWorkflow } from './calls';
import { unlessMissing } from './failures';

/** The ids of the operations that undo one, in order. */
export const undoId = (operationId: string, number: number) =>
  `${operationId}.undo${number === 1 ? '' : `-${number}`}`;

/** The status of an operation that has ended, with the latest operation that undoes it. */
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

/** The state in lists, as of a refused operation for another workflow; undefined if there is no such workflow. */
async function listedState(client: Client, workflowId: string): Promise<string | undefined> {
  const description = await describeWorkflow(client, workflowId).catch(unlessMissing);
  if (description && description.type !== WORKFLOW_TYPES.bulkOperation) return 'rejected';
  return description && String(description.searchAttributes[SEARCH_ATTRIBUTES.state]?.[0] ?? '');
}
