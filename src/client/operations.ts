import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { BatchgateError, parseInput } from '../contract/errors';
import { parseJobId } from '../contract/job-ids';
import {
  cancelRequestSchema,
  completeRequestSchema,
  continueRequestSchema,
  delegateRequestSchema,
  editRequestSchema,
  extendRequestSchema,
  resolveRequestSchema,
  reviseRequestSchema,
  TASK_QUEUE,
  UPDATES,
  WORKFLOW_TYPES,
  withdrawRequestSchema,
  type CompleteRequest,
  type ContinueRequest,
  type ResolveRequest,
  type ReviseRequest,
} from '../contract/messages';
import type { BulkOperationInput, BulkStatus, BulkTurn } from '../contract/operation';
import type { CompletionGuardResult } from '../contract/progress';
import type { Door } from '../contract/record';
import type { JobKey } from '../contract/sentinel';
import { namesGate } from '../core/bulk/gate';
import { parseOperationInput } from '../core/bulk/input';
import {
  isRunningBy,
  recordedConfirmation,
  recordedDecision,
  resolutionNote,
} from '../core/bulk/repetitions';
import { wasSentBackBy } from '../core/bulk/sent-back';
import { evidenceOf } from '../core/progress/completion-guard';
import { refusePlainSecrets } from '../core/shared/plain-secrets';
import { rememberQueue } from './calls';
import { decision } from './decide';
import { resolveInLedger } from './ledger';
import { getBulkProgress } from './queries';
import { createSigner, type DecisionOptions } from './signer';
import { startOnce } from './start-once';
import { getBulkStatus, locateOperation } from './status';
import { turnIf, turnOf, turnOfConfirmed } from './operation-turn';
import type { WaitOptions } from './waiting';

export interface StartOptions extends WaitOptions {
  /** Default: `bulk-<uuid>`. A repeated start with the same input and id returns the existing operation. */
  operation_id?: string;
  task_queue?: string;
  /** The live job that starts it as a part of itself. That job is asked to confirm this at the admission. */
  parent?: JobKey;
  /** The door of the start, for the policies. */
  via?: Door | undefined;
}

/**
 * Starts a bulk operation and waits for its first question. If the wait is over, the operation continues, and the error
 * names its id.
 * @throws BatchgateError with the refusal's code if it was refused; `IDEMPOTENCY_CONFLICT` if the id belongs to another
 * request.
 */
export async function startBulkOperation(
  client: Client,
  input: BulkOperationInput,
  options: StartOptions = {},
): Promise<BulkStatus> {
  const { items: _, ...request } = parseOperationInput(input);
  refusePlainSecrets(request);
  const operationId = parseJobId(
    options.operation_id ?? `bulk-${randomUUID()}`,
    WORKFLOW_TYPES.bulkOperation,
    request,
  );
  const start = {
    type: WORKFLOW_TYPES.bulkOperation,
    workflowId: operationId,
    taskQueue: options.task_queue ?? TASK_QUEUE,
    input,
    staticSummary: `${input.action} on ${input.domain}`.slice(0, 180),
    memo: { ...(options.parent && { parent: options.parent }), ...(options.via && { via: options.via }) },
  };
  if (options.task_queue !== undefined) rememberQueue(client, options.task_queue);
  return startOnce(client, start, () => getBulkStatus(client, operationId), options);
}

/**
 * Confirms the open batch and waits for its end. Name the question that the person was shown by its digest or its
 * batch. A `batch` without `attempt` is the batch's first attempt. Without a name, it confirms the open question, if
 * that question has been open for at least two seconds.
 */
export const continueBulkOperation = decision(UPDATES.continue, continueRequestSchema, 'The confirmation', {
  mayBeBare: true,
  answerOf: (ended, request, client) => turnOfConfirmed(client, ended, recordedConfirmation(ended, request)),
});

/**
 * Confirms as `continueBulkOperation` does, and returns once the workflow has accepted the decision: undefined while
 * the batch runs.
 */
