import { sql } from 'kysely';
import { launchChromium, newContext } from '../helpers/browser';
import { Browser } from '../helpers/identity-provider';
import { CLIENT, startOpenIdStage, type OpenIdStage } from '../helpers/open-id-stage';

let stage: OpenIdStage;
let { provider, harness, http, callback, comeBack, me, post } = {} as OpenIdStage;

beforeAll(async () => {
  stage = await startOpenIdStage();
  ({ provider, harness, http, callback, comeBack, me, post } = stage);
});
afterAll(() => stage?.close());

const problem = async (answer: Response) => {
  const { code, message } = (await answer.json()) as { code: string; message: string };
  return [answer.status, code, message] as const;
};

describe('a person who signs in through the identity provider', () => {
  it('decides under their name, with the assurance of their session, until they sign out', async () => {
    const browser = new Browser();
    const back = await comeBack(browser, 'ada', '/sign-in/oidc?return_to=/operations/one');
    const answer = await browser.open(back);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('<meta http-equiv="refresh" content="0;url=/operations/one" />');
    expect(answer.headers.get('set-cookie')).toMatch(
      /batchgate_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=3600$/,
    );
    const { form_token: _, ...shown } = await me(browser);
    expect(shown).toEqual({
      ...{ kind: 'person', name: 'Ada Lovelace', role: 'admin' },
      ...{ subject: 'ada', groups: ['staff', 'bulk-admins'] },
    });
    const { operation_id } = await harness.start({});
    const body = { batch: 1, by: 'somebody else' };
    expect((await post(browser, `/v1/operations/${operation_id}/continue`, body)).status).toBe(200);
    const { confirmations } = await harness.status(operation_id);
    expect(confirmations).toMatchObject([{ by: 'Ada Lovelace', via: 'update', assurance: 'session' }]);
    const report = await http.ask('GET', `/v1/operations/${operation_id}/report`);
    expect(report.body.rows[0]).toMatchObject({
      confirmed_by: 'Ada Lovelace',
      confirmed_via: 'update',
      confirmed_assurance: 'session',
    });
    const signedOut = await post(browser, '/v1/sign-out');
    const { sign_out_url } = (await signedOut.json()) as { sign_out_url: string };
    expect((await browser.open(`${http.url}/v1/me`)).status).toBe(401);
    const { page } = await browser.follow(sign_out_url);
    expect(page).toContain('Do you want to sign-out');
  });

  it('registers a passkey only after the provider has checked who it is, just now', async () => {
    const browser = new Browser();
    const page = async () =>
      (await browser.open(`${http.url}/passkeys`, { headers: { accept: 'text/html' } })).text();
    await browser.open(await comeBack(browser, 'ada'));
    const again = /href="(\/sign-in\/oidc\?fresh=yes[^"]*)"/.exec(await page())?.[1] ?? '';
    expect(again).not.toBe('');
    // The provider asks for the password again, although it remembers her.
    await browser.open(await comeBack(browser, 'ada', again.replaceAll('&amp;', '&')));
    expect(await page()).toContain('Register a passkey</button>');
    await sql`update batchgate.signed_in set authenticated_at = now() - interval '11 minutes'`.execute(
      harness.store.db,
    );
    expect(await page()).toContain('sign in again and come back within 10 minutes');
  });

  it('signs in, decides and signs out in a browser', async () => {
    const { operation_id } = await harness.start({});
    const address = `${http.url}/operations/${operation_id}`;
    const chromium = await launchChromium();
    try {
      const page = await (await newContext(chromium)).newPage();
      await page.goto(address);
      await page.getByRole('heading', { name: 'Please sign in' }).waitFor();
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.locator('input[name=login]').fill('ada');
      await page.locator('input[name=password]').fill('any');
      await page.getByRole('button', { name: 'Sign-in' }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
      // She is back on the page that she had opened.
      await page.getByText('Batch 1 of 1').waitFor();
      expect(page.url()).toBe(address);
      await page.getByRole('button', { name: 'Continue with 10 items' }).click();
      await page.getByText('Completed! Processed 10/10 items.').first().waitFor();
      const { confirmations } = await harness.status(operation_id);
      expect(confirmations).toMatchObject([
        { by: 'Ada Lovelace', assurance: 'session', outcome: 'accepted' },
      ]);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
      await page.getByRole('link', { name: 'Sign out there too' }).click();
      await page.getByRole('button', { name: 'Yes, sign me out' }).click();
      // The provider redirects the browser back, and both sessions have ended.
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.locator('input[name=login]').waitFor();
      await page.goto(address);
      await page.getByRole('heading', { name: 'Please sign in' }).waitFor();
    } finally {
      await chromium.close();
    }
  });

  it('gets the role of the first rule that matches their claims, and is refused without one', async () => {
    for (const [login, role] of [
      ['bob', 'approver'],
      ['vic', 'viewer'],
    ] as const) {
      const browser = new Browser();
      await browser.open(await comeBack(browser, login));
      expect(await me(browser)).toMatchObject({ role, subject: login });
    }
    const viewer = new Browser();
    await viewer.open(await comeBack(viewer, 'vic'));
    const { operation_id } = await harness.start({});
    const refused = await post(viewer, `/v1/operations/${operation_id}/continue`, { batch: 1 });
    expect((await problem(refused)).slice(0, 2)).toEqual([403, 'FORBIDDEN']);
    // The provider has not verified that this email address is hers.
    const eve = new Browser();
    const [status, code, message] = await problem(await eve.open(await comeBack(eve, 'eve')));
    expect([status, code]).toEqual([403, 'FORBIDDEN']);
    expect(message).toContain('eve may not use batchgate');
    expect((await eve.open(`${http.url}/v1/me`)).status).toBe(401);
  });

  it('is signed out when the session expires', async () => {
    const browser = new Browser();
    await browser.open(await comeBack(browser, 'ada'));
    expect((await me(browser)).name).toBe('Ada Lovelace');
    await sql`update batchgate.signed_in set expires_at = now()`.execute(harness.store.db);
    expect((await browser.open(`${http.url}/v1/me`)).status).toBe(401);
  });
});

