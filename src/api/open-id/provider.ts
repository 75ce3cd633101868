import type * as Jose from 'jose';
import type * as OpenIdClient from 'openid-client';
import type { Role, SignInAttempt } from '../../contract/access';
import { BatchgateError } from '../../contract/errors';
import { shortened } from '../../contract/text';
import { groupsOf, nameOf, roleOf, type Claims } from '../../core/access/claims';
import { remembered } from '../../core/shared/promises';
import type { OidcConfig } from '../../host/config-file';
import { optional } from '../../host/optional';

export interface OpenIdOptions extends OidcConfig {
  /** Read on first use. */
  clientSecret: () => Promise<string | undefined>;
}

/** A person from the identity provider, with the role that the configuration assigns. */
interface Person {
  name: string;
  role: Role;
  subject: string;
  groups?: string[];
  authenticated_at?: string;
}

/** The parts of an identity provider that sign-in needs. */
export interface Provider {
  readonly issuer: string;
  /** The address for the browser, and the state to store until it returns. `fresh` makes the person sign in again. */
  begin(
    fresh?: boolean,
  ): Promise<{ url: string; attempt: Pick<SignInAttempt, 'state' | 'nonce' | 'code_verifier'> }>;
  /**
   * Returns the person whose browser returned to this address.
   * @throws BatchgateError `UNAUTHORIZED` unless the provider answered this attempt, `FORBIDDEN` without a role.
   */
  finish(answer: URL, attempt: SignInAttempt): Promise<Person>;
  /** The person of an access token; undefined if the configuration does not accept the token. */
  personOf(token: string): Promise<Person | undefined>;
  /** The agent that a person authorised with an access token for this audience; undefined for any other token. */
  agentOf(token: string, audience: string): Promise<Person | undefined>;
  /** The address at which a browser ends the session at the provider, if the provider supports that. */
  signOutUrl(): Promise<string | undefined>;
}

/** `origin` is this server's address for people. */
export function createProvider(options: OpenIdOptions, origin: () => string): Provider {
  const client = optional<typeof OpenIdClient>('openid-client');
  const discovered = remembered(() => discover(client, options));
  const verify = remembered(async () => verifier(await discovered()));
  return {
    issuer: options.issuer,
    async begin(fresh = false) {
      const config = await discovered();
      const attempt = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        code_verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: `${origin()}${CALLBACK}`,
        scope: options.scope,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(attempt.code_verifier),
        code_challenge_method: 'S256',
        ...(fresh && { max_age: '0' }),
      });
      return { url: url.href, attempt };
    },
    async finish(answer, attempt) {
      const config = await discovered();
      const claims = await exchange(client, config, answer, attempt).catch((error: unknown) => {
        throw refused(error);
      });
      const { auth_time } = claims;
      return {
        ...knownPerson(claims, options),
        ...(typeof auth_time === 'number' && { authenticated_at: new Date(auth_time * 1_000).toISOString() }),
      };
    },
    async personOf(token) {
      if (options.audience === undefined || !isSigned(token)) return undefined;
      const claims = await (await verify())(token, options.audience);
      return claims && isIssuedTo(claims, options.clients) ? knownPerson(claims, options) : undefined;
    },
    async agentOf(token, audience) {
      if (!isSigned(token)) return undefined;
      const claims = await (await verify())(token, audience);
      // Throws if the person has no role: their agent may not use batchgate either.
      return claims && { ...knownPerson(claims, options), role: 'agent' };
    },
    async signOutUrl() {
      const config = await discovered();
      if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
      return client.buildEndSessionUrl(config, { post_logout_redirect_uri: `${origin()}/` }).href;
    },
  };
}

export const CALLBACK = '/sign-in/oidc/callback';

async function discover(
  client: typeof OpenIdClient,
  { issuer, client_id, clientSecret }: OpenIdOptions,
): Promise<OpenIdClient.Configuration> {
  const secret = await clientSecret();
  const authentication = secret === undefined ? client.None() : client.ClientSecretPost(secret);
  // ID tokens come from the provider over TLS. Their signatures are checked nevertheless.
  const execute = [client.enableNonRepudiationChecks];
  if (issuer.startsWith('http:')) execute.push(client.allowInsecureRequests);
  try {
    return await client.discovery(new URL(issuer), client_id, undefined, authentication, { execute });
  } catch {
    throw new BatchgateError(
      'ADAPTER_UNAVAILABLE',
      `The identity provider ${issuer} does not answer.`,
      'Try again. If it lasts, check `oidc.issuer` in batchgate.config.json.',
    );
  }
}

/** Claims of the ID token override those of the userinfo endpoint, which many providers need for groups. */
async function exchange(
  client: typeof OpenIdClient,
  config: OpenIdClient.Configuration,
  answer: URL,
  { state, nonce, code_verifier }: SignInAttempt,
): Promise<Claims> {
  const tokens = await client.authorizationCodeGrant(config, answer, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: code_verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (!claims) throw new Error('no ID token');
  if (config.serverMetadata().userinfo_endpoint === undefined) return claims;
  return { ...(await client.fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims };
}

const isSigned = (token: string) => token.split('.').length === 3;

function verifier(config: OpenIdClient.Configuration) {
  const jose = optional<typeof Jose>('jose');
  const { issuer, jwks_uri } = config.serverMetadata();
  if (jwks_uri === undefined) return () => Promise.resolve(undefined);
  const keys = jose.createRemoteJWKSet(new URL(jwks_uri));
  return async (token: string, audience: string): Promise<Claims | undefined> => {
    const expected = { issuer, audience, requiredClaims: ['sub', 'exp'] };
    try {
      return (await jose.jwtVerify(token, keys, expected)).payload;
    } catch {
      // The provider did not sign it, it is for another audience, or it has expired.
      return undefined;
    }
  };
}

/** Whether the token was issued to one of these clients: `azp` in OpenID Connect, `client_id` in RFC 9068. */
function isIssuedTo({ azp, client_id }: Claims, clients: readonly string[] = []): boolean {
  const parties = [azp, client_id].filter((party) => party !== undefined);
  return parties.length > 0 && parties.every((party) => clients.some((client) => client === party));
}

function knownPerson(
  claims: Claims,
  { roles, name_claim, groups_claim = 'groups', issuer }: OpenIdOptions,
): Person {
  const name = nameOf(claims, name_claim);
  const { sub } = claims;
  if (name === undefined || typeof sub !== 'string') throw refused(new Error('no name'));
  const role = roleOf(claims, roles);
  const groups = groupsOf(claims, groups_claim);
  if (role !== undefined) return { name, role, subject: sub, ...(groups.length > 0 && { groups }) };
  throw new BatchgateError(
    'FORBIDDEN',
    `${name} may not use batchgate: no rule gives a role to what ${issuer} says about them.`,
    'Ask an administrator to give you a group that has a role, or to add a rule to `oidc.roles`.',
  );
}

function refused(error: unknown): BatchgateError {
  const { error: reason, code } = error as { error?: unknown; code?: unknown };
  const why = [reason, code].find((text) => typeof text === 'string') ?? 'INVALID_RESPONSE';
  return new BatchgateError(
    'UNAUTHORIZED',
    `The identity provider did not sign you in: ${shortened(why)}.`,
    'Sign in again at /sign-in/oidc.',
  );
}
