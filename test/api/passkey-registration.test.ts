import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { createDeliveries, type Deliveries } from '../../src/api/deliveries';
import type { Deviation } from '../helpers/authenticator';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { pageOrigin, personWithPasskey, type PersonWithPasskey } from '../helpers/passkeys';

let harness: Harness;
let http: HttpApi;
let deliveries: Deliveries;
let ada: PersonWithPasskey;

beforeAll(async () => {
  harness = await startHarness({ adapters: [countingTool(5).adapter] });
  http = await startHttpApi(harness);
  deliveries = await createDeliveries(harness.store.access);
  ada = await person('Ada');
  expect(await ada.register()).toMatchObject({ status: 303 });
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});

const person = (name: string, more: object = {}) => personWithPasskey(http, deliveries, { name, ...more });
const passkeys = () => harness.store.access.passkeys;

describe('a registration', () => {
  const aged = (one: PersonWithPasskey) =>
    harness.store.db
      .updateTable('signed_in')
      .set({ created_at: sql`now() - interval '11 minutes'` } as never)
      .where('hash', '=', one.session)
      .execute();
  const invitationFor = async (name: string) => {
    const { body } = await http.done('POST', '/v1/passkeys/invitations', { body: { name } });
    expect(body.url).toMatch(`${pageOrigin(http)}/passkeys?invitation=`);
    return new URL(body.url).searchParams.get('invitation') ?? '';
  };
  const registered = async ({ device }: PersonWithPasskey) =>
    (await passkeys().findPasskey(device.passkey_id)) !== undefined;

  it('takes a fresh sign-in', async () => {
    const bob = await person('Bob');
    await aged(bob);
    const refused = await bob.register();
    expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
    expect((await bob.open('/passkeys')).text).toContain('sign in again and come back within 10 minutes');
    // The sign-in was fresh when it began.
    const cleo = await person('Cleo');
    const { body } = await cleo.send('/passkeys/challenge');
    await aged(cleo);
    const late = await cleo.send('/passkeys', { label: 'Phone', passkey: cleo.device.create(body) });
    expect([late.status, await registered(cleo)]).toEqual([403, false]);
  });

  it('takes an invitation once, of the person whom it names, and not by opening it', async () => {
    const [bob, eve] = [await person('Bob'), await person('Eve')];
    for (const one of [bob, eve]) await aged(one);
    const invitation = await invitationFor('Bob');
    for (const opened of [1, 2])
      expect([opened, (await bob.open(`/passkeys?invitation=${invitation}`)).text]).toEqual([
        opened,
        expect.stringContaining('Register a passkey</button>'),
      ]);
    expect((await eve.register({}, { invitation })).status).toBe(403);
    // An answer that does not verify does not use it up either.
    expect((await bob.register({ verified: false }, { invitation })).status).toBe(403);
    expect((await bob.register({}, { invitation })).status).toBe(303);
    expect(await registered(bob)).toBe(true);
    const second = await person('Bob');
    await aged(second);
    expect((await second.register({}, { invitation })).status).toBe(403);
    const hash = createHash('sha256').update('late').digest('hex');
    await passkeys().keepInvitation({ hash, name: 'Bob', invited_by: 'admin' }, -1);
    expect((await second.register({}, { invitation: 'late' })).status).toBe(403);
    expect([await registered(eve), await registered(second)]).toEqual([false, false]);
  });

  it.each<[string, number, Deviation]>([
    ['of another origin', 403, { origin: 'https://evil.example' }],
    ['for another relying party', 403, { rpId: 'evil.example' }],
    ['of a device that did not check who it is', 403, { verified: false }],
    ['to another challenge', 409, { challenge: 'AAAA' }],
    ['that is a signature', 403, { type: 'webauthn.get' }],
  ])('%s is refused', async (_, status, made) => {
    const eve = await person('Eve');
    expect([(await eve.register(made)).status, await registered(eve)]).toEqual([status, false]);
  });

  it('belongs to the session that asked for it, and registers a passkey once', async () => {
    const [bob, eve] = [await person('Bob'), await person('Eve')];
    const { body } = await bob.send('/passkeys/challenge');
    const passkey = bob.device.create(body);
    const send = (who: PersonWithPasskey) => who.send('/passkeys', { label: 'Phone', passkey });
    expect([(await send(eve)).status, (await send(bob)).status, (await send(bob)).status]).toEqual([
      409, 303, 409,
    ]);
    const again = await eve.send('/passkeys/challenge');
    const stolen = await eve.send('/passkeys', { label: 'Mine', passkey: bob.device.create(again.body) });
    expect([stolen.status, stolen.body.code]).toEqual([403, 'FORBIDDEN']);
    expect(await passkeys().findPasskey(bob.device.passkey_id)).toMatchObject({ by: 'Bob', label: 'Phone' });
  });

  it('is for people who may decide, and who signed in with a browser', async () => {
    const vic = await person('Vic', { role: 'viewer' });
    expect((await vic.register()).status).toBe(403);
    const key = await http.key('approver');
    for (const path of ['/passkeys', '/passkeys/challenge'])
      expect(
        (await fetch(`${http.url}${path}`, { method: 'POST', headers: { authorization: `Bearer ${key}` } }))
          .status,
      ).toBe(403);
    for (const path of ['/v1/passkeys/invitations', `/v1/passkeys/${ada.device.passkey_id}/revoke`])
      expect((await http.ask('POST', path, { key, body: { name: 'Vic' } })).status).toBe(403);
    expect((await ada.send('/passkeys/invitations', { name: 'Ada' })).status).toBe(403);
  });

  it('is listed, renamed and revoked by its person, and revoked by an administrator', async () => {
    const [bob, root] = [await person('Bob'), await person('Root', { role: 'admin' })];
    await bob.register();
    const own = `/passkeys/${bob.device.passkey_id}`;
    expect((await ada.send(`${own}/name`, { label: 'Mine' })).status).toBe(404);
    expect((await root.send(`${own}/name`, { label: 'Mine' })).status).toBe(404);
    expect((await bob.send(`${own}/name`, { label: 'Blue <key>' })).status).toBe(303);
    expect((await bob.open('/passkeys')).text).toContain('Blue &lt;key&gt;');
    expect((await ada.open('/passkeys')).text).not.toContain('Blue');
    expect((await root.open('/passkeys')).text).toContain('Blue');
    expect((await root.send(`${own}/revoke`)).status).toBe(303);
    expect((await bob.open('/passkeys')).text).not.toContain('Blue');
    expect(await http.ask('POST', `/v1/passkeys/none/revoke`)).toMatchObject({ status: 404 });
  });
});
