import { createDeliveries, type Deliveries } from '../../src/api/deliveries';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { isGenuine, personWithPasskey, type PersonWithPasskey } from '../helpers/passkeys';
import { signedUpdates } from '../helpers/signed-updates';

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

it('signs exactly one decision, which anyone can verify, and nobody can claim at another door', async () => {
  const status = await start();
  const { operation_id: id, next_batch: gate } = status;
  const form = ada.form(status, [2]);
  expect(await ada.sign(id, form)).toMatchObject({ status: 303 });
  const [confirmation] = (await harness.status(id)).confirmations;
  expect(confirmation).toMatchObject({
    by: 'Ada',
    assurance: 'signed',
    outcome: 'accepted',
    digest: gate?.digest,
  });
  const [kept, ...others] = await passkeys().signaturesOf(id);
  if (!kept || others.length > 0) throw new Error(`${others.length + 1} signatures`);
  expect(kept).toMatchObject({ signature_id: confirmation?.signature, by: 'Ada', subject: 'Ada' });
  expect(JSON.parse(kept.decision)).toEqual({
    ...{ operation: id, batch: 1, attempt: 1, digest: gate?.digest, decision: 'continue' },
    excluded: ['item-003'],
    ...{ run: expect.any(String), time: expect.any(String), nonce: expect.stringMatching(/^[\w-]{43}$/) },
  });
  expect(isGenuine(kept)).toBe(true);
  for (const forged of [
    { decision: kept.decision.replace('item-003', 'item-004') },
    { origin: 'https://evil.example' },
    { rp_id: 'evil.example' },
    { authenticator_data: kept.authenticator_data.replace(/.{6}$/, 'AAAAAQ') },
  ])
    expect([forged, isGenuine({ ...kept, ...forged })]).toEqual([forged, false]);

  // Any client of Temporal reads the proof in the history. It proves nothing else, and nothing again.
  const [seen] = await signedUpdates(harness, id);
  const { signed, proof } = seen?.request as { signed: object; proof: string };
  let second = (await harness.status(id)).next_batch;
  while (!second) second = (await harness.status(id)).next_batch;
  const forged = { batch: 2, digest: second.digest, by: 'Ada', signed, proof };
  await harness.client.workflow.getHandle(id).executeUpdate('continue', { args: [forged] });
  const { confirmations, processed } = await harness.status(id);
  expect(confirmations.map(({ assurance, signature }) => [assurance, signature !== undefined])).toEqual([
    ['signed', true],
    ['asserted', false],
  ]);
  expect(processed).toBe(19);
  const claimed = await http.ask('POST', `/v1/operations/${id}/continue`, { body: { batch: 3, signed } });
  expect([claimed.status, claimed.body.code]).toEqual([400, 'INVALID_INPUT']);
  await http.ask('POST', `/v1/operations/${id}/cancel`);
});
