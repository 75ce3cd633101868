import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { launchChromium, newContext, shows, signedInBy } from '../helpers/browser';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { settled, violations } from '../helpers/page-stage';
import { pageOrigin } from '../helpers/passkeys';

/** Passkeys in a real browser, with a virtual device of Chromium. */
let harness: Harness;
let http: HttpApi;
let browser: Browser;
let origin: string;
const complaints: string[] = [];

beforeAll(async () => {
  harness = await startHarness({
    adapters: [countingTool(25).adapter],
    policies: [{ name: 'signed', when: 'domain == "fake"', require: { assurance: 'signed' } }],
  });
  http = await startHttpApi(harness);
  origin = pageOrigin(http);
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await http?.close();
  await harness?.close();
});
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
  expect([complaints.splice(0), http.failures.splice(0)]).toEqual([[], []]);
});

/** A person's window, and the device beside it. */
interface Desk {
  page: Page;
  device: CDPSession;
  authenticatorId: string;
}

async function deviceAt(page: Page): Promise<Omit<Desk, 'page'>> {
  const device = await page.context().newCDPSession(page);
  await device.send('WebAuthn.enable');
  const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  return { device, authenticatorId };
}

async function deskOf(name: string, options: object = {}): Promise<Desk> {
  const link = (await http.api.signInLink({ name, role: 'approver' })).replace(http.url, origin);
  const page = await signedInBy(await newContext(browser, options), link);
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status (of )?4\d\d/.test(message.text()))
      complaints.push(message.text());
  });
  return { page, ...(await deviceAt(page)) };
}

async function registered(desk: Desk): Promise<Desk> {
  const { page } = desk;
  await page.goto(`${origin}/passkeys`);
  await page.getByLabel('Name of the device').fill('Phone');
  await page.getByRole('button', { name: 'Register a passkey' }).click();
  await page.getByText('never used').waitFor();
  return desk;
}

const start = async () => (await harness.start({})).operation_id;
const pageOf = (id: string, at = origin) => `${at}/operations/${id}`;
const confirm = async ({ page }: Desk, id: string) => {
  await page.goto(pageOf(id));
  await settled(page);
  await page.getByRole('button', { name: /^Continue with/ }).click();
};
const ran = async (id: string) => {
  const { processed, confirmations } = await harness.status(id);
  return { processed, accepted: confirmations.filter(({ outcome }) => outcome === 'accepted').length };
};
const NOTHING = { processed: 0, accepted: 0 };

it('registers a passkey and signs a batch with it, and the page is accessible', async () => {
  const id = await start();
  const desk = await deskOf('Ada');
  const { page } = desk;
  await page.goto(pageOf(id));
  await shows(page, 'You have none yet.');
  expect(await page.locator('button.go').count()).toBe(0);
  await page.getByRole('link', { name: 'Register one' }).click();
  expect(await violations(page)).toEqual([]);
  await registered(desk);
  expect(await violations(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto(pageOf(id));
  await settled(page);
  await shows(page, 'Your device asks for it');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  expect(await violations(page)).toEqual([]);
  // With the keyboard alone.
  await page.getByRole('button', { name: /^Continue with/ }).press('Enter');
  await page.getByText('Batch 2 of 3').waitFor();
  await shows(page, 'signed with a passkey');
  const { confirmations } = await harness.status(id);
  expect(confirmations).toMatchObject([{ by: 'Ada', assurance: 'signed', outcome: 'accepted' }]);
  const [kept] = await harness.store.access.passkeys.signaturesOf(id);
  expect(kept).toMatchObject({ signature_id: confirmations[0]?.signature, origin, rp_id: 'localhost' });
  await page.goto(`${origin}/passkeys`);
  await shows(page, 'last used');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
});

it('signs with a browser whose clock is wrong, and not after the time of the challenge', async () => {
  const id = await start();
  const desk = await registered(await deskOf('Bea'));
  const { page } = desk;
  await page.addInitScript(`{ const now = Date.now; Date.now = () => now() + 365 * 86_400_000; }`);
  await page.route('**/continue', async (route) => {
    const { challenge } = JSON.parse(
      Buffer.from(
        JSON.parse(new URLSearchParams(route.request().postData() ?? '').get('passkey') ?? '').response
          .clientDataJSON,
        'base64url',
      ).toString(),
    );
    await harness.store.db
      .updateTable('passkey_challenges')
      .set({ expires_at: new Date(0) } as never)
      .where('challenge', '=', challenge)
      .execute();
    await route.continue();
  });
  await confirm(desk, id);
  await shows(page, 'more than 5 minutes after it was asked for');
  expect(await ran(id)).toEqual(NOTHING);
  await page.unroute('**/continue');
  await confirm(desk, id);
  await page.getByText('Batch 2 of 3').waitFor();
});

it('has the device check who it is', async () => {
  const id = await start();
  const desk = await registered(await deskOf('Cid'));
  const { page, device, authenticatorId } = desk;
  await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await confirm(desk, id);
  await shows(page, 'Your device did not answer');
  expect(await ran(id)).toEqual(NOTHING);
  // A page that was changed so that it asks the device for less.
  await page.route('**/challenge', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), userVerification: 'discouraged' } });
  });
  await confirm(desk, id);
  await shows(page, 'the device did not check who you are');
  expect(await ran(id)).toEqual(NOTHING);
});

