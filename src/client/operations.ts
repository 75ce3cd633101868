import { randomUUID } from 'node:crypto';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { BatchgateError, parseInput } from '../contract/errors';
import { parseJobId } from '../contract/job-ids';
import {
  cancelRequestSchema,
  completeRequestSchema,
  continueRequestSchema,
  extendRequestSchema,
  QUERIES,
  resolveRequestSchema,
  TASK_QUEUE,
  UPDATES,
  WORKFLOW_TYPES,
  type CancelRequest,
  type CompleteRequest,
  type ContinueRequest,
  type ExtendRequest,
  type ResolveRequest,
} from '../contract/messages';
import {
  bulkTurnSchema,
  type BulkOperationInput,
  type BulkStatus,
  type BulkTurn,
} from '../contract/operation';
import type { CompletionGuardResult } from '../contract/progress';
import type { JobKey } from '../contract/sentinel';
import { isBare } from '../core/bulk/gate';
import { parseOperationInput } from '../core/bulk/input';
import { isRecorded, recordedDecision, resolutionNote } from '../core/bulk/repetitions';
import { refusePlainSecrets } from '../core/shared/plain-secrets';
import { isClosed } from '../core/bulk/transitions';
import { describeWorkflow } from './calls';
import { deletedStatus, endedStatus, resolvedSince, resultOf } from './ended';
import { unlessMissing } from './failures';
import { resolveInLedger } from './ledger';
import { wrongKind } from './job-kinds';
import { ask, askIf, sendUpdate, type Unanswered, type UpdateOptions } from './messages';
import { whyNoAnswer } from './missing';
import { createSigner, type DecisionOptions } from './signer';
import { startOnce } from './start-once';
import { withUndo } from './undone';
import type { WaitOptions } from './waiting';

export interface StartOptions extends WaitOptions {
  /** Default `bulk-<uuid>`. Starting the same input again under the same id returns the existing operation. */
  operation_id?: string;
  task_queue?: string;
  /** The live job that starts it as a part of itself, and confirms that when the operation asks for admission. */
  parent?: JobKey;
}

/**
 * Starts a bulk operation and waits for its first question. A caller that stops waiting loses nothing: the error names
 * the id.
 * @throws BatchgateError with the refusal's code if it was refused; `IDEMPOTENCY_CONFLICT` when the id belongs to
 * another request.
 */
export async function startBulkOperation(
  client: Client,
  input: BulkOperationInput,
  options: StartOptions = {},
): Promise<BulkStatus> {
  const { items: _, ...asked } = parseOperationInput(input);
  refusePlainSecrets(asked);
  const operationId = parseJobId(
    options.operation_id ?? `bulk-${randomUUID()}`,
    WORKFLOW_TYPES.bulkOperation,
    asked,
  );
  const start = {
    type: WORKFLOW_TYPES.bulkOperation,
    workflowId: operationId,
    taskQueue: options.task_queue ?? TASK_QUEUE,
    input,
    staticSummary: `${input.action} on ${input.domain}`.slice(0, 180),
    ...(options.parent && { memo: { parent: options.parent } }),
  };
  return startOnce(client, start, () => getBulkStatus(client, operationId), options);
}

/**
 * Confirms the open batch and waits until it is over. Name the question that the person was shown, by its digest or its
 * batch; a `batch` without `attempt` is that batch's first attempt. Without a name, it confirms the question that is
 * open now, if that has been open for two seconds.
 */
export async function continueBulkOperation(
  client: Client,
  operationId: string,
  request: ContinueRequest = {},
  options: DecisionOptions = {},
): Promise<BulkTurn> {
  return sendConfirmation(client, operationId, request, options);
}

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
  return sendConfirmation(client, operationId, request, { ...options, until: 'accepted' });
}

async function sendConfirmation(
  client: Client,
  operationId: string,
  request: ContinueRequest,
  options: DecisionOptions & Pick<UpdateOptions, 'until'>,
): Promise<BulkTurn> {
  const given = parseInput(continueRequestSchema, request, 'The confirmation');
  const begun = performance.now();
  const ago = () => (given.sent_ago_ms ?? 0) + Math.round(performance.now() - begun);
  // It may arrive late, when another question is open. Only durations are compared: clocks differ.
  const asked = () => (isBare(given) ? { ...given, sent_ago_ms: ago() } : given);
  return update(client, operationId, UPDATES.continue, asked, {
    ...options,
    updateId: given.decision_id,
    answerOf: (ended) => (isRecorded(ended, given) ? turnOf(ended) : undefined),
  });
}

/** Cancels: at a question at once, in a running batch at the next item boundary. */
export async function cancelBulkOperation(
  client: Client,
  operationId: string,
  request: CancelRequest = {},
  options: DecisionOptions = {},
): Promise<BulkTurn> {
  const asked = parseInput(cancelRequestSchema, request, 'The cancellation');
  return update(client, operationId, UPDATES.cancel, () => asked, {
    ...options,
    updateId: asked.decision_id,
    answerOf: (ended) =>
      ended.state === 'cancelled' && recordedDecision(ended, 'cancel', asked.by) ? turnOf(ended) : undefined,
  });
}

