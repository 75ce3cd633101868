import { randomUUID } from 'node:crypto';
import {
  cancelBulkOperation,
  editBulkOperation,
  extendBulkOperation,
  getReport,
  previewBulkOperation,
  retryFailedItems,
  startRemainingItems,
  undoBulkOperation,
} from '../../src/client';
import type { BulkOperationInput, BulkStatus } from '../../src/contract/operation';
import type { WindowRule } from '../../src/contract/schedule';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { confirmOpen } from '../helpers/confirm';
import { failure } from '../helpers/failure';
import { countingTool, manyItems, startHarness, type Harness, type HarnessOptions } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { unreplayableOf } from '../helpers/replayed';

/** What the policies of the configuration make of operations, at the boundary. */
const HOUR = 3_600_000;
const clock = (ahead: number) => new Date(Date.now() + ahead * HOUR).toISOString().slice(11, 13) + ':00';
/** Of two hours, one that begins in at least two. */
const later: WindowRule = { from: clock(3), to: clock(5), zone: 'UTC' };
const elsewhere: WindowRule = { from: clock(10), to: clock(12), zone: 'UTC' };

const failing = new Set<string>();
const marks = new Map<string, string>();
const tool = countingTool(12, {
  marks,
  apply: ({ id }) =>
    Promise.resolve(
      failing.has(id) ? { item_id: id, success: false, error: 'no', retryable: true } : undefined,
    ),
});
const called: string[] = [];
const other = (toolName: string) =>
  createFakeAdapter({
    toolName,
    items: () => manyItems(6),
    apply: () => Promise.resolve(),
    onCall: (method) => called.push(method),
  });

const POLICIES: HarnessOptions['policies'] = [
  { name: 'no secrets', when: 'has(params.mark) && params.mark == "secret"', refuse: 'Marks are public.' },
  { name: 'owners', when: 'domain == "owned" && requester == "anna"', require: {} },
  { name: 'sessions', when: 'domain == "talked" && session == "s"', require: { approvals: 2 } },
  {
    name: 'careful',
    when: 'has(params.mark) && params.mark == "careful"',
    require: { max_batch_size: 3, editable: false, deadline: '10m', assurance: 'asserted' },
  },
  { name: 'witnessed', when: 'domain == "witnessed"', require: { not_requester: true } },
  { name: 'at night', when: 'domain == "nightly"', require: { windows: [later] } },
  { name: 'never', when: 'domain == "never"', require: { windows: [elsewhere] } },
  { name: 'by hand', when: 'via == "http" || via == "mcp"', require: { max_batch_size: 4 } },
  {
    name: 'pair',
    when: 'domain == "paired"',
    require: { approvals: 2, from: ['person:anna', 'person:ben'] },
  },
];

let harness: Harness;
let http: HttpApi;
beforeAll(async () => {
  harness = await startHarness({
    adapters: [tool.adapter, ...['owned', 'talked', 'nightly', 'never', 'paired', 'witnessed'].map(other)],
    // Each batch continues as new.
    settings: { batches_per_run: 1 },
    windows: { never: [later] },
    policies: POLICIES,
  });
  http = await startHttpApi(harness);
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
});
beforeEach(() => {
  failing.clear();
  marks.clear();
  called.length = 0;
});

const marked = (mark: string, more: Partial<BulkOperationInput> = {}) =>
  harness.start({ params: { group: 'all', mark }, ...more });
const edited = ({ operation_id, next_batch }: BulkStatus, mark: string) =>
  editBulkOperation(harness.client, operation_id, { change: { mark }, digest: next_batch?.digest });

/** As a client that knows nothing of ours starts one. */
async function startedPlainly(input: object): Promise<BulkStatus> {
  const handle = await harness.client.workflow.start('bulkOperation', {
    ...{ workflowId: `bulk-${randomUUID()}`, taskQueue: harness.taskQueue, args: [input] },
  });
  return handle.result() as Promise<BulkStatus>;
}

it('rejects what a policy refuses, with its reason, before anything is asked', async () => {
  const params = { group: 'all', mark: 'secret' };
  const ended = await startedPlainly({ domain: 'fake', action: 'mark', params });
  expect(ended).toMatchObject({
    ...{ state: 'rejected', total: 0, confirmations: [] },
    error: {
      code: 'FORBIDDEN',
      message: 'The policy “no secrets” refuses this: Marks are public.',
      details: { policy: 'no secrets', reason: 'Marks are public.' },
    },
  });
  expect(ended.error?.hint).toContain('Nothing was changed');
  expect(ended.message).toContain('Marks are public.');
  const { status, body } = await http.ask('POST', '/v1/operations', {
    body: { domain: 'fake', action: 'mark', params },
  });
  expect(status).toBe(403);
  expect(body).toMatchObject({ code: 'FORBIDDEN', details: { policy: 'no secrets' } });
  expect(
    await failure(
      previewBulkOperation(
        harness.client,
        { domain: 'fake', action: 'mark', params },
        {
          task_queue: harness.taskQueue,
        },
      ),
    ),
  ).toMatchObject({ code: 'FORBIDDEN' });
});

