import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { previewBulkOperation, startBulkOperation } from '../../client';
import type { AdapterDescription } from '../../contract/adapter';
import { BatchgateError, type ErrorBody } from '../../contract/errors';
import type { BulkOperationInput } from '../../contract/operation';
import { upTo } from '../../contract/text';
import { fieldsOfSchema, itemsOfLines, valuesOf } from '../../core/approval/schema-form';
import { remembered } from '../../core/shared/promises';
import { principalOf, type Api, type ApiContext } from '../context';
import { problemOf } from '../problems';
import type { Principal } from '../principal';
import { notice } from './error-page';
import { fieldView } from './fields';
import { fieldsOf, text, whole, type Fields } from './forms';
import { formToken, html, layout, nothing, path, type Html } from './html';
import { previewPage } from './preview';
import { sendPage } from './send';

type Action = AdapterDescription['actions'][number];
const params = z.object({ domain: upTo(150), action: upTo(150) });

/** Starts an operation from a form made of the adapters' schemas; the first question follows. */
export function addStartPages(pages: Api, context: ApiContext): void {
  const { client, taskQueue: task_queue, describeAdapters } = context;
  // The adapters of a configuration do not change, and describing them opens each one.
  const known = remembered(describeAdapters);
  pages.get('/start', { schema: { hide: true } }, async (request, reply) =>
    sendPage(reply, choicePage(await known(), principalOf(request))),
  );
  const schema = { hide: true, params };
  pages.get('/start/:domain/:action', { schema }, async (request, reply) =>
    sendPage(reply, await formPage(known, request, request.params)),
  );
  const takes = (
    verb: string,
    take: (request: FastifyRequest, fields: Fields, reply: FastifyReply) => Promise<never>,
  ) =>
    pages.post(`/start/:domain/:action${verb}`, { schema }, async (request, reply) => {
      const fields = fieldsOf(request);
      try {
        return await take(request, fields, reply);
      } catch (error) {
        const { status, problem } = problemOf(error);
        if (status >= 500) throw error;
        const before = { fields, error: problem.body };
        return sendPage(reply.code(status), await formPage(known, request, pathOf(request), before));
      }
    });
  const asked = async (request: FastifyRequest, fields: Fields) => {
    const { domain } = pathOf(request);
    const { action } = find(await known(), pathOf(request));
    return { ...inputOf(domain, action, fields), requested_by: principalOf(request).name };
  };
  takes('', async (request, fields, reply) => {
    const expect_digest = text(fields, 'expect_digest');
    const input = {
      ...(await asked(request, fields)),
      expect_digest,
    };
    // The form contains the id, so a form that is sent twice starts one operation.
    const operation_id = text(fields, 'operation_id') ?? newId();
    const started = await startBulkOperation(client, input, { operation_id, task_queue });
    return reply.redirect(path('operations', started.operation_id), 303) as never;
  });
  takes('/preview', async (request, fields, reply) => {
    const preview = await previewBulkOperation(client, await asked(request, fields), { task_queue });
    const { domain, action } = pathOf(request);
    const shown = { preview, fields, form: path('start', domain, action), principal: principalOf(request) };
    return sendPage(reply, previewPage(shown));
  });
  takes('/change', async (request, fields, reply) =>
    sendPage(reply, await formPage(known, request, pathOf(request), { fields })),
  );
}

const pathOf = ({ params: given }: FastifyRequest) => given as z.infer<typeof params>;

const newId = () => `bulk-${randomUUID()}`;

function find(
  adapters: readonly AdapterDescription[],
  asked: z.infer<typeof params>,
): { adapter: AdapterDescription; action: Action } {
  const adapter = adapters.find((one) => one.adapter === asked.domain);
  const action = adapter?.actions.find((one) => one.action === asked.action);
  if (adapter && action) return { adapter, action };
  throw new BatchgateError(
    'NOT_FOUND',
    `There is no action ${asked.action} on ${asked.domain}.`,
    'Choose one on the page Start.',
  );
}

