import { createPublicKey, type JsonWebKey } from 'node:crypto';
import type * as WebAuthn from '@simplewebauthn/server';
import type * as Helpers from '@simplewebauthn/server/helpers';
import { z } from 'zod';
import { BatchgateError } from '../../contract/errors';
import { relyingParty, type RelyingParty } from '../../core/access/relying-party';
import { optional } from '../../host/optional';

export const webAuthn = () => optional<typeof WebAuthn>('@simplewebauthn/server');

/** The COSE numbers of EdDSA, ES256 and RS256, which every crypto library verifies. */
export const ALGORITHMS = [-8, -7, -257];

/** @throws BatchgateError `NOT_CONFIGURED` at an address without passkeys. */
export function partyOf({ origin }: { origin: () => string }): RelyingParty {
  const party = relyingParty(origin());
  if (party) return party;
  throw new BatchgateError(
    'NOT_CONFIGURED',
    'Browsers use no passkeys at this address.',
    'Reach batchgate by https under a host name, and set `http.base_url` in batchgate.config.json to that address.',
  );
}

/** The members of a browser's answer that this code reads. The library checks the rest. */
const answerSchema = z.looseObject({
  id: z.string(),
  response: z.looseObject({ clientDataJSON: z.string() }),
});
const clientDataSchema = z.looseObject({ challenge: z.string() });

/**
 * Parses the answer of a passkey in a form field, and its challenge.
 * @throws BatchgateError `INVALID_INPUT` for anything else.
 */
export function readAnswer<T extends WebAuthn.RegistrationResponseJSON | WebAuthn.AuthenticationResponseJSON>(
  text: string,
): { answer: T; challenge: string } {
  try {
    const answer = answerSchema.parse(JSON.parse(text));
    const clientData = Buffer.from(answer.response.clientDataJSON, 'base64url').toString();
    // The library checks the other members.
    return { answer: answer as unknown as T, ...clientDataSchema.parse(JSON.parse(clientData)) };
  } catch {
    throw new BatchgateError('INVALID_INPUT', 'This is not the answer of a passkey.', 'Load the page again.');
  }
}

/** Explanations for people of the library's errors. */
const WHY: readonly (readonly [RegExp, string])[] = [
  [
    /user verification|user could not be verified/i,
    'the device did not check who you are, by a PIN, a finger or a face',
  ],
  [/counter value/i, 'it counted backwards, as a copy of it would'],
  [/origin|RP ID/i, 'it was made on a page of another address'],
];

/**
 * Runs a check of the library.
 * @throws BatchgateError `FORBIDDEN` if it refuses the answer.
 */
export async function checked<T extends { verified: boolean }>(check: () => Promise<T>): Promise<T> {
  const outcome = await check().catch((error: Error) => {
    throw refused(WHY.find(([pattern]) => pattern.test(error.message))?.[1]);
  });
  if (!outcome.verified) throw refused();
  return outcome;
}

export const refused = (why = 'its signature is not valid') =>
  new BatchgateError(
    'FORBIDDEN',
    `What your passkey answered does not count: ${why}.`,
    'Nothing was done. Try again with a passkey of yours on this page, or register another one.',
  );

/**
 * Converts a WebAuthn public key to the encoding that crypto libraries read: SubjectPublicKeyInfo, in base64.
 * @throws BatchgateError `FORBIDDEN` for a key of an unsupported kind.
 */
export function publicKeyOf(coseKey: Uint8Array<ArrayBuffer>): string {
  const { decodeCredentialPublicKey } = optional<typeof Helpers>('@simplewebauthn/server/helpers');
  const members = decodeCredentialPublicKey(coseKey) as unknown as ReadonlyMap<number, unknown>;
  // Labels and values of RFC 9053: key type 1 is an octet key pair, 2 an elliptic curve, 3 RSA.
  const part = (label: number) => Buffer.from(members.get(label) as Uint8Array).toString('base64url');
  const keys: Readonly<Record<number, () => JsonWebKey>> = {
    1: () => ({ kty: 'OKP', crv: 'Ed25519', x: part(-2) }),
    2: () => ({ kty: 'EC', crv: 'P-256', x: part(-2), y: part(-3) }),
    3: () => ({ kty: 'RSA', n: part(-1), e: part(-2) }),
  };
  try {
    const key = createPublicKey({ key: keys[members.get(1) as number]?.() ?? {}, format: 'jwk' });
    return key.export({ type: 'spki', format: 'der' }).toString('base64');
  } catch {
    throw refused('its key is of an unknown kind');
  }
}
