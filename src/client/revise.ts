import type { Client } from '@temporalio/client';
import { BatchgateError, parseInput } from '../contract/errors';
import { reviseRequestSchema, UPDATES, type ReviseRequest } from '../contract/messages';
import type { BulkTurn } from '../contract/operation';
import { isBare, otherDecision } from '../core/bulk/gate';
import { wasSentBackBy } from '../core/bulk/sent-back';
import { update } from './operations';
import { turnOf } from './turns';
import type { DecisionOptions } from './signer';

/**
 * Sends the open question back with guidance for its requester: the operation ends, and nothing more of it runs. It
 * names a question as a confirmation does. The same decision again gets the first answer.
 */
export async function reviseBulkOperation(
  client: Client,
  operationId: string,
  request: ReviseRequest,
  options: DecisionOptions = {},
): Promise<BulkTurn> {
  const given = parseInput(reviseRequestSchema, request, 'The guidance');
  const begun = performance.now();
  const ago = () => (given.sent_ago_ms ?? 0) + Math.round(performance.now() - begun);
  const asked = () => (isBare(given) ? { ...given, sent_ago_ms: ago() } : given);
  const turn = await update(client, operationId, UPDATES.revise, asked, {
    ...options,
    updateId: given.decision_id,
    answerOf: (ended) => (wasSentBackBy(ended, given) ? turnOf(ended) : undefined),
  });
  if (turn.sent_back === undefined) throw BatchgateError.from(otherDecision('nothing was sent back'));
  return turn;
}
