// An OpenID Connect provider in a separate process; it ends with its parent. Anybody signs in, with any password.
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';

const { Provider } = await import(pathToFileURL(process.argv[2]));
const { privateKey } = await generateKeyPair('RS256', { extractable: true });
const foreign = await generateKeyPair('RS256');
const jwk = { ...(await exportJWK(privateKey)), kid: 'test', alg: 'RS256', use: 'sig' };
const server = createServer().listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;

const sign = (claims, key = privateKey) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'test' }).sign(key);

/** By login: the claims of an ID token after an attacker between us and the provider changed them. */
const FORGERIES = {
  'mallory.audience': (claims) => sign({ ...claims, aud: 'another-client' }),
  'mallory.issuer': (claims) => sign({ ...claims, iss: 'https://evil.example' }),
  'mallory.nonce': (claims) => sign({ ...claims, nonce: 'of another sign-in' }),
  'mallory.expired': (claims) => sign({ ...claims, iat: 1_600_000_000, exp: 1_600_000_600 }),
  'mallory.signature': (claims) => sign({ ...claims, groups: ['bulk-admins'] }, foreign.privateKey),
};

async function forge(ctx, next) {
  await next();
  if (ctx.path !== '/token' || typeof ctx.body?.id_token !== 'string') return;
  const claims = decodeJwt(ctx.body.id_token);
  const forged = await FORGERIES[claims.sub]?.(claims);
  if (forged) ctx.body = { ...ctx.body, id_token: forged };
}

const claimsOf = (login, people) => ({
  sub: login,
  name: login,
  email: `${login}@example.com`,
  email_verified: true,
  ...people[login],
});

function serve({ clients, people }) {
  const provider = new Provider(issuer, {
    clients,
    jwks: { keys: [jwk] },
    cookies: { keys: ['of the test'] },
    pkce: { required: () => true },
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'], groups: ['groups'] },
    findAccount: (_, login) => ({ accountId: login, claims: () => claimsOf(login, people) }),
    extraTokenClaims: (_, { accountId }) => claimsOf(accountId, people),
    features: {
      devInteractions: { enabled: true },
      rpInitiatedLogout: { enabled: true },
      // RFC 8707: a client names the server that it wants a token for.
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, audience) => ({
          ...{ audience, scope: 'openid profile groups', accessTokenFormat: 'jwt' },
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  provider.use(forge);
  server.on('request', provider.callback());
}

process.on('message', async ({ settings, token, by }) => {
  if (settings) serve(settings);
  process.send(token ? await sign(token, by === 'somebody else' ? foreign.privateKey : privateKey) : 'ready');
});
process.once('disconnect', () => process.exit());
process.send(issuer);
