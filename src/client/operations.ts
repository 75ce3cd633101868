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
  TASK_QUEUE,
  UPDATES,
  WORKFLOW_TYPES,
  withdrawRequestSchema,
  type CancelRequest,
  type CompleteRequest,
  type ContinueRequest,
  type DelegateRequest,
  type EditRequest,
  type ExtendRequest,
  type ResolveRequest,
  type WithdrawRequest,
} from '../contract/messages';
import type { BulkOperationInput, BulkStatus, BulkTurn } from '../contract/operation';
import type { CompletionGuardResult } from '../contract/progress';
import type { Door } from '../contract/record';
import type { JobKey } from '../contract/sentinel';
import { isBare, namesGate } from '../core/bulk/gate';
import { parseOperationInput } from '../core/bulk/input';
import {
  isRunningBy,
  recordedConfirmation,
  recordedDecision,
  resolutionNote,
} from '../core/bulk/repetitions';
import { evidenceOf } from '../core/progress/completion-guard';
import { refusePlainSecrets } from '../core/shared/plain-secrets';
import { sendUpdate, type UpdateOptions } from './messages';
import { createSigner, type DecisionOptions } from './signer';
import { resolveInLedger } from './ledger';
import { leadingToPage } from './page-only';
import { rememberQueue } from './calls';
import { startOnce } from './start-once';
import { getBulkProgress } from './queries';
import { getBulkStatus, locateOperation } from './status';
import { turnOf, turnOfConfirmed } from './turns';
import type { WaitOptions } from './waiting';
import { tooLate } from '../core/bulk/closed';
import { isClosed } from '../core/bulk/transitions';
import { unlessMissing } from './failures';

export interface StartOptions extends WaitOptions {
  /** Default `bulk-<uuid>`. Starting the same input again under the same id returns the existing operation. */
  operation_id?: string;
  task_queue?: string;
  /** The live job that starts it as a part of itself, and confirms that when the operation asks for admission. */
  parent?: JobKey;
  /** The door through which it is started, for the policies. */
  via?: Door | undefined;
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
    memo: { ...(options.parent && { parent: options.parent }), ...(options.via && { via: options.via }) },
  };
  if (options.task_queue !== undefined) rememberQueue(client, options.task_queue);
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
  // What names no question is judged a moment after the server has accepted it. Meanwhile the batch may already run, by
  // the decision of somebody else.
  const until = async () =>
    namesGate(request) || isRunningBy(await getBulkStatus(client, operationId), request);
  return sendConfirmation(client, operationId, request, { ...options, until });
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
    answerOf: (ended) => turnOfConfirmed(client, ended, recordedConfirmation(ended, given)),
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

/** Completes the operation, and returns the evidence. A refusal by the guard is a result, not an error. */
export async function completeBulkOperation(
  client: Client,
  operationId: string,
  request: CompleteRequest = {},
  options: DecisionOptions = {},
): Promise<CompletionGuardResult> {
  const asked = parseInput(completeRequestSchema, request, 'The completion');
  const guard = await update<CompletionGuardResult>(client, operationId, UPDATES.complete, () => asked, {
    ...options,
    answerOf: (ended) =>
      ended.state === 'completed' && recordedDecision(ended, 'complete', asked.by)
        ? { ...ended.guard, allowed: true }
        : undefined,
  });
  if (!guard.allowed || guard.evidence !== undefined) return guard;
  // It had ended before: its contract still has the evidence.
  const [{ forced }, contract] = await Promise.all([
    getBulkStatus(client, operationId),
    getBulkProgress(client, operationId),
  ]);
  return { ...guard, evidence: evidenceOf(contract, forced !== undefined) };
}

/**
 * Gives the open question more time. The same `decision_id` extends once, whatever happened in between; two ids add.
 * Without one, a request that the same sender repeats while that much time is left changes nothing.
 */
export async function extendBulkOperation(
  client: Client,
  operationId: string,
  request: ExtendRequest,
  options: DecisionOptions = {},
): Promise<BulkTurn> {
  const asked = parseInput(extendRequestSchema, request, 'The extension');
  return update(client, operationId, UPDATES.extend, () => asked, {
    ...options,
    updateId: asked.decision_id,
  });
}

/**
 * Takes back the confirmation of a batch that is scheduled. The question is open again, under a new attempt. Without a
 * batch, it takes back whichever is scheduled.
 */
