import { CancellationScope, setHandler } from '@temporalio/workflow';
import type { ErrorBody } from '../../src/contract/errors';
import {
  delegateRequestSchema,
  type CancelRequest,
  type ContinueRequest,
  type DelegateRequest,
} from '../../src/contract/messages';
import type { BulkTurn, Confirmation } from '../../src/contract/operation';
import type { Standing } from '../../src/contract/access';
import { judgeApproval, withoutApprovals, type ApprovalVerdict } from '../../src/core/bulk/approvals';
import {
  answerOf,
  approved,
  askedWithout,
  delegated,
  delegationNote,
  escalated,
  heldBy,
  judgeDelegation,
  judgeNo,
  type Sender,
} from '../../src/core/bulk/approving';
import { closedError } from '../../src/core/bulk/gate';
import { vouchedIn, withoutLost } from '../../src/core/bulk/standing';
import type { Snapshot } from '../../src/core/bulk/operation';
import { attested, withUsed, type Attested } from '../../src/core/bulk/signatures';
import { turnOf } from '../../src/core/bulk/view';
import { attestSender, read, record } from '../shared/decision-record';
import { toFailure } from '../shared/failures';
import { delegateUpdate } from '../shared/messages';
import { publishEscalation, publishProgress, touchSentinel } from '../shared/visibility';
import type { RunningOperation } from './running-operation';
import { activities } from './steps';

/** The effect of an accepted confirmation if a policy requires approvals. */
export type Counted =
  | Extract<ApprovalVerdict, { kind: 'sufficient' }>
  | { kind: 'refused'; error: ErrorBody }
  /** The confirmation runs nothing by itself. */
  | { kind: 'recorded'; answer: Snapshot };

/** Counts a confirmation of the open question as an approval. Returns undefined if no policy requires any. */
export function countApproval(
  operation: RunningOperation,
  request: ContinueRequest,
  sender: Sender & Pick<Attested, 'proven'>,
): Counted | undefined {
  const { state } = operation;
  if (!state.requirement) return undefined;
  const now = Date.now();
  const verdict = judgeApproval(state, request, sender.approver, now);
  if (verdict.kind === 'sufficient') return verdict;
  if (verdict.kind === 'refused') {
    if (verdict.lost)
      operation.state = withoutApprovals(state, (approval) => approval.subject === sender.approver.subject);
    return verdict;
  }
  record(operation, verdict.kind === 'counts' ? 'approve' : 'leave_out', 'accepted', request, sender);
  if (sender.proven) operation.state = withUsed(operation.state, request);
  touchSentinel(request.by);
  if (verdict.kind === 'counts') {
    operation.state = approved(operation.state, request, { ...sender, ...verdict }, now);
    // For an update, lists read it from the answer.
    if (sender.via === 'signal') publishProgress(operation);
  } else {
    operation.state = askedWithout(operation.state, request, sender, now);
    publishProgress(operation);
  }
  const last = operation.state.approving?.given.at(-1)?.outcome;
  return { kind: 'recorded', answer: last ?? answerOf(operation.state, 'left_out') };
}

/**
 * Before the last approval counts, removes the earlier approvals of people who may no longer approve, according to the
 * HTTP API. Returns the reason if that cannot be determined now.
 */
export async function checkApprovers(operation: RunningOperation): Promise<ErrorBody | undefined> {
  const people = vouchedIn(operation.state);
  const look = activities({
    startToCloseTimeout: '10s',
    scheduleToCloseTimeout: '1 minute',
    summary: 'Read whether those who approved still may',
  });
  let standings: Standing[] = [];
  try {
    if (people.length > 0)
      standings = await CancellationScope.nonCancellable(() => look.standingsOf({ people }));
  } catch {
    return UNCHECKED;
  }
  operation.state = withoutLost(operation.state, { people, standings }, Date.now());
  return undefined;
}

const UNCHECKED: ErrorBody = {
  code: 'ADAPTER_UNAVAILABLE',
  message: 'Whether those who approved before still may cannot be read now.',
  hint: 'Nothing was run. Decide again, as a new decision.',
};

/** Whether a cancellation is an approver's refusal that holds the question. */
export function holdsByNo(
  operation: RunningOperation,
  { by, reason: note, through }: CancelRequest,
  sender: Pick<Attested, 'approver'> & Partial<Pick<Attested, 'assurance'>>,
  via: Confirmation['via'],
): boolean {
  // After a reset, the open question is not known yet.
  const verdict = operation.isReset ? 'cancels' : judgeNo(operation.state, sender.approver, Date.now());
  if (verdict === 'cancels') return false;
  if (verdict === 'holds') {
    record(operation, 'hold', 'accepted', { by, note, through }, { via, ...sender });
    operation.state = heldBy(operation.state, { approver: sender.approver, note }, Date.now());
    publishProgress(operation);
    touchSentinel(by);
  }
  return true;
}

/** Asks the next group as well, because the approvals were not complete in time. */
export function escalate(operation: RunningOperation): void {
  const { state, to } = escalated(operation.state);
  operation.state = state;
  publishEscalation(operation, to);
}

/** Handles a delegation: an approver lets another person approve on their behalf. */
export function registerDelegate(operation: RunningOperation): void {
  const judge = (request: DelegateRequest) => {
    const { closing, state } = operation;
    if (closing) return { kind: 'refused' as const, error: closedError(state, closing.to) };
    const { approver } = attested(state, { decision: 'delegate', request });
    return judgeDelegation(state, request, approver, Date.now());
  };
  setHandler(
    delegateUpdate,
    (request): BulkTurn => {
      const verdict = judge(request);
      if (verdict.kind === 'refused') throw toFailure(verdict.error);
      if (verdict.kind === 'repeated') return turnOf(operation.state);
      const sender = attestSender(operation, 'delegate', request);
      const { by, through } = request;
      const content = { by, note: delegationNote(request), through };
      record(operation, 'delegate', 'accepted', content, { via: 'update', ...sender });
      operation.state = delegated(operation.state, request, sender.approver, Date.now());
      touchSentinel(by);
      return turnOf(operation.state);
    },
    {
      validator: (request) => {
        const verdict = judge(read(delegateRequestSchema, request));
        if (verdict.kind === 'refused') throw toFailure(verdict.error);
      },
      description:
        'Let another person approve in your place: {"to": "…", "until": "2026-12-01T18:00:00Z", "by": "…"}',
    },
  );
}
