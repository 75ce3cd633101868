import { continueBulkOperation, extendBulkOperation } from '../../src/client';
import { BatchgateError, type ErrorBody } from '../../src/contract/errors';
import type { BulkStatus } from '../../src/contract/operation';
import { deadlineOf } from '../../src/core/bulk/deadlines';
import { codeOf, countingTool, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';

let harness: Harness;
let http: HttpApi;

beforeAll(async () => {
  harness = await startHarness({
    adapters: [countingTool(12).adapter],
    deadlines: [
      { default_seconds: 60, max_seconds: 60 },
      { domain: 'fake', default_seconds: 7_200, max_seconds: 43_200 },
    ],
  });
  http = await startHttpApi(harness);
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});

const waits = ({ expires_at, updated_at }: { expires_at?: string; updated_at: string }) =>
  Math.round((Date.parse(expires_at ?? '') - Date.parse(updated_at)) / 1_000);

it('gives a question the time that the operator set for its domain and action, and no more', async () => {
  const status = await harness.start({});
  expect(waits(status)).toBe(7_200);
  expect(waits(await harness.start({ idle_timeout_seconds: 43_200 }))).toBe(43_200);
  expect(await codeOf(harness.start({ idle_timeout_seconds: 43_201 }))).toBe('INVALID_INPUT');
  const { operation_id } = status;
  expect(await codeOf(extendBulkOperation(harness.client, operation_id, { seconds: 43_200 }))).toBe(
    'INVALID_INPUT',
  );
  await extendBulkOperation(harness.client, operation_id, { seconds: 28_800 });
  expect(Date.parse((await harness.status(operation_id)).expires_at ?? '')).toBe(
    Date.parse(status.expires_at ?? '') + 28_800_000,
  );
});

it('answers a late reply with the result of the operation, and offers the rest', async () => {
  const { operation_id } = await harness.start({ idle_timeout_seconds: 5, session_id: 'late' });
  await harness.client.workflow.getHandle(operation_id).result();
  const late: unknown = await continueBulkOperation(harness.client, operation_id, { batch: 1 }).catch(
    (error: unknown) => error,
  );
  expect(late).toBeInstanceOf(BatchgateError);
  expect((late as BatchgateError).body).toMatchObject({
    code: 'OPERATION_CLOSED',
    message: 'The operation is expired; it takes no more decisions. 12 of 12 items were not run.',
    hint: expect.stringContaining(`npx batchgate resume ${operation_id}`),
  });
  const path = `/v1/operations/${operation_id}`;
  const refused = await http.ask('POST', `${path}/continue`, { body: { batch: 1 } });
  expect([refused.status, refused.body.code]).toEqual([409, 'OPERATION_CLOSED']);
  expect(refused.body.hint).toContain(`POST ${path}/resume`);
  const rest = await http.ask('POST', `${path}/resume`);
  expect(rest.status).toBe(201);
  expect(rest.body).toMatchObject({ state: 'awaiting_confirmation', total: 12, session_id: 'late' });
});

it('tells a person in the conversation that their answer came too late, and starts the rest on request', async () => {
  const { operation_id, next_batch } = await harness.start({
    idle_timeout_seconds: 5,
    session_id: 'evening-chat',
  });
  await harness.client.workflow.getHandle(operation_id).result();
  const { number: batch, attempt, digest } = next_batch ?? { number: 0, attempt: 0, digest: '' };
  const say = async (text: string, more: object = {}) => {
    const { status, body } = await http.ask('POST', '/v1/sessions/evening-chat/messages', {
      body: { text, ...more },
    });
    expect(status).toBe(200);
    return body as { handled: boolean; reply: string; error?: ErrorBody; status?: BulkStatus };
  };
  const seen = { batch, attempt, digest };
  let late = await say('continue', { seen });
  // The list of ended operations lags briefly.
  while (!late.handled) late = await say('continue', { seen });
  expect(late).toMatchObject({
    reply:
      'Bulk mark on fake expired after 5 seconds without a confirmation. 0/12 items were processed. ' +
      "12 items were not run. Say 'run the rest' for a new operation over the rest. It asks before each batch.",
    error: { code: 'OPERATION_CLOSED' },
    status: { operation_id, state: 'expired', processed: 0 },
  });
  // A message that names no seen question is not handled while no question is open.
  expect((await say('continue')).handled).toBe(false);
  const rest = await say('Run the rest, please');
  expect(rest.status).toMatchObject({
    state: 'awaiting_confirmation',
    total: 12,
    session_id: 'evening-chat',
  });
  expect(rest.status?.operation_id).not.toBe(operation_id);
  expect(rest.reply).toContain("Ready to mark 12 items in batches of 10. Say 'continue' to start");
  // The rest has only five seconds too; an answer to an old question confirms nothing of a newer operation.
  await harness.client.workflow.getHandle(rest.status?.operation_id ?? '').result();
  await harness.start({ session_id: 'evening-chat' });
  const stale = await say('continue', { seen });
  expect(stale).toMatchObject({ error: { code: 'STALE_CONFIRMATION' }, status: { processed: 0 } });
});

it('applies the most specific rule', () => {
  const rules = [
    { default_seconds: 1, max_seconds: 1 },
    { action: 'trash', default_seconds: 2, max_seconds: 2 },
    { domain: 'gmail', default_seconds: 3, max_seconds: 3 },
    { domain: 'gmail', action: 'trash', default_seconds: 4, max_seconds: 4 },
  ];
  const of = (domain: string, action: string) => deadlineOf(rules, domain, action)?.max_seconds;
  expect([of('gmail', 'trash'), of('gmail', 'label'), of('imap', 'trash'), of('sql', 'update')]).toEqual([
    4, 3, 2, 1,
  ]);
  expect(deadlineOf(rules.slice(3), 'sql', 'update')).toBeUndefined();
});