describe('a sign-in that differs from the one that this browser began', () => {
  const refused = async (browser: Browser, url: string) => {
    const [status, code] = await problem(await browser.open(url));
    expect([url, status, code]).toEqual([url, 401, 'UNAUTHORIZED']);
    expect((await browser.open(`${http.url}/v1/me`)).status).toBe(401);
  };

  it('is refused in another browser, with another state, and with a code that was used', async () => {
    const [ada, other] = [new Browser(), new Browser()];
    const back = await comeBack(ada, 'ada');
    await refused(other, back);
    // The other browser has begun its own sign-in.
    await comeBack(other, 'vic');
    await refused(other, back);
    expect((await ada.open(back)).status).toBe(200);
    await refused(new Browser(), back);
    const [, code, message] = await problem(await ada.open(back));
    expect([code, message]).toEqual(['UNAUTHORIZED', expect.stringContaining('not begun in this browser')]);
    const again = new Browser();
    const second = new URL(await comeBack(again, 'ada'));
    second.searchParams.set('code', new URL(back).searchParams.get('code') ?? '');
    await refused(again, second.href);
  });

  it('is refused if it was forged, if the person declines, and if it took too long', async () => {
    for (const what of ['audience', 'issuer', 'nonce', 'expired', 'signature']) {
      const browser = new Browser();
      await refused(browser, await comeBack(browser, `mallory.${what}`));
    }
    const declined = new Browser();
    const { searchParams } = new URL(await comeBack(declined, 'ada'));
    const answer = new URLSearchParams({
      error: 'access_denied',
      state: searchParams.get('state') ?? '',
      iss: provider.issuer,
    });
    const [, , message] = await problem(await declined.open(`${callback()}?${answer.toString()}`));
    expect(message).toBe('The identity provider did not sign you in: access_denied.');
    const slow = new Browser();
    const back = await comeBack(slow, 'ada');
    await sql`update batchgate.sign_in_attempts set expires_at = now()`.execute(harness.store.db);
    await refused(slow, back);
  });

  it('never redirects to another site', async () => {
    const foreign = ['https://evil.example', '//evil.example', '/\\evil.example', '/"><script>'];
    for (const path of [
      ...foreign,
      '/\t/evil.example',
      '/\n/evil.example',
      '/&#47;evil.example',
      '//:80',
      '',
      'operations',
    ]) {
      const answer = await fetch(`${http.url}/sign-in/oidc?return_to=${encodeURIComponent(path)}`);
      expect((await problem(answer)).slice(0, 2)).toEqual([400, 'INVALID_INPUT']);
    }
    // In an attribute, a browser would read a slash or a backslash here. The others are what our own pages link.
    for (const path of [
      '/&sol;evil.example',
      '/&bsol;evil.example',
      "/sessions/ana's%20chat%20(1)",
      '/?q=inv*!',
    ]) {
      const browser = new Browser();
      const text = await (
        await browser.open(
          await comeBack(browser, 'ada', `/sign-in/oidc?return_to=${encodeURIComponent(path)}`),
        )
      ).text();
      expect([path, text.includes(`"${path}"`)]).toEqual([path, !/[&']/.test(path)]);
      expect(text).toContain(`href="${path.replaceAll('&', '&amp;').replaceAll("'", '&#39;')}"`);
    }
  });
});

describe('an access token of the identity provider', () => {
  const claims = {
    ...{ sub: 'ada', name: 'Ada', groups: ['bulk-admins'] },
    ...{ aud: 'https://batchgate.example', azp: 'mobile-app' },
  };

  it('speaks for its person, with the assurance of a session', async () => {
    const key = await provider.token(claims);
    const { body } = await http.ask('GET', '/v1/me', { key });
    expect(body).toEqual({
      ...{ kind: 'person', name: 'Ada', role: 'admin' },
      ...{ subject: 'ada', groups: ['bulk-admins'] },
    });
    const { operation_id } = await harness.start({});
    await http.ask('POST', `/v1/operations/${operation_id}/continue`, { key, body: { batch: 1 } });
    const { confirmations } = await harness.status(operation_id);
    expect(confirmations).toMatchObject([{ by: 'Ada', assurance: 'session' }]);
  });

  it('is accepted only from the clients that the configuration names', async () => {
    const statusOf = async (client: object) => {
      const key = await provider.token({ ...claims, azp: undefined, ...client });
      return (await http.ask('GET', '/v1/me', { key })).status;
    };
    expect(await statusOf({ client_id: 'mobile-app' })).toBe(200);
    expect(await statusOf({ azp: 'mobile-app', client_id: 'other-app' })).toBe(200);
    for (const refused of [
      {},
      { azp: 'an-agent' },
      { client_id: 'an-agent' },
      { azp: 'mobile-app', client_id: 'an-agent' },
      { azp: 'an-agent', client_id: 'mobile-app' },
      { azp: ['mobile-app'] },
    ])
      expect([refused, await statusOf(refused)]).toEqual([refused, 401]);
  });

  it('is refused for another audience or from another issuer, after it has expired, and with a foreign signature', async () => {
    for (const wrong of [
      { aud: CLIENT },
      { aud: undefined },
      { iss: 'https://evil.example' },
      { exp: 1_600_000_000 },
      { sub: undefined },
    ]) {
      const key = await provider.token({ ...claims, ...wrong });
      expect([wrong, (await http.ask('GET', '/v1/me', { key })).status]).toEqual([wrong, 401]);
    }
    const forged = await provider.token(claims, 'somebody else');
    expect((await http.ask('GET', '/v1/me', { key: forged })).status).toBe(401);
    const noRole = await provider.token({ ...claims, groups: [] });
    expect((await http.ask('GET', '/v1/me', { key: noRole })).status).toBe(403);
  });
});
