import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  cancelTaskRun,
  completeTaskRun,
  getTaskRun,
  listTaskRuns,
  recordTaskRun,
  startTaskRun,
} from '../../client';
import { completeRequestSchema, SIGNATURE } from '../../contract/messages';
import { completionGuardResultSchema } from '../../contract/progress';
import { taskRunRowSchema } from '../../contract/rows';
import {
  recordRequestSchema,
  taskRunInputSchema,
  taskRunStateSchema,
  taskRunStatusSchema,
} from '../../contract/task-run';
import { idSchema, upTo } from '../../contract/text';
import { decidedBy, principalOf, type Api, type ApiContext } from '../context';
import { refuseOutOfReach } from '../guard';
import { idempotencyHeaders, once, onlyOnce } from '../idempotency';
import { problemResponse } from '../problems';
import { listOf, pageQuery } from '../schemas';
import { allowed } from './decisions';
import { listed } from './operations';

const tags = ['task runs'];
const params = z.object({ task_run_id: upTo(1_000).min(1) });
const answers = { response: { 200: taskRunStatusSchema, ...problemResponse } };

export function addTaskRunRoutes(api: Api, context: ApiContext): void {
  const { client, taskQueue: task_queue } = context;
  addStart(api, context);
  api.get(
    '/v1/task-runs',
    {
      schema: {
        tags,
        querystring: pageQuery.extend({
          state: taskRunStateSchema.optional(),
          session_id: idSchema(150).optional(),
        }),
        response: { 200: listOf(taskRunRowSchema), ...problemResponse },
      },
    },
    (request) => listed(request, (asked) => listTaskRuns(client, { ...asked, task_queue })),
  );
  api.get('/v1/task-runs/:task_run_id', { schema: { tags, params, ...answers } }, (request) =>
    getTaskRun(client, request.params.task_run_id),
  );
  api.post(
    '/v1/task-runs/:task_run_id/record',
    { schema: { tags, params, headers: idempotencyHeaders, body: recordRequestSchema, ...answers } },
    (request) =>
      onlyOnce(context, request, () => recordTaskRun(client, request.params.task_run_id, request.body)),
  );
  api.post(
    '/v1/task-runs/:task_run_id/complete',
    {
      schema: {
        tags,
        params,
        body: completeRequestSchema.omit(SIGNATURE).nullish(),
        response: { 200: completionGuardResultSchema, ...problemResponse },
      },
    },
    async (request) => {
      const { by } = decidedBy(context, request, request.body?.by);
      return allowed(await completeTaskRun(client, request.params.task_run_id, { ...request.body, by }));
    },
  );
  api.post('/v1/task-runs/:task_run_id/cancel', { schema: { tags, params, ...answers } }, (request) =>
    cancelTaskRun(client, request.params.task_run_id),
  );
}

function addStart(api: Api, context: ApiContext): void {
  const { client, taskQueue: task_queue } = context;
  api.post(
    '/v1/task-runs',
    {
      schema: {
        tags,
        headers: idempotencyHeaders,
        body: taskRunInputSchema,
        response: { 201: taskRunStatusSchema, ...problemResponse },
      },
    },
    async (request, reply) => {
      refuseOutOfReach(principalOf(request), request.body.session_id);
      const status = await once(
        context,
        request,
        () => `task-${randomUUID()}`,
        (task_run_id) => startTaskRun(client, request.body, { task_run_id, task_queue }),
      );
      return reply
        .code(201)
        .header('location', `/v1/task-runs/${encodeURIComponent(status.task_run_id)}`)
        .send(status);
    },
  );
}
