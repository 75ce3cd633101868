import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { cancelBulkOperation, editBulkOperation, getReport } from '../../src/client';
import type { Ledger } from '../../src/contract/ledger';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { confirmOpen } from '../helpers/confirm';
import { codeOf, manyItems, startHarness, type Harness } from '../helpers/harness';
import { unreplayableOf } from '../helpers/replayed';
import { startTimeSkipping } from '../helpers/time-skipping';

const MINUTE = 60_000;
/** The tries of a read of the ledger; about 50 minutes. */
const TRIES = 200;

let isAway = false;
/** The calls that the ledger did not answer. */
let unanswered = 0;
const touched: string[] = [];
const tool = createFakeAdapter({
  items: () => manyItems(20),
  apply: ({ id }) => {
    touched.push(id);
    // The record of this item is the first thing that is lost.
    isAway ||= touched.length === 2;
    return Promise.resolve();
  },
  readBack: () => Promise.resolve('unknown'),
});

let env: TestWorkflowEnvironment;
let harness: Harness;

beforeAll(async () => {
  env = await startTimeSkipping();
  harness = await startHarness({
    adapters: [tool],
    connect: { client: env.client, connection: env.nativeConnection },
  });
  await harness.restartWorker(withOutages(harness.store.ledger));
});
afterAll(async () => {
  await harness.close();
  await env.teardown();
});

function withOutages(ledger: Ledger): Ledger {
  const methods = Object.entries(ledger).flatMap(([name, method]) =>
    typeof method === 'function' ? [[name, method as (...args: unknown[]) => Promise<unknown>] as const] : [],
  );
  const answering = methods.map(([name, method]) => [
    name,
    (...args: unknown[]) => {
      if (!isAway) return method(...args);
      unanswered++;
      return Promise.reject(new Error('Connection terminated unexpectedly'));
    },
  ]);
  return { ...ledger, ...(Object.fromEntries(answering) as Partial<Ledger>) };
}

/** The answer, after as much time as it takes. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  let isThere = false;
  const noted = answer.finally(() => (isThere = true));
  while (!isThere) await env.sleep(MINUTE);
  return noted;
}

it('loses no record of a batch, however long its ledger is away', async () => {
  const { operation_id } = await harness.start({ idle_timeout_seconds: 86_400 });
  const died = await inTime(confirmOpen(harness.client, operation_id));
  expect(died).toMatchObject({ state: 'batch_failed', processed: 0, in_doubt: 0 });
  expect(died.error?.hint).toContain('the next decision reads that first');
  expect(unanswered).toBeGreaterThan(TRIES);
  // The next decisions change nothing either while the ledger is away.
  const edit = editBulkOperation(harness.client, operation_id, { change: { mark: 'new' } });
  expect(await inTime(codeOf(edit))).toBe('ADAPTER_UNAVAILABLE');
  expect((await harness.status(operation_id)).next_batch?.digest).toBe(died.next_batch?.digest);
  const again = await inTime(confirmOpen(harness.client, operation_id));
  expect(again).toMatchObject({ state: 'batch_failed', processed: 0, next_batch: { attempt: 3 } });
  expect(unanswered).toBeGreaterThan(3 * TRIES);
  expect(touched).toEqual(['item-001', 'item-002']);
  isAway = false;
  const turn = await confirmOpen(harness.client, operation_id);
  // Only the second item has no record, and its tool does not say what became of it.
  expect(turn).toMatchObject({ state: 'awaiting_confirmation', succeeded: 9, in_doubt: 1 });
  expect(touched).toEqual(manyItems(10).map(({ id }) => id));
  expect((await getReport(harness.client, operation_id)).differences).toEqual([]);
  await cancelBulkOperation(harness.client, operation_id);
  expect(await unreplayableOf(env.client, [operation_id])).toEqual([]);
});
