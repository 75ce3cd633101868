import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGmailAdapter } from '../../activities/adapters/gmail';
import { loadConfig } from '../../src/host/config';
import { describeGoogleCredentials } from '../../activities/adapters/google/describe';
import { googleAccess } from '../../activities/adapters/google/access';
import type { StoredLogin } from '../../activities/adapters/google/protocol';
import {
  CALENDAR_EVENTS_SCOPE,
  CALENDAR_LIST_SCOPE,
  GMAIL_SCOPE,
} from '../../activities/adapters/google/services';
import { loginStore } from '../../activities/adapters/google/describe';
import { openLoopback } from '../../activities/adapters/shared/loopback';
import {
  expectNoSecret,
  keepLogin,
  loginFile,
  modeOf,
  PAST,
  readLogin,
  startGoogle,
  type Google,
} from '../helpers/google';
import { gateway } from '../helpers/harness';
import { apiError } from './fault-proxy';
import { failure } from './gmail-setup';

let google: Google;
let dataDir: string;

beforeAll(async () => (google = await startGoogle()));
afterAll(() => google.close());
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-credentials-'));
  google.front.reset();
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const configured = (variables: Record<string, string> = {}) =>
  loadConfig({
    BATCHGATE_DATA_DIR: dataDir,
    BATCHGATE_GOOGLE_AUTH_BASE_URL: google.url,
    BATCHGATE_GMAIL_BASE_URL: google.url,
    ...variables,
  });

const keep = (changes: Partial<StoredLogin> = {}, mode?: number) => keepLogin(dataDir, changes, mode);

/** Google answers the token requests in this order, and repeats the last answer. */
function answerTokens(...answers: { status?: number; body: object }[]): void {
  let at = 0;
  google.front.rule = ({ path }, forward) => {
    if (path !== '/oauth2/token') return forward();
    const { status = 200, body } = answers[Math.min(at++, answers.length - 1)]!;
    return { status, body: JSON.stringify(body) };
  };
}

const IN_BASE64 = Buffer.from('kept-secret').toString('base64');