function inputOf(
  domain: string,
  { action, params: whichAndWhat, params_with_items: what }: Action,
  fields: Fields,
): BulkOperationInput {
  // As they were sent: a blank at the end may belong to an id.
  const lines = text(fields, 'items') === undefined ? undefined : (fields.get('items') ?? '');
  const schema = lines === undefined ? whichAndWhat : what;
  const batch_size = whole(fields, 'batch_size');
  const session_id = text(fields, 'session_id');
  return {
    domain,
    action,
    params: valuesOf(fieldsOfSchema(schema), (name) => text(fields, name)),
    ...(lines !== undefined && { items: itemsOfLines(lines) }),
    batch_size,
    session_id,
  };
}

function choicePage(adapters: readonly AdapterDescription[], principal: Principal): Html {
  return layout({
    title: 'Start an operation',
    principal,
    at: 'start',
    body: html`<h1>What do you want to do?</h1>
      <p class="lead">Nothing runs before you have seen the items and pressed Continue.</p>
      ${adapters.map(
        ({ adapter, actions }) =>
          html`<section aria-labelledby="tool-${adapter}">
            <h2 id="tool-${adapter}">${adapter}</h2>
            <ul class="list">
              ${actions.map(
                ({ action, description }) =>
                  html`<li>
                    <a class="row" href="${path('start', adapter, action)}"
                      ><span class="title">${action.replaceAll('_', ' ')}</span
                      ><span class="meta">${description}</span></a
                    >
                  </li>`,
              )}
            </ul>
          </section>`,
      )}`,
  });
}

async function formPage(
  known: () => Promise<AdapterDescription[]>,
  request: FastifyRequest,
  asked: z.infer<typeof params>,
  before?: { fields: Fields; error?: ErrorBody },
): Promise<Html> {
  const principal = principalOf(request);
  const { adapter, action } = find(await known(), asked);
  const given = (name: string) => before?.fields.get(name) ?? undefined;
  const { many } = adapter.item_noun;
  const own = path('start', adapter.adapter, action.action);
  return layout({
    title: `${action.action.replaceAll('_', ' ')} on ${adapter.adapter}`,
    principal,
    at: 'start',
    body: html`<p class="overline"><a href="/start">Start</a> · ${adapter.adapter}</p>
      <h1>${action.description}</h1>
      ${before?.error ? notice(before.error, 'Nothing was started') : nothing}
      <form class="card start" method="post" action="${own}">
        ${formToken(principal)}<input type="hidden" name="operation_id" value="${newId()}" />
        ${fieldsOfSchema(action.params).map((field) => fieldView({ ...field, required: field.required && !hasItems(action, field.name) }, given(field.name)))}
        <details ${text(before?.fields ?? new URLSearchParams(), 'items') === undefined ? '' : 'open'}>
          <summary>Name the ${many} yourself</summary>
          <div class="field">
            <label for="items">One item per line: its id, then a comma or a tab and its name</label>
            <textarea id="items" name="items" rows="6" spellcheck="false">${given('items') ?? ''}</textarea>
            <span class="hint">Then the fields that search for ${many} stay empty.</span>
          </div>
        </details>
        <details ${before ? 'open' : ''}>
          <summary>More settings</summary>
          <div class="field">
            <label for="batch_size">Items per batch <span class="hint">(default 10)</span></label>
            <input
              id="batch_size"
              name="batch_size"
              inputmode="numeric"
              value="${given('batch_size') ?? ''}"
            />
          </div>
          <div class="field">
            <label for="session_id"
              >Session <span class="hint">(optional; one operation at a time runs in it)</span></label
            >
            <input id="session_id" name="session_id" maxlength="150" value="${given('session_id') ?? ''}" />
          </div>
        </details>
        <div class="actions">
          <button class="primary">Start with the first question</button>
          <button class="secondary" formaction="${own}/preview">Preview all ${many}</button>
        </div>
        <p class="hint">Nothing is changed before you press Continue below a question.</p>
      </form>`,
  });
}

/** A field that only a search needs may be empty if items are given. */
function hasItems({ params_with_items: what }: Action, name: string): boolean {
  return !fieldsOfSchema(what).some((field) => field.name === name);
}
