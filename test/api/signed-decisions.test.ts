import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { useLink } from '../helpers/sign-in';
import { signedUpdates, type SeenUpdate } from '../helpers/signed-updates';

let harness: Harness;
let http: HttpApi;
let grace: Record<string, string>;

beforeAll(async () => {
  harness = await startHarness({ adapters: [countingTool(25).adapter] });
  http = await startHttpApi(harness);
  const answer = await useLink(await http.api.signInLink({ name: 'Grace', role: 'admin' }));
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  const { body: me } = await http.ask('GET', '/v1/me', { key: '', headers: { cookie } });
  grace = { cookie, 'x-batchgate-form-token': me.form_token, origin: http.url };
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});

const decide = (id: string, decision: string, body: object) =>
  http.ask('POST', `/v1/operations/${id}/${decision}`, { key: '', headers: grace, body });
const handleOf = (id: string) => harness.client.workflow.getHandle(id);
/** As any client of Temporal can send what it read. */
const replay = (id: string, { update, request }: SeenUpdate) =>
  handleOf(id)
    .executeUpdate(update, { args: [request] })
    .then(
      () => 'accepted',
      (error: { cause?: { type?: string } }) => error.cause?.type,
    );

it("decides nothing by a signed-in person's earlier decisions, in the same run or in a later one", async () => {
  const input = { domain: 'fake', action: 'mark', params: { group: 'all' }, idle_timeout_seconds: 60 };
  const { operation_id: id } = await harness.start(input);
  expect((await decide(id, 'extend', { seconds: 900 })).status).toBe(200);
  expect((await decide(id, 'continue', { batch: 2 })).body.code).toBe('STALE_CONFIRMATION');
  expect((await decide(id, 'continue', { batch: 1 })).status).toBe(200);
  const before = await harness.status(id);
  expect(before.confirmations.map(({ decision, assurance }) => [decision, assurance])).toEqual([
    ['extend', 'session'],
    ['continue', 'session'],
    ['continue', 'session'],
  ]);
  const [extend, refused, first] = (await signedUpdates(harness, id)) as [SeenUpdate, SeenUpdate, SeenUpdate];
  // The second question is open now. The first answer again is a repetition, and gets its outcome again.
  expect(await replay(id, extend)).toBe('STALE_CONFIRMATION');
  expect(await replay(id, first)).toBe('accepted');
  expect(await replay(id, refused)).toBe('STALE_CONFIRMATION');
  const now = await harness.status(id);
  expect([now.expires_at, now.processed, now.state]).toEqual([
    before.expires_at,
    10,
    'awaiting_confirmation',
  ]);
  expect((await decide(id, 'continue', { batch: 2 })).status).toBe(200);
  expect((await decide(id, 'complete', { force: true, reason: 'enough' })).status).toBe(200);
  const signed = await signedUpdates(harness, id);
  expect(signed.map(({ update }) => update)).toEqual(
    expect.arrayContaining(['extend', 'continue', 'complete']),
  );

  const { workflow } = harness.client;
  await handleOf(id).result();
  await workflow.start('bulkOperation', { workflowId: id, taskQueue: harness.taskQueue, args: [input] });
  const second = await handleOf(id).executeUpdate<{ expires_at: string }, []>('ready');
  for (const one of signed) {
    expect([one.update, await replay(id, one)]).toEqual([one.update, 'STALE_CONFIRMATION']);
    if (one.update === 'continue') await handleOf(id).signal('continue', one.request);
  }
  const { state, processed, expires_at, confirmations } = await harness.status(id);
  expect([state, processed, expires_at]).toEqual(['awaiting_confirmation', 0, second.expires_at]);
  expect(new Set(confirmations.map(({ outcome, assurance }) => `${outcome} ${assurance}`))).toEqual(
    new Set(['STALE_CONFIRMATION asserted']),
  );
  expect((await decide(id, 'continue', { batch: 1 })).body.processed).toBe(10);
  expect((await decide(id, 'cancel', {})).body.state).toBe('cancelled');
});