it('refuses a device that counts backwards', async () => {
  const id = await start();
  const desk = await registered(await deskOf('Dan'));
  const { page, device, authenticatorId } = desk;
  const { credentials } = await device.send('WebAuthn.getCredentials', { authenticatorId });
  const [credential] = credentials;
  if (!credential) throw new Error('no credential');
  const copyAt = async (signCount: number) => {
    await device.send('WebAuthn.removeCredential', {
      authenticatorId,
      credentialId: credential.credentialId,
    });
    await device.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...credential, signCount },
    });
  };
  await copyAt(50);
  await confirm(desk, id);
  await page.getByText('Batch 2 of 3').waitFor();
  await copyAt(20);
  await confirm(desk, id);
  await shows(page, 'it counted backwards');
  expect(await ran(id)).toEqual({ processed: 10, accepted: 1 });
});

it('signs on our pages only: not at the address of a number, nor on a page of another origin', async () => {
  const id = await start();
  const desk = await registered(await deskOf('Eli'));
  const { page } = desk;
  const link = await http.api.signInLink({ name: 'Eli', role: 'approver' });
  const number = await signedInBy(await newContext(browser), link);
  await number.goto(pageOf(id, http.url));
  await settled(number);
  await number.getByRole('button', { name: /^Continue with/ }).click();
  await shows(number, `Passkeys work at ${origin} only.`);

  // Another page of this host has the person's device sign what it got from our page.
  const evil: Server = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('hello'),
  );
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
  const relay = await page.context().newPage();
  await relay.goto(`http://localhost:${(evil.address() as AddressInfo).port}/`);
  const [credential] = (
    await desk.device.send('WebAuthn.getCredentials', { authenticatorId: desk.authenticatorId })
  ).credentials;
  if (!credential) throw new Error('no credential');
  const { device, authenticatorId } = await deviceAt(relay);
  await device.send('WebAuthn.addCredential', { authenticatorId, credential });
  await relay.addScriptTag({
    path: join(dirname(require.resolve('@simplewebauthn/browser')), '../dist/bundle/index.umd.min.js'),
  });
  await page.route('**/continue', async (route) => {
    const fields = new URLSearchParams(route.request().postData() ?? '');
    fields.set('passkey', stolen);
    await route.continue({ postData: fields.toString() });
  });
  let stolen = '';
  await page.route('**/challenge', async (route) => {
    const response = await route.fetch();
    const optionsJSON = await response.json();
    stolen = await relay.evaluate<string>(
      `SimpleWebAuthnBrowser.startAuthentication({ optionsJSON: ${JSON.stringify(optionsJSON)} }).then(JSON.stringify)`,
    );
    await route.fulfill({ response, json: optionsJSON });
  });
  await confirm(desk, id);
  await shows(page, 'it was made on a page of another address');
  expect(await ran(id)).toEqual(NOTHING);
  evil.close();
});

