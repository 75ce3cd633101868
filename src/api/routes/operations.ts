import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  getBulkProgress,
  getBulkStatus,
  getCompletionGuard,
  getBulkErrors,
  getBulkItems,
  getReport,
  listBulkOperations,
  openReport,
  previewBulkOperation,
  REPORT_FORMATS,
  reportParts,
  type ReportFormat,
  retryFailedItems,
  startRemainingItems,
  startBulkOperation,
  undoBulkOperation,
} from '../../client';
import {
  bulkOperationInputSchema,
  bulkStateSchema,
  bulkStatusSchema,
  itemErrorSchema,
  itemOutcomeSchema,
} from '../../contract/operation';
import { bulkPreviewSchema } from '../../contract/preview';
import { bulkProgressContractSchema, completionGuardResultSchema } from '../../contract/progress';
import { reportSchema } from '../../contract/report';
import { operationRowSchema } from '../../contract/rows';
import { idSchema, upTo } from '../../contract/text';
import { principalOf, speaksFor, type Api, type ApiContext } from '../context';
import { refuseOutOfReach } from '../guard';
import { idempotencyHeaders, once, onlyOnce } from '../idempotency';
import { problemResponse } from '../problems';
import { remembering } from '../shown';
import { itemRowSchema, listOf, pageOf, pageQuery, readCursor } from '../schemas';

export const operationParams = z.object({ operation_id: upTo(1_000).min(1) });
const tags = ['operations'];

export function addOperationRoutes(api: Api, context: ApiContext): void {
  addStart(api, context);
  addFollowUps(api, context);
  addLooks(api, context);
  addRows(api, context);
}

function addStart(api: Api, context: ApiContext): void {
  const { client, taskQueue: task_queue } = context;
  api.post(
    '/v1/previews',
    {
      schema: {
        tags,
        body: bulkOperationInputSchema,
        response: { 200: bulkPreviewSchema, ...problemResponse },
      },
    },
    (request) => {
      const { session_id } = request.body;
      if (session_id !== undefined) refuseOutOfReach(principalOf(request), session_id);
      return previewBulkOperation(client, request.body, { task_queue });
    },
  );
  api.post(
    '/v1/operations',
    {
      schema: {
        tags,
        headers: idempotencyHeaders,
        body: bulkOperationInputSchema,
        response: { 201: bulkStatusSchema, ...problemResponse },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request);
      refuseOutOfReach(principal, request.body.session_id);
      const input = { ...request.body, requested_by: speaksFor(request, request.body.requested_by) };
      const status = await once(
        context,
        request,
        () => `bulk-${randomUUID()}`,
        (operation_id) => startBulkOperation(client, input, { operation_id, task_queue }),
      );
      return reply
        .code(201)
        .header('location', `/v1/operations/${encodeURIComponent(status.operation_id)}`)
        .send(remembering(context, request, reply, status));
    },
  );
}

const undoBodySchema = bulkOperationInputSchema
  .pick({ overwrite: true, batch_size: true, session_id: true, requested_by: true })
  .nullish();

/** Operations that follow an ended one. Their ids derive from its id, so a repeated request finds the same one. */
function addFollowUps(api: Api, context: ApiContext): void {
  const { client } = context;
  const response = { 201: bulkStatusSchema, ...problemResponse };
  const schema = { tags, params: operationParams, headers: idempotencyHeaders, response };
  api.post(
    '/v1/operations/:operation_id/undo',
    { schema: { ...schema, body: undoBodySchema } },
    async (request, reply) => {
      const asked = request.body ?? {};
      if (asked.session_id !== undefined) refuseOutOfReach(principalOf(request), asked.session_id);
      const options = { ...asked, requested_by: speaksFor(request, asked.requested_by) };
      const { operation_id } = request.params;
      const undo = () => undoBulkOperation(client, operation_id, options);
      return reply
        .code(201)
        .send(remembering(context, request, reply, await onlyOnce(context, request, undo)));
    },
  );
  for (const [verb, start] of [
    ['retry-failed', retryFailedItems],
    ['resume', startRemainingItems],
  ] as const) {
    api.post(`/v1/operations/:operation_id/${verb}`, { schema }, async (request, reply) => {
      const { operation_id } = request.params;
      const status = await onlyOnce(context, request, () => start(client, operation_id));
      return reply.code(201).send(remembering(context, request, reply, status));
    });
  }
}

