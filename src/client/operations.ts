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
import { namesGate, otherDecision } from '../core/bulk/gate';
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
export const continueBulkOperation = decision(UPDATES.continue, continueRequestSchema, 'The confirmation', {
  mayBeBare: true,
  answerOf: (ended, asked, client) => turnOfConfirmed(client, ended, recordedConfirmation(ended, asked)),
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
  // What names no question is judged a moment after the server has accepted it. Meanwhile the batch may already run, by
  // the decision of somebody else.
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
 * Gives the open question more time. The same `decision_id` extends once, whatever happened in between; two ids add.
 * Without one, a request that the same sender repeats while that much time is left changes nothing.
 */
export const extendBulkOperation = decision(UPDATES.extend, extendRequestSchema, 'The extension');

/**
 * Takes back the confirmation of a batch that is scheduled. The question is open again, under a new attempt. Without a
 * batch, it takes back whichever is scheduled.
 */
export const withdrawBulkOperation = decision(UPDATES.withdraw, withdrawRequestSchema, 'The withdrawal');

/** Lets another person approve in the sender's place, until a time. The sender must be an approver of the operation. */
export const delegateApproval = decision(UPDATES.delegate, delegateRequestSchema, 'The delegation');

/**
 * Edits parameters of the change for all items without an outcome. They are planned anew, and the answer has the new
 * question; nothing runs. If the plan fails, the question stays open as it was.
 */
export const editBulkOperation = decision(UPDATES.edit, editRequestSchema, 'The edit', {
  check: ({ change }) => refusePlainSecrets(change),
});

const sentBack = decision<ReviseRequest>(UPDATES.revise, reviseRequestSchema, 'The guidance', {
  mayBeBare: true,
  answerOf: (ended, asked) => turnIf(wasSentBackBy(ended, asked), ended),
});

/**
 * Sends the open question back with guidance for its requester: the operation ends, and nothing more of it runs. It
 * names a question as a confirmation does. The same decision again gets the first answer.
 */
export async function reviseBulkOperation(...sent: Parameters<typeof sentBack>): Promise<BulkTurn> {
  const turn = await sentBack(...sent);
  if (turn.sent_back === undefined) throw BatchgateError.from(otherDecision('nothing was sent back'));
  return turn;
}

const RESOLUTION = 'The resolution';
const resolution = decision<ResolveRequest>(UPDATES.resolve, resolveRequestSchema, RESOLUTION, {
  answerOf: (ended, asked) =>
    turnIf(
      recordedDecision(ended, 'resolve', asked.by, ({ note }) => note === resolutionNote(asked)),
      ended,
    ),
});

/** Records the outcome of an item in doubt, also after the end of the operation. */
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
    const asked = parseInput(resolveRequestSchema, request, RESOLUTION);
    const sign = await createSigner(client, operationId, UPDATES.resolve, options);
    await resolveInLedger(client, await locateOperation(client, operationId), sign(asked));
    return turnOf(await getBulkStatus(client, operationId));
  }
}
