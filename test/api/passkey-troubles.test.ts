import { createDeliveries, type Deliveries } from '../../src/api/deliveries';
import type { BulkStatus } from '../../src/contract/operation';
import { createAuthenticator, type Deviation } from '../helpers/authenticator';
import { confirmOpen } from '../helpers/confirm';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { isGenuine, personWithPasskey, type PersonWithPasskey } from '../helpers/passkeys';

let harness: Harness;
let http: HttpApi;
let deliveries: Deliveries;
let ada: PersonWithPasskey;

beforeAll(async () => {
  harness = await startHarness({ adapters: [countingTool(25).adapter] });
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
const start = () => harness.start({});
const passkeys = () => harness.store.access.passkeys;
/** The operation once its batch is over. */
async function afterBatch(id: string): Promise<BulkStatus> {
  for (;;) {
    const status = await harness.status(id);
    if (status.state !== 'running_batch') return status;
  }
}

async function signedByAda() {
  const status = await start();
  expect(await ada.sign(status.operation_id, ada.form(status))).toMatchObject({ status: 303 });
  return status;
}

/** Something that goes wrong between the question for a passkey and its answer, and how that is refused. */
type Trouble = readonly [string, number, RegExp, Deviation];

const OTHER_DEVICE = createAuthenticator('').key;
const TROUBLES: readonly Trouble[] = [
  ['made on a page of another origin', 403, /page of another address/, { origin: 'https://evil.example' }],
  ['made on this host at another port', 403, /page of another address/, { origin: 'http://localhost:1' }],
  ['made for another relying party', 403, /page of another address/, { rpId: 'evil.example' }],
  ['of a device that did not check who it is', 403, /did not check who you are/, { verified: false }],
  ['that counts backwards', 403, /counted backwards/, { counter: 4 }],
  ['that does not count on', 403, /counted backwards/, { counter: 5 }],
  ['that counts no more', 403, /counted backwards/, { counter: 0 }],
  ['of another device under the same id', 403, /signature is not valid/, { key: OTHER_DEVICE, counter: 6 }],
  [
    'that was made for a registration',
    403,
    /signature is not valid/,
    { type: 'webauthn.create', counter: 6 },
  ],
  ['to a challenge that nobody made', 409, /signature was used before/, { challenge: 'AAAA', counter: 6 }],
];

describe('a signature', () => {
  it.each(TROUBLES)('%s confirms nothing', async (_, status, said, made) => {
    const eve = await person('Eve');
    await eve.register();
    const question = await start();
    const { operation_id: id } = question;
    eve.device.counter = 5;
    expect(await eve.sign(id, eve.form(question))).toMatchObject({ status: 303 });
    const next = await afterBatch(id);
    const before = await passkeys().signaturesOf(id);
    const answer = await eve.sign(id, eve.form(next), made);
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(said)]);
    expect(await passkeys().signaturesOf(id)).toEqual(before);
    // A challenge is used up by any answer to it. Another one is signed as before.
    eve.device.counter = 6;
    expect(await afterBatch(id)).toMatchObject({ processed: 10, state: 'awaiting_confirmation' });
    expect(await eve.sign(id, eve.form(next))).toMatchObject({ status: 303 });
    expect((await afterBatch(id)).confirmations.map(({ assurance }) => assurance)).toEqual([
      'signed',
      'signed',
    ]);
    await http.ask('POST', `/v1/operations/${id}/cancel`);
  });

  it('is for one question, one choice of items, one session and one person', async () => {
    const [one, other] = [await start(), await start()];
    const [id, form] = [one.operation_id, ada.form(one)];
    const again = await person('Ada', { device: ada.device });
    const eve = await person('Eve');
    const signedFor = async (asked: object) => {
      const { body } = await ada.challenge(id, { ...form, ...asked });
      return { passkey: ada.device.sign(body) };
    };
    const refusals: [PersonWithPasskey, string, object, object][] = [
      [ada, other.operation_id, ada.form(other), {}],
      [ada, id, ada.form(one, [0]), {}],
      [ada, id, form, ada.form(one, [0])],
      [ada, id, { ...form, later: '3600' }, {}],
      [ada, id, form, { later: '3600' }],
      [again, id, again.form(one), {}],
      [eve, id, eve.form(one), {}],
    ];
    for (const [who, at, sent, asked] of refusals) {
      const signed = await signedFor(asked);
      const answer = await who.send(`/operations/${at}/continue`, { ...sent, ...signed });
      expect([sent, answer.status, answer.text]).toEqual([
        sent,
        409,
        expect.stringMatching(/signed another decision|of another session/),
      ]);
    }
    await eve.register();
    const { body } = await ada.challenge(id, form);
    const foreign = await ada.send(`/operations/${id}/continue`, { ...form, passkey: eve.device.sign(body) });
    expect([foreign.status, foreign.text]).toEqual([403, expect.stringContaining('not one of yours')]);
    const stranger = await ada.challenge(id, { ...form, digest: 'ab'.repeat(32) });
    expect([stranger.status, stranger.body.code]).toEqual([409, 'STALE_CONFIRMATION']);
    for (const { operation_id } of [one, other]) {
      expect(await harness.status(operation_id)).toMatchObject({ processed: 0, confirmations: [] });
      expect(await passkeys().signaturesOf(operation_id)).toEqual([]);
    }
    expect(await ada.sign(id, form)).toMatchObject({ status: 303 });
  });

  it('counts once: the same form again is the same decision, and another form is refused', async () => {
    const status = await start();
    const { operation_id: id } = status;
    const form = ada.form(status, [1]);
    const { body } = await ada.challenge(id, form);
    const passkey = ada.device.sign(body);
    const send = (more: object = {}) => ada.send(`/operations/${id}/continue`, { ...form, passkey, ...more });
    const answers = [await send(), await send(), await send({ decision_id: 'another' })];
    expect(answers.map((answer) => answer.status)).toEqual([303, 303, 409]);
    expect(answers[2]?.text).toContain('signature was used before');
    // Signed again by the device, the same challenge is still spent.
    const resigned = await send({ passkey: ada.device.sign(body) });
    expect(resigned.status).toBe(409);
    expect(await afterBatch(id)).toMatchObject({ processed: 9, skipped: 1 });
    expect(await passkeys().signaturesOf(id)).toHaveLength(1);
  });

  it('is refused after its time, whatever the clocks of browsers say, and before it', async () => {
    const status = await start();
    const { operation_id: id } = status;
    const form = ada.form(status);
    const { body } = await ada.challenge(id, form);
    const passkey = ada.device.sign(body);
    // As it would be after its time: a challenge whose time is over.
    const kept = await passkeys().takeChallenge(body.challenge, ada.session);
    if (!kept) throw new Error('no challenge');
    await passkeys().keepChallenge(kept, -1);
    const late = await ada.send(`/operations/${id}/continue`, { ...form, passkey });
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('more than 5 minutes after')]);
    expect(await afterBatch(id)).toMatchObject({ processed: 0, confirmations: [] });
    expect(await ada.sign(id, form)).toMatchObject({ status: 303 });
  });

  it('is refused once its question was answered otherwise', async () => {
    const status = await start();
    const { operation_id: id } = status;
    const { body } = await ada.challenge(id, ada.form(status));
    await confirmOpen(harness.client, id);
    const passkey = ada.device.sign(body);
    const answer = await ada.send(`/operations/${id}/continue`, { ...ada.form(status), passkey });
    expect(answer.status).toBe(409);
    expect(await afterBatch(id)).toMatchObject({ processed: 10 });
  });

  it('of a revoked passkey is refused, and what it signed before stays valid', async () => {
    const eve = await person('Eve');
    await eve.register();
    const status = await start();
    const { operation_id: id } = status;
    expect(await eve.sign(id, eve.form(status))).toMatchObject({ status: 303 });
    const next = await afterBatch(id);
    const { body } = await eve.challenge(id, eve.form(next));
    const mine = eve.device.passkey_id;
    const foreign = await ada.send(`/passkeys/${mine}/revoke`);
    expect([foreign.status, foreign.body.code]).toEqual([404, 'NOT_FOUND']);
    expect(await eve.send(`/passkeys/${mine}/revoke`)).toMatchObject({ status: 303 });
    const passkey = eve.device.sign(body);
    const late = await eve.send(`/operations/${id}/continue`, { ...eve.form(next), passkey });
    expect([late.status, late.text]).toEqual([
      403,
      expect.stringContaining('not one of yours, or was revoked'),
    ]);
    expect(await afterBatch(id)).toMatchObject({ processed: 10 });
    expect((await passkeys().signaturesOf(id)).map(isGenuine)).toEqual([true]);
    const listed = await http.done('GET', '/v1/passkeys');
    expect(listed.body.items.find((one: any) => one.passkey_id === mine)).toMatchObject({
      by: 'Eve',
      last_used_at: expect.any(String),
      revoked_at: expect.any(String),
    });
  });

  it('is one of two that count alike, as those of a device and its copy', async () => {
    const { operation_id: id, next_batch } = await start();
    const [kept] = await passkeys().signaturesOf((await signedByAda()).operation_id);
    if (!kept) throw new Error('no signature');
    const copies = ['one', 'two'].map((signature_id) => ({
      ...{ ...kept, operation_id: id, signature_id, challenge: `${next_batch?.digest} ${signature_id}` },
    }));
    const both = await Promise.all(copies.map((one) => passkeys().keepSignature(one, 9)));
    expect(both.sort()).toEqual([false, true]);
    expect(await passkeys().signaturesOf(id)).toHaveLength(1);
    ada.device.counter = 10;
  });

  it('is no answer of a passkey if it is something else', async () => {
    const status = await start();
    const { operation_id: id } = status;
    for (const passkey of ['x', '{}', '[]', 'null', '{"id":"a","response":{"clientDataJSON":"e30"}}']) {
      const answer = await ada.send(`/operations/${id}/continue`, { ...ada.form(status), passkey });
      expect([passkey, answer.status]).toEqual([passkey, 400]);
    }
    expect(await afterBatch(id)).toMatchObject({ processed: 0 });
  });
});