export async function beginBatch(
  client: Client,
  operationId: string,
  request: ContinueRequest = {},
  options: DecisionOptions = {},
): Promise<BulkTurn | undefined> {
  // A decision without a named question is judged a moment after the server has accepted it. By then, the decision of
  // another person may already have started the batch.
  const until = async () =>
    namesGate(request) || isRunningBy(await getBulkStatus(client, operationId), request);
  return continueBulkOperation(client, operationId, request, { ...options, until });
}

/** Cancels: at a question at once, in a running batch at the next item boundary. */
export const cancelBulkOperation = decision(UPDATES.cancel, cancelRequestSchema, 'The cancellation', {
  answerOf: (ended, { by }) =>
    turnIf(ended.state === 'cancelled' && recordedDecision(ended, 'cancel', by), ended),
});

const completed = decision<CompleteRequest, CompletionGuardResult>(
  UPDATES.complete,
  completeRequestSchema,
  'The completion',
  {
    answerOf: (ended, { by }) =>
      ended.state === 'completed' && recordedDecision(ended, 'complete', by)
        ? { ...ended.guard, allowed: true }
        : undefined,
  },
);

/** Completes the operation, and returns the evidence. A refusal by the guard is a result, not an error. */
export async function completeBulkOperation(
  client: Client,
  operationId: string,
  request: CompleteRequest = {},
  options: DecisionOptions = {},
): Promise<CompletionGuardResult> {
  const guard = await completed(client, operationId, request, options);
  if (!guard.allowed || guard.evidence !== undefined) return guard;
  // It had ended before: its contract still has the evidence.
  const [{ forced }, contract] = await Promise.all([
    getBulkStatus(client, operationId),
    getBulkProgress(client, operationId),
  ]);
  return { ...guard, evidence: evidenceOf(contract, forced !== undefined) };
}

/**
 * Extends the deadline of the open question. A repeated `decision_id` extends only once; different ids add up. Without
 * an id, a request that the same sender repeats while that much time is left changes nothing.
 */
export const extendBulkOperation = decision(UPDATES.extend, extendRequestSchema, 'The extension');

/**
 * Withdraws the confirmation of a scheduled batch. The question opens again under a new attempt. By default, it
 * withdraws the confirmation of the batch that is scheduled.
 */
export const withdrawBulkOperation = decision(UPDATES.withdraw, withdrawRequestSchema, 'The withdrawal');

/** Lets another person approve on the sender's behalf until a time. The sender must be an approver of the operation. */
export const delegateApproval = decision(UPDATES.delegate, delegateRequestSchema, 'The delegation');

/**
 * Edits parameters of the change for all items without an outcome. The items are planned again, and the result has the
 * new question. Nothing runs. If the plan fails, the question stays open unchanged.
 */
export const editBulkOperation = decision(UPDATES.edit, editRequestSchema, 'The edit', {
  check: ({ change }) => refusePlainSecrets(change),
});

/**
 * Sends the open question back with guidance for its requester. The operation ends, and none of its remaining items
 * run. It names a question as a confirmation does. A repeated decision gets the first answer.
 */
export const reviseBulkOperation = decision<ReviseRequest>(
  UPDATES.revise,
  reviseRequestSchema,
  'The guidance',
  { mayBeBare: true, answerOf: (ended, request) => turnIf(wasSentBackBy(ended, request), ended) },
);

const RESOLUTION = 'The resolution';
const resolution = decision<ResolveRequest>(UPDATES.resolve, resolveRequestSchema, RESOLUTION, {
  answerOf: (ended, request) =>
    turnIf(
      recordedDecision(ended, 'resolve', request.by, ({ note }) => note === resolutionNote(request)),
      ended,
    ),
});

/** Records the outcome of an item in doubt, even after the operation has ended. */
export async function resolveItem(
  client: Client,
  operationId: string,
  request: ResolveRequest,
  options: DecisionOptions = {},
): Promise<BulkTurn> {
  try {
    return await resolution(client, operationId, request, options);
  } catch (error) {
    if (!(error instanceof BatchgateError) || error.code !== 'OPERATION_CLOSED') throw error;
    const parsed = parseInput(resolveRequestSchema, request, RESOLUTION);
    const sign = await createSigner(client, operationId, UPDATES.resolve, options);
    await resolveInLedger(client, await locateOperation(client, operationId), sign(parsed));
    return turnOf(await getBulkStatus(client, operationId));
  }
}
