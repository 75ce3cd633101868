import { createPublicKey, sign, verify } from 'node:crypto';
import { z } from 'zod';
import type { AccessStore } from '../contract/access';
import { BatchgateError } from '../contract/errors';
import { signingKey } from './principal';

/** What a link opens: one question, for one person. */
const gateLinkSchema = z.strictObject({
  operation_id: z.string(),
  batch: z.number(),
  attempt: z.number(),
  digest: z.string(),
  name: z.string(),
  /** Who made it: a link ends with its maker's right. Its maker is named beside the decision. */
  maker: z.strictObject({
    name: z.string(),
    /** The id of the key. */
    key_id: z.string().optional(),
    /** The hash of the cookie of a person who signed in. */
    session: z.string().optional(),
  }),
  expires_at: z.iso.datetime(),
});
export type GateLink = z.infer<typeof gateLinkSchema>;

/** Links that need no sign-in. The holder of a link can answer its question, and do nothing else, until it expires. */
export interface GateLinks {
  create(link: GateLink): string;
  /** @throws BatchgateError `FORBIDDEN` for a token that is not ours or has expired, or whose maker may decide no longer. */
  read(token: string): Promise<GateLink>;
}

/** Nothing else that the key signs begins with this. */
const signedText = (body: string) => Buffer.from(`gate link\n${body}`);

export async function createGateLinks(access: AccessStore): Promise<GateLinks> {
  const key = await signingKey(access);
  const publicKey = createPublicKey(key);
  return {
    create(link) {
      const body = Buffer.from(JSON.stringify(link)).toString('base64url');
      return `${body}.${sign(null, signedText(body), key).toString('base64url')}`;
    },
    async read(token) {
      const [body = '', signature = ''] = token.split('.');
      if (!verify(null, signedText(body), publicKey, Buffer.from(signature, 'base64url'))) throw unknown();
      const link = gateLinkSchema.parse(JSON.parse(Buffer.from(body, 'base64url').toString()));
      if (Date.parse(link.expires_at) <= Date.now()) throw expired();
      const { key_id, session } = link.maker;
      if (key_id !== undefined && !(await access.isKeyValid(key_id))) throw revoked();
      if (session !== undefined && !(await access.findSession(session))) throw signedOut();
      return link;
    },
  };
}

const unknown = () =>
  new BatchgateError('FORBIDDEN', 'This link is not one of ours.', 'Open the whole link as it was sent.');
const expired = () =>
  new BatchgateError(
    'FORBIDDEN',
    'This link has expired.',
    'Ask the person who sent it for another one, or sign in.',
  );
const revoked = () =>
  new BatchgateError(
    'FORBIDDEN',
    'This link is no longer valid: the key that made it was revoked, or has expired.',
    'Ask the person who sent it for another one, or sign in.',
  );
const signedOut = () =>
  new BatchgateError(
    'FORBIDDEN',
    'This link is no longer valid: the person who made it has signed out.',
    'Ask that person for another one, or sign in.',
  );
