import { WorkflowFailedError, type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import { TerminatedFailure } from '@temporalio/common';
import type { LedgerRecord } from '../contract/ledger-record';
import { SEARCH_ATTRIBUTES } from '../contract/messages';
import type { BulkStatus } from '../contract/operation';
import type { OperationState } from '../core/bulk/operation';
import { stateFromLedger } from '../core/bulk/ledger-status';
import { stateOfEnd, withResolutions } from '../core/bulk/doubts';
import { statusOf } from '../core/bulk/view';
import { call, describeWorkflow } from './calls';
import { isTimeUp, toBatchgateError } from './failures';
import { findInLedger, readLedger, type Asked } from './ledger';

/** Returns the final status of an ended operation: its result, or the ledger's record if it was ended from outside. */
export async function endedStatus(
  client: Client,
  description: WorkflowExecutionDescription,
): Promise<BulkStatus> {
  if (!endedFromOutside(description)) {
    const status = await call(
      client,
      () => client.workflow.getHandle(description.workflowId).result() as Promise<BulkStatus>,
    );
    return resolvedSince(client, status, description);
  }
  const record = await findInLedger(client, description);
  if (record?.status) return withResolutions(record.status, record);
  return statusOf(await stateOf(client, description, record ?? emptyRecord(description)));
}

/** Adds the ledger's later resolutions to the status of an operation that ended with items in doubt. */
export async function resolvedSince(client: Client, status: BulkStatus, place?: Asked): Promise<BulkStatus> {
  if (status.in_doubt === 0) return status;
  const description = place ?? (await describeWorkflow(client, status.operation_id));
  // Without a worker, the result still has the end state.
  const record = await findInLedger(client, description).catch(() => null);
  return record ? withResolutions(status, record) : status;
}

/** Returns the result of an operation that has ended or is about to; undefined if it was ended from outside. */
export async function resultOf(client: Client, operationId: string): Promise<BulkStatus | undefined> {
  const handle = client.workflow.getHandle(operationId);
  try {
    return (await client.withDeadline(Date.now() + READ_MS, () => handle.result())) as BulkStatus;
  } catch (error) {
    // It did not end within that time: its description has its state.
    if (error instanceof WorkflowFailedError || isTimeUp(error)) return undefined;
    throw toBatchgateError(error);
  }
}

/** Returns the ledger's record of an ended operation, in the form of its workflow's state. */
export async function endedState(
  client: Client,
  description: WorkflowExecutionDescription,
): Promise<OperationState> {
  const record = (await findInLedger(client, description)) ?? emptyRecord(description);
  if (!endedFromOutside(description)) {
    const status = await resultOf(client, description.workflowId);
    if (status) return stateOfEnd(status, record);
  }
  return stateOf(client, description, record);
}

/** Returns the ledger's record of an operation whose workflow does not hold all of its items. */
export async function ledgerState(
  client: Client,
  description: WorkflowExecutionDescription,
): Promise<OperationState> {
  const { items, ...record } = await readLedger(client, description);
  // The batch that runs now has not ended: the items that it has begun are not in doubt.
  const live = description.status.name === 'RUNNING';
  const current = items.map((item) =>
    live && item.state === 'intended' ? { ...item, state: 'planned' as const } : item,
  );
  return stateFromLedger({ ...record, items: current }, 'it is read from the ledger');
}

/** Whether an operation was ended from outside. It then has no result and answers no query. */
function endedFromOutside({ status }: WorkflowExecutionDescription): boolean {
  return status.name !== 'RUNNING' && status.name !== 'COMPLETED';
}

async function stateOf(
  client: Client,
  { workflowId, status }: WorkflowExecutionDescription,
  record: LedgerRecord,
): Promise<OperationState> {
  const how = `it was ${status.name.toLowerCase()} in Temporal`;
  const reason = await terminationReason(client, workflowId);
  return stateFromLedger(record, reason === undefined ? how : `${how} (${reason})`);
}

async function terminationReason(client: Client, workflowId: string): Promise<string | undefined> {
  try {
    await client.withDeadline(Date.now() + READ_MS, () => client.workflow.getHandle(workflowId).result());
  } catch (error) {
    const cause = error instanceof WorkflowFailedError ? error.cause : undefined;
    if (cause instanceof TerminatedFailure) return cause.message;
  }
  return undefined;
}

const READ_MS = 5_000;

/** Returns a record for an operation that ended before its plan and is therefore not in the ledger. */
function emptyRecord({
  workflowId,
  searchAttributes,
  startTime,
  closeTime,
}: WorkflowExecutionDescription): LedgerRecord {
  const attribute = (name: string) => searchAttributes[name]?.[0] as string | undefined;
  return {
    operation_id: workflowId,
    domain: attribute(SEARCH_ATTRIBUTES.domain) ?? '',
    action: '',
    session_id: attribute(SEARCH_ATTRIBUTES.session),
    batch_size: 1,
    created_at: startTime.toISOString(),
    updated_at: (closeTime ?? startTime).toISOString(),
    shows: { before: false, after: false, resolutions: false, questions: false },
    items: [],
    answers: [],
  };
}
