import { sql } from 'kysely';
import { cancelBulkOperation, continueBulkOperation, exportAudit } from '../../src/client';
import { WORKFLOW_TYPES } from '../../src/contract/messages';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import {
  newAuditKey,
  pythonVerifier,
  shippedVerifier,
  tampered,
  textOf,
  type Verified,
} from '../helpers/audit';
import { confirmOpen } from '../helpers/confirm';
import { codeOf, manyItems, startHarness, type Harness } from '../helpers/harness';

/** The record of real operations, as an auditor reads it. */
const keys = { current: newAuditKey() };
const trusted = [keys.current.public_key];
const marks = new Map<string, string>();
let harness: Harness;
let verify: Awaited<ReturnType<typeof shippedVerifier>>;
let python: Awaited<ReturnType<typeof pythonVerifier>>;
beforeAll(async () => {
  const adapter = createFakeAdapter({ items: () => manyItems(7), apply: () => Promise.resolve(), marks });
  harness = await startHarness({ adapters: [adapter], auditKeys: keys });
  verify = await shippedVerifier();
  python = await pythonVerifier();
});
afterAll(async () => {
  await python.close();
  await harness.close();
});

const linesOf = async (operation_id?: string) => {
  const lines: string[] = [];
  const request = operation_id === undefined ? {} : { operation_id };
  for await (const line of exportAudit(harness.client, request, harness.taskQueue)) lines.push(line);
  return lines;
};
const dataOf = ({ rows = [] }: Verified, id: string, kind: string) =>
  rows.filter(({ said }) => said.chain === id && said.kind === kind).map(({ said }) => said.data);
const valuesOf = ({ rows = [] }: Verified) =>
  rows.flatMap(({ opened }) => Object.values(opened).map((text) => (JSON.parse(text) as unknown[])[1]));

it('shows who confirmed what, and from what to what each item was changed', async () => {
  marks.set('item-002', 'old');
  const { operation_id: id } = await harness.start({
    ...{ params: { group: 'all', mark: 'new' }, batch_size: 5, requested_by: 'Rita' },
  });
  expect(await codeOf(continueBulkOperation(harness.client, id, { batch: 9, by: 'Bert' }))).toBe(
    'STALE_CONFIRMATION',
  );
  const exclude = [{ id: 'item-001', reason: 'It is mine.' }];
  await confirmOpen(harness.client, id, { by: 'Ana', note: 'Go.', exclude });
  await cancelBulkOperation(harness.client, id, { by: 'Carla', reason: 'Enough.' });
  // The answer comes before the record.
  await harness.client.workflow.getHandle(id).result();
  const lines = await linesOf(id);
  const read = verify(textOf(lines), trusted);
  expect(read.failures).toEqual([]);
  expect(await python.verify(textOf(lines), trusted)).toEqual({ failures: [] });
  const [first] = dataOf(read, id, 'batch');
  const decisions = dataOf(read, id, 'decision');
  const accepted = decisions.filter(({ outcome }) => outcome === 'accepted');
  expect(accepted).toMatchObject([
    { decision: 'continue', batch: 1, attempt: 1, digest: first?.['digest'], via: 'update' },
    { decision: 'cancel', batch: 2 },
  ]);
  expect(decisions.filter(({ outcome }) => outcome === 'STALE_CONFIRMATION')).toHaveLength(1);
  expect(dataOf(read, id, 'ended')).toMatchObject([{ state: 'cancelled', succeeded: 4, skipped: 1 }]);
  const values = valuesOf(read);
  expect(values).toContainEqual({
    ...{ id: 'item-002', display_name: 'Item 2' },
    ...{ before: { mark: 'old' }, after: { mark: 'new' } },
  });
  expect(values).toContainEqual({ by: 'Ana', note: 'Go.' });
  expect(values).toContainEqual({ by: 'Bert' });
  expect(values).toContainEqual(expect.objectContaining({ reason: 'It is mine.' }));
  // Without the values nobody and nothing is named.
  const bodies = JSON.stringify((read.rows ?? []).map(({ said }) => said));
  for (const word of ['Ana', 'Bert', 'Carla', 'Rita', 'Item 2', 'item-00', 'mine'])
    expect([word, bodies.includes(word)]).toEqual([word, false]);
});

it('finds and names a row that somebody changed in the database', async () => {
  const { operation_id: id } = await harness.start({
    params: { group: 'all', mark: 'again' },
    batch_size: 5,
  });
  await confirmOpen(harness.client, id, { by: 'Ana' });
  await linesOf();
  await tampered(
    harness.store,
    sql`update batchgate.audit set body = replace(body, 'succeeded', 'failed')
      where chain = ${id} and seq = (select min(seq) from batchgate.audit where chain = ${id} and kind = 'outcomes')`,
  );
  for (const lines of [await linesOf(), await linesOf(id)]) {
    const named = new RegExp(`^line \\d+, row 4 of ${id}: `);
    expect(verify(textOf(lines), trusted).failures[0]).toMatch(named);
    expect((await python.verify(textOf(lines), trusted)).failures[0]).toMatch(named);
  }
});

it('has the end of a job that was ended from outside', async () => {
  const input = { job_id: 'bulk-stuck', run_id: 'run-1', reason: 'It was stuck for days.' };
  for (const workflowId of ['audit-end-1', 'audit-end-2'])
    await harness.client.workflow.execute(WORKFLOW_TYPES.endRecord, {
      ...{ workflowId: `${workflowId}-${harness.taskQueue}`, taskQueue: harness.taskQueue, args: [input] },
    });
  const read = verify(textOf(await linesOf('bulk-stuck')), trusted);
  expect(dataOf(read, 'bulk-stuck', 'ended_by_force')).toHaveLength(1);
  expect(valuesOf(read)).toContainEqual({ reason: 'It was stuck for days.' });
});
