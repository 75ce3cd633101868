import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { previewBulkOperation, startBulkOperation } from '../../client';
import { MAX_SUGGESTION_LENGTH } from '../../contract/suggestions';
import { upTo } from '../../contract/text';
import { remembered } from '../../core/shared/promises';
import { requesterOf } from '../approver';
import { principalOf, type Api, type ApiContext } from '../context';
import { problemOf } from '../problems';
import { answer, answered, type Answered } from './answered';
import { queryOf, takeUploads, text, type Fields } from './forms';
import { path, type Html } from './html';
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
  const describeAdapters = remembered(context.describeAdapters);
  pages.get('/start', { schema: { hide: true } }, async (request, reply) =>
    sendPage(reply, choicePage(await describeAdapters(), principalOf(request))),
  );
  const actionOf = async ({ params: route }: FastifyRequest) =>
    startAction(await describeAdapters(), route as z.infer<typeof params>, context);
  const suggest = createSuggestions(context);
  pages.get('/start/:domain/:action', { schema }, async (request, reply) => {
    const [start, principal] = [await actionOf(request), principalOf(request)];
    const result = await answered(context, request, reply, principal.id);
    const page = result?.preview
      ? previewPage({ ...result, preview: result.preview, form: ownOf(start), principal })
      : await shownForm(context, { start, principal, suggest, asked: queryOf(request) }, result);
    return sendPage(reply, page);
  });
  const takes = (verb: string, take: (post: Sent, reply: FastifyReply, query: Fields) => Promise<never>) =>
    pages.post(`/start/:domain/:action${verb}`, { schema }, async (request, reply) => {
      const start = await actionOf(request);
      const form = await readStartForm(context, start, request);
      const principal = principalOf(request);
      const { input: _, ...filled } = form;
      const typedForm = { own: ownOf(start), reader: principal.id, ...filled };
      const say: Sent['say'] = (more) => answer(context, request, reply, { ...typedForm, ...more });
      const requester = requesterOf(context, principal);
      return take({ start, form, requester, say }, reply, queryOf(request));
    });
  takes('', (post, reply) =>
    ifValid(post, async (input) => {
      const expect_digest = text(post.form.fields, 'expect_digest');
      // The form contains the id, so a form that is sent twice starts one operation.
      const operation_id = text(post.form.fields, 'operation_id') ?? newOperationId();
      const options = { operation_id, task_queue, via: 'page' as const };
      const operation = await startBulkOperation(client, { ...input, expect_digest }, options);
      return reply.redirect(path('operations', operation.operation_id), 303) as never;
    }),
  );
  takes('/preview', (post) =>
    ifValid(post, async (input) => {
      const preview = await previewBulkOperation(client, input, { task_queue, via: 'page' });
      return post.say({ status: 200, preview });
    }),
  );
  // Show the list, or one more row. Other mistakes are reported when the form is sent.
  takes('/change', ({ start, form, say }, _reply, query) => {
    addRow(form.fields, start.parameters, query.get('add'));
    return say({ status: 200, mistakes: form.mistakes.filter(({ name }) => name === LIST) });
  });
  pages.get('/start/:domain/:action/suggestions', { schema }, async (request, reply) => {
    const { domain, action } = request.params;
    const query = queryOf(request);
    startAction(await describeAdapters(), { domain, action }, context);
    const values = Object.fromEntries(filledIn(query));
    const suggestion = { domain, parameter: query.get('parameter') ?? '', params: values };
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(await suggest(suggestion)));
  });
}

const ownOf = ({ adapter, action }: StartAction): string => path('start', adapter.adapter, action.action);

/** The form as it was sent, or filled in from an operation that was sent back, or empty. */
async function shownForm(
  context: ApiContext,
  { start, principal, suggest, asked: query }: Shown,
  form: Answered | undefined,
): Promise<Html> {
  const again = await sentBackForm(context, start, form?.fields ?? query, principal);
  return formPage({
    ...{ start, principal, said: again?.said, error: form?.error },
    sent: form ?? (again && { fields: again.fields, mistakes: [] }),
    suggested: await suggestedFor(start, suggest),
  });
}

interface Shown extends Pick<FormPage, 'start' | 'principal'> {
  suggest: Suggest;
  asked: Fields;
}

interface Sent {
  start: StartAction;
  form: SentForm;
  requester: ReturnType<typeof requesterOf>;
  /** Shows the form again, or its preview. */
  say: (more: Pick<Answered, 'status'> & Partial<Answered>) => Promise<never>;
}

/** Suggested values for an empty form. A script requests again those that depend on other fields. */
async function suggestedFor(
  { adapter: { adapter: domain }, parameters }: StartAction,
  suggest: Suggest,
): Promise<Map<string, string[]>> {
  const names = parameters.filter(hasSuggestions).map(({ name }) => name);
  return new Map(
    await Promise.all(names.map(async (name) => [name, await suggest({ domain, parameter: name })] as const)),
  );
}

/** Takes a valid form. Otherwise, or if `take` fails, shows the form again with its mistakes and values. */
async function ifValid(
  { start, form, requester, say }: Sent,
  take: (input: NonNullable<SentForm['input']>) => Promise<never>,
): Promise<never> {
  const { input, fields } = form;
  if (!input) return say({ status: 400 });
  try {
    return await take({ ...input, ...requester });
  } catch (error) {
    const { status, problem } = problemOf(error);
    if (problem.code === 'INTERNAL') throw error;
    const mistakes =
      status === 400 ? placeError(problem.body, (name) => text(fields, name), start.fields) : [];
    return say({ status, mistakes, error: problem.body });
  }
}

const PARAMETER = 'param.';

/** The filled-in parameters on which a suggestion may depend. */
const filledIn = (query: Fields): [string, string][] =>
  [...query].flatMap(([name, value]) =>
    name.startsWith(PARAMETER) && value.length <= MAX_SUGGESTION_LENGTH
      ? [[name.slice(PARAMETER.length), value] as [string, string]]
      : [],
  );
