import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { BatchgateError } from '../../contract/errors';
import type { Api, ApiContext } from '../context';
import { cookieOf, setCookie } from '../cookies';
import { localPath } from '../local-path';
import { hashOf, newSecret, signIn } from '../principal';
import { html } from '../pages/html';
import { sendPage } from '../pages/send';
import { problemResponse } from '../problems';
import { CALLBACK, type OpenIdOptions, type Provider } from './provider';

const tags = ['access'];
/** The time limit for a sign-in at the provider. */
const ATTEMPT_MS = 600_000;
/** Sign-in through the organisation's identity provider: authorization code with PKCE. */
export function addOpenIdRoutes(
  api: Api,
  { access, cookies, origin }: ApiContext,
  provider: Provider,
  { session_hours }: Pick<OpenIdOptions, 'session_hours'>,
): void {
  const { secure } = cookies;
  api.get(
    '/sign-in/oidc',
    {
      config: { open: true },
      schema: {
        tags,
        summary: 'Sign in through the identity provider',
        querystring: z.object({
          return_to: localPath.optional(),
          fresh: z.literal('yes').optional().describe('The provider asks the person to sign in again'),
        }),
        response: { 303: z.undefined().describe('To the identity provider'), ...problemResponse },
      },
    },
    async (request, reply) => {
      const { return_to = '/', fresh } = request.query;
      const { url, attempt } = await provider.begin(fresh === 'yes');
      const secret = newSecret();
      const expires_at = new Date(Date.now() + ATTEMPT_MS).toISOString();
      await access.keepAttempt(hashOf(secret), { ...attempt, return_to, expires_at });
      // Lax, because the provider redirects the browser back to this server.
      setCookie(reply, cookies.attempt, secret, { maxAge: ATTEMPT_MS / 1_000, secure, sameSite: 'Lax' });
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
      const cookie = cookieOf(request, cookies.attempt);
      const attempt = cookie === undefined ? undefined : await access.takeAttempt(hashOf(cookie));
      if (!attempt) throw notBegun();
      const answer = new URL(`${origin()}${CALLBACK}`);
      answer.search = new URL(request.url, answer).search;
      const person = await provider.finish(answer, attempt);
      setCookie(reply, cookies.attempt, '', { maxAge: 0, secure, sameSite: 'Lax' });
      await signIn({ access, cookies }, reply, person, session_hours * 3_600_000);
      return signedIn(reply, attempt.return_to);
    },
  );
}

/** A page instead of a redirect, because a browser redirected from another site would not send the new cookie. */
const signedIn = (reply: FastifyReply, path: string): Promise<never> =>
  sendPage(
    reply,
    html`<!doctype html>
      <html lang="en">
        <meta charset="utf-8" />
        <title>Signed in</title>
        <meta http-equiv="refresh" content="0;url=${path}" />
        <p>You are signed in. <a href="${path}">Continue</a></p>
      </html>`,
  );

const notBegun = () =>
  new BatchgateError(
    'UNAUTHORIZED',
    'This sign-in was not begun in this browser, took too long, or is over.',
    'Sign in again at /sign-in/oidc.',
  );
