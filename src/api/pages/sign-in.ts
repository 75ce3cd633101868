import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { BatchgateError } from '../../contract/errors';
import type { Api, ApiContext } from '../context';
import { takePage } from '../local-path';
import { signIn } from '../principal';
import type { LinkedPerson } from '../sign-in-links';
import { problemOf } from '../problems';
import { errorPage } from './error-page';
import { fieldsOf, text } from './forms';
import { html, layout, named, type Html } from './html';
import { sendPage } from './send';

const config = { open: true };
const schema = { hide: true, querystring: z.object({ token: z.string().max(200).optional() }) };

/** Sign-in by a link that this machine printed: its page has one button, and only the button uses up the link. */
export function addSignInPages(pages: Api, { access, cookies, signInLinks }: ApiContext): void {
  pages.get('/sign-in', { config, schema }, async ({ query: { token = '' } }, reply) => {
    const person = await signInLinks.find(token);
    return person ? sendPage(reply, signInPage(person, token)) : refuse(reply);
  });
  pages.post('/sign-in', { config, schema }, async (request, reply) => {
    const token = text(fieldsOf(request), 'token') ?? request.query.token ?? '';
    const person = await signInLinks.use(token);
    if (!person) return refuse(reply);
    await signIn({ access, cookies }, reply, person);
    return reply.redirect(takePage(request, reply, cookies), 303);
  });
}

const signInPage = ({ name, role }: LinkedPerson, token: string): Html =>
  layout({
    title: 'Sign in',
    body: html`<h1>Sign in</h1>
      <p>This link signs you in once, as ${named(name, 100)} with the role ${role}.</p>
      <form method="post" action="/sign-in">
        <input type="hidden" name="token" value="${token}" />
        <button class="primary">Sign in</button>
      </form>`,
  });

/** Always sends a page, since a person opened this link. */
function refuse(reply: FastifyReply): Promise<never> {
  const { status, problem } = problemOf(notUsable());
  return sendPage(reply.code(status), errorPage(problem));
}

const notUsable = () =>
  new BatchgateError(
    'UNAUTHORIZED',
    'This sign-in link was used before, has expired, or is not one of ours.',
    'Run `npx batchgate link` where batchgate runs, and open the link that it prints. A link signs in once, within an hour.',
  );
