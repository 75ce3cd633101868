import { access, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sharedBackend } from '../helpers/backend';
import { runBatchgate, startBatchgate, type Finished, type RunningVerb } from '../helpers/command-line';
import { LABEL, loginFile, modeOf, readLogin, SENDER, startGoogle, type Google } from '../helpers/google';

/** The built command line against the emulator of Google's OAuth endpoints and Gmail. */
const SECRET = 'GOCSPX-of-the-client';
const SCOPE = 'https://www.googleapis.com/auth/gmail.modify';
let google: Google;
let dataDir: string;
/** All output of a test's processes. */
let printed: string;

beforeAll(async () => (google = await startGoogle()));
afterAll(() => google.close());
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-login-'));
  google.front.reset();
  printed = '';
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const environment = () => ({
  BATCHGATE_GOOGLE_AUTH_BASE_URL: google.url,
  BATCHGATE_GMAIL_BASE_URL: google.url,
  BATCHGATE_GOOGLE_CLIENT_ID: 'client-of-sam',
  BATCHGATE_GOOGLE_CLIENT_SECRET: SECRET,
});
const start = (...args: string[]) => startBatchgate(args, { dataDir, env: environment() });

async function ended(running: Promise<Finished>): Promise<Finished> {
  const finished = await running;
  printed += finished.stdout + finished.stderr;
  return finished;
}
const run = async (...args: string[]) => {
  const finished = await ended(runBatchgate([...args, '--json'], { dataDir, env: environment() }));
  return { ...finished, value: JSON.parse(finished.stdout) };
};

/** A login that waits for the browser, and the page that the user is asked to open. */
async function askForLogin(...flags: string[]): Promise<{ verb: RunningVerb; page: URL }> {
  const verb = start('login', 'google', '--no-browser', '--json', ...flags);
  await verb.says('Waiting for the answer');
  return { verb, page: new URL(/^http\S+$/m.exec(verb.output)![0]) };
}
async function logIn(): Promise<void> {
  const { verb, page } = await askForLogin();
  await google.allow(page.href);
  expect(await ended(verb.ended)).toMatchObject({ code: 0 });
}
const nothingStored = () => expect(access(loginFile(dataDir))).rejects.toThrow('ENOENT');
const change = async (changes: object) =>
  writeFile(loginFile(dataDir), JSON.stringify({ ...(await readLogin(dataDir)), ...changes }));

it('logs in through the page that it names, and stores the login for its owner only', async () => {
  const { verb, page } = await askForLogin();
  const asked = Object.fromEntries(page.searchParams);
  expect(asked).toMatchObject({
    scope: SCOPE,
    access_type: 'offline',
    prompt: 'consent',
    code_challenge_method: 'S256',
    client_id: 'client-of-sam',
  });
  expect(asked['redirect_uri']).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  expect(asked['state']!.length).toBeGreaterThanOrEqual(32);

  const redirect = await google.redirectOf(page.href);
  const shown = await fetch(redirect);
  expect(await shown.text()).toContain('You are logged in');

  const { code, stdout } = await ended(verb.ended);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ provider: 'google', scopes: [SCOPE], file: loginFile(dataDir) });
  const login = await readLogin(dataDir);
  expect(login).toMatchObject({ client_id: 'client-of-sam', scopes: [SCOPE] });
  expect(await modeOf(loginFile(dataDir))).toBe('600');
  expect(await modeOf(dirname(loginFile(dataDir)))).toBe('700');
  expect(await readdir(dirname(loginFile(dataDir)))).toEqual(['google.json']);

  const [exchange] = google.tokenRequests();
  const secrets = [
    SECRET,
    login.access_token,
    login.refresh_token,
    exchange!.get('code')!,
    exchange!.get('code_verifier')!,
  ];
  for (const secret of secrets) expect(printed).not.toContain(secret);
});

