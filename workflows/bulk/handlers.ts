import { setHandler, currentUpdateInfo, workflowInfo } from '@temporalio/workflow';
import {
  cancelRequestSchema,
  itemsRequestSchema,
  pageRequestSchema,
  type CancelRequest,
  continueRequestSchema,
  type ContinueRequest,
} from '../../src/contract/messages';
import type { Confirmation, BulkTurn } from '../../src/contract/operation';
import type { Approver } from '../../src/contract/policy';
import { isUnreadable, whyUnreadable } from '../../src/contract/text';
import { bulkContract, bulkGuard } from '../../src/core/bulk/contract-progress';
import { closedError, judgeContinue, namesGate, type Arrival, type Verdict } from '../../src/core/bulk/gate';
import { recordedDecision } from '../../src/core/bulk/repetitions';
import { isClosed } from '../../src/core/bulk/transitions';
import { errorsPage, iso, itemsPage, statusOf, turnOf } from '../../src/core/bulk/view';
import { attestSender, read, record } from '../shared/decision-record';
import { toFailure } from '../shared/failures';
import {
  cancelSignal,
  cancelUpdate,
  errorsQuery,
  guardQuery,
  itemsQuery,
  progressQuery,
  statusQuery,
  continueSignal,
  continueUpdate,
} from '../shared/messages';
import { arrivalsOf, markTask } from './arrivals';
import { registerEdit } from './edit';
import { registerPersonsUpdates } from './person-handlers';
import { registerRevise } from './revise';
import { requestClose, type RunningOperation } from './running-operation';
import type { Arrivals } from '../../src/contract/activities';
import { refused } from '../../src/core/bulk/decisions';
import { confirmed } from '../../src/core/bulk/lifecycle';
import { attested, SIGNED_SIGNAL, withUsed, type Attested } from '../../src/core/bulk/signatures';
import { settled } from '../shared/settle';
import { answerScheduled, registerWithdraw } from './schedule';
import { dueAt } from '../../src/core/bulk/due';
import { senderOf } from '../../src/core/bulk/approvers';
import { answerOf, withApprovers, type Sender } from '../../src/core/bulk/approving';
import { checkApprovers, countApproval, holdsByNo, registerDelegate, type Counted } from './approvals';
import { restsOnOthers } from '../../src/core/bulk/standing';

