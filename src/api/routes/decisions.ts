import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  beginBatch,
  cancelBulkOperation,
  completeBulkOperation,
  continueBulkOperation,
  extendBulkOperation,
  getBulkStatus,
  resolveItem,
} from '../../client';
import { BatchgateError } from '../../contract/errors';
import {
  cancelRequestSchema,
  completeRequestSchema,
  continueRequestSchema,
  extendRequestSchema,
  resolveRequestSchema,
  SIGNATURE,
} from '../../contract/messages';
import { bulkStatusSchema, bulkTurnSchema } from '../../contract/operation';
import { completionGuardResultSchema, type CompletionGuardResult } from '../../contract/progress';
import { decidedBy, type Api, type ApiContext } from '../context';
import { decisionId, idempotencyHeaders, onlyOnce } from '../idempotency';
import { problemResponse } from '../problems';
import { confirmShown } from '../shown';
import { operationParams } from './operations';

const tags = ['decisions'];
/** Signatures are made here, and never accepted from a caller. */
const bodies = {
  continue: continueRequestSchema.omit({ ...SIGNATURE, sent_ago_ms: true }),
  cancel: cancelRequestSchema.omit(SIGNATURE),
  complete: completeRequestSchema.omit(SIGNATURE),
  extend: extendRequestSchema.omit(SIGNATURE),
  resolve: resolveRequestSchema.omit(SIGNATURE),
};
const decision = { tags, params: operationParams, headers: idempotencyHeaders };
const answersTurn = { 200: bulkTurnSchema, ...problemResponse };

/** A person's decisions, each executed once per decision id. */
export function addDecisionRoutes(api: Api, context: ApiContext): void {
  addContinue(api, context);
  const { client } = context;
  api.post(
    '/v1/operations/:operation_id/cancel',
    { schema: { ...decision, body: bodies.cancel.nullish(), response: answersTurn } },
    async (request) => {
      const { by, options } = decidedBy(context, request, request.body?.by);
      const decision_id = await decisionId(context, request, request.body?.decision_id);
      const asked = { ...request.body, by, decision_id };
      return cancelBulkOperation(client, request.params.operation_id, asked, options);
    },
  );
  api.post(
    '/v1/operations/:operation_id/complete',
    {
      schema: {
        ...decision,
        body: bodies.complete.nullish(),
        response: { 200: completionGuardResultSchema, ...problemResponse },
      },
    },
    async (request) => {
      const { by, options } = decidedBy(context, request, request.body?.by);
      const asked = { ...request.body, by };
      return onlyOnce(context, request, async () =>
        allowed(await completeBulkOperation(client, request.params.operation_id, asked, options)),
      );
    },
  );
  api.post(
    '/v1/operations/:operation_id/extend',
    { schema: { ...decision, body: bodies.extend, response: answersTurn } },
    async (request) => {
      const { by, options } = decidedBy(context, request, request.body.by);
      const decision_id = await decisionId(context, request, request.body.decision_id);
      const asked = { ...request.body, by, decision_id };
      return onlyOnce(context, request, () =>
        extendBulkOperation(client, request.params.operation_id, asked, options),
      );
    },
  );
  api.post(
    '/v1/operations/:operation_id/resolve',
    { schema: { ...decision, body: bodies.resolve, response: answersTurn } },
    (request) => {
      const { by, options } = decidedBy(context, request, request.body.by);
      return onlyOnce(context, request, () =>
        resolveItem(client, request.params.operation_id, { ...request.body, by }, options),
      );
    },
  );
}

function addContinue(api: Api, context: ApiContext): void {
  const { client, inTurn } = context;
  api.post(
    '/v1/operations/:operation_id/continue',
    {
      schema: {
        ...decision,
        headers: idempotencyHeaders.extend({ prefer: z.string().optional() }),
        description:
          'Answers after the batch; with `Prefer: respond-async` as soon as the decision is taken.',
        body: bodies.continue.nullish(),
        response: {
          200: bulkTurnSchema,
          202: bulkStatusSchema.describe('The decision is taken and the batch runs; see Location.'),
          ...problemResponse,
        },
      },
    },
    async (request, reply) => {
      const { operation_id } = request.params;
      const { by, options } = decidedBy(context, request, request.body?.by);
      const decision_id = await decisionId(context, request, request.body?.decision_id);
      const asked = { ...request.body, by, decision_id };
      const waits = !/\brespond-async\b/i.test(request.headers.prefer ?? '');
      const decide = waits ? continueBulkOperation : beginBatch;
      const turn = await confirmShown(context, request, { operation_id, asked }, (meant) =>
        inTurn(operation_id, () => decide(client, operation_id, meant(), options)),
      );
      if (!waits) void reply.header('preference-applied', 'respond-async');
      return turn ?? underWay(reply, operation_id, await getBulkStatus(client, operation_id));
    },
  );
}

function underWay<T>(reply: FastifyReply, operationId: string, status: T): T {
  void reply.code(202).header('location', `/v1/operations/${encodeURIComponent(operationId)}`);
  return status;
}

/** A refusal by the guard becomes an error over HTTP, with the guard's result as its details. */
export function allowed(guard: CompletionGuardResult): CompletionGuardResult {
  if (guard.allowed) return guard;
  throw new BatchgateError(
    'GUARD_BLOCKED',
    guard.reason ?? 'It cannot be completed yet.',
    guard.suggested_next_action ?? 'Finish what is missing, or force it with a reason.',
    guard,
  );
}
