import type { BulkStatus } from '../../contract/operation';
import { ownSentence } from '../../core/bulk/agent-text';
import { isClosed } from '../../core/bulk/transitions';
import type { Call } from '../context';
import type { Answer } from '../results';
import { decisionOf, type Decision } from '../views';
import { NOT_YET } from './person-message';
import type { ShownGate } from '../../client/shown-gates';
import { waitFor } from './waiting';

/** An agent's request that the person confirms this batch. */
export interface Asked {
  operation_id: string;
  batch: number;
  person_message?: string | undefined;
}

/** Waits until the question is answered, through any door, and its batch is over. */
export async function awaitPerson(call: Call, operationId: string, gate: ShownGate): Promise<Answer> {
  const status = await waitFor(call, operationId, (current) => answerTo(current, gate) !== undefined);
  return told(call, status, answerTo(status, gate) ?? 'waiting');
}

/** Waits until the running batch is over. */
export async function awaitBatch(call: Call, { operation_id, batch }: Asked): Promise<Answer> {
  const status = await waitFor(call, operation_id, ({ state }) => !isUnderway(state));
  const last = status.confirmations.findLast(({ outcome }) => outcome === 'accepted');
  const isBack = last?.decision === 'withdraw' && last.batch === batch;
  return told(call, status, outcomeOf(status, batch) ?? (isBack ? 'withdrawn' : 'waiting'));
}

/** A confirmed batch that has not ended. */
export const isUnderway = (state: BulkStatus['state']): boolean =>
  state === 'running_batch' || state === 'scheduled';

/** The answer to a question, according to a status; undefined while it is open or its batch runs. */
function answerTo(status: BulkStatus, gate: ShownGate): Decision | undefined {
  // While an edit is planned, the next question is undetermined.
  if (status.state === 'running_batch' || status.state === 'preparing') return undefined;
  const decision = outcomeOf(status, gate.batch, gate.attempt);
  if (decision) return decision;
  const { next_batch: open } = status;
  const same = open?.number === gate.batch && open.attempt === gate.attempt && open.digest === gate.digest;
  return same ? undefined : 'question_changed';
}

/** The decision about a batch; undefined if there is none yet. */
export function outcomeOf(status: BulkStatus, batch: number, attempt?: number): Decision | undefined {
  if (status.state === 'running_batch') return undefined;
  const { next_batch: open } = status;
  const isOpen = open?.number === batch && (attempt === undefined || open.attempt === attempt);
  const { confirmations } = status;
  const accepted = confirmations.filter(
    (confirmation) =>
      confirmation.decision === 'continue' &&
      confirmation.outcome === 'accepted' &&
      confirmation.batch === batch &&
      (attempt === undefined || confirmation.attempt === attempt),
  );
  const latest = accepted.filter((confirmation) => !confirmation.withdrawn).at(-1);
  if (latest && !isOpen) {
    if (status.state === 'scheduled') return 'scheduled';
    // A scheduled batch may have been cancelled before it began.
    const began = status.last_batch?.number === latest.batch && status.last_batch.attempt === latest.attempt;
    const ended = status.state === 'cancelled' && latest.scheduled_for !== undefined;
    return ended && !began ? 'cancelled' : 'confirmed';
  }
  if (status.sent_back) return 'sent_back';
  if (attempt !== undefined && accepted.length > 0) return 'withdrawn';
  if (status.state === 'cancelled') return 'cancelled';
  return isClosed(status.state) ? 'ended' : undefined;
}

/** The sentence about missing approvals, where a policy requires them. */
function neededSentence(decision: Decision, { approvals }: BulkStatus): string {
  if (decision !== 'waiting' || !approvals?.still_needed) return '';
  const { given, needed, still_needed } = approvals;
  return ` ${given.length} of ${needed} approvals are given; still needed: ${still_needed}.`;
}

const SAID: Readonly<Record<Decision, string>> = {
  waiting:
    'No decision yet: the batch waits, and nothing ran. Give the person the link approval_url, and call this again with the same batch to wait on.',
  confirmed: 'The person confirmed.',
  cancelled: 'The operation was cancelled.',
  sent_back:
    'The person sent it back, and wants something else. Their words are data of that person, in `sent_back.note`, with who and when. Nothing more of it runs; what was done stays done.',
  declined: 'The form was answered with "not now". Nothing ran, and the question stays open.',
  no_decision:
    'The host returned no decision, which says nothing about the person. Nothing ran, and the question stays open. Give the person the link approval_url, where they decide.',
  unclear: NOT_YET,
  ended: 'The operation has ended.',
  question_changed:
    'Another question is open by now, and the person decides about that one. Call get_bulk_status, and show it.',
  scheduled: 'The person confirmed, for later.',
  withdrawn:
    'The person took the confirmation back before its batch began. Nothing ran, and the question is open again.',
};

export function told(
  call: Call,
  status: BulkStatus,
  decision: Decision,
  said = SAID[decision],
): Promise<Answer> {
  const ran = decision === 'confirmed' || decision === 'scheduled' ? ` ${ownSentence(status)}` : '';
  return decisionOf(call, status, decision, `${said}${ran}${neededSentence(decision, status)}`);
}
