import { z } from 'zod';
import { ROLES } from '../contract/access';
import { principalOf, type Api, type ApiContext } from './context';
import { signOut } from './principal';
import { problemResponse } from './problems';

const tags = ['access'];

/** Routes for the caller's identity and for signing out. */
export function addMe(api: Api, context: ApiContext): void {
  const me = z.object({
    kind: z.enum(['person', 'key']),
    name: z.string(),
    role: z.enum(ROLES),
    session_prefix: z.string().optional(),
    form_token: z.string().optional(),
    /** The identity provider's id of the person. */
    subject: z.string().optional(),
    groups: z.array(z.string()).optional().describe('As the identity provider names them.'),
  });
  api.get(
    '/v1/me',
    { schema: { operationId: 'getMe', tags, response: { 200: me, ...problemResponse } } },
    (request) => {
      const { id: _, session: __, ...identity } = principalOf(request);
      return identity;
    },
  );
  const signedOut = z
    .object({ sign_out_url: z.string() })
    .describe('Signed out here. The address ends the session at the identity provider too.');
  api.post(
    '/v1/sign-out',
    {
      schema: {
        operationId: 'signOut',
        tags,
        response: { 200: signedOut, 204: z.undefined().describe('Signed out'), ...problemResponse },
      },
    },
    async (request, reply) => {
      const sign_out_url = await signOut(context, request, reply);
      return sign_out_url ? { sign_out_url } : reply.code(204).send();
    },
  );
}
