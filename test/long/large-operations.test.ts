import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import {
  cancelBulkOperation,
  continueBulkOperation,
  getBulkItems,
  getBulkStatus,
  getReport,
  resolveItem,
} from '../../src/client';
import type { BulkItem } from '../../src/contract/items';
import type { Ledger } from '../../src/contract/ledger';
import { SIGNALS } from '../../src/contract/messages';
import { MAX_PAYLOAD_BYTES } from '../../src/core/shared/bounds';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { runBatchgate } from '../helpers/command-line';
import { codeOf, startHarness, testServer, type Harness } from '../helpers/harness';
import { confirmOpen } from '../helpers/confirm';
import { lookAgain } from '../helpers/look-again';

const COUNT = 3_000;
const PER_RUN = 4;
const items: BulkItem[] = Array.from({ length: COUNT }, (_, at) => ({
  id: `${at}-${'件'.repeat(100)}`,
  display_name: `${at} ${'é'.repeat(200)}`,
  ...(at % 2 === 0 && { raw_data: { subject: 'x'.repeat(300), big: 1e21, small: 1e-7 } }),
}));
const touched = new Map<string, BulkItem>();
/** The tool reports an unknown outcome for these items, and cannot read them back. */
const silent = new Set([items[3]?.id, items[2_777]?.id]);

let harness: Harness;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-large-'));
  const adapter = createFakeAdapter({
    items: () => items,
    planPageSize: 1_000,
    apply: (item) => {
      touched.set(item.id, item);
      if (silent.has(item.id))
        return Promise.resolve({ item_id: item.id, success: false, outcome_unknown: true, error: 'silence' });
      if (item.id.startsWith('5-')) throw new Error('e'.repeat(5_000));
      return Promise.resolve();
    },
  });
  const settings = { max_total_items: COUNT, batches_per_run: PER_RUN };
  harness = await startHarness({ adapters: [adapter], settings });
});
afterAll(async () => {
  await harness.close();
  await rm(folder, { recursive: true, force: true });
});

/** The rows that a verb prints with `--json`. */
async function printed(...args: string[]): Promise<{ id?: string; item_id?: string }[]> {
  const env = { TEMPORAL_ADDRESS: testServer().address, BATCHGATE_TASK_QUEUE: harness.taskQueue };
  const { stdout } = await runBatchgate([...args, '--json'], { dataDir: folder, env });
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as { id?: string });
}

/** The sizes of all payloads in the histories of a chain of runs, and the number of runs. */
async function payloads(client: Client, workflowId: string): Promise<{ sizes: number[]; runs: number }> {
  const sizes: number[] = [];
  let runs = 0;
  let runId: string | undefined = await firstRun(client, workflowId);
  while (runId) {
    runs++;
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    measure(events, sizes);
    runId = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  return { sizes, runs };
}

async function firstRun(client: Client, workflowId: string): Promise<string> {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  return raw.workflowExecutionInfo?.firstRunId ?? '';
}

function measure(value: unknown, sizes: number[]): void {
  if (typeof value !== 'object' || value === null) return;
  const { data, payloads: together } = value as { data?: unknown; payloads?: { data?: Uint8Array }[] };
  if (data instanceof Uint8Array) sizes.push(data.length);
  // Temporal also limits the payloads of one command together.
  if (Array.isArray(together)) sizes.push(together.reduce((sum, one) => sum + (one.data?.length ?? 0), 0));
  if (!(value instanceof Uint8Array)) for (const member of Object.values(value)) measure(member, sizes);
}

it('runs thousands of items with long names page by page, and writes no payload above 256 KB', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 20 });
  const asked: string[] = [];
  const batches = 3 * PER_RUN + 2;
  for (let batch = 1; batch <= batches; batch++) {
    const { next_batch } = await getBulkStatus(harness.client, id);
    expect(next_batch?.items).toHaveLength(20);
    asked.push(...(next_batch?.items.map((item) => item.id) ?? []));
    await continueBulkOperation(harness.client, id, next_batch && { digest: next_batch.digest, batch });
  }
  // The questions and the changes were exactly the planned items.
  expect(asked).toEqual(items.slice(0, batches * 20).map((item) => item.id));
  expect([...touched.values()]).toMatchObject(items.slice(0, batches * 20));

  const status = await getBulkStatus(harness.client, id);
  expect(status).toMatchObject({ total: COUNT, succeeded: batches * 20 - 2, failed: 1, in_doubt: 1 });
  expect(status.guard.missing_count).toBe(COUNT - batches * 20);
  const late = await getBulkItems(harness.client, id, { offset: COUNT - 3, limit: 10 });
  expect(late.items.map((row) => row.id)).toEqual(items.slice(-3).map((item) => item.id));
  expect(late.total).toBe(COUNT);
  const done = await getBulkItems(harness.client, id, { outcome: 'succeeded', limit: 1_000 });
  expect(done.items).toHaveLength(batches * 20 - 2);

  // The verbs print every row, in as many requests as it takes.
  const idsFrom = (from: number) => items.slice(from).map((item) => item.id);
  expect((await printed('items', id)).map((row) => row.id)).toEqual(idsFrom(0));
  const pending = await printed('items', id, '--outcome', 'pending');
  expect(pending.map((row) => row.id)).toEqual(idsFrom(batches * 20));
  expect(await printed('items', id, '--outcome', 'pending', '--offset', '2', '--limit', '3')).toMatchObject(
    pending.slice(2, 5),
  );
  expect(await printed('errors', id)).toMatchObject([{ item_id: items[3]?.id }, { item_id: items[5]?.id }]);

  const verdict = { outcome: 'succeeded' as const, reason: 'seen there' };
  expect(await codeOf(resolveItem(harness.client, id, { item_id: items[2_500]?.id ?? '', ...verdict }))).toBe(
    'INVALID_INPUT',
  );
  expect(await codeOf(resolveItem(harness.client, id, { item_id: 'none', ...verdict }))).toBe('NOT_FOUND');
  await resolveItem(harness.client, id, { item_id: items[3]?.id ?? '', ...verdict });
  await cancelBulkOperation(harness.client, id);
  const report = await getReport(harness.client, id);
  expect(report.rows).toHaveLength(COUNT);
  expect(report.differences).toEqual([]);
  const { sizes, runs } = await payloads(harness.client, id);
  expect(runs).toBe(4);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_PAYLOAD_BYTES);
  expect(Math.max(...sizes)).toBeGreaterThan(50_000);
});

