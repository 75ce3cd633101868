import { generateKeyPairSync, verify } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { loadConfig } from '../../src/host/config';
import { describeGoogleCredentials } from '../../activities/adapters/google/describe';
import { googleAccess } from '../../activities/adapters/google/access';
import {
  CALENDAR_EVENTS_SCOPE,
  CALENDAR_LIST_SCOPE,
  GMAIL_SCOPE,
} from '../../activities/adapters/google/services';
import { expectNoSecret, FUTURE, keepLogin, PAST, SECRETS, USER } from '../helpers/google';
import { failure } from './gmail-setup';

let dataDir: string;
beforeEach(async () => (dataDir = await mkdtemp(join(tmpdir(), 'batchgate-account-'))));
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const configured = (variables: Record<string, string> = {}) =>
  loadConfig({ BATCHGATE_DATA_DIR: dataDir, BATCHGATE_GMAIL_BASE_URL: 'http://127.0.0.1:9', ...variables });

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
let account: string;

beforeEach(async () => {
  account = join(dataDir, 'account.json');
  const key = { type: 'service_account', client_email: 'bot@project.example', private_key: pem };
  await writeFile(account, JSON.stringify({ ...key, private_key_id: 'key-1' }));
});
const withAccount = (variables: Record<string, string>) =>
  configured({ BATCHGATE_GOOGLE_SERVICE_ACCOUNT_FILE: account, ...variables });

describe('a service account', () => {
  let closeEndpoint: () => void = () => undefined;
  afterEach(() => closeEndpoint());

  /** A token endpoint that accepts only signatures by the account's key. */
  async function tokenEndpoint() {
    const claims: Record<string, unknown>[] = [];
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const form = new URLSearchParams(body);
        const [header, payload, signature] = (form.get('assertion') ?? '').split('.') as [
          string,
          string,
          string,
        ];
        const signed = verify(
          'RSA-SHA256',
          Buffer.from(`${header}.${payload}`),
          publicKey,
          Buffer.from(signature, 'base64url'),
        );
        const genuine = signed && form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer';
        claims.push(JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>);
        response
          .writeHead(genuine ? 200 : 400, { 'content-type': 'application/json' })
          .end(
            JSON.stringify(
              genuine
                ? { access_token: `for-the-user-${claims.length}`, expires_in: 3600, token_type: 'Bearer' }
                : { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' },
            ),
          );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    closeEndpoint = () => server.close();
    return { url, claims };
  }

  test('signs for its user and the scopes of one service, once until the token is refused', async () => {
    const endpoint = await tokenEndpoint();
    const config = withAccount({
      BATCHGATE_GOOGLE_AUTH_BASE_URL: endpoint.url,
      BATCHGATE_GOOGLE_SUBJECT: USER,
    });
    const access = googleAccess(config, 'gmail');
    expect(await Promise.all([access(), access()])).toEqual(['for-the-user-1', 'for-the-user-1']);
    expect(await access('for-the-user-1')).toBe('for-the-user-2');
    expect(endpoint.claims[0]).toMatchObject({
      iss: 'bot@project.example',
      sub: USER,
      scope: GMAIL_SCOPE,
      aud: `${endpoint.url}/oauth2/token`,
    });
    expect(endpoint.claims).toHaveLength(2);
    await googleAccess(config, 'calendar')();
    expect(endpoint.claims[2]).toMatchObject({
      sub: USER,
      scope: `${CALENDAR_EVENTS_SCOPE} ${CALENDAR_LIST_SCOPE}`,
    });

    const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const other = stranger.export({ type: 'pkcs8', format: 'pem' }).toString();
    await writeFile(
      account,
      JSON.stringify({ type: 'service_account', client_email: 'bot@project.example', private_key: other }),
    );
    const error = await failure(googleAccess(config, 'gmail')());
    expect(error).toMatchObject({ code: 'CREDENTIALS_INVALID' });
    expect(error.message).toContain('Invalid JWT Signature');
    expectNoSecret(error);
  });

  test('without the user that it acts for, or with a broken key, reports that and sends nothing', async () => {
    expect((await failure(googleAccess(withAccount({}), 'gmail')())).hint).toContain(
      'BATCHGATE_GOOGLE_SUBJECT',
    );
    await writeFile(
      account,
      JSON.stringify({ type: 'service_account', client_email: 'bot', private_key: 'kept-secret' }),
    );
    const error = await failure(googleAccess(withAccount({ BATCHGATE_GOOGLE_SUBJECT: USER }), 'gmail')());
    expect(error).toMatchObject({ code: 'CREDENTIALS_INVALID' });
    expect(error.message).toContain('private_key: is not a private key');
    expectNoSecret(error);
  });
});

describe('the credentials in use', () => {
  test('are the token variable, then the service account, then the stored login, and their description says so', async () => {
    const described = async (variables: Record<string, string>) => {
      const description = await describeGoogleCredentials(configured(variables), 'gmail');
      for (const secret of SECRETS) expect(description.detail).not.toContain(secret);
      return description;
    };
    expect(await described({})).toMatchObject({ source: 'none', ok: false, remedy: expect.any(String) });
    expect(await described({ BATCHGATE_GMAIL_BASE_URL: '' })).toMatchObject({ source: 'none', ok: true });
    await keepLogin(dataDir);
    expect(await described({})).toMatchObject({
      source: 'login',
      ok: true,
      detail: expect.stringContaining(FUTURE),
    });
    const both = { BATCHGATE_GOOGLE_SERVICE_ACCOUNT_FILE: account, BATCHGATE_GOOGLE_SUBJECT: USER };
    expect(await described(both)).toMatchObject({
      source: 'service_account',
      ok: true,
      detail: expect.stringContaining(`bot@project.example for ${USER}`),
    });
    expect(await described({ BATCHGATE_GOOGLE_SERVICE_ACCOUNT_FILE: account })).toMatchObject({
      source: 'service_account',
      ok: false,
    });
    const all = { ...both, BATCHGATE_GOOGLE_ACCESS_TOKEN: 'access-by-variable' };
    expect(await described(all)).toMatchObject({ source: 'token', ok: true });
  });

  test('are the same for the calendar if they have its scopes, and its own address counts', async () => {
    const described = (variables: Record<string, string>) =>
      describeGoogleCredentials(configured(variables), 'calendar');
    expect(await described({})).toMatchObject({
      source: 'none',
      ok: true,
      detail: expect.stringContaining('the local calendar is used instead'),
      remedy: 'Log in with `batchgate login google --for calendar`.',
    });
    const elsewhere = { BATCHGATE_CALENDAR_BASE_URL: 'http://127.0.0.1:9' };
    expect(await described(elsewhere)).toMatchObject({ source: 'none', ok: false });
    const both = { BATCHGATE_GOOGLE_SERVICE_ACCOUNT_FILE: account, BATCHGATE_GOOGLE_SUBJECT: USER };
    expect((await described(both)).detail).toContain(CALENDAR_EVENTS_SCOPE);
  });

  test.each([
    ['without the scope', { scopes: ['openid'] }, 'gmail.modify'],
    ['past the end of the login itself', { login_expires_at: PAST }, 'batchgate login google'],
  ])('cannot be used as a login %s', async (_what, changes, remedy) => {
    await keepLogin(dataDir, changes);
    expect(await describeGoogleCredentials(configured(), 'gmail')).toMatchObject({
      source: 'login',
      ok: false,
      remedy: expect.stringContaining(remedy),
    });
  });
});
