import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { BatchgateError } from '../contract/errors';
import { idSchema, upTo } from '../contract/text';
import { parseInput } from '../contract/errors';
import { digestOf } from '../core/shared/canonical';
import { principalOf, type ApiContext } from './context';
import { createTurns } from './turns';

/** Concurrent copies of a request wait for the first one, and receive its answer. */
const inTurn = createTurns(1);

export const idempotencyHeaders = z.object({
  'idempotency-key': upTo(150)
    .min(1)
    .optional()
    .describe('Names this request for a day: the same key and body get the same answer'),
});

function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  return key === undefined ? undefined : parseInput(idSchema(150), key, 'Idempotency-Key');
}

/**
 * The decision id of a request: the workflow accepts each id once. A key belongs to its sender.
 * @throws BatchgateError `IDEMPOTENCY_CONFLICT` if the key came with another body.
 */
export async function decisionId(
  context: ApiContext,
  request: FastifyRequest,
  id: string | undefined,
): Promise<string | undefined> {
  const key = idempotencyKey(request);
  if (key === undefined) return id;
  const reference = id ?? `key-${digestOf({ sender: principalOf(request).id, key })}`;
  const keyedRequest = { caller: principalOf(request).id, key, digest: bodyDigest(request) };
  return (await remember(context, keyedRequest, reference)).reference;
}

/**
 * Runs a request once for each key of its sender. The same key and body get the same answer for a day. A request that
 * failed before its answer runs again under the same reference, so that it finds the job that it started.
 * @throws BatchgateError `IDEMPOTENCY_CONFLICT` if the key came with another body.
 */
export async function once<T>(
  context: ApiContext,
  request: FastifyRequest,
  newReference: () => string,
  run: (reference: string) => Promise<T>,
): Promise<T> {
  const key = idempotencyKey(request);
  if (key === undefined) return run(newReference());
  const keyedRequest = { caller: principalOf(request).id, key, digest: bodyDigest(request) };
  return answerOnce(context, keyedRequest, newReference, run);
}

/** A remembered request: its sender, its key, and the digest of its content. */
interface Sent {
  caller: string;
  key: string;
  digest: string;
}

/**
 * Runs a request once, and returns the first answer for a repeated request.
 * @throws BatchgateError `IDEMPOTENCY_CONFLICT` if the key came with another digest.
 */
export function answerOnce<T>(
  context: Pick<ApiContext, 'access'>,
  keyedRequest: Sent,
  newReference: () => string,
  run: (reference: string) => Promise<T>,
): Promise<T> {
  return inTurn(`${keyedRequest.caller}:${keyedRequest.key}`, async () => {
    const remembered = await remember(context, keyedRequest, newReference());
    if (remembered.answer !== undefined) return remembered.answer as T;
    const answer = await run(remembered.reference);
    await context.access.rememberAnswer(keyedRequest.caller, keyedRequest.key, answer);
    return answer;
  });
}

/** Like `once`, for a request that starts no job, or whose job's id derives from another id. */
export const onlyOnce = <T>(context: ApiContext, request: FastifyRequest, run: () => Promise<T>) =>
  once(context, request, () => request.id, run);

const bodyDigest = ({ method, url, body = null }: FastifyRequest) => digestOf({ method, url, body });

async function remember({ access }: Pick<ApiContext, 'access'>, keyedRequest: Sent, reference: string) {
  const { caller, key, digest } = keyedRequest;
  const remembered = await access.rememberRequest(caller, key, { digest, reference });
  if (remembered.digest === digest) return remembered;
  throw new BatchgateError(
    'IDEMPOTENCY_CONFLICT',
    'This Idempotency-Key came with another request before.',
    'Send the same body again, or choose another key.',
  );
}
