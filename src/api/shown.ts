import type { FastifyReply, FastifyRequest } from 'fastify';
import { getBulkStatus, gateOf, NO_GATE, questionNotSeen } from '../client';
import { BatchgateError } from '../contract/errors';
import type { ContinueRequest } from '../contract/messages';
import type { BulkTurn } from '../contract/operation';
import { namesGate } from '../core/bulk/gate';
import { principalOf, type ApiContext } from './context';

/** Records the question that the sender of a request was shown, once the complete answer was sent. */
export function remembering<T extends Pick<BulkTurn, 'operation_id' | 'next_batch'>>(
  { shown }: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  status: T,
): T {
  const { id } = principalOf(request);
  if (status.next_batch) reply.raw.once('finish', () => shown.keep(id, status));
  return status;
}

/** The digest of this operation's question that was last shown to the sender of a request. */
export const shownTo = ({ shown }: ApiContext, request: FastifyRequest, operationId: string): string =>
  shown.of(principalOf(request).id, operationId)?.digest ?? NO_GATE.digest;

/**
 * Sends a confirmation. If it names no question, it applies only to the question last shown to its sender.
 * @throws BatchgateError `QUESTION_NOT_SEEN` if another question is open.
 */
export async function confirmShown<T>(
  context: ApiContext,
  request: FastifyRequest,
  { operation_id, asked }: { operation_id: string; asked: ContinueRequest },
  send: (confirmation: () => ContinueRequest) => Promise<T>,
): Promise<T> {
  if (namesGate(asked)) return send(() => asked);
  const startedAt = performance.now();
  const digest = shownTo(context, request, operation_id);
  const refuseUnseen = async () => {
    const status = await getBulkStatus(context.client, operation_id);
    const open = gateOf(status);
    if (open && open.digest !== digest) throw questionNotSeen(status, hintFor(asked, operation_id, open));
  };
  const isNamed = asked.attempt !== undefined || asked.decision_id !== undefined;
  // A repeated decision id returns its first outcome, whichever question is open now.
  if (!isNamed) await refuseUnseen();
  try {
    return await send(() => ({
      ...asked,
      digest,
      ...(!isNamed && { sent_ago_ms: Math.round(performance.now() - startedAt) }),
    }));
  } catch (error) {
    if (error instanceof BatchgateError && error.code === 'STALE_CONFIRMATION') await refuseUnseen();
    throw error;
  }
}

/** A decision that was refused stays refused under its id: it may be delivered again after the question was shown. */
function hintFor({ decision_id }: ContinueRequest, operationId: string, gate: object): string {
  const path = `/v1/operations/${encodeURIComponent(operationId)}`;
  const again = `Read GET ${path}, then confirm again, or name the question: ${JSON.stringify(gate)}.`;
  if (decision_id === undefined) return again;
  return `${again} Do it under another Idempotency-Key or decision_id, because this one stays refused.`;
}
