import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { BatchgateError } from '../contract/errors';
import { ROLES, type Role } from '../contract/access';
import { principalOf, type Api, type ApiContext } from './context';
import { hashOf, newSecret, signIn, signOut } from './principal';
import { problemResponse } from './problems';

const tags = ['access'];

/** A link that signs in a person once. */
export interface SignInLinks {
  /** The path of a new link. */
  create(person: { name: string; role: Role }): string;
}

/** Sign-in by a link that this machine printed for the person. */
export function addSignIn(api: Api, { access, secure }: ApiContext): SignInLinks {
  const waiting = new Map<string, { name: string; role: Role }>();
  api.get(
    '/sign-in',
    {
      config: { open: true },
      schema: {
        tags,
        querystring: z.object({ token: z.string().max(200) }),
        response: { 303: z.undefined().describe('Signed in'), ...problemResponse },
      },
    },
    async (request, reply) => {
      const hash = hashOf(request.query.token);
      const known = [...waiting.keys()].find((one) => timingSafeEqual(Buffer.from(one), Buffer.from(hash)));
      const person = known === undefined ? undefined : waiting.get(known);
      if (known === undefined || !person) throw usedUp();
      waiting.delete(known);
      await signIn(access, reply, person, secure);
      return reply.redirect('/', 303) as never;
    },
  );
  return {
    create(person) {
      const token = newSecret();
      waiting.set(hashOf(token), person);
      return `/sign-in?token=${token}`;
    },
  };
}

/** The caller's identity, and the end of their session. */
export function addMe(api: Api, { access, secure, provider }: ApiContext): void {
  const me = z.object({
    kind: z.enum(['person', 'key']),
    name: z.string(),
    role: z.enum(ROLES),
    session_prefix: z.string().optional(),
    form_token: z.string().optional(),
    /** The identity provider's id of the person. */
    subject: z.string().optional(),
  });
  api.get('/v1/me', { schema: { tags, response: { 200: me, ...problemResponse } } }, (request) => {
    const { id: _, ...shown } = principalOf(request);
    return shown;
  });
  const signedOut = z
    .object({ sign_out_url: z.string() })
    .describe('Signed out here. The address ends the session at the identity provider too.');
  api.post(
    '/v1/sign-out',
    {
      schema: {
        tags,
        response: { 200: signedOut, 204: z.undefined().describe('Signed out'), ...problemResponse },
      },
    },
    async (request, reply) => {
      const sign_out_url = await signOut({ access, secure, provider }, request, reply);
      return sign_out_url ? { sign_out_url } : reply.code(204).send();
    },
  );
}

const usedUp = () =>
  new BatchgateError(
    'UNAUTHORIZED',
    'This sign-in link is unknown, or was used before.',
    'A link signs in once. Start `npx batchgate up` or `serve` again for another one.',
  );