it('accepts a long list of named items in parts', async () => {
  const named = items.slice(0, 2_000);
  const {
    operation_id: id,
    total,
    next_batch,
  } = await harness.start({
    params: {},
    items: named,
    batch_size: 20,
  });
  expect(total).toBe(2_000);
  expect(next_batch?.items[19]?.id).toBe(named[19]?.id);
  const { items: last } = await getBulkItems(harness.client, id, { offset: 1_999 });
  expect(last).toEqual([expect.objectContaining({ id: named[1_999]?.id, batch: 100 })]);
  await cancelBulkOperation(harness.client, id);
  const [started, ...sizes] = (await payloads(harness.client, id)).sizes.sort((a, b) => b - a);
  // The input that the client sent is measured twice: alone and in its list of payloads.
  expect(started).toBeGreaterThan(MAX_PAYLOAD_BYTES);
  expect(Math.max(...sizes.slice(1))).toBeLessThanOrEqual(MAX_PAYLOAD_BYTES);
});

it('ends with the reason if the rest of the plan was changed in the ledger', async () => {
  const { operation_id: id } = await harness.start({ batch_size: 20 });
  const { ledger } = harness.store;
  const changed: Ledger = {
    ...ledger,
    planned: async (...parts) => {
      const planned = await ledger.planned(...parts);
      const items = planned?.items.map((item) =>
        item.index < 100 ? item : { ...item, display_name: 'other' },
      );
      return planned && { ...planned, items: items ?? [] };
    },
  };
  await harness.restartWorker(changed);
  let turn = await confirmOpen(harness.client, id);
  while (turn.next_batch) turn = await confirmOpen(harness.client, id);
  expect(turn).toMatchObject({ state: 'cancelled', error: { code: 'INTERNAL' } });
  expect(turn.error?.message).toMatch(/The ledger does not hold items \d+ to \d+ as they were planned/);
  expect(turn.remaining).toBeGreaterThan(COUNT - 500);
  await harness.restartWorker();
});

it.each(['fenceAll', 'recordPlan'] as const)(
  'waits while the database is away at %s of a plan, and loses no start',
  async (step) => {
    const { ledger } = harness.store;
    let away = 4;
    await harness.restartWorker({
      ...ledger,
      [step]: (...args: [never, never]) =>
        away-- > 0 ? Promise.reject(new Error('Connection terminated unexpectedly')) : ledger[step](...args),
    });
    const started = await harness.start({ params: {}, items: items.slice(0, 30) });
    expect({ ...started, away }).toMatchObject({ state: 'awaiting_confirmation', total: 30, away: -1 });
    await cancelBulkOperation(harness.client, started.operation_id);
    await harness.restartWorker();
  },
);

it('applies thousands of signals that arrived while no worker ran, and continues as new at the same question', async () => {
  const { operation_id: id, next_batch: gate } = await harness.start({ batch_size: 20 });
  const handle = harness.client.workflow.getHandle(id);
  const first = await firstRun(harness.client, id);
  await harness.stopWorker();
  const decisions = Array.from({ length: 2_500 }, (_, at) => ({ batch: 2, decision_id: `early-${at}` }));
  for (let sent = 0; sent < decisions.length; sent += 100) {
    const some = decisions.slice(sent, sent + 100);
    await Promise.all(some.map((decision) => handle.signal(SIGNALS.continue, decision)));
  }
  await harness.restartWorker();
  const status = await getBulkStatus(harness.client, id);
  expect(status.next_batch).toEqual(gate);
  expect(status).toMatchObject({ state: 'awaiting_confirmation', confirmations_truncated: true });
  expect(status.confirmations_total).toBe(decisions.length);
  // The record takes all of them before the next run begins.
  while ((await handle.describe()).runId === first) await lookAgain();
  await confirmOpen(harness.client, id);
  const { next_batch: second } = await getBulkStatus(harness.client, id);
  expect(second?.number).toBe(2);
  // Each was refused on arrival. Sent again while its batch waits, it does not count as a new decision.
  for (const decision of [decisions[0], decisions.at(-1)]) await handle.signal(SIGNALS.continue, decision);
  const after = await getBulkStatus(harness.client, id);
  expect(after.next_batch).toEqual(second);
  expect(after.confirmations.slice(-2).map(({ outcome }) => outcome)).not.toContain('accepted');
  await cancelBulkOperation(harness.client, id);
});
