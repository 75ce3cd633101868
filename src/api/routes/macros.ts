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
import { BatchgateError } from '../../contract/errors';
import type { MacroInput } from '../../contract/macro';
import { macroStateSchema, type AnswerRequest } from '../../contract/macro-run';
import { macroRowSchema } from '../../contract/rows';
import { idSchema, upTo } from '../../contract/text';
import { decidedBy, principalOf, type Api, type ApiContext } from '../context';
import { refuseOutOfReach } from '../guard';
import { idempotencyHeaders, once, onlyOnce } from '../idempotency';
import { problemResponse } from '../problems';
import {
  listOf,
  macroAnswerSchema,
  macroSchema,
  macroStartSchema,
  macroTurnSchema,
  pageQuery,
} from '../schemas';
import { listed } from './operations';

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
    { schema: { tags, params, headers: idempotencyHeaders, body: macroAnswerSchema, response: answersTurn } },
    (request) => {
      const { by } = decidedBy(context, request, request.body.by);
      const answer = { ...(request.body as AnswerRequest), by };
      return onlyOnce(context, request, () => answerMacro(client, request.params.run_id, answer));
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
      const principal = principalOf(request);
      refuseOutOfReach(principal, request.body.session_id);
      if (principal.role === 'agent') refuseOwnSteps(request.body);
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

/** Tools change data without asking anybody, so an agent runs only what the operator keeps in `macros_dir`. */
function refuseOwnSteps({ macro, macros, database, profile }: z.infer<typeof macroStartSchema>): void {
  const named = typeof macro === 'string' && [macros, database, profile].every((one) => one === undefined);
  if (named) return;
  throw new BatchgateError(
    'FORBIDDEN',
    "An agent runs only the operator's macros, as they are.",
    'Give the name of a macro as `macro`, with `args` and `session_id` alone. A person can start any other macro.',
  );
}