/** Sends the form of the page with these fields instead, as somebody who has the page's cookie. */
const sendInstead = (page: Page, id: string, fields: Record<string, string>) =>
  page.evaluate<number>(`(() => {
    const body = new URLSearchParams(new FormData(document.querySelector('form.decide')));
    for (const [name, value] of Object.entries(${JSON.stringify(fields)})) body.set(name, value);
    return fetch('/operations/${id}/continue', { method: 'POST', body, redirect: 'manual' }).then(({ status }) => status);
  })()`);

it('takes no signature again, none of another question, and none of a revoked passkey', async () => {
  const [id, other] = [await start(), await start()];
  const desk = await registered(await deskOf('Fay'));
  const { page } = desk;
  let passkey = '';
  page.on('request', (request) => {
    if (request.url().endsWith('/continue'))
      passkey = new URLSearchParams(request.postData() ?? '').get('passkey') ?? passkey;
  });
  await confirm(desk, id);
  await page.getByText('Batch 2 of 3').waitFor();
  const used = passkey;
  expect(used).not.toBe('');
  await settled(page);
  expect(await sendInstead(page, id, { passkey: used })).toBe(409);
  await page.goto(pageOf(other));
  await settled(page);
  expect(await sendInstead(page, other, { passkey: used })).toBe(409);
  const [one] = await harness.store.access.passkeys.listPasskeys('Fay');
  await page.goto(pageOf(other));
  await settled(page);
  await harness.store.access.passkeys.revokePasskey(one?.passkey_id ?? '');
  await page.getByRole('button', { name: /^Continue with/ }).click();
  await page.locator('#passkey-said:visible').waitFor();
  expect([await ran(id), await ran(other)]).toEqual([{ processed: 10, accepted: 1 }, NOTHING]);
});

it('says what it needs without JavaScript, by a link, and where somebody is not signed in', async () => {
  const id = await start();
  await registered(await deskOf('Gus'));
  const plain = await deskOf('Gus', { javaScriptEnabled: false });
  await plain.page.goto(pageOf(id));
  // What stands in <noscript> is no text for Playwright's locators.
  expect(await plain.page.locator('body').innerText()).toContain('This needs JavaScript');
  await settled(plain.page);
  await plain.page.getByRole('button', { name: /^Continue with/ }).click();
  await shows(plain.page, 'must be signed with a passkey, and this answer was not');
  expect(await ran(id)).toEqual(NOTHING);
  const { body } = await http.done('POST', `/v1/operations/${id}/links`, { body: { name: 'Cleo' } });
  const link = await (await newContext(browser)).newPage();
  await link.goto(body.url);
  await shows(link, 'The policy asks for a signature with a passkey. A link has none');
  expect(await link.locator('button.go').count()).toBe(0);
});

it('is needed at every other door too, which leads to the page', async () => {
  const id = await start();
  const { next_batch: gate } = await harness.status(id);
  const body = { batch: 1, digest: gate?.digest, by: 'Hal' };
  const asked = await http.ask('POST', `/v1/operations/${id}/continue`, { body });
  expect([asked.status, asked.body]).toEqual([
    403,
    expect.objectContaining({ details: expect.objectContaining({ approval_url: pageOf(id) }) }),
  ]);
  expect(asked.body.hint).toContain(pageOf(id));
  const handle = harness.client.workflow.getHandle(id);
  const claimed = {
    ...body,
    approver: { subject: 'Hal', by: 'Hal', groups: [], roles: [], assurance: 'signed' },
  };
  await expect(handle.executeUpdate('continue', { args: [claimed] })).rejects.toMatchObject({
    cause: { type: 'FORBIDDEN' },
  });
  await handle.signal('continue', claimed);
  expect(await ran(id)).toEqual(NOTHING);
});
