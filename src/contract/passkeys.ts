/** The time limit between a passkey challenge and its answer. */
export const CHALLENGE_SECONDS = 300;
/** The time after a sign-in in which a person may register a passkey. */
export const FRESH_SECONDS = 600;
/** The validity of an administrator's invitation to register a passkey. */
export const INVITATION_SECONDS = 86_400;

/** A key on a person's device. The person signs decisions with it. */
export interface Passkey {
  /** The credential's id, in base64url. */
  passkey_id: string;
  /** The owner's subject (`subjectOf` in src/api/approver.ts) and name. */
  subject: string;
  by: string;
  /** The person's name for it. */
  label: string;
  created_at: string;
  last_used_at?: string;
  revoked_at?: string;
  /** The transports that the browser reported for the passkey. */
  transports: string[];
}

/** A passkey from a registration. */
interface NewPasskey extends Omit<Passkey, 'created_at' | 'last_used_at' | 'revoked_at'> {
  /** The public key in the encoding of WebAuthn (COSE), in base64url. */
  cose_key: string;
  /** The same key as SubjectPublicKeyInfo (DER), in base64, for crypto libraries. */
  public_key: string;
  counter: number;
}

/** A passkey with the data that verifies its signatures. */
type KnownPasskey = Passkey & NewPasskey;

/**
 * The data that a passkey signs. The challenge is the SHA-256 of its canonical JSON (docs/passkeys.md). Auditors depend
 * on its members.
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
  /** The ids of the excluded items, sorted. */
  excluded: string[];
  /** The earliest start of the batch, if the person chose one. */
  not_before?: string;
  time: string;
  nonce: string;
}

/** A challenge for a passkey, with its session and, for a decision, the data to sign. */
interface Challenge {
  challenge: string;
  /** The hash of the session's cookie. */
  session: string;
  decision?: SignedDecision;
  /** The policy of the operation, in words. */
  policy?: string;
}

/** A decision that a passkey signed, with all the data for an independent verification. */
export interface DecisionSignature {
  signature_id: string;
  operation_id: string;
  /** The signed data: the canonical JSON whose SHA-256 is the challenge. */
  decision: string;
  challenge: string;
  subject: string;
  by: string;
  passkey_id: string;
  /** SubjectPublicKeyInfo (DER), in base64. */
  public_key: string;
  rp_id: string;
  origin: string;
  /**
   * The assertion's parts, in base64url. The signature is over `authenticator_data` and the hash of `client_data_json`.
   */
  authenticator_data: string;
  client_data_json: string;
  signature: string;
  /** The policy of the operation, in words. */
  policy?: string;
  /** The id of the decision that carried the signature. */
  decision_id: string;
  signed_at: string;
}

/** An invitation to register one passkey without signing in again, by the hash of its token. */
interface Invitation {
  hash: string;
  /** The name of the person who may use it. */
  name: string;
  invited_by: string;
}

/** The passkeys of people, and their signatures. */
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
  /** Returns false if this passkey is already registered, by anyone. */
  addPasskey(passkey: NewPasskey): Promise<boolean>;
  /** Returns the passkeys of a person, or of everyone, including the revoked ones. */
  listPasskeys(subject?: string): Promise<Passkey[]>;
  /** Returns the passkey if it is not revoked. */
  findPasskey(passkeyId: string): Promise<KnownPasskey | undefined>;
  /** Returns false if this person has no such passkey. */
  renamePasskey(passkeyId: string, subject: string, label: string): Promise<boolean>;
  /** Returns false if there is no such passkey, or if `subject` is set and does not own it. */
  revokePasskey(passkeyId: string, subject?: string): Promise<boolean>;
  /**
   * Stores a signature and its counter.
   * @returns false if the passkey was revoked, or its stored counter is not lower.
   */
  keepSignature(signature: DecisionSignature, counter: number): Promise<boolean>;
  findSignature(challenge: string): Promise<DecisionSignature | undefined>;
  /** Returns the signatures of an operation's decisions, oldest first. */
  signaturesOf(operationId: string): Promise<DecisionSignature[]>;
}
