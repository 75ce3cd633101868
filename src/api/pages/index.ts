import type { FastifyRequest } from 'fastify';
import { BatchgateError } from '../../contract/errors';
import type { Api, ApiContext } from '../context';
import { signOut } from '../principal';
import { problemOf, sendProblem } from '../problems';
import { addAssets } from './assets';
import { errorPage, onceMorePage, signedOutPage } from './error-page';
import { takeForms } from './forms';
import { addConversationPages } from './conversation';
import { addGatePages } from './gate';
import { addInbox } from './inbox';
import { addMacroPages } from './macro';
import { addOperationPages } from './operation';
import { sendPage } from './send';
import { addSignInPages } from './sign-in';
import { addStartPages } from './start';
import { addTaskRunPages } from './task-run';

/** What a page may load and do: load our files, and send forms to us. */
const CONTENT_SECURITY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The pages for people. They call the same functions as the JSON routes. */
export async function addPages(api: Api, context: ApiContext): Promise<void> {
  await api.register((pages: Api, _, done) => {
    takeForms(pages);
    pages.addHook('onSend', async ({ routeOptions }, reply) => {
      void reply.headers({
        ...(routeOptions.config.immutable && { 'cache-control': 'public, max-age=31536000, immutable' }),
        'content-security-policy': CONTENT_SECURITY,
        // Without a referrer, a browser would not send an origin with a form either.
        'referrer-policy': 'same-origin',
      });
    });
    pages.addHook('preValidation', ({ principal, routeOptions }, _reply, next) =>
      principal?.kind === 'person' || routeOptions.config.open ? next() : next(notAPerson()),
    );
    pages.setErrorHandler((error, request, reply) => {
      if (!wantsPage(request)) return sendProblem(error, reply);
      const { status, problem } = problemOf(error);
      if (status === 401 && isFromElsewhere(request)) return sendPage(reply, onceMorePage(request.url));
      if (status >= 500) context.onFailure(error);
      const signIn = status === 401 && context.provider ? request.url : undefined;
      return sendPage(reply.code(status), errorPage(problem, request.principal, signIn));
    });
    addAssets(pages);
    addSignInPages(pages, context);
    addSignOut(pages, context);
    addInbox(pages, context);
    addOperationPages(pages, context);
    addGatePages(pages, context);
    addStartPages(pages, context);
    addTaskRunPages(pages, context);
    addMacroPages(pages, context);
    addConversationPages(pages, context);
    done();
  });
}

const notAPerson = () =>
  new BatchgateError('FORBIDDEN', 'Pages are for people who signed in.', 'Use the routes under /v1.');

/** A browser sends no strict cookie when a person follows another site's link; it does when our page continues. */
const isFromElsewhere = ({ method, headers }: FastifyRequest) =>
  method === 'GET' && headers['sec-fetch-site'] === 'cross-site';

const wantsPage = ({ headers: { accept } }: FastifyRequest) => /\btext\/html\b/i.test(accept ?? '');

function addSignOut(pages: Api, context: ApiContext): void {
  pages.post('/sign-out', { schema: { hide: true } }, async (request, reply) =>
    sendPage(reply, signedOutPage(await signOut(context, request, reply), context.provider !== undefined)),
  );
}