function addLooks(api: Api, context: ApiContext): void {
  const { client, taskQueue: task_queue } = context;
  const schema = { tags, params: operationParams };
  api.get(
    '/v1/operations',
    {
      schema: {
        tags,
        querystring: pageQuery.extend({
          state: bulkStateSchema.optional(),
          session_id: idSchema(150).optional(),
        }),
        response: { 200: listOf(operationRowSchema), ...problemResponse },
      },
    },
    (request) => listed(request, (asked) => listBulkOperations(client, { ...asked, task_queue })),
  );
  api.get(
    '/v1/operations/:operation_id',
    { schema: { ...schema, response: { 200: bulkStatusSchema, ...problemResponse } } },
    async (request, reply) =>
      remembering(context, request, reply, await getBulkStatus(client, request.params.operation_id)),
  );
  api.get(
    '/v1/operations/:operation_id/guard',
    { schema: { ...schema, response: { 200: completionGuardResultSchema, ...problemResponse } } },
    (request) => getCompletionGuard(client, request.params.operation_id),
  );
  api.get(
    '/v1/operations/:operation_id/progress',
    { schema: { ...schema, response: { 200: bulkProgressContractSchema, ...problemResponse } } },
    (request) => getBulkProgress(client, request.params.operation_id),
  );
  api.get(
    '/v1/operations/:operation_id/report',
    {
      schema: {
        ...schema,
        querystring: z.object({ format: z.enum(['json', ...REPORT_FORMATS]).default('json') }),
        response: { 200: reportResponse, ...problemResponse },
      },
    },
    async (request, reply) => {
      const { format } = request.query;
      const { operation_id } = request.params;
      if (format === 'json') return getReport(client, operation_id);
      const report = await openReport(client, operation_id);
      return reply
        .type(REPORT_TYPES[format])
        .send(Readable.from(reportParts(report, format, {})) as never) as never;
    },
  );
}

const REPORT_TYPES: Readonly<Record<ReportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
};
const asText = { schema: z.string() };
const reportResponse = {
  description: 'The report, as `format` says',
  content: {
    'application/json': { schema: reportSchema },
    ...{ 'text/csv': asText, 'application/jsonl': asText, 'text/markdown': asText },
  },
};

function addRows(api: Api, { client }: ApiContext): void {
  api.get(
    '/v1/operations/:operation_id/items',
    {
      schema: {
        tags,
        params: operationParams,
        querystring: pageQuery.extend({ outcome: itemOutcomeSchema.optional() }),
        response: { 200: listOf(itemRowSchema).extend({ total: z.number().int() }), ...problemResponse },
      },
    },
    async (request) => {
      const { cursor, ...page } = request.query;
      const offset = readCursor(cursor);
      const { items, total } = await getBulkItems(client, request.params.operation_id, { ...page, offset });
      return { ...pageOf(items, offset, offset + items.length < total), total };
    },
  );
  api.get(
    '/v1/operations/:operation_id/errors',
    {
      schema: {
        tags,
        params: operationParams,
        querystring: pageQuery,
        response: { 200: listOf(itemErrorSchema).extend({ total: z.number().int() }), ...problemResponse },
      },
    },
    async (request) => {
      const { cursor, limit } = request.query;
      const offset = readCursor(cursor);
      const { errors, total } = await getBulkErrors(client, request.params.operation_id, { limit, offset });
      return { ...pageOf(errors, offset, offset + errors.length < total), total };
    },
  );
}

/** One page of a list of the jobs that the caller may see. */
export async function listed<F extends z.infer<typeof pageQuery>, T>(
  request: FastifyRequest & { query: F },
  list: (asked: Omit<F, 'cursor'> & { session_prefix?: string; offset: number }) => Promise<T[]>,
) {
  const { cursor, ...filter } = request.query;
  const { limit } = filter;
  const offset = readCursor(cursor);
  const { session_prefix } = principalOf(request);
  // One row more than the page holds tells whether another page follows.
  const rows = await list({ ...filter, session_prefix, offset, limit: limit + 1 });
  return pageOf(rows.slice(0, limit), offset, rows.length > limit);
}
