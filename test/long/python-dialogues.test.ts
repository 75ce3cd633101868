import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import {
  continueBulkOperation,
  editBulkOperation,
  getBulkStatus,
  reviseBulkOperation,
} from '../../src/client';
import { BatchgateError } from '../../src/contract/errors';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { confirmOpen } from '../helpers/confirm';
import { manyItems, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { withPythonPackage } from '../helpers/python-package';

/** Dialogues of an agent on the official Python client with a person elsewhere, for each answer to a question. */
let harness: Harness;
let http: HttpApi;
let agent: ChildProcessByStdio<Writable, Readable, null>;
let lines: AsyncIterator<string>;
const marks = new Map<string, string>();
let refuses = false;
/** Ten seconds after its first refusal. */
let refusedUntil: string | undefined;
const mail = createFakeAdapter({
  toolName: 'mail',
  marks,
  items: () => manyItems(9),
  apply: () => Promise.resolve(),
  onCall: (method) => {
    if (method !== 'executeBatch' || !refuses) return;
    refusedUntil ??= new Date(Date.now() + 10_000).toISOString();
    if (Date.parse(refusedUntil) > Date.now())
      throw new BatchgateError('RATE_LIMITED', 'Too many requests', 'Later.', { until: refusedUntil });
  },
});

beforeAll(async () => {
  const policies = [{ name: 'two', when: 'session.endsWith("approved")', require: { approvals: 2 } }];
  harness = await startHarness({ adapters: [mail], policies });
  http = await startHttpApi(harness);
  const script = [join(__dirname, 'python-player.py'), `${http.url}/mcp`, await http.key('agent')];
  const env = await withPythonPackage('mcp', '2.3.0');
  agent = spawn('python3', script, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  lines = createInterface({ input: agent.stdout })[Symbol.asyncIterator]();
});
afterAll(async () => {
  agent?.kill();
  await http?.close();
  await harness?.close();
});
beforeEach(() => {
  marks.clear();
  refuses = false;
});

const heard = async () => JSON.parse((await lines.next()).value as string);
/** One call; while it waits, the person does something. */
async function call(name: string, args: object, person?: () => Promise<unknown>): Promise<any> {
  agent.stdin.write(`${JSON.stringify({ name, arguments: args })}\n`);
  let line = await heard();
  if (person) {
    expect(line).toEqual({ waiting: 'Waiting for the decision of a person.' });
    const [next] = await Promise.all([heard(), person()]);
    line = next;
  }
  while (line.waiting !== undefined) line = await heard();
  if (line.is_error) throw new Error(JSON.stringify(line.answer));
  return line.answer;
}
const wish = {
  ...{ domain: 'mail', action: 'mark', params: { group: 'all', mark: 'Later' }, reason: 'They are old.' },
  batch_sizes: [1, 3, 5],
};
const start = (session_id: string, more: object = {}) =>
  call('start_bulk_operation', { ...wish, session_id, ...more });
const asks = (operation_id: string, batch: number, person?: () => Promise<unknown>) =>
  call('continue_bulk_operation', { operation_id, batch }, person);
const gate = async (id: string) => {
  const { next_batch: open } = await getBulkStatus(harness.client, id);
  return { batch: open?.number, attempt: open?.attempt, digest: open?.digest };
};
const by = 'Grace';
const cancel = (operation_id: string) => call('cancel_bulk_operation', { operation_id });

it('gives its reason, and asks in batches that grow', async () => {
  const asked = await start('grows');
  expect(asked).toMatchObject({ reason: 'They are old.', by_agent: true, next_batch: { number: 1 } });
  expect(asked.next_batch.items).toHaveLength(1);
  const { operation_id: id } = asked;
  const first = await asks(id, 1, () => confirmOpen(harness.client, id, { by }));
  expect(first).toMatchObject({ decision: 'confirmed', succeeded: 1 });
  expect(first.next_batch.items).toHaveLength(3);
  await cancel(id);
});

it('is told that another question is open once a person has edited the change, and shows that one', async () => {
  const { operation_id: id } = await start('edited');
  const edited = await asks(id, 1, async () =>
    editBulkOperation(harness.client, id, { ...(await gate(id)), change: { mark: 'Archive' }, by }),
  );
  expect(edited).toMatchObject({ decision: 'question_changed' });
  const now = await call('get_bulk_status', { operation_id: id });
  expect(now).toMatchObject({
    next_batch: { number: 1, attempt: 2, change: { fields: [{ to: 'Archive' }] } },
  });
  expect(marks.size).toBe(0);
  const ran = await asks(id, 1, () => confirmOpen(harness.client, id, { by }));
  expect(ran).toMatchObject({ decision: 'confirmed', succeeded: 1 });
  expect([...marks.values()]).toEqual(['Archive']);
  await cancel(id);
});

it('waits until as many people have approved one question as the operator wants', async () => {
  const { operation_id: id, approvals } = await start('approved');
  expect(approvals).toMatchObject({ needed: 2, given: [] });
  const ran = await asks(id, 1, async () => {
    const first = await confirmOpen(harness.client, id, { by });
    expect([first.recorded, marks.size]).toEqual(['approval', 0]);
    await confirmOpen(harness.client, id, { by: 'Ada' });
  });
  expect(ran).toMatchObject({ decision: 'confirmed', succeeded: 1, next_batch: { number: 2 } });
  const changed = await asks(id, 2, async () => {
    await confirmOpen(harness.client, id, { by });
    await editBulkOperation(harness.client, id, { ...(await gate(id)), change: { mark: 'Archive' }, by });
  });
  expect(changed).toMatchObject({ decision: 'question_changed' });
  const again = await call('get_bulk_status', { operation_id: id });
  expect(again.approvals).toMatchObject({ given: [], again: 'the change was edited' });
  expect(marks.size).toBe(1);
  await cancel(id);
});

it('asks for an edit, which only a person makes', async () => {
  const { operation_id: id } = await start('edits');
  const edited = await call('edit_bulk_operation', { operation_id: id }, async () =>
    editBulkOperation(harness.client, id, { ...(await gate(id)), change: { mark: 'Archive' }, by }),
  );
  expect(edited).toMatchObject({ next_batch: { attempt: 2 } });
  expect(marks.size).toBe(0);
  await cancel(id);
});

it('is told that a batch runs later, and takes that back when the person asks for it', async () => {
  const { operation_id: id } = await start('later');
  const not_before = new Date(Date.now() + 3_600_000).toISOString();
  const later = await asks(id, 1, async () =>
    continueBulkOperation(harness.client, id, { ...(await gate(id)), not_before, by }),
  );
  expect(later).toMatchObject({ decision: 'scheduled', state: 'scheduled', scheduled_for: not_before });
  const back = await call('withdraw_bulk_operation', { operation_id: id, reason: 'Grace says not tonight' });
  expect(back).toMatchObject({ state: 'awaiting_confirmation', next_batch: { number: 1, attempt: 2 } });
  expect(marks.size).toBe(0);
  await cancel(id);
});

it('waits for a tool that refuses requests until a time, which gets none before', async () => {
  const { operation_id: id } = await start('throttled');
  refuses = true;
  const refused = await asks(id, 1, () => confirmOpen(harness.client, id, { by }));
  expect(refused).toMatchObject({ state: 'batch_failed', throttled_until: refusedUntil });
  const kept = await asks(id, 1, () => confirmOpen(harness.client, id, { by }));
  expect(kept).toMatchObject({ decision: 'scheduled', scheduled_for: refusedUntil });
  const ran = await asks(id, 1);
  expect(ran).toMatchObject({ decision: 'confirmed', succeeded: 1 });
  await cancel(id);
});

it('gets the guidance of a person as the result of its call, and starts what revises it', async () => {
  const { operation_id: id } = await start('back');
  const note = 'Use the mark Archive.';
  const back = await asks(id, 1, async () =>
    reviseBulkOperation(harness.client, id, { ...(await gate(id)), note, by }),
  );
  expect(back).toMatchObject({ decision: 'sent_back', sent_back: { note, by } });
  const params = { ...wish.params, mark: 'Archive' };
  const revised = await start('back', { revises: id, params });
  expect(revised).toMatchObject({ revises: id, next_batch: { change: { fields: [{ to: 'Archive' }] } } });
  expect(marks.size).toBe(0);
  await cancel(revised.operation_id);
});
