import { currentUpdateInfo, setHandler } from '@temporalio/workflow';
import {
  cancelRequestSchema,
  continueRequestSchema,
  itemsRequestSchema,
  pageRequestSchema,
  type CancelRequest,
  type ContinueRequest,
} from '../../src/contract/messages';
import type { Confirmation } from '../../src/contract/operation';
import { isUnreadable, UNREADABLE } from '../../src/contract/text';
import { bulkContract, bulkGuard } from '../../src/core/bulk/contract-progress';
import { closedError, isBare, judgeContinue, namesGate, type Verdict } from '../../src/core/bulk/gate';
import { confirmed } from '../../src/core/bulk/lifecycle';
import { refused } from '../../src/core/bulk/decisions';
import { isClosed } from '../../src/core/bulk/transitions';
import { errorsPage, itemsPage, statusOf, turnOf } from '../../src/core/bulk/view';
import { read, record } from '../shared/decision-record';
import { toFailure } from '../shared/failures';
import {
  cancelSignal,
  cancelUpdate,
  continueSignal,
  continueUpdate,
  errorsQuery,
  guardQuery,
  itemsQuery,
  progressQuery,
  statusQuery,
} from '../shared/messages';
import { registerPersonsUpdates } from './person-handlers';
import { requestClose, type RunningOperation } from './running-operation';
import { settled } from '../shared/settle';
import { publishProgress } from '../shared/visibility';

export function registerHandlers(operation: RunningOperation): void {
  registerQueries(operation);
  registerContinue(operation);
  registerCancel(operation);
  registerPersonsUpdates(operation);
}

function registerQueries(operation: RunningOperation): void {
  setHandler(statusQuery, () => statusOf(operation.state), { description: 'Where the operation stands' });
  setHandler(errorsQuery, (page) => errorsPage(operation.state, read(pageRequestSchema, page ?? {})), {
    description: 'The failed items, a page at a time: {"offset": 0, "limit": 100}',
  });
  setHandler(itemsQuery, (page) => itemsPage(operation.state, read(itemsRequestSchema, page ?? {})), {
    description: 'Each planned item and its outcome, a page at a time',
  });
  setHandler(guardQuery, () => bulkGuard(operation.state, { items: true }), {
    description: 'Whether it may be called complete, and what is missing',
  });
  setHandler(progressQuery, () => bulkContract(operation.state), { description: 'The progress contract' });
}

function registerContinue(operation: RunningOperation): void {
  setHandler(
    continueUpdate,
    async (given) => {
      const bare = isBare(given ?? {});
      const request = identified(given ?? {});
      // A decision for the open gate runs it. A decision that names another gate is judged after everything that
      // arrived with it is applied. A bare one means the gate that is open now, and must never reach a later one.
      let verdict = judge(operation, request, bare);
      // A signal that came earlier and still waits goes first.
      const isNext = verdict.kind === 'accepted' && operation.inbox.length === 0;
      if (!isNext && namesGate(request)) {
        await settled();
        verdict = judge(operation, request, bare);
      }
      enact(operation, request, 'update', verdict);
      if (verdict.kind === 'refused') throw toFailure(verdict.error);
      if (verdict.kind === 'duplicate') return turnOf(operation.state, verdict.first.outcome);
      const over = () => operation.state.accepted[verdict.key]?.outcome;
      await operation.until(() => over() !== undefined);
      return turnOf(operation.state, over());
    },
    {
      validator: (given?: ContinueRequest | null) => {
        const request = read(continueRequestSchema, given ?? {});
        const verdict = judge(operation, identified(request), isBare(request));
        // A refusal by the handler is recorded. If the operation has ended, its record is already written.
        if (verdict.kind === 'refused' && isClosed(operation.state.state)) throw toFailure(verdict.error);
      },
      description: 'Run the batch that waits. Optional: {"batch": 1, "attempt": 1, "digest": "…", "by": "…"}',
    },
  );
  setHandler(
    continueSignal,
    (given) => {
      const request = continueRequestSchema.safeParse(given ?? {});
      if (!request.success) recordInvalid(operation, 'continue', given);
      else if (!namesGate(request.data)) decideBare(operation, request.data);
      else if (operation.inbox.push(request.data) === 1) return decideInbox(operation);
    },
    { description: 'Run the batch that waits; does nothing while none waits' },
  );
}