export async function withdrawBulkOperation(
  client: Client,
  operationId: string,
  request: WithdrawRequest = {},
  options: DecisionOptions = {},
): Promise<BulkTurn> {
  const asked = parseInput(withdrawRequestSchema, request, 'The withdrawal');
  return update(client, operationId, UPDATES.withdraw, () => asked, {
    ...options,
    updateId: asked.decision_id,
  });
}

/** Lets another person approve in the sender's place, until a time. The sender must be an approver of the operation. */
export async function delegateApproval(
  client: Client,
  operationId: string,
  request: DelegateRequest,
  options: DecisionOptions = {},
): Promise<BulkTurn> {
  const asked = parseInput(delegateRequestSchema, request, 'The delegation');
  return update(client, operationId, UPDATES.delegate, () => asked, {
    ...options,
    updateId: asked.decision_id,
  });
}

/**
 * Edits parameters of the change for all items without an outcome. They are planned anew, and the answer has the new
 * question; nothing runs. If the plan fails, the question stays open as it was.
 */
export async function editBulkOperation(
  client: Client,
  operationId: string,
  request: EditRequest,
  options: DecisionOptions = {},
): Promise<BulkTurn> {
  const asked = parseInput(editRequestSchema, request, 'The edit');
  refusePlainSecrets(asked.change);
  return update(client, operationId, UPDATES.edit, () => asked, {
    ...options,
    updateId: asked.decision_id,
  });
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
    if (!(error instanceof BatchgateError) || error.code !== 'OPERATION_CLOSED') throw error;
    const sign = await createSigner(client, operationId, UPDATES.resolve, options);
    await resolveInLedger(client, await locateOperation(client, operationId), sign(asked));
    return turnOf(await getBulkStatus(client, operationId));
  }
}

interface SendOptions<T> extends DecisionOptions, Pick<UpdateOptions, 'until'> {
  updateId?: string | undefined;
  /** The answer of an operation that had taken the same decision before it ended. */
  answerOf?: (ended: BulkStatus) => T | undefined | Promise<T | undefined>;
}

export async function update<T>(
  client: Client,
  operationId: string,
  decision: (typeof UPDATES)[keyof typeof UPDATES],
  request: () => object,
  { until, updateId, answerOf, origin, ...made }: SendOptions<T>,
): Promise<T> {
  let ended: BulkStatus | undefined;
  const statusNow = async () => (ended = await getBulkStatus(client, operationId));
  const whenMissing = (when: 'before' | 'meanwhile') => whyNoAnswer(operationId, when, statusNow);
  const sign = await createSigner(client, operationId, decision, made);
  const renewed = () => sign(request());
  try {
    return await sendUpdate(client, operationId, decision, {}, { updateId, whenMissing, until, renewed });
  } catch (error) {
    const answer = ended && (await answerOf?.(ended));
    if (answer === undefined) throw origin ? leadingToPage(error, operationId, await origin()) : error;
    return answer;
  }
}

/**
 * Why an operation did not answer a decision: it never existed, it had ended, or its run was ended in Temporal before
 * its answer. The details have its status, with the items that can still be resolved.
 */
async function whyNoAnswer(
  operationId: string,
  ended: 'before' | 'meanwhile',
  statusNow: () => Promise<BulkStatus>,
): Promise<BatchgateError> {
  const status = await statusNow().catch((error: unknown) => {
    if (ended === 'before') throw error;
    return unlessMissing(error);
  });
  if (status === undefined)
    return new BatchgateError(
      'OPERATION_CLOSED',
      'The operation was deleted in Temporal before it answered, and the ledger cannot be read.',
      `Its report is in the ledger of its worker: npx batchgate report ${operationId}`,
    );
  const details = detailsOf(status);
  if (!isClosed(status.state))
    return new BatchgateError(
      'OPERATION_CLOSED',
      'The run that was asked has ended: the operation was reset in Temporal before it answered, and goes on in another run.',
      'Read its status, and decide about the question that it asks now.',
      details,
    );
  const { code, message, hint } = tooLate({ ...status, how: status.state });
  const why = status.error?.code === 'OPERATION_CLOSED' ? `${status.error.message} ` : '';
  return new BatchgateError(code, `${why}${message}`, hint, details);
}

function detailsOf(status: BulkStatus) {
  const { guard: _, confirmations: __, errors, ...turn } = status;
  const doubtful = errors.filter(({ error }) => error.startsWith('In doubt: '));
  return {
    status: turn,
    items_in_doubt: doubtful.map(({ item_id, display_name }) => ({ item_id, display_name })),
  };
}
