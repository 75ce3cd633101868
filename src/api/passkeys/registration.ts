import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { BatchgateError } from '../../contract/errors';
import { CHALLENGE_SECONDS, INVITATION_SECONDS } from '../../contract/passkeys';
import { principalOf, type ApiContext } from '../context';
import { subjectOf } from '../approver';
import { hashOf, newSecret } from '../principal';
import { relyingParty } from '../../core/access/relying-party';
import { ALGORITHMS, checked, partyOf, publicKeyOf, readAnswer, webAuthn } from './library';

/** A person with a browser session. Only such a person can have passkeys. */
export interface Owner {
  subject: string;
  by: string;
  /** The hash of the session's cookie. */
  session: string;
}

/** @throws BatchgateError `FORBIDDEN` for a sender without a session. */
export function ownerOf(context: ApiContext, request: FastifyRequest): Owner {
  const principal = principalOf(request);
  const { session, name: by } = principal;
  if (session !== undefined) return { subject: subjectOf(context, principal) ?? by, by, session };
  throw new BatchgateError(
    'FORBIDDEN',
    'Passkeys are for people who signed in with a browser.',
    'Sign in on the page, and use your passkey there.',
  );
}

/** The passkeys of a person that are not revoked. */
export const passkeysOf = async ({ access }: ApiContext, { subject }: Pick<Owner, 'subject'>) =>
  (await access.passkeys.listPasskeys(subject)).filter(({ revoked_at }) => revoked_at === undefined);

/** The reason for which a person may register a passkey now, if any. Does not use up the invitation. */
export async function mayRegister(
  { access }: ApiContext,
  { session, by }: Owner,
  invitation: string | undefined,
): Promise<'fresh' | 'invited' | undefined> {
  if (await access.passkeys.isFresh(session)) return 'fresh';
  const stored =
    invitation === undefined ? undefined : await access.passkeys.findInvitation(hashOf(invitation));
  return stored?.name === by ? 'invited' : undefined;
}

/** Options that a browser needs to create a passkey. */
export async function registrationOptions(
  context: ApiContext,
  request: FastifyRequest,
  invitation: string | undefined,
): Promise<object> {
  const owner = ownerOf(context, request);
  const party = partyOf(context);
  if (!(await mayRegister(context, owner, invitation))) throw notFresh();
  const options = await webAuthn().generateRegistrationOptions({
    ...{ rpName: 'batchgate', rpID: party.id, userName: owner.by, userDisplayName: owner.by },
    userID: new Uint8Array(createHash('sha256').update(owner.subject).digest()),
    excludeCredentials: (await passkeysOf(context, owner)).map(({ passkey_id: id }) => ({ id })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
    timeout: CHALLENGE_SECONDS * 1_000,
  });
  const { challenge } = options;
  await context.access.passkeys.keepChallenge({ challenge, session: owner.session }, CHALLENGE_SECONDS);
  return options;
}

interface Registration {
  /** The browser's answer, as JSON. */
  passkey: string;
  label: string;
  invitation: string | undefined;
}

/**
 * Stores the passkey that a browser created.
 * @throws BatchgateError `FORBIDDEN` without a fresh sign-in or an invitation, or if the answer does not verify.
 */
export async function register(
  context: ApiContext,
  request: FastifyRequest,
  { passkey, label, invitation }: Registration,
): Promise<void> {
  const { passkeys } = context.access;
  const owner = ownerOf(context, request);
  const party = partyOf(context);
  const { answer, challenge } = readAnswer<RegistrationResponseJSON>(passkey);
  const why = await mayRegister(context, owner, invitation);
  if (!why) throw notFresh();
  const pending = await passkeys.takeChallenge(challenge, owner.session);
  if (!pending || pending.decision) throw notAsked();
  const { registrationInfo } = await checked(() =>
    webAuthn().verifyRegistrationResponse({
      response: answer,
      ...{ expectedChallenge: challenge, expectedOrigin: party.origin, expectedRPID: party.id },
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  );
  if (!registrationInfo) throw notAsked();
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
  const row = {
    ...{ passkey_id: id, subject: owner.subject, by: owner.by, label, counter, transports },
    ...{ cose_key: Buffer.from(publicKey).toString('base64url'), public_key: publicKeyOf(publicKey) },
  };
  if (why === 'invited' && !(await passkeys.takeInvitation(hashOf(invitation ?? '')))) throw notFresh();
  if (!(await passkeys.addPasskey(row))) throw registeredBefore();
}

/** Creates a link with which a person registers one passkey without signing in again. */
export async function invite(
  { access, origin }: ApiContext,
  request: FastifyRequest,
  name: string,
  token = newSecret(),
): Promise<{ url: string; expires_at: string }> {
  const invitation = { hash: hashOf(token), name, invited_by: principalOf(request).name };
  await access.passkeys.keepInvitation(invitation, INVITATION_SECONDS);
  const expires_at = new Date(Date.now() + INVITATION_SECONDS * 1_000).toISOString();
  return { url: invitationUrl(origin(), token), expires_at };
}

export const invitationUrl = (origin: string, token: string): string =>
  `${relyingParty(origin)?.origin ?? origin}/passkeys?invitation=${token}`;

const notFresh = () =>
  new BatchgateError(
    'FORBIDDEN',
    'You signed in too long ago to register a passkey.',
    'Sign in again and register it within 10 minutes, or ask an administrator for an invitation.',
  );
const notAsked = () =>
  new BatchgateError(
    'STALE_CONFIRMATION',
    'This answer of a passkey was used before, came too late, or was asked for in another session.',
    'Nothing was registered. Try again.',
  );
const registeredBefore = () =>
  new BatchgateError('FORBIDDEN', 'This passkey is registered already.', 'Use it, or register another one.');

export const noSuchPasskey = () =>
  new BatchgateError('NOT_FOUND', 'There is no such passkey.', 'Look at the list of passkeys.');
