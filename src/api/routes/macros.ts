import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  answerMacro,
  cancelJob,
  getMacroTrace,
  getMacroTurn,
  listMacroRuns,
  pauseMacro,
  resumeMacro,
  startMacro,
} from '../../client';
import type { MacroInput } from '../../contract/macro';
import { macroStateSchema, type AnswerRequest } from '../../contract/macro-run';
import { idSchema, upTo } from '../../contract/text';
import { decidedBy, principalOf, type Api, type ApiContext } from '../context';
import { refuseOutOfReach } from '../guard';
import { once } from '../idempotency';
import { problemResponse } from '../problems';
import {
  listOf,
  macroAnswerSchema,
  macroRowSchema,
  macroSchema,
  macroStartSchema,
  macroTurnSchema,
  pageQuery,
} from '../schemas';
import { idempotencyHeaders, listed } from './operations';

const tags = ['macros'];
const params = z.object({ run_id: upTo(1_000).min(1) });
const answersTurn = { 200: macroTurnSchema, ...problemResponse };
export function addMacroRoutes(api: Api, context: ApiContext): void {
  const { client, taskQueue: task_queue } = context;
  addStart(api, context);
  api.get(
    '/v1/macros',
    {
      schema: {
        tags,
        querystring: pageQuery.extend({
          state: macroStateSchema.optional(),
          session_id: idSchema(150).optional(),
        }),
        response: { 200: listOf(macroRowSchema), ...problemResponse },
      },
    },
    (request) => listed(request, (asked) => listMacroRuns(client, { ...asked, task_queue })),
  );
  api.get(
    '/v1/macros/:run_id',
    { schema: { tags, params, response: { 200: macroSchema, ...problemResponse } } },
    (request) => getMacroTrace(client, request.params.run_id),
  );
  for (const [verb, steer] of [
    ['pause', pauseMacro],
    ['resume', resumeMacro],
  ] as const) {
    api.post(`/v1/macros/:run_id/${verb}`, { schema: { tags, params, response: answersTurn } }, (request) =>
      steer(client, request.params.run_id),
    );
  }
  api.post(
    '/v1/macros/:run_id/cancel',
    { schema: { tags, params, response: answersTurn } },
    async (request) => {
      const { run_id } = request.params;
      // A job of another kind is not found here.
      await getMacroTrace(client, run_id);
      await cancelJob(client, run_id);
      return getMacroTurn(client, run_id);
    },
  );
  api.post(
    '/v1/macros/:run_id/answer',
    { schema: { tags, params, body: macroAnswerSchema, response: answersTurn } },
    (request) => {
      const { by } = decidedBy(context, request, request.body.by);
      return answerMacro(client, request.params.run_id, { ...(request.body as AnswerRequest), by });
    },
  );
}

function addStart(api: Api, context: ApiContext): void {
  const { client, taskQueue: task_queue } = context;
  api.post(
    '/v1/macros',
    {
      schema: {
        tags,
        headers: idempotencyHeaders,
        body: macroStartSchema,
        response: { 201: macroTurnSchema, ...problemResponse },
      },
    },
    async (request, reply) => {
      refuseOutOfReach(principalOf(request), request.body.session_id);
      const turn = await once(
        context,
        request,
        () => `macro-${randomUUID()}`,
        (run_id) => startMacro(client, request.body as MacroInput, { run_id, task_queue }),
      );
      return reply
        .code(201)
        .header('location', `/v1/macros/${encodeURIComponent(turn.run_id)}`)
        .send(turn);
    },
  );
}
