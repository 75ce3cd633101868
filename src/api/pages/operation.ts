import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  beginBatch,
  cancelBulkOperation,
  completeBulkOperation,
  extendBulkOperation,
  getBulkItems,
  getBulkStatus,
  getReport,
  glanceAt,
  reportText,
  resolveItem,
  retryFailedItems,
  startRemainingItems,
  undoBulkOperation,
} from '../../client';
import type { BatchProgress } from '../../contract/activities';
import { parseInput } from '../../contract/errors';
import { resolveRequestSchema } from '../../contract/messages';
import type { BulkStatus } from '../../contract/operation';
import { isClosed } from '../../core/bulk/transitions';
import { approverOf, requesterOf } from '../approver';
import { principalOf, type Api, type ApiContext } from '../context';
import { decidedBy } from '../read-since';
import { allowed } from '../commands';
import { signatureIn, type Signing } from '../passkeys/signing';
import { operationParams } from '../routes/operations';
import { answered, refuse, type Place } from './answered';
import { confirmationOf, keptOf } from './confirmation';
import { delegate } from './delegate';
import { fieldsOf, queryOf, required, requiredWhole, text, type Fields } from './forms';
import { path } from './html';
import { operationPage, type OperationPage } from './operation-view';
import { sendBack } from './revise';
import { rowsNow, statusNow } from './running-batch';
import { takeBack } from './scheduled';
import { sendPage } from './send';
import { decideOnce, showingOf } from './showing';
import { signingView } from './signing';

const schema = { hide: true, params: operationParams };
const MAX_ROWS = 200;
interface Params {
  operation_id: string;
}