it('accepts one answer of the browser at its address, and ignores everything else', async () => {
  const { verb, page } = await askForLogin();
  const home = page.searchParams.get('redirect_uri')!;
  const state = page.searchParams.get('state')!;
  const statusOf = async (path: string, method = 'GET') =>
    (await fetch(new URL(path, home), { method })).status;
  expect(await statusOf('/')).toBe(404);
  expect(await statusOf('/favicon.ico')).toBe(404);
  expect(await statusOf(`/other?code=x&state=${state}`)).toBe(404);
  expect(await statusOf(`/?code=x&state=${state}`, 'POST')).toBe(404);
  await google.allow(page.href);
  expect(await ended(verb.ended)).toMatchObject({ code: 0 });
});

it.each([
  ['another state', 'state=of-somebody-else&code=stolen-code', /does not belong to this login/],
  ['no state', 'code=stolen-code', /does not belong to this login/],
  ['a refusal', 'state=STATE&error=access_denied', /did not grant the login: access_denied/],
  [
    'a code that Google does not know',
    'state=STATE&code=stolen-code',
    /did not accept the login: invalid_grant/,
  ],
])('refuses %s with a message, also in the browser, and stores nothing', async (_what, answer, message) => {
  const { verb, page } = await askForLogin();
  const back = new URL(page.searchParams.get('redirect_uri')!);
  back.search = answer.replace('STATE', page.searchParams.get('state')!);
  const shown = await fetch(back);
  expect(shown.status).toBe(400);
  expect(await shown.text()).toMatch(message);
  const { code, stdout } = await ended(verb.ended);
  expect(code).toBe(1);
  const { error } = JSON.parse(stdout);
  expect(error).toMatchObject({ code: 'CREDENTIALS_INVALID', message: expect.stringMatching(message) });
  expect(error.hint).not.toBe('');
  for (const secret of ['stolen-code', SECRET]) expect(printed).not.toContain(secret);
  await nothingStored();
});

it('requests the scopes that it needs, and keeps those that were granted before', async () => {
  const calendar = [
    'https://www.googleapis.com/auth/calendar.events',
    'https://www.googleapis.com/auth/calendar.calendarlist.readonly',
  ];
  const first = await askForLogin('--for', 'calendar');
  expect(first.page.searchParams.get('scope')).toBe(calendar.join(' '));
  await google.allow(first.page.href);
  expect(await ended(first.verb.ended)).toMatchObject({ code: 0 });
  expect((await readLogin(dataDir)).scopes).toEqual(calendar);

  const second = await askForLogin();
  expect(second.page.searchParams.get('scope')).toBe([SCOPE, ...calendar].join(' '));
  await google.allow(second.page.href, { scope: SCOPE });
  const refused = await ended(second.verb.ended);
  expect(JSON.parse(refused.stdout).error.message).toContain(
    `granted ${SCOPE}, but not ${calendar.join(' ')}`,
  );
  expect((await readLogin(dataDir)).scopes).toEqual(calendar);

  const both = await askForLogin('--for', 'gmail, calendar');
  await google.allow(both.page.href);
  expect(JSON.parse((await ended(both.verb.ended)).stdout).scopes).toEqual([SCOPE, ...calendar]);

  const unknown = await run('login', 'google', '--for', 'gmail,tasks');
  expect(unknown).toMatchObject({ code: 1, value: { error: { code: 'INVALID_INPUT' } } });
  expect(unknown.value.error.hint).toContain('gmail,calendar');
});

it('refuses a login without the scope that Gmail needs', async () => {
  const { verb, page } = await askForLogin();
  await google.allow(page.href, { scope: 'openid email' });
  const { code, stdout } = await ended(verb.ended);
  expect(code).toBe(1);
  expect(JSON.parse(stdout).error).toMatchObject({
    code: 'CREDENTIALS_INVALID',
    message: expect.stringContaining('granted openid email, but not'),
  });
  await nothingStored();
});

