import {
  createHash,
  createPrivateKey,
  randomBytes,
  sign,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccessStore, Role, SignedIn } from '../contract/access';
import { BatchgateError } from '../contract/errors';
import { decisionText } from '../core/access/proof';
import type { Vouch } from '../client';
import { cookieOf, setCookie, type Cookies } from './cookies';
import type { Provider } from './open-id/provider';

/** The sender of a request. */
export interface Principal {
  kind: 'person' | 'key';
  /** Unique for each caller. */
  id: string;
  name: string;
  role: Role;
  session_prefix?: string;
  /** The hash of the cookie of a person who signed in here. */
  session?: string;
  /** The token that every form and script of the pages sends besides the cookie. */
  form_token?: string;
  /** The identity provider's id of a person who signed in there. */
  subject?: string;
  /** The groups that the identity provider names. */
  groups?: string[];
}

/** Whether the sender is a backend, which names the people for whom it acts. People and agents act for themselves. */
export const isBackend = ({ kind, role }: Pick<Principal, 'kind' | 'role'>): boolean =>
  kind === 'key' && role !== 'agent';

const FORM_TOKEN = 'x-batchgate-form-token';
const SESSION_MS = 7 * 86_400_000;

/** Secrets are stored, compared and passed only as hashes. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');
export const newSecret = (): string => randomBytes(32).toString('base64url');

interface SessionParts {
  access: AccessStore;
  cookies: Cookies;
}

/** The person that an access token of the identity provider identifies. */
type PersonOf = (
  token: string,
) => Promise<Pick<SignedIn, 'name' | 'role' | 'subject' | 'groups'> | undefined>;

/**
 * Identifies the sender of a request by its bearer key or token, or by its session cookie.
 * @throws BatchgateError `UNAUTHORIZED` if neither is valid.
 */
export async function identify(
  { access, cookies }: SessionParts,
  request: FastifyRequest,
  personOf: PersonOf,
): Promise<Principal> {
  const [, bearer] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (bearer !== undefined) {
    const key = await access.findKey(hashOf(bearer));
    if (!key) return tokenHolder(await personOf(bearer));
    const { key_id: id, name, role, session_prefix } = key;
    return { kind: 'key', id, name, role, session_prefix };
  }
  const cookie = cookieOf(request, cookies.session);
  const session = cookie === undefined ? undefined : await access.findSession(hashOf(cookie));
  if (cookie === undefined || !session) throw unauthorized('You are not signed in.');
  const form_token = hashOf(`form ${cookie}`);
  const { expires_at: _, ...person } = session;
  const hash = hashOf(cookie);
  return { kind: 'person', id: `person-${hash.slice(0, 16)}`, ...person, session: hash, form_token };
}

function tokenHolder(person: Awaited<ReturnType<PersonOf>>): Principal {
  if (!person) throw unauthorized('This key is unknown, expired or revoked.');
  return { kind: 'person', id: `person-${hashOf(person.subject ?? '').slice(0, 16)}`, ...person };
}

const isSafe = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD';

/**
 * Browsers also send a cookie with requests from other sites, but not the form token, a header or a form field.
 * @throws BatchgateError `FORBIDDEN` if a change came with a cookie and without the token.
 */
export function refuseForgery({ form_token: expected }: Principal, request: FastifyRequest): void {
  if (expected === undefined || isSafe(request)) return;
  const { headers, body } = request;
  const field = headers[FORM_TOKEN] ?? (body instanceof URLSearchParams ? body.get('form_token') : undefined);
  const [token, secret] = [Buffer.from(typeof field === 'string' ? field : ''), Buffer.from(expected)];
  // Compares lengths in bytes, because texts with equally many characters may differ in bytes.
  const same = token.length === secret.length && timingSafeEqual(token, secret);
  if (same && headers.origin !== undefined) return;
  throw new BatchgateError(
    'FORBIDDEN',
    'This request does not come from a page of ours.',
    `Load the page again, and send its form. A program sends the headers Origin and ${FORM_TOKEN}, whose value GET /v1/me answers.`,
  );
}

/** Opens a session for a person and sets their browser's cookie. */
export async function signIn(
  { access, cookies: { session, secure } }: SessionParts,
  reply: FastifyReply,
  person: Omit<SignedIn, 'expires_at'>,
  lastsMs = SESSION_MS,
): Promise<void> {
  const secret = newSecret();
  const expires_at = new Date(Date.now() + lastsMs).toISOString();
  await access.openSession(hashOf(secret), { ...person, expires_at });
  setCookie(reply, session, secret, { maxAge: Math.floor(lastsMs / 1_000), secure });
}

/** @returns the address at which a browser ends the session at the identity provider, which outlasts this one. */
export async function signOut(
  { access, cookies, provider }: SessionParts & { provider?: Provider | undefined },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | undefined> {
  const cookie = cookieOf(request, cookies.session);
  if (cookie !== undefined) await access.closeSession(hashOf(cookie));
  setCookie(reply, cookies.session, '', { maxAge: 0, secure: cookies.secure });
  if (request.principal?.subject === undefined) return undefined;
  // The session here is over even if the provider does not answer.
  return provider?.signOutUrl().catch(() => undefined);
}

/** The store's key, with which this server signs its tokens and decisions. */
export async function signingKey(access: AccessStore): Promise<KeyObject> {
  const { private_key } = await access.signingKey();
  return createPrivateKey({ key: Buffer.from(private_key, 'base64'), type: 'pkcs8', format: 'der' });
}

/** Signs decisions of signed-in persons with the store's key. */
export async function createVouch(access: AccessStore): Promise<Vouch> {
  const key = await signingKey(access);
  return (decision) => sign(null, Buffer.from(decisionText(decision)), key).toString('hex');
}

const unauthorized = (message: string) =>
  new BatchgateError(
    'UNAUTHORIZED',
    message,
    'Open a link that `npx batchgate link` prints, or send a key of `npx batchgate keys create` as `Authorization: Bearer KEY`.',
  );