/** The page of an operation, and the handlers of its forms. */
export function addOperationPages(pages: Api, context: ApiContext): void {
  const { client } = context;
  pages.get('/operations/:operation_id', { schema }, (request, reply) => show(context, request, reply));
  pages.get('/operations/:operation_id/report.csv', { schema }, async (request, reply) => {
    const { operation_id } = request.params;
    const report = await getReport(client, operation_id);
    const name = operation_id.replace(/[^\w.-]/g, '_').slice(0, 100);
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="${name}.csv"`)
      .send(reportText(report, 'csv', {}));
  });
  addDecisions(pages, context);
  addFollowUps(pages, context);
}

function addDecisions(pages: Api, context: ApiContext): void {
  const { client } = context;
  const on = (verb: string, decide: (request: FastifyRequest, id: string, form: Form) => Promise<unknown>) =>
    pages.post(`/operations/:operation_id/${verb}`, { schema }, async (request, reply) => {
      const { operation_id } = request.params;
      const fields = fieldsOf(request);
      const { by, options } = decidedBy(context, request, undefined);
      try {
        await decide(request, operation_id, { fields, by, options });
      } catch (error) {
        return refuse(context, request, reply, placeOf(request, operation_id), error);
      }
      return reply.redirect(whereFrom(fields) ?? path('operations', operation_id), 303);
    });
  on('continue', (request, id, form) => confirm(context, request, id, form));
  const decidesOnce = (
    verb: string,
    decide: (id: string, form: Form, decision_id?: string) => Promise<unknown>,
  ) =>
    on(verb, (request, id, form) =>
      decideOnce(
        context,
        { reader: principalOf(request).id, verb, fields: form.fields },
        async (decision_id) => {
          await decide(id, form, decision_id);
        },
      ),
    );
  decidesOnce('cancel', (id, { fields, by, options }, decision_id) =>
    cancelBulkOperation(client, id, { by, reason: text(fields, 'reason'), decision_id }, options),
  );
  on('revise', (request, operation_id, { fields, by, options }) => {
    const reader = principalOf(request).id;
    return decideOnce(context, { reader, verb: 'revise', fields }, (decision_id) =>
      sendBack(context, { reader, operation_id, fields }, { by, decision_id, options }),
    );
  });
  decidesOnce('complete', async (id, { fields, by, options }) => {
    const decision = { by, force: true, reason: required(fields, 'reason', 'The reason') };
    allowed(await completeBulkOperation(client, id, decision, options));
  });
  decidesOnce('extend', (id, { fields, by, options }, decision_id) =>
    extendBulkOperation(
      client,
      id,
      { by, seconds: requiredWhole(fields, 'seconds', 'How much longer it waits'), decision_id },
      options,
    ),
  );
  decidesOnce('delegate', (id, form, decision_id) => delegate(client, id, form, decision_id));
  decidesOnce('withdraw', (id, form, decision_id) => takeBack(client, id, form, decision_id));
  decidesOnce('resolve', (id, { fields, by, options }) => {
    const answer = {
      item_id: fields.get('item_id'),
      outcome: required(fields, 'outcome', 'Whether it was done'),
      reason: required(fields, 'reason', 'How you know'),
    };
    return resolveItem(client, id, { ...parseInput(resolveRequestSchema, answer, 'The form'), by }, options);
  });
}

/** A form, and its sender. */
interface Form extends ReturnType<typeof decidedBy> {
  fields: Fields;
}

/** The path of the conversation that contained the form. */
function whereFrom(fields: Fields): string | undefined {
  const session = text(fields, 'session');
  return session === undefined ? undefined : path('sessions', session);
}

/** Confirms exactly the question of the form. */
async function confirm(
  context: ApiContext,
  request: FastifyRequest,
  id: string,
  { fields, by, options }: Form,
): Promise<void> {
  const confirmation = await confirmationOf(context, principalOf(request).id, id, fields);
  const passkey = text(fields, 'passkey');
  const { signature, ...signed }: Partial<Signing> =
    passkey === undefined
      ? {}
      : await signatureIn(context, request, { operation_id: id, asked: confirmation, passkey });
  await context.inTurn(id, () =>
    beginBatch(context.client, id, { ...confirmation, ...signed, by }, { ...options, signature }),
  );
}

function addFollowUps(pages: Api, context: ApiContext): void {
  const { client } = context;
  const follows = (
    verb: string,
    follow: (id: string, by: ReturnType<typeof requesterOf>) => Promise<{ operation_id: string }>,
  ) =>
    pages.post(`/operations/:operation_id/${verb}`, { schema }, async (request, reply) => {
      const principal = principalOf(request);
      const { operation_id: before } = request.params;
      const decided = { reader: principal.id, verb, fields: fieldsOf(request) };
      try {
        const { next } = await decideOnce(context, decided, async () => {
          const { operation_id } = await follow(before, requesterOf(context, principal));
          return { next: operation_id };
        });
        return reply.redirect(path('operations', next), 303);
      } catch (error) {
        return refuse(context, request, reply, placeOf(request, before), error);
      }
    });
  follows('retry-failed', (id, by) => retryFailedItems(client, id, { ...by, via: 'page' }));
  follows('rest', (id, by) => startRemainingItems(client, id, { ...by, via: 'page' }));
  follows('undo', (id, by) => undoBulkOperation(client, id, { ...by, via: 'page' }));
}

const placeOf = (request: FastifyRequest, id: string): Place => ({
  ...{ own: path('operations', id), reader: principalOf(request).id },
});

async function show(context: ApiContext, request: FastifyRequest, reply: FastifyReply): Promise<never> {
  const { client, temporalUi } = context;
  const { operation_id } = request.params as Params;
  const query = queryOf(request);
  const principal = principalOf(request);
  const form = await answered(context, request, reply, principal.id);
  // Read the mark first, so that a change during the other reads refreshes the page.
  const { revision, progress } = await glanceAt(client, operation_id);
  const [status, { items, total }] = await Promise.all([
    getBulkStatus(client, operation_id),
    getBulkItems(client, operation_id, { limit: MAX_ROWS }),
  ]);
  const page = {
    status: statusNow(status, progress),
    rows: rowsNow(status, items, progress),
    ...(status.state === 'running_batch' && { progress }),
    ...followed(status, revision, progress),
    rows_total: total,
    doubts: await doubtsOf(context, status),
    principal,
    approver: approverOf(context, principal, principal.name),
    temporalUi,
    noun: await context.nounOf(status.domain),
    showing: showingOf(context, principal.id, query),
    signing: await signingView(context, request, status),
    kept: keptOf(status, form?.fields.has('shown') ? form.fields : query),
    answered: form,
  };
  return sendPage(reply, operationPage(page));
}

/** The changes that the page follows. The heartbeats of a running batch contain the items that have ended. */
function followed(
  { operation_id: operation, state }: BulkStatus,
  mark: string,
  progress: BatchProgress | undefined,
): Pick<OperationPage, 'on' | 'since'> {
  if (isClosed(state)) return { on: undefined, since: {} };
  if (state !== 'running_batch') return { on: { operation }, since: { mark } };
  return { on: { operation, batch: '' }, since: { mark, progress: JSON.stringify(progress ?? null) } };
}

/** The items that a person must resolve, wherever they are in the plan, even after the operation has ended. */
async function doubtsOf({ client }: ApiContext, { operation_id, state, in_doubt }: OperationPage['status']) {
  if (in_doubt === 0 || !(state === 'awaiting_resolution' || isClosed(state))) return [];
  return (await getBulkItems(client, operation_id, { outcome: 'in_doubt', limit: MAX_ROWS })).items;
}
