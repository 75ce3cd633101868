import type { Client } from '@temporalio/client';
import type { z } from 'zod';
import { BatchgateError, parseInput } from '../contract/errors';
import type { UPDATES } from '../contract/messages';
import type { BulkStatus, BulkTurn } from '../contract/operation';
import { relyingParty } from '../core/access/relying-party';
import { operationPage } from '../core/approval/address';
import { tooLate } from '../core/bulk/closed';
import { isBare } from '../core/bulk/gate';
import { isClosed } from '../core/bulk/transitions';
import { unlessMissing } from './failures';
import { sendUpdate, type UpdateOptions } from './messages';
import { createSigner, type DecisionOptions } from './signer';
import { getBulkStatus } from './status';

interface Peculiar<R, T> {
  /** Set if a decision without a question's name is for the question that was open when it was sent. */
  mayBeBare?: true;
  check?: (request: R) => void;
  /** Returns the answer of an operation that had received the same decision before it ended. */
  answerOf?: (ended: BulkStatus, request: R, client: Client) => T | undefined | Promise<T | undefined>;
}

type SendOptions = DecisionOptions & Pick<UpdateOptions, 'until'>;
type Decide<R, T> = (
  client: Client,
  operationId: string,
  ...sent: Partial<R> extends R ? [request?: R, options?: SendOptions] : [request: R, options?: SendOptions]
) => Promise<T>;

/** Returns a function that sends decisions of one kind and waits for their outcome. `what`: their name in a refusal. */
export function decision<R extends object, T = BulkTurn>(
  update: (typeof UPDATES)[keyof typeof UPDATES],
  schema: z.ZodType<R>,
  what: string,
  { mayBeBare, check, answerOf }: Peculiar<R, T> = {},
): Decide<R, T> {
  return async (client, operationId, ...[request = {}, { until, origin, ...made } = {} as SendOptions]) => {
    const parsed: R & { decision_id?: string; sent_ago_ms?: number } = parseInput(schema, request, what);
    check?.(parsed);
    const startedAt = performance.now();
    const ago = () => (parsed.sent_ago_ms ?? 0) + Math.round(performance.now() - startedAt);
    // The decision may arrive late, when another question is open. Only durations are compared, because clocks differ.
    const stamped = () => (mayBeBare && isBare(parsed) ? { ...parsed, sent_ago_ms: ago() } : parsed);
    let ended: BulkStatus | undefined;
    const statusNow = async () => (ended = await getBulkStatus(client, operationId));
    const whenMissing = (when: 'before' | 'meanwhile') => whyNoAnswer(operationId, when, statusNow);
    const sign = await createSigner(client, operationId, update, made);
    // Temporal answers an update with an id that it knows with its first answer, whatever the kind of the update.
    const updateId = parsed.decision_id && `${update}:${parsed.decision_id}`;
    const options = { updateId, whenMissing, until, renewed: () => sign(stamped()) };
    try {
      return await sendUpdate(client, operationId, update, {}, options);
    } catch (error) {
      const answer = ended && (await answerOf?.(ended, parsed, client));
      if (answer === undefined) throw origin ? leadingToPage(error, operationId, await origin()) : error;
      return answer;
    }
  };
}

/**
 * Returns the reason why an operation did not answer a decision: it never existed, it had ended, or its run was ended
 * in Temporal before its answer. The details have its status, with the items that can still be resolved.
 */
async function whyNoAnswer(
  operationId: string,
  ended: 'before' | 'meanwhile',
  statusNow: () => Promise<BulkStatus>,
): Promise<BatchgateError> {
  const status = await statusNow().catch((error: unknown) => {
    if (ended === 'before') throw error;
    return unlessMissing(error);
  });
  if (status === undefined)
    return new BatchgateError(
      'OPERATION_CLOSED',
      'The operation was deleted in Temporal before it answered, and the ledger cannot be read.',
      `Its report is in the ledger of its worker: npx batchgate report ${operationId}`,
    );
  const details = detailsOf(status);
  if (!isClosed(status.state))
    return new BatchgateError(
      'OPERATION_CLOSED',
      'The run that was asked has ended: the operation was reset in Temporal before it answered, and goes on in another run.',
      'Read its status, and decide about the question that it asks now.',
      details,
    );
  const { code, message, hint } = tooLate({ ...status, how: status.state });
  const why = status.error?.code === 'OPERATION_CLOSED' ? `${status.error.message} ` : '';
  return new BatchgateError(code, `${why}${message}`, hint, details);
}

function detailsOf(status: BulkStatus) {
  const { guard: _, confirmations: __, errors, ...turn } = status;
  const doubtful = errors.filter(({ error }) => error.startsWith('In doubt: '));
  return {
    status: turn,
    items_in_doubt: doubtful.map(({ item_id, display_name }) => ({ item_id, display_name })),
  };
}

/** The details of a refusal that requires another assurance (src/core/bulk/approvals.ts). */
interface Needs {
  reason?: unknown;
  assurance?: unknown;
}

/** Adds a link to the operation's page to a refusal, if only a signed-in person can make the decision. */
function leadingToPage(error: unknown, operationId: string, origin: string): unknown {
  if (!(error instanceof BatchgateError)) return error;
  const details = (error.details ?? {}) as Needs;
  if (details.reason !== 'assurance') return error;
  const signs = details.assurance === 'signed' ? relyingParty(origin)?.origin : undefined;
  const approval_url = operationPage(signs ?? origin, operationId);
  return new BatchgateError(error.code, error.message, `${error.hint} The page: ${approval_url}`, {
    ...details,
    approval_url,
  });
}
