import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  beginBatch,
  exportAudit,
  getBulkStatus,
  openReport,
  reportParts,
  reviseBulkOperation,
  type ReportFormat,
} from '../../client';
import { auditCommand, auditRequestOf } from '../../commands/audit';
import { continueCommand, editCommand, type reviseCommand } from '../../commands/decisions';
import { operation_id } from '../../commands/fields';
import { reportCommand } from '../../commands/report';
import { bulkStatusSchema, bulkTurnSchema } from '../../contract/operation';
import { reportSchema } from '../../contract/report';
import type { OwnRoute } from '../commands';
import type { ApiContext } from '../context';
import { idempotencyHeaders } from '../idempotency';
import { confirmShown } from '../shown';

export const operationParams = z.object({ operation_id });

/** A confirmation applies to the question shown to its sender, and may return before the batch has run. */
export const continueRoute = (context: ApiContext): OwnRoute => ({
  headers: idempotencyHeaders.extend({
    prefer: z.string().optional().describe('respond-async: answer as soon as the decision is taken'),
  }),
  response: {
    202: z
      .union([bulkStatusSchema, bulkTurnSchema])
      .describe(
        'The decision is taken. The batch runs, see Location; or, with `recorded`, other approvals are needed first: `approvals` has who is still needed.',
      ),
  },
  async answer(input: z.output<typeof continueCommand.input>, caller, request, reply) {
    const { client, inTurn } = context;
    const { operation_id: id, ...fields } = input;
    const target = { ...fields, by: caller.nameOf(fields.by) };
    const waits = !/\brespond-async\b/i.test(String(request.headers['prefer'] ?? ''));
    const turn = await confirmShown(context, request, { operation_id: id, asked: target }, (confirmation) =>
      inTurn(id, () =>
        waits
          ? continueCommand.run(client, { ...confirmation(), operation_id: id }, caller)
          : beginBatch(client, id, confirmation(), caller.decision),
      ),
    );
    if (!waits) void reply.header('preference-applied', 'respond-async');
    if (turn?.recorded) return underWay(reply, id, turn);
    return turn ?? underWay(reply, id, await getBulkStatus(client, id));
  },
});

/** A revision sends back the question shown to its sender. */
export const reviseRoute = (context: ApiContext): OwnRoute => ({
  async answer(input: z.output<typeof reviseCommand.input>, caller, request) {
    const { operation_id, note, ...target } = input;
    return confirmShown(context, request, { operation_id, asked: target }, (confirmation) =>
      reviseBulkOperation(
        context.client,
        operation_id,
        { ...confirmation(), note, by: caller.nameOf(target.by) },
        caller.decision,
      ),
    );
  },
});

/** An edit that names no question applies to the one shown to its sender. */
export const editRoute = (context: ApiContext): OwnRoute => ({
  answer(input: z.output<typeof editCommand.input>, caller, request) {
    const { operation_id: id, batch, attempt, digest, decision_id } = input;
    const target = { batch, attempt, digest, decision_id };
    return confirmShown(context, request, { operation_id: id, asked: target }, (confirmation) =>
      editCommand.run(context.client, { ...input, digest: confirmation().digest }, caller),
    );
  },
});

function underWay<T>(reply: FastifyReply, operationId: string, status: T): T {
  void reply.code(202).header('location', `/v1/operations/${encodeURIComponent(operationId)}`);
  return status;
}

const REPORT_TYPES: Readonly<Record<ReportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
};
const asText = { schema: z.string() };

/** Streams a report in a text format while reading it. */
export const reportRoute = ({ client }: ApiContext): OwnRoute => ({
  response: {
    200: {
      description: 'The report, in the format that was asked for',
      content: {
        'application/json': { schema: reportSchema },
        ...{ 'text/csv': asText, 'application/jsonl': asText, 'text/markdown': asText },
      },
    },
  },
  async answer(input: z.output<typeof reportCommand.input>, caller, _, reply) {
    const { format } = input;
    if (format === 'json') return reportCommand.run(client, input, caller);
    const report = await openReport(client, input.operation_id);
    return reply.type(REPORT_TYPES[format]).send(Readable.from(reportParts(report, format, {})));
  },
});

/** Streams the lines while reading them. */
export const auditRoute = ({ client, taskQueue }: ApiContext): OwnRoute => ({
  response: {
    200: {
      description: 'The lines of the export',
      content: { 'application/jsonl': { schema: z.string() } },
    },
  },
  async answer(input: z.output<typeof auditCommand.input>, caller, _, reply) {
    const first = await auditCommand.run(client, input, caller);
    const lines = exportAudit(client, auditRequestOf(input), taskQueue, first);
    return reply.type('application/jsonl; charset=utf-8').send(Readable.from(ended(lines)));
  },
});

async function* ended(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
