import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { previewBulkOperation, startBulkOperation } from '../../client';
import { MAX_SUGGESTION_LENGTH } from '../../contract/suggestions';
import { upTo } from '../../contract/text';
import { remembered } from '../../core/shared/promises';
import { requesterOf } from '../approver';
import { principalOf, type Api, type ApiContext } from '../context';
import { problemOf } from '../problems';
import { queryOf, takeUploads, text, type Fields } from './forms';
import { path } from './html';
import { placeError } from './mistakes';
import { previewPage } from './preview';
import { sendPage } from './send';
import { addRow } from './rows';
import { sentBackForm } from './start-again';
import { LIST, readStartForm, startAction, type SentForm, type StartAction } from './start-form';
import { choicePage, formPage, hasSuggestions, newOperationId, type FormPage } from './start-view';
import { createSuggestions, type Suggest } from './suggestions';

const params = z.object({ domain: upTo(150), action: upTo(150) });
const schema = { hide: true, params };

/** Starts an operation from a form made of the adapters' schemas; the first question follows. */
export function addStartPages(pages: Api, context: ApiContext): void {
  void pages.register((start: Api, _, done) => {
    takeUploads(start);
    addForms(start, context);
    done();
  });
}

function addForms(pages: Api, context: ApiContext): void {
  const { client, taskQueue: task_queue } = context;
  // The adapters of a configuration do not change, and describing them opens each one.
  const known = remembered(context.describeAdapters);
  pages.get('/start', { schema: { hide: true } }, async (request, reply) =>
    sendPage(reply, choicePage(await known(), principalOf(request))),
  );
  const actionOf = async ({ params: asked }: FastifyRequest) =>
    startAction(await known(), asked as z.infer<typeof params>, context);
  const suggest = createSuggestions(context);
  const show = async (reply: FastifyReply, page: Omit<FormPage, 'suggested'>) =>
    sendPage(reply, formPage({ ...page, suggested: await suggestedFor(page.start, suggest) }));
  pages.get('/start/:domain/:action', { schema }, async (request, reply) => {
    const [start, principal] = [await actionOf(request), principalOf(request)];
    const again = await sentBackForm(context, start, queryOf(request), principal);
    const filled = again && { said: again.said, sent: { fields: again.fields, mistakes: [] } };
    return show(reply, { start, principal, ...filled });
  });
  const takes = (verb: string, take: (sent: Sent, reply: FastifyReply, asked: Fields) => Promise<never>) =>
    pages.post(`/start/:domain/:action${verb}`, { schema }, async (request, reply) => {
      const start = await actionOf(request);
      const form = await readStartForm(context, start, request);
      const principal = principalOf(request);
      const sent = { start, form, principal, requester: requesterOf(context, principal), show };
      return take(sent, reply, queryOf(request));
    });
  takes('', (sent, reply) =>
    ifValid(sent, reply, async (input) => {
      const expect_digest = text(sent.form.fields, 'expect_digest');
      // The form contains the id, so a form that is sent twice starts one operation.
      const operation_id = text(sent.form.fields, 'operation_id') ?? newOperationId();
      const options = { operation_id, task_queue, via: 'page' as const };
      const started = await startBulkOperation(client, { ...input, expect_digest }, options);
      return reply.redirect(path('operations', started.operation_id), 303) as never;
    }),
  );
  takes('/preview', (sent, reply) =>
    ifValid(sent, reply, async (input) => {
      const { start, form, principal } = sent;
      const preview = await previewBulkOperation(client, input, { task_queue, via: 'page' });
      const own = path('start', start.adapter.adapter, start.action.action);
      return sendPage(
        reply,
        previewPage({ preview, fields: form.fields, form: own, principal, list: form.list }),
      );
    }),
  );
  // The list is read again, or there is one row more; what else is wrong is said when the form is sent.
  takes('/change', ({ start, form, principal }, reply, asked) => {
    addRow(form.fields, start.parameters, asked.get('add'));
    const mistakes = form.mistakes.filter(({ name }) => name === LIST);
    return show(reply, { start, principal, sent: { ...form, mistakes } });
  });
  pages.get('/start/:domain/:action/suggestions', { schema }, async (request, reply) => {
    const { domain, action } = request.params;
    const asked = queryOf(request);
    startAction(await known(), { domain, action }, context);
    const given = Object.fromEntries(filledIn(asked));
    const wanted = { domain, parameter: asked.get('parameter') ?? '', params: given };
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(await suggest(wanted)));
  });
}

interface Sent {
  start: StartAction;
  form: SentForm;
  principal: ReturnType<typeof principalOf>;
  requester: ReturnType<typeof requesterOf>;
  /** Shows the form again. */
  show: (reply: FastifyReply, page: Omit<FormPage, 'suggested'>) => Promise<never>;
}

/** What the fields of an empty form can hold. A script asks again for those that depend on others. */
async function suggestedFor(
  { adapter: { adapter: domain }, parameters }: StartAction,
  suggest: Suggest,
): Promise<Map<string, string[]>> {
  const names = parameters.filter(hasSuggestions).map(({ name }) => name);
  return new Map(
    await Promise.all(names.map(async (name) => [name, await suggest({ domain, parameter: name })] as const)),
  );
}

/** Nothing is started before a form is valid, and a refused form keeps what was typed. */
async function ifValid(
  { start, form, principal, requester, show }: Sent,
  reply: FastifyReply,
  take: (input: NonNullable<SentForm['input']>) => Promise<never>,
): Promise<never> {
  const { input, fields } = form;
  if (!input) return show(reply.code(400), { start, principal, sent: form });
  try {
    return await take({ ...input, ...requester });
  } catch (error) {
    const { status, problem } = problemOf(error);
    if (problem.code === 'INTERNAL') throw error;
    const mistakes =
      status === 400 ? placeError(problem.body, (name) => text(fields, name), start.fields) : [];
    const sent = { ...form, mistakes };
    return show(reply.code(status), { start, principal, sent, error: problem.body });
  }
}

const PARAMETER = 'param.';

/** The parameters that are filled in already, as far as a suggestion may depend on them. */
const filledIn = (asked: Fields): [string, string][] =>
  [...asked].flatMap(([name, value]) =>
    name.startsWith(PARAMETER) && value.length <= MAX_SUGGESTION_LENGTH
      ? [[name.slice(PARAMETER.length), value] as [string, string]]
      : [],
  );