export function registerHandlers(operation: RunningOperation): void {
  registerQueries(operation);
  registerContinue(operation);
  registerCancel(operation);
  registerPersonsUpdates(operation);
  registerRevise(operation);
  registerWithdraw(operation);
  registerEdit(operation);
  registerDelegate(operation);
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

/** Requests the end; the first request applies. An approver's refusal may hold the question instead. */
export function askCancel(
  operation: RunningOperation,
  request: CancelRequest,
  via: Confirmation['via'],
): void {
  if (operation.closing || isClosed(operation.state.state)) return;
  const sender = via === 'update' ? attestSender(operation, 'cancel', request) : undefined;
  const { by, reason: note, through } = request;
  if (via !== 'temporal' && holdsByNo(operation, request, sender ?? { approver: senderOf(request) }, via))
    return;
  record(operation, 'cancel', 'accepted', { by, note, through }, { via, ...sender });
  requestClose(operation, { to: 'cancelled' });
}

function registerCancel(operation: RunningOperation): void {
  setHandler(
    cancelUpdate,
    async (input) => {
      const first = operation.closing === undefined;
      const over = () => isClosed(operation.state.state);
      askCancel(operation, input ?? {}, 'update');
      const isHeld = operation.closing === undefined && !over();
      if (isHeld) return turnOf(operation.state, answerOf(operation.state, 'hold'));
      await (first ? operation.until(over) : operation.untilOrBusy(over));
      return turnOf(operation.state);
    },
    {
      validator: (input?: CancelRequest | null) => {
        const { by } = read(cancelRequestSchema, input ?? {});
        const { state } = operation;
        if (!isClosed(state.state)) return;
        const isRepeated = state.state === 'cancelled' && recordedDecision(state, 'cancel', by);
        if (!isRepeated) throw toFailure(closedError(state));
      },
      description: 'Stop at the next item boundary and count what was done',
    },
  );
  setHandler(
    cancelSignal,
    (message) => {
      if (isUnreadable(message)) return recordInvalid(operation, 'cancel', message);
      // A cancel with a mistake in it still cancels: stopping is safe.
      const request = cancelRequestSchema.safeParse(message ?? {});
      askCancel(operation, request.success ? request.data : {}, 'signal');
    },
    { description: 'Stop at the next item boundary' },
  );
}

function registerContinue(operation: RunningOperation): void {
  setHandler(continueUpdate, (input) => confirmByUpdate(operation, input ?? {}), {
    validator: (input?: ContinueRequest | null) => {
      const request = read(continueRequestSchema, input ?? {});
      const verdict = judge(operation, request, { update_id: currentUpdateInfo()?.id });
      // A refusal by the handler is recorded. If the operation has ended, its record is already written.
      if (verdict.kind === 'refused' && isClosed(operation.state.state)) throw toFailure(verdict.error);
    },
    description: 'Run the batch that waits. Optional: {"batch": 1, "attempt": 1, "digest": "…", "by": "…"}',
  });
  setHandler(
    continueSignal,
    (message) => {
      const place = operation.signals.next(workflowInfo().historyLength);
      const request = continueRequestSchema.safeParse(message ?? {});
      if (!request.success) recordInvalid(operation, 'continue', message);
      else if (namesGate(request.data)) {
        if (operation.inbox.push(request.data) === 1) return decideInbox(operation);
      } else {
        markTask(operation);
        if (operation.undated.push({ request: request.data, place }) === 1) return decideUndated(operation);
      }
    },
    { description: 'Run the batch that waits; does nothing while none waits' },
  );
}

async function confirmByUpdate(operation: RunningOperation, request: ContinueRequest): Promise<BulkTurn> {
  const update_id = currentUpdateInfo()?.id;
  if (operation.isReset) await operation.untilKnown();
  // A decision for the open gate runs it. A decision that names another gate is judged after everything that arrived
  // with it is applied. One that names none means the gate that was open when it was sent.
  let arrival: Arrival = { update_id };
  let verdict = judge(operation, request, arrival);
  if (namesGate(request)) {
    // A signal that came earlier and still waits goes first.
    if (verdict.kind !== 'accepted' || operation.inbox.length > 0) {
      await settled();
      verdict = judge(operation, request, arrival);
    }
  } else if (verdict.kind === 'accepted') {
    const arrived = (await arrivalsOf(operation, workflowInfo().historyLength))?.scheduled ?? 0;
    arrival = { update_id, arrived };
    verdict = judge(operation, request, arrival);
  }
  const attest = () => attested(operation.state, { decision: 'continue', request });
  let attestation = attest();
  if (!attestation.refusal && isByOthers(operation, request, attestation.approver, verdict)) {
    verdict = await checked(operation, () => judge(operation, request, arrival));
    attestation = attest();
  }
  const { refusal, ...sender } = attestation;
  if (refusal && verdict.kind === 'accepted') verdict = { kind: 'refused', error: refusal };
  const result = enact(operation, request, { via: 'update', update_id, ...sender }, verdict);
  if (result.kind === 'refused') throw toFailure(result.error);
  if (result.kind === 'recorded') return turnOf(operation.state, result.answer);
  if (result.kind === 'duplicate') return firstAnswer(operation, result);
  const over = () => operation.state.accepted[result.key]?.outcome;
  await operation.until(() => over() !== undefined);
  return turnOf(operation.state, over());
}

/** Whether the batch is about to run on the approvals of other people too. */
const isByOthers = (
  operation: RunningOperation,
  request: ContinueRequest,
  approver: Approver,
  verdict: Verdict,
) => verdict.kind === 'accepted' && restsOnOthers(operation.state, request, approver, Date.now());

/** Returns the verdict after a check of the earlier approvers. Another decision may have been made meanwhile. */
async function checked(operation: RunningOperation, judged: () => Verdict): Promise<Verdict> {
  const error = await checkApprovers(operation);
  const verdict = judged();
  return error && verdict.kind === 'accepted' ? { kind: 'refused', error } : verdict;
}

/** Returns the answer of the first delivery, once its batch has ended. */
async function firstAnswer(
  operation: RunningOperation,
  { first }: Extract<Verdict, { kind: 'duplicate' }>,
): Promise<BulkTurn> {
  const key = Object.entries(operation.state.accepted).find(([, decision]) => decision === first)?.[0];
  const outcome = () => (key === undefined ? first.outcome : operation.state.accepted[key]?.outcome);
  if (key !== undefined) await operation.untilOrBusy(() => outcome() !== undefined);
  return turnOf(operation.state, outcome());
}

/**
 * Judges the signals that name their gate after everything that arrived with them is applied. One wait serves all of
 * them: ten thousand may have arrived while no worker ran, and a workflow task has seconds.
 */
async function decideInbox(operation: RunningOperation): Promise<void> {
  await settled();
  if (operation.isReset) await operation.untilKnown();
  for (const request of operation.inbox.splice(0)) {
    const sender = bySignal(request);
    let verdict = judgeSignal(operation, request);
    if (isByOthers(operation, request, sender.approver, verdict))
      verdict = await checked(operation, () => judgeSignal(operation, request));
    enact(operation, request, sender, verdict);
  }
}

/**
 * Judges the signals that name no gate, by the time at which they reached the server: a worker may read them much
 * later. The time is requested only if the verdict depends on it.
 */
async function decideUndated(operation: RunningOperation): Promise<void> {
  let taskArrivals: { task: number; arrivals: Arrivals | undefined } | undefined;
  for (let next = operation.undated[0]; next; next = operation.undated[0]) {
    const { request, place } = next;
    if (operation.isReset) await operation.untilKnown();
    const sender = bySignal(request);
    let verdict = judgeSignal(operation, request);
    if (verdict.kind === 'accepted') {
      if (taskArrivals?.task !== place.task)
        taskArrivals = { task: place.task, arrivals: await arrivalsOf(operation, place.task) };
      const arrival = { arrived: taskArrivals.arrivals?.signals[place.index] ?? 0 };
      verdict = judge(operation, request, arrival);
      if (isByOthers(operation, request, sender.approver, verdict))
        verdict = await checked(operation, () => judge(operation, request, arrival));
    }
    enact(operation, request, sender, verdict);
    operation.undated.shift();
  }
}

function judge(operation: RunningOperation, request: ContinueRequest, arrival: Arrival = {}): Verdict {
  const verdict = judgeContinue(operation.state, request, Date.now(), arrival);
  if (verdict.kind !== 'accepted' || !operation.closing) return verdict;
  return { kind: 'refused', error: closedError(operation.state, operation.closing.to) };
}

function judgeSignal(operation: RunningOperation, request: ContinueRequest): Verdict {
  const verdict = judge(operation, request);
  if (verdict.kind !== 'accepted' || request.proof === undefined) return verdict;
  return { kind: 'refused', error: SIGNED_SIGNAL };
}

/**
 * Records the verdict on a confirmation, and runs its gate if it is accepted and no further approval is needed. A
 * duplicate changes nothing.
 */
function enact(
  operation: RunningOperation,
  request: ContinueRequest,
  sender: Sent,
  judged: Verdict,
): Verdict | Extract<Counted, { kind: 'recorded' }> {
  if (judged.kind === 'duplicate') return judged;
  const counted = judged.kind === 'accepted' ? countApproval(operation, request, sender) : undefined;
  if (counted?.kind === 'recorded') return counted;
  const verdict = counted?.kind === 'refused' ? counted : judged;
  const accepted = verdict.kind === 'accepted';
  const due = accepted ? dueAt(operation.state, request, Date.now()) : 0;
  const scheduled_for = due > Date.now() ? iso(due) : undefined;
  const outcome = accepted ? 'accepted' : verdict.error.code;
  record(operation, 'continue', outcome, { ...request, scheduled_for }, sender);
  if (sender.proven) operation.state = withUsed(operation.state, request);
  const { via, assurance, update_id } = sender;
  if (accepted)
    operation.state = confirmed(operation.state, request, { via, assurance, update_id }, Date.now());
  else operation.state = refused(operation.state, request.decision_id ?? sender.update_id, verdict.error);
  if (counted?.kind === 'sufficient')
    operation.state = withApprovers(operation.state, { ...sender, ...counted }, request);
  if (operation.state.state === 'scheduled' && accepted) answerScheduled(operation, request.by);
  return verdict;
}

/** The sender of a confirmation, and the way in which it arrived. */
type Sent = Sender & Pick<Attested, 'proven'>;

const bySignal = (request: ContinueRequest): Sent => ({
  via: 'signal',
  assurance: 'asserted',
  approver: senderOf(request),
});

function recordInvalid(operation: RunningOperation, decision: 'continue' | 'cancel', message: unknown): void {
  const note = isUnreadable(message) ? `The message ${whyUnreadable(message)}.` : undefined;
  record(operation, decision, 'INVALID_INPUT', { note }, { via: 'signal' });
}
