import { createPublicKey, sign, verify } from 'node:crypto';
import { z } from 'zod';
import type { AccessStore } from '../contract/access';
import { BatchgateError } from '../contract/errors';
import type { Approver } from '../contract/policy';
import { assertedBy } from '../core/bulk/approvers';
import { approverOf } from './approver';
import type { Provider } from './open-id/provider';
import { signingKey } from './principal';

interface Parts {
  access: AccessStore;
  provider?: Provider | undefined;
}

/** The content of a link, which opens one question for one person. */
const gateLinkSchema = z.strictObject({
  operation_id: z.string(),
  batch: z.number(),
  attempt: z.number(),
  digest: z.string(),
  name: z.string(),
  /** The maker of the link. The link ends with its maker's permission, and the decision records the maker. */
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

/** A valid link, with the approver who answers by it. */
export interface OpenLink extends GateLink {
  approver: Approver;
}

/** Links that need no sign-in. Until a link expires, its holder can answer its question, and do nothing else. */
export interface GateLinks {
  create(link: GateLink): string;
  /** @throws BatchgateError `FORBIDDEN` for an invalid or expired token, or if its maker may no longer decide. */
  read(token: string): Promise<OpenLink>;
}

/** The prefix separates these signatures from all others by the same key. */
const signedText = (body: string) => Buffer.from(`gate link\n${body}`);

export async function createGateLinks(parts: Parts): Promise<GateLinks> {
  const key = await signingKey(parts.access);
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
      return { ...link, approver: await approverBy(parts, link) };
    },
  };
}

/** A key acts for the people whom it names, as elsewhere. A person who signed in acts only for themselves. */
async function approverBy(
  { access, provider }: Parts,
  { name, expires_at, maker }: GateLink,
): Promise<Approver> {
  const { key_id, session } = maker;
  const until = Date.parse(expires_at);
  if (key_id !== undefined) {
    const key = await access.findKeyById(key_id);
    if (!key) throw revoked();
    return { ...approverOf({ provider }, { ...key, kind: 'key', id: key_id }, name), link: { until } };
  }
  const person = session === undefined ? undefined : await access.findSession(session);
  if (session !== undefined && !person) throw signedOut();
  const own = approverOf({ provider }, { ...person, kind: 'person', id: '' }, maker.name);
  return { ...assertedBy(name), link: { maker: own, until } };
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
