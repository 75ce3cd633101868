import { randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { firstRunOf } from '../../client';
import { BatchgateError } from '../../contract/errors';
import { CHALLENGE_SECONDS, type DecisionSignature, type SignedDecision } from '../../contract/passkeys';
import type { ContinueRequest } from '../../contract/messages';
import type { BulkStatus } from '../../contract/operation';
import { canonicalJson, digestOf } from '../../core/shared/canonical';
import type { ApiContext } from '../context';
import { newSecret } from '../principal';
import { checked, partyOf, readAnswer, refused, webAuthn } from './library';
import { ownerOf, passkeysOf } from './registration';

/** Whether a batch of this operation runs only by decisions that a passkey signed. */
export const needsPasskey = ({ assurance }: Pick<BulkStatus, 'assurance'>): boolean => assurance === 'signed';

/** A confirmation from a page. */
type Asked = Pick<ContinueRequest, 'batch' | 'attempt' | 'digest' | 'decision_id' | 'exclude' | 'not_before'>;

/** The content for a passkey to sign, without the run and the times. */
type Signable = Pick<SignedDecision, 'operation' | 'batch' | 'attempt' | 'digest' | 'decision' | 'excluded'>;

const signable = (
  operation: string,
  { batch = 0, attempt = 1, digest = '', exclude = [] }: Asked,
): Signable => ({
  ...{ operation, batch, attempt, digest },
  decision: 'continue',
  excluded: [...new Set(exclude.map(({ id }) => id))].sort(),
});

/** The challenge of a decision: its SHA-256 in base64url. */
const challengeOf = (decision: SignedDecision) => Buffer.from(digestOf(decision), 'hex');

/** Options that a browser needs to sign a decision. The challenge is valid once, for this session, for some minutes. */
export async function signingOptions(
  context: ApiContext,
  request: FastifyRequest,
  { operation_id, policy, next_batch }: Pick<BulkStatus, 'operation_id' | 'policy' | 'next_batch'>,
  confirmation: Asked,
): Promise<object> {
  if (next_batch?.digest !== confirmation.digest) throw otherQuestion();
  const owner = ownerOf(context, request);
  const party = partyOf(context);
  const [own, run] = await Promise.all([
    passkeysOf(context, owner),
    firstRunOf(context.client, operation_id),
  ]);
  if (own.length === 0) throw noPasskey();
  const { not_before } = confirmation;
  const decision: SignedDecision = {
    ...signable(operation_id, confirmation),
    ...(not_before !== undefined && { not_before }),
    ...{ run, time: new Date().toISOString(), nonce: newSecret() },
  };
  const bytes = challengeOf(decision);
  const challenge = {
    ...{ challenge: bytes.toString('base64url'), session: owner.session, decision },
    ...(policy !== undefined && { policy }),
  };
  await context.access.passkeys.keepChallenge(challenge, CHALLENGE_SECONDS);
  return webAuthn().generateAuthenticationOptions({
    rpID: party.id,
    allowCredentials: own.map(({ passkey_id: id, transports }) => ({ id, transports })),
    challenge: new Uint8Array(bytes),
    userVerification: 'required',
    timeout: CHALLENGE_SECONDS * 1_000,
  });
}

/** A confirmation that a passkey signed: the id of the stored signature, and the time that it names. */
export interface Signing {
  signature: string;
  not_before?: string;
  exclude?: { id: string }[];
}

/**
 * Verifies a passkey's answer to a confirmation, and stores the signature.
 * @throws BatchgateError `STALE_CONFIRMATION` for an answer that is used, too late, or to another question; `FORBIDDEN`
 * for one that does not verify.
 */
export async function signatureIn(
  context: ApiContext,
  request: FastifyRequest,
  { operation_id, asked: decision, passkey: text }: { operation_id: string; asked: Asked; passkey: string },
): Promise<Signing> {
  const { passkeys } = context.access;
  const owner = ownerOf(context, request);
  const { answer, challenge } = readAnswer<AuthenticationResponseJSON>(text);
  const before = await passkeys.findSignature(challenge);
  if (before) {
    const mine = { decision_id: decision.decision_id, subject: owner.subject, operation_id };
    return repeated(before, { ...mine, signature: answer.response.signature }, decision.digest);
  }
  const pending = await passkeys.takeChallenge(challenge, owner.session);
  if (!pending?.decision) throw spent();
  const signature_id = `signature-${randomUUID()}`;
  const expected = { wanted: signable(operation_id, decision), later: decision.not_before };
  const signing = signingOf(signature_id, pending.decision, expected);
  const { party, public_key, counter } = await verified(context, answer, {
    challenge,
    subject: owner.subject,
  });
  const { authenticatorData, clientDataJSON, signature } = answer.response;
  const row = {
    ...{ signature_id, operation_id, challenge, public_key, signature, passkey_id: answer.id },
    ...{ decision: canonicalJson(pending.decision), subject: owner.subject, by: owner.by },
    ...{ rp_id: party.id, origin: party.origin },
    ...{ authenticator_data: authenticatorData, client_data_json: clientDataJSON },
    ...(pending.policy !== undefined && { policy: pending.policy }),
    ...{ decision_id: decision.decision_id ?? '', signed_at: new Date().toISOString() },
  };
  if (!(await passkeys.keepSignature(row, counter)))
    throw refused('it was revoked, or used elsewhere meanwhile');
  return signing;
}

/**
 * A form that is sent again because its answer was lost is the same decision. Its question may be over, so that its
 * checkboxes no longer apply; the signed content counts.
 */
function repeated(before: DecisionSignature, mine: object, digest: string | undefined): Signing {
  const decision = JSON.parse(before.decision) as SignedDecision;
  const isSame = Object.entries(mine).every(([name, value]) => before[name as keyof typeof before] === value);
  if (!isSame || decision.digest !== digest) throw spent();
  const { excluded, not_before } = decision;
  return {
    ...{ signature: before.signature_id, exclude: excluded.map((id) => ({ id })) },
    ...(not_before !== undefined && { not_before }),
  };
}

/** Verifies the answer of a passkey of this person, made on a page of this server with user verification. */
async function verified(
  context: ApiContext,
  answer: AuthenticationResponseJSON,
  { challenge, subject }: { challenge: string; subject: string },
) {
  const party = partyOf(context);
  const passkey = await context.access.passkeys.findPasskey(answer.id);
  if (passkey?.subject !== subject) throw refused('it is not one of yours, or was revoked');
  const { authenticationInfo } = await checked(() =>
    webAuthn().verifyAuthenticationResponse({
      response: answer,
      ...{ expectedChallenge: challenge, expectedOrigin: party.origin, expectedRPID: party.id },
      requireUserVerification: true,
      credential: {
        id: passkey.passkey_id,
        publicKey: new Uint8Array(Buffer.from(passkey.cose_key, 'base64url')),
        counter: passkey.counter,
      },
    }),
  );
  return { party, public_key: passkey.public_key, counter: authenticationInfo.newCounter };
}

/**
 * `later`: the start time that the form requests. The form contains a delay, so the signed time counts.
 * @throws BatchgateError `STALE_CONFIRMATION` if other content was signed.
 */
function signingOf(
  signature: string,
  { run: _, time: __, nonce: ___, not_before, ...content }: SignedDecision,
  { wanted, later }: { wanted: Signable; later: string | undefined },
): Signing {
  const isSame = canonicalJson(content) === canonicalJson(wanted);
  if (!isSame || (later === undefined) !== (not_before === undefined)) throw otherDecision();
  return { signature, ...(not_before !== undefined && { not_before }) };
}

/** The error for a form without a required signature. */
export const unsigned = () =>
  new BatchgateError(
    'FORBIDDEN',
    'This question must be signed with a passkey, and this answer was not.',
    'Answer it on the page of the operation, in a browser with JavaScript, with a passkey that you registered.',
  );
const noPasskey = () =>
  new BatchgateError(
    'FORBIDDEN',
    'This question must be signed with a passkey, and you have none.',
    'Register one on the page Passkeys, then answer again.',
  );
const spent = () =>
  new BatchgateError(
    'STALE_CONFIRMATION',
    'This signature was used before, came more than 5 minutes after it was asked for, or is of another session.',
    'Press the button again, and sign again. Nothing was run.',
  );
const otherQuestion = () =>
  new BatchgateError(
    'STALE_CONFIRMATION',
    'Another question is open by now, or none.',
    'Read it, then answer it. Nothing was run.',
  );
const otherDecision = () =>
  new BatchgateError(
    'STALE_CONFIRMATION',
    'Your passkey signed another decision than this one.',
    'Read the question again, then press the button and sign it. Nothing was run.',
  );