it('refuses what takes no approval of its requester, if a client names none', async () => {
  const start = { domain: 'witnessed', action: 'mark', params: { group: 'all' } };
  const ended = await startedPlainly(start);
  expect(ended).toMatchObject({ state: 'rejected', error: { code: 'INVALID_INPUT' }, confirmations: [] });
  expect(ended.error?.hint).toContain('`requested_by`');
  const seen = previewBulkOperation(harness.client, start, { task_queue: harness.taskQueue });
  expect(await failure(seen)).toMatchObject({ code: 'INVALID_INPUT' });
  expect(called).not.toContain('executeBatch');
  expect(await harness.start({ ...start, requested_by: 'rita' })).toMatchObject({
    state: 'awaiting_confirmation',
  });
});

it('takes no approval of who edited the change, also in a follow-up that keeps it', async () => {
  const start = { domain: 'witnessed', params: { group: 'all', mark: 'later' }, requested_by: 'anna' };
  const { operation_id: id, next_batch } = await harness.start(start);
  const edit = { change: { mark: 'archive' }, digest: next_batch?.digest, by: 'ben' };
  await editBulkOperation(harness.client, id, edit);
  await cancelBulkOperation(harness.client, id, { by: 'ben' });
  const { operation_id: rest } = await startRemainingItems(harness.client, id);
  expect(await harness.status(rest)).toMatchObject({
    ...{ requested_by: 'anna', state: 'awaiting_confirmation' },
    next_batch: { change: { fields: [{ to: 'archive' }] } },
  });
  await cancelBulkOperation(harness.client, rest);
  const { operation_id: last } = await startRemainingItems(harness.client, rest);
  for (const [by, reason] of [
    ['anna', 'requester'],
    ['ben', 'editor'],
  ])
    expect(await failure(confirmOpen(harness.client, last, { by }))).toMatchObject({
      ...{ code: 'FORBIDDEN', details: { reason } },
    });
  expect(called).not.toContain('executeBatch');
  expect(await confirmOpen(harness.client, last, { by: 'cy' })).toMatchObject({ succeeded: 6 });
  expect(await unreplayableOf(harness.client, [id, rest, last])).toEqual([]);
});

it('refuses an operation whose policy reads something absent', async () => {
  const ended = await startedPlainly({ domain: 'owned', action: 'mark', params: { group: 'all' } });
  expect(ended).toMatchObject({
    state: 'rejected',
    error: { code: 'NOT_CONFIGURED', details: { policy: 'owners' } },
  });
  expect(called).not.toContain('executeBatch');
  const given = await harness.start({ domain: 'owned', requested_by: 'anna' });
  expect(given).toMatchObject({ state: 'awaiting_confirmation', policy: 'needs 1 approval' });
});

it('freezes what a policy requires, narrows the batches, and says so in each question', async () => {
  failing.add('item-002');
  let status = await marked('careful', { batch_sizes: [1, 5, 20], idle_timeout_seconds: 7_200 });
  const id = status.operation_id;
  const policy = 'needs 1 approval; at most 3 items at a time; cannot be edited; answered within 10 minutes';
  const sizes: (number | undefined)[] = [];
  while (status.needs_confirmation) {
    expect(status).toMatchObject({ policy, editable: false, batch_size: 3, batch_sizes: [1, 3] });
    expect(status.message).toContain(`\nPolicy “careful”: ${policy}.`);
    const left = Date.parse(status.expires_at ?? '') - Date.parse(status.updated_at);
    expect(left).toBeLessThanOrEqual(600_000);
    sizes.push(status.next_batch?.items.length);
    await confirmOpen(harness.client, id);
    status = await harness.status(id);
  }
  expect(sizes).toEqual([1, 3, 1, 3, 3, 1]);
  expect(status).toMatchObject({ state: 'completed', succeeded: 11, failed: 1, policy });
  expect(await getReport(harness.client, id)).toMatchObject({ policy: `Policy “careful”: ${policy}.` });
  expect((await http.done('GET', `/v1/operations/${id}/report?format=md`)).body).toContain(
    'Policy “careful”',
  );
  // The next operations ask for the same sizes, and are judged anew.
  const again = await retryFailedItems(harness.client, id);
  expect(again).toMatchObject({ policy, total: 1, batch_sizes: [1, 3] });
  const undo = await undoBulkOperation(harness.client, id, { task_queue: harness.taskQueue });
  expect(undo).toMatchObject({ policy, total: 11, batch_sizes: [1, 3] });
  expect(await unreplayableOf(harness.client, [id])).toEqual([]);
});

