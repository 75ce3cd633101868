import { z } from 'zod';
import { idSchema } from '../../contract/text';
import type { Api, ApiContext } from '../context';
import { invite, noSuchPasskey } from '../passkeys/registration';
import { problemResponse } from '../problems';
import { listOf } from '../schemas';

const tags = ['access'];
const time = z.iso.datetime();
const passkeySchema = z.object({
  passkey_id: z.string(),
  subject: z.string().describe('Whose it is: the issuer and subject of the identity provider, or the name'),
  by: z.string(),
  label: z.string(),
  created_at: time,
  last_used_at: time.optional(),
  revoked_at: time.optional(),
  transports: z.array(z.string()),
});

/** Routes for administrators of passkeys. People register and use their passkeys on the pages. */
export function addPasskeyRoutes(api: Api, context: ApiContext): void {
  const { passkeys } = context.access;
  api.get(
    '/v1/passkeys',
    {
      schema: {
        operationId: 'listPasskeys',
        tags,
        description: 'All passkeys with which people sign decisions, oldest first.',
        response: { 200: listOf(passkeySchema), ...problemResponse },
      },
    },
    async () => ({ items: await passkeys.listPasskeys() }),
  );
  api.post(
    '/v1/passkeys/:passkey_id/revoke',
    {
      schema: {
        operationId: 'revokePasskey',
        tags,
        description: 'Revokes a passkey: it signs nothing more. What it signed stays valid.',
        params: z.object({
          passkey_id: z.string().max(2_000).describe('Its id, as in the list of passkeys'),
        }),
        response: { 204: z.undefined().describe('Revoked'), ...problemResponse },
      },
    },
    async ({ params: { passkey_id } }, reply) => {
      if (!(await passkeys.revokePasskey(passkey_id))) throw noSuchPasskey();
      return reply.code(204).send();
    },
  );
  api.post(
    '/v1/passkeys/invitations',
    {
      schema: {
        operationId: 'invitePasskey',
        tags,
        description:
          'Makes a link with which a signed-in person registers one passkey without signing in again, within a day. Opening it does not use it up.',
        body: z.strictObject({
          name: idSchema(150).describe('The name of the person, as decisions record it'),
        }),
        response: { 201: z.object({ url: z.string(), expires_at: time }), ...problemResponse },
      },
    },
    async (request, reply) => reply.code(201).send(await invite(context, request, request.body.name)),
  );
}
