/** How long a person may take between the question for a passkey and its answer. */
export const CHALLENGE_SECONDS = 300;
/** For how long after a sign-in a person may register a passkey. */
export const FRESH_SECONDS = 600;
/** How long an administrator's invitation to register one is valid. */
export const INVITATION_SECONDS = 86_400;

/** A key on a device of a person, with which the person signs decisions. */
export interface Passkey {
  /** The credential's id, in base64url. */
  passkey_id: string;
  /** Whose it is (`subjectOf` in src/api/approver.ts), and that person's name. */
  subject: string;
  by: string;
  /** The person's name for it. */
  label: string;
  created_at: string;
  last_used_at?: string;
  revoked_at?: string;
  /** How a browser reaches it, as the browser said. */
  transports: string[];
}

/** A passkey as a registration finds it. */
interface NewPasskey extends Omit<Passkey, 'created_at' | 'last_used_at' | 'revoked_at'> {
  /** The public key in the encoding of WebAuthn (COSE), in base64url. */
  cose_key: string;
  /** The same as SubjectPublicKeyInfo (DER), in base64: what crypto libraries read. */
  public_key: string;
  counter: number;
}

/** A passkey with all that verifies its signatures. */
type KnownPasskey = Passkey & NewPasskey;

/**
 * What a passkey signs: the challenge is the SHA-256 of this as canonical JSON (docs/passkeys.md). Auditors depend on
 * its members.
 */
export interface SignedDecision {
  operation: string;
  /** The first run of the operation's chain. */
  run: string;
  batch: number;
  attempt: number;
  /** The digest of the question. */
  digest: string;
  decision: 'continue';
  /** The ids of the items that are left out, sorted. */
  excluded: string[];
  /** The time before which the batch must not begin, if the person chose one. */
  not_before?: string;
  time: string;
  nonce: string;
}

/** A question to a passkey: in which session it was asked, and for a decision, what is to be signed. */
interface Challenge {
  challenge: string;
  /** The hash of the session's cookie. */
  session: string;
  decision?: SignedDecision;
  /** The policy of the operation, in words. */
  policy?: string;
}

/** A decision that a passkey signed, with all that somebody needs to verify it without us. */
export interface DecisionSignature {
  signature_id: string;
  operation_id: string;
  /** What was signed, as the canonical JSON whose SHA-256 is the challenge. */
  decision: string;
  challenge: string;
  subject: string;
  by: string;
  passkey_id: string;
  /** SubjectPublicKeyInfo (DER), in base64. */
  public_key: string;
  rp_id: string;
  origin: string;
  /** The assertion's parts, in base64url. The signature is over `authenticator_data` and the hash of `client_data_json`. */
  authenticator_data: string;
  client_data_json: string;
  signature: string;
  /** The policy of the operation, in words. */
  policy?: string;
  /** The id of the decision that carried it. */
  decision_id: string;
  signed_at: string;
}

/** A right to register one passkey without signing in again, as the hash of its token. */
interface Invitation {
  hash: string;
  /** The name of the person who may use it. */
  name: string;
  invited_by: string;
}

/** The passkeys of people, and what they signed. */
export interface PasskeyStore {
  /** Whether a session began so recently that its person may register a passkey. */
  isFresh(session: string): Promise<boolean>;
  keepChallenge(challenge: Challenge, validSeconds: number): Promise<void>;
  /** Returns a challenge of this session once; undefined if there is none, or it has expired. */
  takeChallenge(challenge: string, session: string): Promise<Challenge | undefined>;
  keepInvitation(invitation: Invitation, validSeconds: number): Promise<void>;
  findInvitation(hash: string): Promise<(Invitation & { expires_at: string }) | undefined>;
  /** Like `findInvitation`, and uses the invitation up. */
  takeInvitation(hash: string): Promise<Invitation | undefined>;
  /** Returns false if this passkey is registered already, by anybody. */
  addPasskey(passkey: NewPasskey): Promise<boolean>;
  /** The passkeys of a person, or of everybody, the revoked ones too. */
  listPasskeys(subject?: string): Promise<Passkey[]>;
  /** A passkey that is not revoked. */
  findPasskey(passkeyId: string): Promise<KnownPasskey | undefined>;
  /** Returns false if this person has no such passkey. */
  renamePasskey(passkeyId: string, subject: string, label: string): Promise<boolean>;
  /** Returns false if this person, or anybody, has no such passkey. */
  revokePasskey(passkeyId: string, subject?: string): Promise<boolean>;
  /**
   * Keeps a signature and the counter that came with it.
   * @returns false if the passkey was revoked, or has counted as far already.
   */
  keepSignature(signature: DecisionSignature, counter: number): Promise<boolean>;
  findSignature(challenge: string): Promise<DecisionSignature | undefined>;
  /** The signatures of an operation's decisions, oldest first. */
  signaturesOf(operationId: string): Promise<DecisionSignature[]>;
}