it('lets nobody edit or extend a question beyond its policy', async () => {
  const status = await marked('careful');
  expect(await failure(edited(status, 'archive'))).toMatchObject({
    code: 'FORBIDDEN',
    message: 'The policy “careful” does not allow edits of this operation.',
  });
  const { operation_id: id } = status;
  expect(await failure(extendBulkOperation(harness.client, id, { seconds: 600 }))).toMatchObject({
    code: 'INVALID_INPUT',
    details: { limit: 600 },
  });
  expect((await harness.status(id)).next_batch?.digest).toBe(status.next_batch?.digest);
});

it('lets no edit lead past the policies', async () => {
  const status = await marked('later');
  expect(status).not.toHaveProperty('policy');
  expect(await failure(edited(status, 'secret'))).toMatchObject({
    code: 'FORBIDDEN',
    details: { policy: 'no secrets' },
  });
  expect(await failure(edited(status, 'careful'))).toMatchObject({
    code: 'FORBIDDEN',
    message: expect.stringContaining('With this edit the policy “careful” would require something else'),
  });
  expect((await harness.status(status.operation_id)).next_batch?.digest).toBe(status.next_batch?.digest);
  const turn = await edited(status, 'archive');
  expect(turn).toMatchObject({ state: 'awaiting_confirmation', next_batch: { attempt: 2 } });
});

it('lets a start narrow the approvers, and only narrow', async () => {
  const narrowed = await harness.start({ domain: 'owned', requested_by: 'anna', approvers: ['person:ben'] });
  expect(narrowed.policy).toBe('needs 1 of ben');
  const plain = await marked('later', { approvers: ['person:anna', 'group:finance'] });
  expect(plain.policy).toBe('needs 1 of anna, finance');
  const foreign = await failure(harness.start({ domain: 'paired', approvers: ['person:eve'] }));
  expect(foreign).toMatchObject({ code: 'INVALID_INPUT', details: { policy: 'pair' } });
  const few = await failure(harness.start({ domain: 'paired', approvers: ['person:ben'] }));
  expect(few.message).toContain('Nobody could approve this under the policy “pair”');
  expect(called).not.toContain('executeBatch');
});

it('begins batches in the windows of the policy and of the domain alike', async () => {
  const { operation_id: id, message } = await harness.start({ domain: 'nightly' });
  expect(message).toContain(`Batches begin only from ${later.from} to ${later.to} (UTC).`);
  const turn = await confirmOpen(harness.client, id);
  expect(turn.state).toBe('scheduled');
  expect(turn.scheduled_for?.slice(11, 16)).toBe(later.from);
  expect(called).not.toContain('executeBatch');
  const never = await failure(harness.start({ domain: 'never' }));
  expect(never).toMatchObject({ code: 'NOT_CONFIGURED', details: { policy: 'never' } });
});

it('knows the door of a start, and that a preview is of a session', async () => {
  const body = { domain: 'fake', action: 'mark', params: { group: 'all', mark: 'later' }, batch_size: 10 };
  const { body: started } = await http.done('POST', '/v1/operations', { body });
  const policy = 'needs 1 approval; at most 4 items at a time';
  expect(started).toMatchObject({ batch_size: 4, batches_total: 3, policy });
  const { body: preview } = await http.done('POST', '/v1/previews', { body });
  expect(preview).toMatchObject({ batch_size: 4, batches_total: 3, policy });
  const { body: exactly } = await http.done('POST', '/v1/operations', {
    body: { ...body, expect_digest: preview.digest },
  });
  expect(exactly).toMatchObject({ state: 'awaiting_confirmation', policy });
  const { body: talked } = await http.done('POST', '/v1/previews', {
    body: { domain: 'talked', action: 'mark', params: { group: 'all' }, session_id: 's' },
  });
  expect(talked.policy).toBe('needs 2 approvals');
});

it('leaves no trace in the history of an operation that no policy matches', async () => {
  const { operation_id: id } = await marked('later', { batch_size: 20 });
  await confirmOpen(harness.client, id);
  const history = await harness.client.workflow.getHandle(id).fetchHistory();
  const texts = JSON.stringify(history, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString() : value,
  );
  expect(texts).not.toMatch(/requirement|"policy|approvers/);
});