/**
 * The clock judges a bare signal. A task without a command has no end in the history. A worker that reads it again to
 * handle an update may then apply the signal together with the update, when it would no longer be too early.
 */
function decideBare(operation: RunningOperation, request: ContinueRequest): void {
  const verdict = judge(operation, request);
  enact(operation, request, 'signal', verdict);
  const task = Date.now();
  if (verdict.kind !== 'refused' || operation.markedTask === task) return;
  operation.markedTask = task;
  publishProgress(operation);
}

/**
 * Judges the signals that name their gate after everything that arrived with them is applied. One wait serves all of
 * them: ten thousand may have arrived while no worker ran, and a workflow task has seconds.
 */
async function decideInbox(operation: RunningOperation): Promise<void> {
  await settled();
  for (const request of operation.inbox.splice(0))
    enact(operation, request, 'signal', judge(operation, request));
}

/** An update's own id is its decision id unless it carries one. */
function identified(request: ContinueRequest): ContinueRequest {
  return { ...request, decision_id: request.decision_id ?? currentUpdateInfo()?.id };
}

function judge(operation: RunningOperation, request: ContinueRequest, bare = isBare(request)): Verdict {
  const verdict = judgeContinue(operation.state, request, Date.now(), bare);
  if (verdict.kind !== 'accepted' || !operation.closing) return verdict;
  return { kind: 'refused', error: closedError(operation.state, operation.closing.to) };
}

/** Records the verdict on a confirmation, and runs its gate if it is accepted. A duplicate changes nothing. */
function enact(
  operation: RunningOperation,
  request: ContinueRequest,
  via: Confirmation['via'],
  verdict: Verdict,
): void {
  if (verdict.kind === 'duplicate') return;
  const accepted = verdict.kind === 'accepted';
  const outcome = accepted ? 'accepted' : verdict.error.code;
  const assurance = record(operation, 'continue', outcome, via, request, request);
  if (accepted) operation.state = confirmed(operation.state, request, { via, assurance }, Date.now());
  else operation.state = refused(operation.state, request.decision_id, verdict.error);
}

function recordInvalid(operation: RunningOperation, decision: 'continue' | 'cancel', given: unknown): void {
  const note = isUnreadable(given) ? `The message ${UNREADABLE}.` : undefined;
  record(operation, decision, 'INVALID_INPUT', 'signal', { note });
}

/** Requests the end; the first request applies. */
export function askCancel(
  operation: RunningOperation,
  request: CancelRequest,
  via: Confirmation['via'],
): void {
  if (operation.closing || isClosed(operation.state.state)) return;
  record(operation, 'cancel', 'accepted', via, { by: request.by, note: request.reason }, request);
  requestClose(operation, { to: 'cancelled' });
}

function registerCancel(operation: RunningOperation): void {
  setHandler(
    cancelUpdate,
    async (given) => {
      // Only the first caller waits for the end: ten updates in flight would block an eleventh.
      const first = operation.closing === undefined;
      askCancel(operation, given ?? {}, 'update');
      if (first) await operation.until(() => isClosed(operation.state.state));
      return turnOf(operation.state);
    },
    {
      validator: (given?: CancelRequest | null) => {
        read(cancelRequestSchema, given ?? {});
        if (isClosed(operation.state.state)) throw toFailure(closedError(operation.state));
      },
      description: 'Stop at the next item boundary and count what was done',
    },
  );
  setHandler(
    cancelSignal,
    (given) => {
      if (isUnreadable(given)) return recordInvalid(operation, 'cancel', given);
      // A cancel with a mistake in it still cancels: stopping is safe.
      const request = cancelRequestSchema.safeParse(given ?? {});
      askCancel(operation, request.success ? request.data : {}, 'signal');
    },
    { description: 'Stop at the next item boundary' },
  );
}
