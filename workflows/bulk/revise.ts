import { currentUpdateInfo, setHandler, workflowInfo } from '@temporalio/workflow';
import { reviseRequestSchema, SIGNALS, type ReviseRequest } from '../../src/contract/messages';
import type { BulkTurn, Confirmation } from '../../src/contract/operation';
import { isUnreadable, whyUnreadable } from '../../src/contract/text';
import { refused } from '../../src/core/bulk/decisions';
import { closedError, namesGate, type Arrival } from '../../src/core/bulk/gate';
import { judgeRevision, returned, type Judgement } from '../../src/core/bulk/sent-back';
import { attested, SIGNED_SIGNAL, withUsed, type Attested } from '../../src/core/bulk/signatures';
import { isClosed } from '../../src/core/bulk/transitions';
import { turnOf } from '../../src/core/bulk/view';
import { read, record } from '../shared/decision-record';
import { toFailure } from '../shared/failures';
import { reviseSignal, reviseUpdate } from '../shared/messages';
import { settled } from '../shared/settle';
import { arrivalsOf, markTask } from './arrivals';
import { requestClose, type RunningOperation, type SignalPlace } from './running-operation';

/** Sends the open question back with guidance. The operation ends, and none of its remaining items run. */
export function registerRevise(operation: RunningOperation): void {
  setHandler(reviseUpdate, (request) => reviseByUpdate(operation, request), {
    validator: (input) => {
      const request = read(reviseRequestSchema, input);
      const verdict = judge(operation, request, { update_id: currentUpdateInfo()?.id });
      if (verdict.kind === 'refused' && isClosed(operation.state.state)) throw toFailure(verdict.error);
    },
    description: 'Send the open question back, and end: {"note": "…", "batch": 1, "attempt": 1, "by": "…"}',
  });
  setHandler(
    reviseSignal,
    (message) => {
      const place = operation.revisions.next(workflowInfo().historyLength);
      const request = reviseRequestSchema.safeParse(message);
      if (request.success) return reviseBySignal(operation, request.data, place);
      const note = isUnreadable(message) ? `The message ${whyUnreadable(message)}.` : undefined;
      record(operation, 'revise', 'INVALID_INPUT', { note }, { via: 'signal' });
    },
    { description: 'Send the open question back, and end: {"note": "…"}' },
  );
}

async function reviseByUpdate(operation: RunningOperation, request: ReviseRequest): Promise<BulkTurn> {
  const update_id = currentUpdateInfo()?.id;
  if (operation.isReset) await operation.untilKnown();
  let verdict = judge(operation, request, { update_id });
  if (namesGate(request)) verdict = await judgedInTurn(operation, request, verdict, { update_id });
  else if (verdict.kind === 'accepted') {
    const arrived = (await arrivalsOf(operation, workflowInfo().historyLength))?.scheduled ?? 0;
    verdict = judge(operation, request, { update_id, arrived });
  }
  const { refusal, ...sender } = attested(operation.state, { decision: 'revise', request });
  if (refusal && verdict.kind === 'accepted') verdict = { kind: 'refused', error: refusal };
  enact(operation, request, { via: 'update', update_id, ...sender }, verdict);
  if (verdict.kind === 'refused') throw toFailure(verdict.error);
  const over = () => isClosed(operation.state.state);
  await (verdict.kind === 'accepted' ? operation.until(over) : operation.untilOrBusy(over));
  return turnOf(operation.state);
}

/** A bare decision is for the question that was open when it reached the server. A worker may read it much later. */
async function reviseBySignal(
  operation: RunningOperation,
  request: ReviseRequest,
  { task, index }: SignalPlace,
): Promise<void> {
  const isNamed = namesGate(request);
  if (!isNamed) markTask(operation);
  if (operation.isReset) await operation.untilKnown();
  let verdict = judge(operation, request);
  if (isNamed) verdict = await judgedInTurn(operation, request, verdict);
  else if (verdict.kind === 'accepted') {
    const arrived = (await arrivalsOf(operation, task, SIGNALS.revise))?.signals[index] ?? 0;
    verdict = judge(operation, request, { arrived });
  }
  if (verdict.kind === 'accepted' && request.proof !== undefined)
    verdict = { kind: 'refused', error: SIGNED_SIGNAL };
  enact(operation, request, { via: 'signal', assurance: 'asserted' }, verdict);
}

/**
 * Judges a revision that names another gate after everything that arrived with it. A confirmation that arrived earlier
 * goes first.
 */
async function judgedInTurn(
  operation: RunningOperation,
  request: ReviseRequest,
  verdict: Judgement,
  arrival?: Arrival,
): Promise<Judgement> {
  if (verdict.kind === 'accepted' && operation.inbox.length === 0) return verdict;
  await settled();
  return judge(operation, request, arrival);
}

function judge(operation: RunningOperation, request: ReviseRequest, arrival?: Arrival): Judgement {
  const verdict = judgeRevision(operation.state, request, Date.now(), arrival);
  if (verdict.kind !== 'accepted' || !operation.closing) return verdict;
  return { kind: 'refused', error: closedError(operation.state, operation.closing.to) };
}

type Sent = Pick<Confirmation, 'via' | 'assurance'> &
  Partial<Omit<Attested, 'refusal'>> & { update_id?: string | undefined };

/** Records the verdict, and ends the operation if it is accepted. A repeated decision changes nothing. */
function enact(operation: RunningOperation, request: ReviseRequest, sender: Sent, verdict: Judgement): void {
  if (verdict.kind === 'repeated') return;
  const accepted = verdict.kind === 'accepted';
  record(operation, 'revise', accepted ? 'accepted' : verdict.error.code, request, sender);
  if (sender.proven) operation.state = withUsed(operation.state, request);
  if (!accepted) {
    operation.state = refused(operation.state, request.decision_id ?? sender.update_id, verdict.error);
    return;
  }
  operation.state = returned(operation.state, request, sender, Date.now());
  requestClose(operation, { to: 'cancelled' });
}