it("accepts the client from the console's file, and reports what is wrong with another file", async () => {
  const file = join(dataDir, 'client.json');
  await writeFile(file, JSON.stringify({ installed: { client_id: 'of-the-file', client_secret: SECRET } }));
  const { verb, page } = await askForLogin('--client', file);
  await google.allow(page.href);
  expect(await ended(verb.ended)).toMatchObject({ code: 0 });
  expect((await readLogin(dataDir)).client_id).toBe('of-the-file');

  await writeFile(file, JSON.stringify({ web: { client_id: 'of-the-file', client_secret: SECRET } }));
  const refused = await run('login', 'google', '--client', file);
  expect(refused).toMatchObject({ code: 1, value: { error: { code: 'CREDENTIALS_INVALID' } } });
  expect(refused.value.error.message).toContain('not of the type "Desktop app"');
  expect(printed).not.toContain(SECRET);
});

it('revokes a login at Google first and then deletes it here, and keeps it if Google cannot be reached', async () => {
  await logIn();
  const { refresh_token } = await readLogin(dataDir);
  google.front.rule = () => 'reset';
  expect(await run('login', 'google', '--forget')).toMatchObject({
    code: 1,
    value: { error: { code: 'ADAPTER_UNAVAILABLE' } },
  });
  expect((await readLogin(dataDir)).refresh_token).toBe(refresh_token);

  google.front.reset();
  expect(await run('login', 'google', '--forget')).toMatchObject({ code: 0, value: { revoked: true } });
  await nothingStored();
  const again = await fetch(`${google.direct}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token }),
  });
  expect(await again.json()).toMatchObject({ error: 'invalid_grant' });
  expect(await run('login', 'google', '--forget')).toMatchObject({
    code: 1,
    value: { error: { code: 'NOT_FOUND' } },
  });
  expect(printed).not.toContain(refresh_token);
});

describe('an operation with the stored login', () => {
  let up: RunningVerb;
  beforeEach(async () => {
    await logIn();
    up = startBatchgate(['up'], { dataDir, env: { ...environment(), ...(await sharedBackend()) } });
    await up.says('batchgate is up');
  });
  afterEach(() => up.interrupt());

  const label = JSON.stringify({ sender: SENDER, label_name: LABEL });
  const begin = () =>
    run('start', '--domain', 'gmail', '--action', 'label', '--params', label, '--batch-size', '6');

  it('changes the real mailbox, renews the token between batches, and asks for a new login when it has ended', async () => {
    const first = await readLogin(dataDir);
    google.front.reset();
    const { code, value } = await begin();
    expect({ code, total: value.total }).toEqual({ code: 0, total: 12 });
    const id = String(value.operation_id);
    expect(await run('continue', id)).toMatchObject({ code: 0, value: { succeeded: 6 } });
    expect(google.tokenRequests()).toEqual([]);
    expect(new Set(google.front.requests.map(({ authorization }) => authorization))).toEqual(
      new Set([`Bearer ${first.access_token}`]),
    );

    await change({ expires_at: new Date(0).toISOString() });
    expect(await run('continue', id)).toMatchObject({
      code: 0,
      value: { state: 'completed', succeeded: 12 },
    });
    expect(await google.labelled()).toBe(12);
    const second = await readLogin(dataDir);
    expect(second).toMatchObject({ refresh_token: first.refresh_token, client_secret: SECRET });
    expect(second.access_token).not.toBe(first.access_token);
    expect(Date.parse(second.expires_at)).toBeGreaterThan(Date.now());
    expect(await modeOf(loginFile(dataDir))).toBe('600');
    expect(google.tokenRequests().map((form) => form.get('grant_type'))).toEqual(['refresh_token']);

    await change({ expires_at: new Date(0).toISOString(), refresh_token: 'revoked-refresh-token' });
    const refused = await begin();
    expect(refused).toMatchObject({ code: 1, value: { error: { code: 'CREDENTIALS_INVALID' } } });
    expect(refused.value.error.message).toContain('invalid_grant');
    expect(refused.value.error.hint).toContain('batchgate login google');

    printed += (await up.interrupt()).stderr;
    const secrets = [SECRET, first.access_token, second.access_token, first.refresh_token];
    for (const secret of [...secrets, 'revoked-refresh-token']) expect(printed).not.toContain(secret);
  });
});