describe('a stored login', () => {
  test('is renewed once for all callers that find it expiring, in several processes', async () => {
    await keep({ expires_at: PAST });
    answerTokens({ body: { access_token: 'second', expires_in: 3600, token_type: 'Bearer' } });
    const [one, other] = [googleAccess(configured(), 'gmail'), googleAccess(configured(), 'gmail')];
    expect(await Promise.all([one(), other(), one(), other(), one()])).toEqual(Array(5).fill('second'));
    expect(google.tokenRequests().map((form) => Object.fromEntries(form))).toEqual([
      {
        grant_type: 'refresh_token',
        refresh_token: 'kept-refresh',
        client_id: 'client',
        client_secret: 'kept-secret',
      },
    ]);
    expect(await readLogin(dataDir)).toMatchObject({
      refresh_token: 'kept-refresh',
      scopes: [GMAIL_SCOPE],
      client_secret: 'kept-secret',
    });
    expect(await modeOf(loginFile(dataDir))).toBe('600');
  });

  test('keeps a new refresh token if Google sends one', async () => {
    await keep({ expires_at: PAST });
    answerTokens({ body: { access_token: 'second', expires_in: 3600, refresh_token: 'next-refresh' } });
    await googleAccess(configured(), 'gmail')();
    expect((await readLogin(dataDir)).refresh_token).toBe('next-refresh');
  });

  test('that is replaced during a renewal of the old one stays', async () => {
    await keep({ expires_at: PAST });
    const [asked, answered] = [gateway(), gateway()];
    google.front.rule = async () => {
      asked.open();
      await answered.opened;
      return { status: 200, body: JSON.stringify({ access_token: 'of-the-old-login', expires_in: 3600 }) };
    };
    const access = googleAccess(configured(), 'gmail');
    const renewal = access();
    await asked.opened;
    const store = loginStore(dataDir);
    const found = store.exclusively(async () => {
      const before = await readLogin(dataDir);
      await store.write({ ...before, access_token: 'of-the-new-login', refresh_token: 'new-refresh' });
      return before.access_token;
    });
    answered.open();
    expect(await renewal).toBe('of-the-old-login');
    expect(await found).toBe('of-the-old-login');
    expect(await access('of-the-old-login')).toBe('of-the-new-login');
    expect((await readLogin(dataDir)).refresh_token).toBe('new-refresh');
    expect(google.tokenRequests()).toHaveLength(1);
  });

  test('whose token Gmail refuses is renewed once, and the change is made once', async () => {
    await keep();
    answerTokens({ body: { access_token: 'second', expires_in: 3600 } });
    const tokens = google.front.rule!;
    google.front.rule = (request, forward) =>
      request.authorization === 'Bearer kept-access' ? apiError(401, 'authError') : tokens(request, forward);
    const adapter = createGmailAdapter({
      rootUrl: google.url,
      accessToken: googleAccess(configured(), 'gmail'),
    });
    const limits = {
      signal: new AbortController().signal,
      deadline: Date.now() + 30_000,
      operation_id: 'bulk-test',
      run_id: 'run-1',
    };
    const context = await adapter.prepare({ action: 'star', params: {}, explicit_items: true }, limits);
    const items = ['message-0', 'message-1'].map((id) => ({ id, display_name: id }));
    const planned = await adapter.freezeItems!(items, context, limits);
    const results = await adapter.executeBatch(planned, context, limits);
    expect(results.map(({ success }) => success)).toEqual([true, true]);
    expect(google.tokenRequests()).toHaveLength(1);
    expect(google.front.calls.filter((call) => call === 'POST modify')).toHaveLength(2);

    google.front.rule = (request, forward) =>
      request.path === '/oauth2/token' ? tokens(request, forward) : apiError(401, 'authError');
    google.front.requests = [];
    const error = await failure(adapter.executeBatch(planned.slice(0, 1), context, limits));
    expect(error.code).toBe('CREDENTIALS_INVALID');
    expect(google.front.calls).toEqual(['GET message-0', 'POST token', 'GET message-0']);
  });

  test.each([
    [
      { status: 400, body: { error: 'invalid_grant', error_description: 'Bad kept-refresh' } },
      'invalid_grant',
    ],
    [{ status: 401, body: { error: 'invalid_client', error_description: 'kept-secret' } }, 'invalid_client'],
    [{ status: 401, body: { error: 'invalid_client', error_description: IN_BASE64 } }, 'invalid_client'],
    [{ body: {} }, 'contains no token'],
  ])(
    'that Google refuses with %j is invalid, after one request and without its secrets',
    async (answer, said) => {
      await keep({ expires_at: PAST });
      answerTokens(answer);
      const error = await failure(googleAccess(configured(), 'gmail')());
      expect(error.code).toBe('CREDENTIALS_INVALID');
      expect(error.message).toContain(said);
      expect(error.hint).toContain('batchgate login google');
      expect(google.tokenRequests()).toHaveLength(1);
      expectNoSecret(error);
      expect(error.message).not.toContain(IN_BASE64);
      expect((await readLogin(dataDir)).refresh_token).toBe('kept-refresh');
    },
  );

  test.each([
    ['answers 503', () => ({ status: 503, body: '{}' })],
    ['breaks the connection', () => 'reset' as const],
  ])('stays unchanged if Google %s, and can be retried', async (_what, rule) => {
    await keep({ expires_at: PAST });
    google.front.rule = rule;
    const error = await failure(googleAccess(configured(), 'gmail')());
    expect(error.code).toBe('ADAPTER_UNAVAILABLE');
    expect(google.tokenRequests()).toHaveLength(1);
    expectNoSecret(error);
    expect(await readLogin(dataDir)).toMatchObject({ access_token: 'kept-access', expires_at: PAST });
  });

  test('for Gmail only is not used for the calendar, and the error names the command; for both it is', async () => {
    await keep();
    const calendar = googleAccess(configured(), 'calendar');
    const error = await failure(calendar());
    expect(error.code).toBe('CREDENTIALS_INVALID');
    expect(error.message).toContain(CALENDAR_EVENTS_SCOPE);
    expect(error.hint).toContain('`batchgate login google --for calendar`');
    expect(await googleAccess(configured(), 'gmail')()).toBe('kept-access');
    expect(await describeGoogleCredentials(configured(), 'calendar')).toMatchObject({
      source: 'login',
      ok: false,
      elsewhere: true,
      remedy: expect.stringContaining('batchgate login google --for calendar'),
    });

    await keep({ scopes: ['https://mail.google.com/', CALENDAR_EVENTS_SCOPE, CALENDAR_LIST_SCOPE] });
    expect(await calendar()).toBe('kept-access');
    for (const service of ['gmail', 'calendar'] as const)
      expect(await describeGoogleCredentials(configured(), service)).toMatchObject({ ok: true });

    await keep({ scopes: ['https://www.googleapis.com/auth/calendar'] });
    expect(await calendar()).toBe('kept-access');
    expect((await failure(googleAccess(configured(), 'gmail')())).hint).toContain('`batchgate login google`');
    expect(google.front.requests).toEqual([]);
  });

  test('that cannot be parsed is not used, and the error names the command', async () => {
    await keep();
    await writeFile(loginFile(dataDir), '{');
    expect(await failure(googleAccess(configured(), 'gmail')())).toMatchObject({
      code: 'CREDENTIALS_INVALID',
      message: `The stored login in ${loginFile(dataDir)} cannot be read.`,
      hint: 'Log in again with `batchgate login google`.',
    });
  });

  test('that others may read is not used, and the error says how to fix it', async () => {
    await keep({}, 0o640);
    const error = await failure(googleAccess(configured(), 'gmail')());
    expect(error).toMatchObject({
      code: 'CREDENTIALS_INVALID',
      message: expect.stringContaining('mode 640'),
    });
    expect(error.hint).toContain(`chmod 600 ${loginFile(dataDir)}`);
    expect(await describeGoogleCredentials(configured(), 'gmail')).toMatchObject({
      source: 'login',
      ok: false,
    });
    await chmod(loginFile(dataDir), 0o600);
    expect(await googleAccess(configured(), 'gmail')()).toBe('kept-access');
  });
});

test('an access token in the variable that Google refuses is invalid, and nothing replaces it', async () => {
  await keep();
  const access = googleAccess(configured({ BATCHGATE_GOOGLE_ACCESS_TOKEN: 'access-by-variable' }), 'gmail');
  expect(await access()).toBe('access-by-variable');
  const error = await failure(access('access-by-variable'));
  expect(error.code).toBe('CREDENTIALS_INVALID');
  expectNoSecret(error);
});

test('a login ends if nobody comes in time', async () => {
  const loopback = await openLoopback();
  const error = await failure(loopback.receive(1, () => Promise.resolve()));
  expect(error).toMatchObject({ code: 'CREDENTIALS_INVALID' });
  loopback.close();
});

test('secrets are sent unencrypted only to this machine', () => {
  const at = (url: string) => () => configured({ BATCHGATE_GOOGLE_AUTH_BASE_URL: url });
  expect(at('http://auth.example')).toThrow('BATCHGATE_GOOGLE_AUTH_BASE_URL: must be https');
  expect(at('https://auth.example/')().googleAuthBaseUrl).toBe('https://auth.example');
  expect(at('http://localhost:4000')).not.toThrow();
});
