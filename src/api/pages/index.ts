import type { FastifyReply, FastifyRequest } from 'fastify';
import { BatchgateError } from '../../contract/errors';
import type { Api, ApiContext } from '../context';
import { isLocal, localPath, rememberPage } from '../local-path';
import { signOut } from '../principal';
import { problemOf, sendProblem } from '../problems';
import { addAssets } from './assets';
import { addChanges } from './changes';
import { compressed } from './compression';
import { addEditPages } from './edit';
import { errorPage, onceMorePage, signedOutPage } from './error-page';
import { fieldsOf, queryOf, takeForms } from './forms';
import { addConversationPages } from './conversation';
import { addGatePages } from './gate';
import { addGroupsPage } from './groups';
import { addInbox } from './inbox';
import { addMacroPages } from './macro';
import { addOperationPages } from './operation';
import { addPasskeyPages } from './passkeys';
import { sendPage, wantsPage } from './send';
import { addSignInPages } from './sign-in';
import { addStartPages } from './start';
import { addStatsPage } from './stats';
import { addTaskRunPages } from './task-run';

const PAGE_HEADERS = {
  /** A page may load files only from this server, and send forms only to it. */
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  // Without a referrer, a browser would not send an origin with a form either.
  'referrer-policy': 'same-origin',
};

/** The pages for people. They call the same functions as the JSON routes. */
export async function addPages(api: Api, context: ApiContext): Promise<void> {
  await api.register((pages: Api, _, done) => {
    takeForms(pages);
    pages.addHook('onSend', async ({ routeOptions }, reply) => {
      if (routeOptions.config.immutable)
        void reply.header('cache-control', 'public, max-age=31536000, immutable');
      void reply.headers(PAGE_HEADERS);
    });
    pages.addHook('onSend', compressed);
    pages.addHook('preValidation', ({ principal, routeOptions }, _reply, next) =>
      principal?.kind === 'person' || routeOptions.config.open ? next() : next(notAPerson()),
    );
    pages.setErrorHandler((error, request, reply) =>
      wantsPage(request) ? sendErrorPage(context, error, request, reply) : sendProblem(error, reply),
    );
    addAssets(pages);
    addChanges(pages, context);
    addSignInPages(pages, context);
    addSignOut(pages, context);
    addInbox(pages, context);
    addOperationPages(pages, context);
    addPasskeyPages(pages, context);
    addEditPages(pages, context);
    addGroupsPage(pages, context);
    addGatePages(pages, context);
    addStatsPage(pages, context);
    addStartPages(pages, context);
    addTaskRunPages(pages, context);
    addMacroPages(pages, context);
    addConversationPages(pages, context);
    done();
  });
}

const notAPerson = () =>
  new BatchgateError('FORBIDDEN', 'Pages are for people who signed in.', 'Use the routes under /v1.');

/** Sends a page for an error. */
export function sendErrorPage(
  { cookies, onFailure, provider }: ApiContext,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<never> {
  const { status, problem } = problemOf(error);
  const { method, url, principal, headers } = request;
  void reply.headers(PAGE_HEADERS);
  if (status === 401 && isFromElsewhere(request) && isLocal(url)) return sendPage(reply, onceMorePage(url));
  if (status >= 500) onFailure(error);
  if (status === 401 && method === 'GET' && !headers['hx-request']) rememberPage(reply, cookies, url);
  const signIn = status === 401 && provider ? (localPath.safeParse(url).data ?? '/') : undefined;
  // Do not show fields that another site may have sent as if they were typed here.
  const fields = status === 401 || status === 403 ? undefined : fieldsOf(request);
  return sendPage(reply.code(status), errorPage(problem, principal, signIn, fields));
}

/** Sends a page for a request that could not be parsed. */
export function sendUnreadablePage(error: BatchgateError, reply: FastifyReply): Promise<never> {
  void reply.headers(PAGE_HEADERS);
  return sendPage(reply.code(problemOf(error).status), errorPage(error.body));
}

/** A browser sends no strict cookie when a person follows a link of another site. It does when our page reloads. */
const isFromElsewhere = ({ method, headers }: FastifyRequest) =>
  method === 'GET' && headers['sec-fetch-site'] === 'cross-site';

function addSignOut(pages: Api, context: ApiContext): void {
  const schema = { hide: true };
  pages.post('/sign-out', { schema }, async (request, reply) => {
    const providerUrl = await signOut(context, request, reply);
    return reply.redirect(`/signed-out${providerUrl === undefined ? '' : '?by=provider'}`, 303);
  });
  pages.get('/signed-out', { config: { open: true }, schema }, async (request, reply) => {
    const { provider } = context;
    const byProvider = queryOf(request).get('by') === 'provider';
    const providerUrl = byProvider ? await provider?.signOutUrl().catch(() => undefined) : undefined;
    return sendPage(reply, signedOutPage(providerUrl, provider !== undefined));
  });
}
