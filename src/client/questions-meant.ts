import type { ContinueRequest } from '../contract/messages';
import type { BulkStatus } from '../contract/operation';
import { presentBulkStatus } from '../core/bulk/presenter';
import { exclusionDigest, noteOf, type Heard, type SeenGate } from '../core/intent/conversation';
import { gateOf, NO_GATE, questionNotSeen } from './unseen';

/** What is known of the sender of a message. */
interface Sender {
  message_id?: string;
  seen?: SeenGate;
  given?: (operationId: string) => string;
}

/** The question that a confirmation is for. If the sender named none, only the door may know which one they were shown. */
export function questionMeant(
  status: BulkStatus,
  context: Sender & Heard & { begun: number },
): ContinueRequest {
  if (context.seen) return gateMeant(status, context) ?? NO_GATE;
  const digest = context.given?.(status.operation_id);
  return {
    ...(digest !== undefined && { digest }),
    ...(context.message_id === undefined && { sent_ago_ms: Math.round(performance.now() - context.begun) }),
  };
}

/** False: a question is open, and its door knows that the sender was shown another one, or none. */
export function wasShown(status: BulkStatus, { seen, given }: Sender): boolean {
  const open = status.next_batch?.digest;
  if (seen) return seen.digest !== NO_GATE.digest;
  return open === undefined || given === undefined || given(status.operation_id) === open;
}

/** The open question if the person saw it, whole or about a part of the batch; otherwise what they saw. */
export function gateMeant(status: BulkStatus, heard: Heard): SeenGate | undefined {
  const exclude = noteOf(status, heard)?.exclude;
  const { seen } = heard;
  const aboutAPart = exclude && seen?.digest === exclusionDigest(status, exclude);
  return seen && !aboutAPart ? seen : gateOf(status);
}

/** The answer to a person whose yes was not for the open question: that question. */
export function openQuestion(status: BulkStatus) {
  const { body: error } = questionNotSeen(status, 'Read the question, and answer it.');
  const reply = `That was not an answer to the question that is open now, so nothing was run.\n${presentBulkStatus(status)}`;
  return { handled: true, reply, asked: gateOf(status), status, error };
}
