import type { Claim } from '../../src/contract/ledger';
import type { BulkStatus } from '../../src/contract/operation';
import type { PlanRecord } from '../../src/contract/plans';
import type { PlannedItem } from '../../src/contract/items';
import type { Store } from '../../src/postgres/store/open';

export const AT = '2026-11-21T12:00:00.000Z';
export const BATCH = 5;

export const runOf = (operation_id: string) => `run-of-${operation_id}`;

export function plan(operation_id: string): PlanRecord {
  return {
    operation_id,
    run_id: runOf(operation_id),
    session_id: 'session-1',
    requested_by: 'ana',
    context: { tool_name: 'gmail', action: 'label', query_params: {}, action_params: {} },
    noun: { one: 'email', many: 'emails' },
    change: { summary: 'Add the label “Later”.', fields: [], reversible: 'yes' },
    change_params: { label_name: 'Later' },
    metadata: { because: 'a test' },
    batch_size: BATCH,
    terms: { idle_timeout_seconds: 60 },
  };
}

export function plannedItems(count: number): PlannedItem[] {
  return Array.from({ length: count }, (_, index) => ({
    index,
    id: `m${index}`,
    display_name: `Message ${index}`,
  }));
}

/** Three batches of these items, and a confirmation of one. */
export const items = plannedItems(3 * BATCH);
export const [first, second, third] = items as [PlannedItem, PlannedItem, PlannedItem];
export const firstBatch = items.slice(0, BATCH);
export const confirmed = { by: 'ana', via: 'update', assurance: 'session', at: AT } as const;
export const claimOf = (operation_id: string, epoch = 1, batch = 1): Claim => ({
  operation_id,
  batch,
  epoch,
});

/** A status without items, in the form in which an operation stores it at its end. */
export const statusOf = (operation_id: string, state: BulkStatus['state']): BulkStatus => ({
  operation_id,
  domain: 'gmail',
  action: 'label',
  state,
  needs_confirmation: false,
  message: '',
  ...{ total: 0, processed: 0, succeeded: 0, failed: 0, skipped: 0, in_doubt: 0, remaining: 0 },
  ...{ batch_size: BATCH, batches_total: 0, errors: [], confirmations: [], created_at: AT, updated_at: AT },
  guard: { allowed: true },
});

/** A store for the tests of one block, and operations in its ledger. */
export function useLedger(open: () => Promise<Store>) {
  let store: Store;
  let count = 0;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  const newId = () => `op-${(count += 1)}`;
  return {
    get ledger() {
      return store.ledger;
    },
    get db() {
      return store.db;
    },
    newId,
    claimed: (claim: Claim, slice = firstBatch, deadline = 1_000) =>
      store.ledger.claim(claim, { items: slice, skipped: [], confirmed, deadline }),
    planned: async () => {
      const operationId = newId();
      await store.ledger.recordPlan(plan(operationId), items);
      return operationId;
    },
    itemsOf: async (operationId: string) => (await store.ledger.read(operationId))?.items ?? [],
  };
}