/** Completes the operation. A refusal by the guard is a result, not an error. */
export async function completeBulkOperation(
  client: Client,
  operationId: string,
  request: CompleteRequest = {},
  options: DecisionOptions = {},
): Promise<CompletionGuardResult> {
  const asked = parseInput(completeRequestSchema, request, 'The completion');
  return update(client, operationId, UPDATES.complete, () => asked, {
    ...options,
    answerOf: (ended) =>
      ended.state === 'completed' && recordedDecision(ended, 'complete', asked.by)
        ? { ...ended.guard, allowed: true }
        : undefined,
  });
}

/** Gives the open question more time. */
export async function extendBulkOperation(
  client: Client,
  operationId: string,
  request: ExtendRequest,
  options: DecisionOptions = {},
): Promise<BulkTurn> {
  const asked = parseInput(extendRequestSchema, request, 'The extension');
  return update(client, operationId, UPDATES.extend, () => asked, options);
}

/** Records the outcome of an item in doubt, also after the end of the operation. */
export async function resolveItem(
  client: Client,
  operationId: string,
  request: ResolveRequest,
  options: DecisionOptions = {},
): Promise<BulkTurn> {
  const asked = parseInput(resolveRequestSchema, request, 'The resolution');
  const note = resolutionNote(asked);
  const answerOf = (ended: BulkStatus) =>
    recordedDecision(ended, 'resolve', asked.by, (one) => one.note === note) ? turnOf(ended) : undefined;
  try {
    return await update(client, operationId, UPDATES.resolve, () => asked, { ...options, answerOf });
  } catch (error) {
    if (!(error instanceof BatchgateError) || !RESOLVED_LATE.has(error.code)) throw error;
    const sign = await createSigner(client, operationId, UPDATES.resolve, options);
    return resolveLate(client, operationId, sign(asked), error);
  }
}

/** The status of an operation: from the workflow while it lives, then from its result or the ledger. */
export async function getBulkStatus(client: Client, operationId: string): Promise<BulkStatus> {
  return withUndo(client, await currentStatus(client, operationId));
}

/** The same without the operation that undoes it, which costs a call after the end. */
export async function currentStatus(client: Client, operationId: string): Promise<BulkStatus> {
  const found = await liveStatus(client, operationId);
  if (typeof found === 'object') return found;
  if (found === 'ended') return getEndedStatus(client, operationId);
  return describedStatus(client, await describeWorkflow(client, operationId));
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

/** The whole status after a decision, whose answer tells whether the operation has ended with it. */
export async function getStatusAfter(client: Client, turn: BulkTurn | BulkStatus): Promise<BulkStatus> {
  if ('guard' in turn) return turn;
  const ended = isClosed(turn.state);
  return ended ? getEndedStatus(client, turn.operation_id) : getBulkStatus(client, turn.operation_id);
}

/** A status without its lists. */
const turnOf = (status: BulkStatus): BulkTurn => bulkTurnSchema.parse(status);

interface SendOptions<T> extends DecisionOptions, Pick<UpdateOptions, 'until'> {
  updateId?: string | undefined;
  /** The answer of an operation that had taken the same decision before it ended. */
  answerOf?: (ended: BulkStatus) => T | undefined;
}

async function update<T>(
  client: Client,
  operationId: string,
  decision: (typeof UPDATES)[keyof typeof UPDATES],
  request: () => object,
  { vouch, until, updateId, answerOf }: SendOptions<T>,
): Promise<T> {
  let ended: BulkStatus | undefined;
  const statusNow = async () => (ended = await getBulkStatus(client, operationId));
  const whenMissing = (when: 'before' | 'meanwhile') => whyNoAnswer(client, operationId, when, statusNow);
  const sign = await createSigner(client, operationId, decision, { vouch });
  const renewed = () => sign(request());
  try {
    return await sendUpdate(client, operationId, decision, {}, { updateId, whenMissing, until, renewed });
  } catch (error) {
    const answer = ended && answerOf?.(ended);
    if (answer === undefined) throw error;
    return answer;
  }
}

/** The operation never existed, or has ended. */
const RESOLVED_LATE = new Set(['OPERATION_CLOSED', 'NOT_FOUND']);

async function resolveLate(
  client: Client,
  operationId: string,
  request: ResolveRequest,
  refusal: BatchgateError,
): Promise<BulkTurn> {
  const found = await describeWorkflow(client, operationId).catch(unlessMissing);
  const there = found && operationOnly(found);
  const deleted = there ? undefined : await deletedStatus(client, operationId);
  if (!there && !deleted) throw refusal;
  await resolveInLedger(client, there ?? { workflowId: operationId, taskQueue: TASK_QUEUE }, request);
  const status = there ? await getEndedStatus(client, operationId) : await deletedStatus(client, operationId);
  return bulkTurnSchema.parse(status);
}

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
