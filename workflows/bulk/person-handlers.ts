import { CancellationScope, setHandler } from '@temporalio/workflow';
import type { ErrorBody } from '../../src/contract/errors';
import {
  extendRequestSchema,
  resolveRequestSchema,
  type CompleteRequest,
  type ResolveRequest,
} from '../../src/contract/messages';
import type { BulkTurn } from '../../src/contract/operation';
import type { CompletionGuardResult } from '../../src/contract/progress';
import { shortened } from '../../src/contract/text';
import { noSuchItem, notInDoubt } from '../../src/core/bulk/doubts';
import { bulkContract, bulkGuard } from '../../src/core/bulk/contract-progress';
import { closedError } from '../../src/core/bulk/gate';
import { extended, tooLong } from '../../src/core/bulk/deadlines';
import { resolved } from '../../src/core/bulk/lifecycle';
import { placeOf } from '../../src/core/bulk/operation';
import { evidenceOf } from '../../src/core/progress/completion-guard';
import { isExtended, recordedDecision, resolutionNote } from '../../src/core/bulk/repetitions';
import { isClosed, needsConfirmation } from '../../src/core/bulk/transitions';
import { iso, turnOf } from '../../src/core/bulk/view';
import { touchSentinel, publishProgress } from '../shared/visibility';
import { findItem } from './plan';
import { recordResolution } from './steps';
import { attestSender, read, readCompletion, record } from '../shared/decision-record';
import { fromActivityFailure, toFailure } from '../shared/failures';
import { completeUpdate, extendUpdate, readyUpdate, resolveUpdate } from '../shared/messages';
import { requestClose, type RunningOperation } from './running-operation';

/** A person's updates besides continue and cancel: complete, extend, resolve. */
export function registerPersonsUpdates(operation: RunningOperation): void {
  setHandler(
    readyUpdate,
    async () => {
      await operation.until(() => operation.state.state !== 'preparing');
      return turnOf(operation.state);
    },
    { description: 'Waits for the first question, or the refusal' },
  );
  setHandler(completeUpdate, (request) => complete(operation, request ?? {}), {
    validator: (request?: CompleteRequest | null) => {
      const { by } = readCompletion(request);
      if (!isCompletedBy(operation, by)) refuseUnlessPlanned(operation);
    },
    description: 'Call it complete; refused while items are missing, unless {"force": true, "reason": "…"}',
  });
  setHandler(
    extendUpdate,
    (request) => {
      if (isExtended(operation.state, request, Date.now())) return turnOf(operation.state);
      const sender = attestSender(operation, 'extend', request);
      operation.state = extended(operation.state, request, Date.now());
      const { by, through } = request;
      record(operation, 'extend', 'accepted', { by, through }, { via: 'update', ...sender });
      touchSentinel(by);
      return turnOf(operation.state);
    },
    {
      validator: (request) => {
        const extension = read(extendRequestSchema, request);
        const isRepeated = isExtended(operation.state, extension, Date.now());
        if (isRepeated && extension.decision_id !== undefined) return;
        if (operation.closing || !needsConfirmation(operation.state.state))
          throw toFailure(notWaiting(operation));
        if (isRepeated) return;
        const refusal = tooLong(operation.state, extension.seconds, Date.now());
        if (refusal) throw toFailure(refusal);
      },
      description:
        'Give the open question more time: {"seconds": 28800}. Optional: {"decision_id": "…", "by": "…"}',
    },
  );
  setHandler(resolveUpdate, (request) => resolve(operation, request), {
    validator: (request) => {
      const resolution = read(resolveRequestSchema, request);
      if (isResolvedBy(operation, resolution)) return;
      const { item_id } = resolution;
      const place = placeOf(operation.state, item_id);
      // An item whose name is not known may be in the ledger; the handler reads it there.
      const refusal = isClosed(operation.state.state)
        ? closedError(operation.state)
        : place !== undefined && doubtError(operation, place, item_id);
      if (refusal) throw toFailure(refusal);
    },
    description: 'Say what became of an item in doubt',
  });
}

