import { z } from 'zod';
import type { PasskeyStore } from './passkeys';
import { idSchema } from './text';

/** The roles of the HTTP API. src/core/access/permissions.ts lists the permissions of each, route by route. */
export const ROLES = ['viewer', 'operator', 'approver', 'agent', 'admin'] as const;
export type Role = (typeof ROLES)[number];
const roleSchema = z.enum(ROLES);

/** The ways in which a person confirms an agent's operation over MCP. docs/mcp.md lists what each of them trusts. */
export const CONFIRM_MODES = ['link', 'elicit', 'message'] as const;
export type ConfirmMode = (typeof CONFIRM_MODES)[number];

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex');
const time = z.iso.datetime();

/** A key of a backend. The key itself is shown once, when it is created; only its hash is stored. */
export interface ApiKey {
  key_id: string;
  name: string;
  role: Role;
  /** The key reaches only sessions whose id begins with this. */
  session_prefix?: string;
  created_at: string;
  expires_at?: string;
  revoked_at?: string;
}

/** The input that creates a key. */
const newKeySchema = z.strictObject({
  name: idSchema(150),
  role: roleSchema,
  session_prefix: idSchema(150).optional(),
  expires_at: time.optional(),
  hash: sha256,
});
export type NewKey = z.infer<typeof newKeySchema>;

/** The hash of a link that signs in a person once. */
const signInLinkSchema = z.strictObject({
  name: idSchema(150),
  role: roleSchema,
  expires_at: time,
  hash: sha256,
});
export type SignInLink = z.infer<typeof signInLinkSchema>;

/** The validity of a sign-in link, in milliseconds. */
export const LINK_MS = 3_600_000;

/** The argument of the workflow `accessKeys`. */
export const keysRequestSchema = z.discriminatedUnion('verb', [
  newKeySchema.extend({ verb: z.literal('create') }),
  z.strictObject({ verb: z.literal('list') }),
  z.strictObject({ verb: z.literal('revoke'), key_id: idSchema(150) }),
  signInLinkSchema.extend({ verb: z.literal('link') }),
]);
export type KeysRequest = z.infer<typeof keysRequestSchema>;

export interface AccessActivities {
  accessKeys(request: KeysRequest): Promise<ApiKey[]>;
}

/** A person who signed in. */
export interface SignedIn {
  name: string;
  role: Role;
  expires_at: string;
  /** The person whom the identity provider signed in; undefined for a printed link. */
  subject?: string;
  /** The groups of that person, as the identity provider named them then. */
  groups?: string[];
  /** The time of the person's last authentication by the identity provider, if it reports that. */
  authenticated_at?: string;
}

/** A sign-in that waits for the answer of an identity provider. */
export interface SignInAttempt {
  state: string;
  nonce: string;
  code_verifier: string;
  /** The path to open after the sign-in. */
  return_to: string;
  expires_at: string;
}

/** A request with an `Idempotency-Key`, with its answer. */
interface RememberedRequest {
  /** The digest of the request's body. */
  digest: string;
  /** The id of the job that the request starts. */
  reference: string;
  answer?: unknown;
}

/** An approver for whom the HTTP API vouched: by the key that acted for them, or by their sign-in. */
export interface VouchedApprover {
  subject: string;
  key?: string;
}

/**
 * The current standing of such an approver in the store of the HTTP API: the role and groups of the key or of the
 * latest sign-in. `gone`: the key is no longer valid. `unknown`: the store has no record.
 */
export type Standing = { role: Role; groups: string[] } | 'gone' | 'unknown';

/** The keys, sessions and remembered requests of the HTTP API. Secrets are given by their hashes. */
export interface AccessStore {
  createKey(key: NewKey): Promise<ApiKey>;
  listKeys(): Promise<ApiKey[]>;
  /** Returns the revoked key; undefined if there is none with this id. */
  revokeKey(keyId: string): Promise<ApiKey | undefined>;
  /** Returns the key if it is neither revoked nor expired. */
  findKey(hash: string): Promise<ApiKey | undefined>;
  /** Like `findKey`, by the id of the key. */
  findKeyById(keyId: string): Promise<ApiKey | undefined>;
  /** Returns the current standing of people for whom the HTTP API vouched, in the same order. */
  standingsOf(people: readonly VouchedApprover[]): Promise<Standing[]>;
  openSession(hash: string, session: SignedIn): Promise<void>;
  findSession(hash: string): Promise<SignedIn | undefined>;
  closeSession(hash: string): Promise<void>;
  keepLink(link: SignInLink): Promise<void>;
  /** Returns the person whom a link signs in; undefined if it was used, has expired, or is unknown. */
  findLink(hash: string): Promise<Pick<SignInLink, 'name' | 'role'> | undefined>;
  /** Like `findLink`, and uses the link up. */
  takeLink(hash: string): Promise<Pick<SignInLink, 'name' | 'role'> | undefined>;
  keepAttempt(hash: string, attempt: SignInAttempt): Promise<void>;
  /** Returns an attempt once; undefined if there is none, or it has expired. */
  takeAttempt(hash: string): Promise<SignInAttempt | undefined>;
  /** Remembers a request for a day, or returns this caller's first one under this key. */
  rememberRequest(
    caller: string,
    key: string,
    request: Omit<RememberedRequest, 'answer'>,
  ): Promise<RememberedRequest>;
  rememberAnswer(caller: string, key: string, answer: unknown): Promise<void>;
  /** Returns the answer to this caller's request under this key; undefined if none is remembered. */
  recallAnswer(caller: string, key: string): Promise<unknown>;
  /** Returns the ids of the latest operations with this text in the name of their requester or of an item. */
  findOperations(text: string): Promise<string[]>;
  /** Returns the key that signs the decisions of signed-in people. A store has one; workers have its public half. */
  signingKey(): Promise<SigningKey>;
  passkeys: PasskeyStore;
}

/** Ed25519: PKCS #8 in base64, and the 32 bytes of the public key in hex. */
interface SigningKey {
  private_key: string;
  public_key: string;
}
