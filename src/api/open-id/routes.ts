import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { BatchgateError } from '../../contract/errors';
import { upTo } from '../../contract/text';
import type { Api, ApiContext } from '../context';
import { cookieOf, hashOf, newSecret, setCookie, signIn } from '../principal';
import { problemResponse } from '../problems';
import { CALLBACK, type OpenIdOptions, type Provider } from './provider';

const tags = ['access'];
/** Identifies the attempt that this browser began, so that no other site can finish its own attempt here. */
const COOKIE = 'batchgate_sign_in';
/** How long a person may take at the provider. */
const ATTEMPT_MS = 600_000;
/** A path on this server, which needs no escaping in HTML. */
const localPath = upTo(2_000).regex(/^\/(?!\/)[\w/.~%?=:@+,;&-]*$/, 'must be a path on this server');

/** Signing in through the organisation's identity provider: authorization code with PKCE. */
export function addOpenIdRoutes(
  api: Api,
  { access }: ApiContext,
  provider: Provider,
  { secure, session_hours, origin }: Pick<OpenIdOptions, 'session_hours'> & SignInPlace,
): void {
  api.get(
    '/sign-in/oidc',
    {
      config: { open: true },
      schema: {
        tags,
        summary: 'Sign in through the identity provider',
        querystring: z.object({ return_to: localPath.optional() }),
        response: { 303: z.undefined().describe('To the identity provider'), ...problemResponse },
      },
    },
    async (request, reply) => {
      const { url, attempt } = await provider.begin();
      const secret = newSecret();
      const { return_to = '/' } = request.query;
      const expires_at = new Date(Date.now() + ATTEMPT_MS).toISOString();
      await access.keepAttempt(hashOf(secret), { ...attempt, return_to, expires_at });
      // Lax, because the provider redirects the browser back to us.
      setCookie(reply, COOKIE, secret, { maxAge: ATTEMPT_MS / 1_000, secure, sameSite: 'Lax' });
      return reply.redirect(url, 303) as never;
    },
  );
  api.get(
    CALLBACK,
    {
      config: { open: true },
      schema: {
        tags,
        summary: 'Where the identity provider sends the browser back to',
        response: {
          200: { description: 'Signed in', content: { 'text/html': { schema: z.string() } } },
          ...problemResponse,
        },
      },
    },
    async (request, reply) => {
      const cookie = cookieOf(request, COOKIE);
      const attempt = cookie === undefined ? undefined : await access.takeAttempt(hashOf(cookie));
      if (!attempt) throw notBegun();
      const answer = new URL(`${origin()}${CALLBACK}`);
      answer.search = new URL(request.url, answer).search;
      const person = await provider.finish(answer, attempt);
      setCookie(reply, COOKIE, '', { maxAge: 0, secure, sameSite: 'Lax' });
      await signIn(access, reply, person, secure, session_hours * 3_600_000);
      return signedIn(reply, attempt.return_to);
    },
  );
}

interface SignInPlace {
  secure: boolean;
  origin: () => string;
}

/** A page instead of a redirect: a browser that comes from another site would not send the new cookie. */
const signedIn = (reply: FastifyReply, path: string): never =>
  reply
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><html lang="en"><meta charset="utf-8"><title>Signed in</title>` +
        `<meta http-equiv="refresh" content="0;url=${path}"><p>You are signed in. <a href="${path}">Continue</a></p></html>`,
    ) as never;

const notBegun = () =>
  new BatchgateError(
    'UNAUTHORIZED',
    'This sign-in was not begun in this browser, took too long, or is over.',
    'Sign in again at /sign-in/oidc.',
  );