async function complete(
  operation: RunningOperation,
  request: CompleteRequest,
): Promise<CompletionGuardResult> {
  const completed = async (): Promise<CompletionGuardResult> => {
    await operation.until(() => isClosed(operation.state.state));
    const { state } = operation;
    const allowed = state.state === 'completed';
    const evidence = allowed && { evidence: evidenceOf(bulkContract(state), state.forced !== undefined) };
    return { ...bulkGuard(state, { items: true }), allowed, ...evidence };
  };
  if (operation.isReset) await operation.untilKnown();
  if (isCompletedBy(operation, request.by)) return completed();
  const attested = attestSender(operation, 'complete', request);
  if (request.stop_condition_satisfied)
    operation.state = { ...operation.state, stop_condition_satisfied: true };
  const guard = bulkGuard(operation.state, { items: true });
  const allowed = guard.allowed || request.force === true;
  const sender = { by: request.by, note: request.reason, through: request.through };
  record(operation, 'complete', allowed ? 'accepted' : 'GUARD_BLOCKED', sender, {
    via: 'update',
    ...attested,
  });
  if (!allowed) return guard;
  touchSentinel(request.by);
  const forced = guard.allowed
    ? undefined
    : {
        ...(request.by !== undefined && { by: request.by }),
        reason: request.reason ?? '',
        at: iso(Date.now()),
      };
  requestClose(operation, { to: 'completed', ...(forced && { forced }) });
  return completed();
}

/** Whether this sender has already completed the operation, or is about to. */
function isCompletedBy({ state, closing }: RunningOperation, by: string | undefined): boolean {
  const isCompleted = state.state === 'completed' || closing?.to === 'completed';
  return isCompleted && recordedDecision(state, 'complete', by) !== undefined;
}

async function resolve(operation: RunningOperation, request: ResolveRequest): Promise<BulkTurn> {
  if (operation.isReset) await operation.untilKnown();
  if (isResolvedBy(operation, request)) return turnOf(operation.state);
  const { item_id } = request;
  const index =
    placeOf(operation.state, item_id) ??
    (await inLedger(
      () => findItem(operation.state.operation_id, item_id),
      'The ledger could not be read, so nothing was resolved.',
      'Check that the database of BATCHGATE_DATABASE_URL answers, then resolve the item again.',
    ));
  const refusal = isClosed(operation.state.state)
    ? closedError(operation.state)
    : index === undefined
      ? noSuchItem(item_id)
      : doubtError(operation, index, item_id);
  if (refusal || index === undefined) throw toFailure(refusal ?? noSuchItem(item_id));
  const now = Date.now();
  const { item_id: _, proof: __, signed: ___, approver: ____, through, ...rest } = request;
  const note = resolutionNote(request);
  const sender = attestSender(operation, 'resolve', request);
  record(operation, 'resolve', 'accepted', { ...rest, note, through }, { via: 'update', ...sender });
  operation.state = resolved(operation.state, index, request.outcome, request.reason, now);
  if (needsConfirmation(operation.state.state)) publishProgress(operation);
  touchSentinel(request.by);
  const { operation_id } = operation.state;
  await inLedger(
    () => recordResolution({ operation_id, index, ...rest, at: iso(now), assurance: sender.assurance }),
    `Item ${shortened(item_id)} is resolved, but the ledger could not be written.`,
    "The operation's status is right; its report still shows the item in doubt. Check the database of BATCHGATE_DATABASE_URL.",
  );
  return turnOf(operation.state);
}

/** Whether this sender has already resolved the item in the same way. */
function isResolvedBy({ state }: RunningOperation, request: ResolveRequest): boolean {
  const note = resolutionNote(request);
  return recordedDecision(state, 'resolve', request.by, (entry) => entry.note === note) !== undefined;
}

/** The failure of an access to the ledger reaches the caller in these words, with the cause in its details. */
async function inLedger<T>(access: () => Promise<T>, message: string, hint: string): Promise<T> {
  try {
    return await CancellationScope.nonCancellable(access);
  } catch (error) {
    const { message: cause } = fromActivityFailure(error);
    throw toFailure({ code: 'INTERNAL', message, hint, details: { cause } });
  }
}

function refuseUnlessPlanned(operation: RunningOperation): void {
  const { state } = operation.state;
  if (operation.closing || isClosed(state))
    throw toFailure(closedError(operation.state, operation.closing?.to));
  if (state === 'preparing') throw toFailure(notWaiting(operation));
}

function notWaiting(operation: RunningOperation): ErrorBody {
  return operation.closing || isClosed(operation.state.state)
    ? closedError(operation.state, operation.closing?.to)
    : {
        code: 'NOT_AWAITING_CONFIRMATION',
        message: 'No question is open now.',
        hint: 'Wait for the next question.',
      };
}

const doubtError = ({ state }: RunningOperation, index: number, itemId: string): ErrorBody | undefined =>
  state.codes[index] === 'd' ? undefined : notInDoubt(itemId);
