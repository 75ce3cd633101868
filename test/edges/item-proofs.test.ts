import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Batchgate } from '../../src/batchgate';
import { getItemProof, rememberQueue } from '../../src/client';
import { BatchgateError } from '../../src/contract/errors';
import type { ItemProof } from '../../src/contract/item-proof';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { runBatchgate } from '../helpers/command-line';
import { confirmOpen } from '../helpers/confirm';
import { failure } from '../helpers/failure';
import { manyItems, startHarness, testServer, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { faultsOf } from '../helpers/item-proofs';
import { readHistory } from '../helpers/readable-history';

/** Proofs of an operation with everything that happens to one: what is left out, a failed batch, an edit. */
const marks = new Map<string, string>();
/** The name of one item, with a line separator and a code that clears a terminal. */
const FORGED = 'Item 8\u2028\u001b[2J';
let refusal: BatchgateError | undefined;
const adapter = createFakeAdapter({
  marks,
  items: () =>
    manyItems(12).map((item) => ({
      ...item,
      ...(item.id === 'item-008' && { display_name: FORGED }),
      raw_data: { amount: 12 },
    })),
  apply: () => Promise.resolve(),
  onCall: (method) => {
    if (method === 'executeBatch' && refusal) throw refusal;
  },
});

let harness: Harness;
let http: HttpApi;
let folder: string;
let id: string;
let batchgate: Batchgate;
/** The digests of the questions that were confirmed, in order. */
const digests: (string | undefined)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-proofs-'));
  harness = await startHarness({ adapters: [adapter] });
  http = await startHttpApi(harness);
  batchgate = new Batchgate({ client: harness.client, taskQueue: harness.taskQueue });
  const params = { group: 'all', mark: 'later' };
  ({ operation_id: id } = await harness.start({ params, batch_size: 5, reason: 'They are old.' }));
  const confirm = async (more: object = {}) => {
    digests.push((await harness.status(id)).next_batch?.digest);
    await confirmOpen(harness.client, id, { by: 'anna', ...more });
  };
  await confirm({ exclude: [{ id: 'item-002', reason: 'not this one' }] });
  refusal = new BatchgateError('CREDENTIALS_INVALID', 'The tool refused our credentials.', 'Log in again.');
  await confirm();
  refusal = undefined;
  const { next_batch } = await harness.status(id);
  await batchgate.edit(id, { change: { mark: 'archive' }, digest: next_batch?.digest, by: 'bob' });
  await confirm();
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (...args: string[]) =>
  runBatchgate(args, {
    dataDir: folder,
    env: { TEMPORAL_ADDRESS: testServer().address, BATCHGATE_TASK_QUEUE: harness.taskQueue },
  });
const faults = (document: ItemProof) => document.proofs.flatMap((proof) => faultsOf(document, proof));
const verified = (...args: string[]) =>
  execFileSync('python3', ['-B', join(__dirname, '../../examples/proofs/verify.py'), ...args], {
    encoding: 'utf8',
    stdio: 'pipe',
  });

it('proves an item of a batch from which another one was left out', async () => {
  const document = await batchgate.proof(id, 'item-001');
  expect(faults(document)).toEqual([]);
  const [proof, ...more] = document.proofs;
  expect(more).toEqual([]);
  expect(proof).toMatchObject({
    ...{ root: digests[0], size: 6 },
    decisions: [{ by: 'anna', decision: 'continue', batch: 1, attempt: 1, assurance: 'asserted' }],
  });
  expect(JSON.parse(proof!.item.frozen)).toMatchObject({
    ...{ id: 'item-001', raw_data: { mark: null }, preview: { after: { mark: 'later' } } },
  });
  expect(proof?.words.split('\n')).toEqual([
    'Mark each item of the group “all” with “later”. Can be undone.',
    'The requester says: “They are old.”',
    'Item 1 (item-001): mark: none → “later”',
    expect.stringMatching(
      /^Confirmed by anna at 2\S+Z \(update, asserted\), with batch 1, attempt 1 of bulk-/,
    ),
  ]);
  const text = JSON.stringify(document);
  expect(manyItems(12).filter((other) => other.id !== 'item-001' && text.includes(other.id))).toEqual([]);
});

it('proves each attempt, also under a change that was edited since', async () => {
  const document = await batchgate.proof(id, 'item-006');
  expect(faults(document)).toEqual([]);
  expect(document.proofs.map(({ root }) => root)).toEqual(digests.slice(1));
  expect(
    document.proofs.map(({ item }) => (JSON.parse(item.frozen) as { preview: object }).preview),
  ).toMatchObject([{ after: { mark: 'later' } }, { after: { mark: 'archive' } }]);
  expect(document.outcome).toBe('succeeded');
  expect(document.proofs.map(({ words }) => words.split('\n')[0])).toEqual([
    'Mark each item of the group “all” with “later”. Can be undone.',
    'Mark each item with “archive”. Can be undone.',
  ]);
});

it('gives the command line and HTTP the same proof, which a script without our code checks', async () => {
  const expected = await batchgate.proof(id, 'item-006');
  const printed = await run('report', id, '--proof', 'item-006', '--json');
  expect(JSON.parse(printed.stdout)).toEqual(expected);
  expect(JSON.parse((await run('report', '--proof', id, 'item-006')).stdout)).toEqual(expected);
  const { body } = await http.done('GET', `/v1/operations/${id}/proof?item_id=item-006`);
  expect(body).toEqual(expected);
  const file = join(folder, 'proof.json');
  expect(await run('report', id, '--proof', 'item-006', '--out', file)).toMatchObject({
    code: 0,
    stdout: '',
  });
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(expected);
  expect(verified(file)).toContain(`${digests[2]} covers Item 6 (item-006): Mark each item with “archive”.`);
  expect(() => verified(file, digests[0]!)).toThrow('the digest is the expected one');
});

it('has a script that prints no line break and no terminal code of a name', async () => {
  const document = await batchgate.proof(id, 'item-008');
  expect(document.proofs.map(({ item }) => JSON.parse(item.frozen) as object)).toMatchObject([
    { display_name: FORGED },
    { display_name: FORGED },
  ]);
  const file = join(folder, 'forged.json');
  await writeFile(file, JSON.stringify(document));
  expect(verified(file)).toContain('covers Item 8\\u2028\\u001b[2J (item-008): Mark each item');
});

it('refuses with a hint what it cannot prove', async () => {
  const left = await failure(batchgate.proof(id, 'item-002'));
  expect(left).toMatchObject({ code: 'NOT_FOUND', details: { outcome: 'skipped' } });
  expect(left.message).toContain('was left out by the person who confirmed its batch');
  const waiting = await failure(batchgate.proof(id, 'item-011'));
  expect(waiting).toMatchObject({ code: 'NOT_FOUND', details: { outcome: 'pending' } });
  const unknown = await failure(batchgate.proof(id, 'item-999'));
  expect(unknown).toMatchObject({ code: 'NOT_FOUND', message: `The ledger has no item item-999 of ${id}.` });
  expect((await failure(batchgate.proof('bulk-none', 'item-001'))).code).toBe('NOT_FOUND');
  expect((await failure(batchgate.proof(id, ''))).code).toBe('INVALID_INPUT');
  expect((await http.ask('GET', `/v1/operations/${id}/proof?item_id=item-002`)).status).toBe(404);
  expect((await http.ask('GET', `/v1/operations/${id}/proof`)).status).toBe(400);
  expect(await run('report', id, '--proof', 'item-002')).toMatchObject({ code: 1, stdout: '' });
  expect(await run('report', id, '--proof')).toMatchObject({ code: 2 });
  expect(await run('report', id, 'item-001')).toMatchObject({ code: 2 });
});

it('shows the data of an item only to those who may decide about it', async () => {
  const path = `/v1/operations/${id}/proof?item_id=item-001`;
  const key = (role: 'viewer' | 'agent' | 'approver') => http.key(role);
  expect((await http.ask('GET', path, { key: await key('viewer') })).status).toBe(403);
  expect((await http.ask('GET', path, { key: await key('agent') })).status).toBe(403);
  expect((await http.ask('GET', path, { key: await key('approver') })).status).toBe(200);
});

it('adds nothing to the history', async () => {
  const history = await readHistory(harness.client, id);
  const salts = (await harness.store.ledger.read(id))?.items.map(({ salt }) => salt ?? '') ?? [];
  expect(history).toContain(digests[0]);
  expect([...salts, '"tree"', '"leaves"'].filter((text) => history.includes(text))).toEqual([]);
});

it('proves nothing of a row that was changed in the database', async () => {
  const { db } = harness.store;
  const rows = db.updateTable('items').where('operation_id', '=', id).where('index', '=', 2);
  await rows.set({ display_name: 'Somebody else' }).execute();
  const altered = await failure(batchgate.proof(id, 'item-003'));
  expect(altered).toMatchObject({ code: 'INTERNAL', message: expect.stringContaining('does not hold item') });
  expect(faults(await batchgate.proof(id, 'item-004'))).toEqual([]);
});

it('proves an operation that ended, and was deleted in Temporal', async () => {
  await batchgate.cancel(id);
  const { client } = harness;
  await client.workflow.getHandle(id).result();
  expect(faults(await batchgate.proof(id, 'item-001'))).toEqual([]);
  rememberQueue(client, harness.taskQueue);
  await client.workflowService.deleteWorkflowExecution({
    ...{ namespace: client.options.namespace, workflowExecution: { workflowId: id } },
  });
  expect(faults(await getItemProof(client, id, 'item-006'))).toEqual([]);
});
