import type { BulkAdapter } from '../../src/contract/adapter';
import type {
  OtherStore,
  OutcomeCode,
  OutcomeDetail,
  PlannedItem,
  RunBatchInput,
  RunBatchResult,
} from '../../src/contract/activities';
import { BatchgateError } from '../../src/contract/errors';
import type { Claim, LedgerResult } from '../../src/contract/ledger';
import { itemsOf, packOutcomes } from '../../src/core/bulk/outcomes';
import { applySlice, fenced } from './apply-slice';
import type { ActivityDependencies } from '../shared/dependencies';
import { withHeartbeat } from '../shared/heartbeat';
import { runEpoch } from './reconcile';

const CODES: Record<LedgerResult['state'], OutcomeCode> = { succeeded: 's', failed: 'f', in_doubt: 'd' };

/**
 * Runs one confirmed batch, slice by slice: intents, the change, results. It runs under its own epoch, and every
 * write is on condition of it: a worker that was given up and wakes again touches nothing more.
 */
export async function runBatch(
  dependencies: ActivityDependencies,
  input: RunBatchInput,
): Promise<RunBatchResult> {
  const { adapters, ledger, log, sentinel } = dependencies;
  const adapter = adapters.get(input.context.tool_name);
  const claim: Claim = {
    operation_id: input.operation_id,
    batch: input.batch,
    epoch: runEpoch(input.attempt),
  };
  if (ledger.storeId !== input.store_id) {
    log.warn({ operation_id: input.operation_id }, 'refused to run a batch over another store');
    throw otherStore(ledger.storeId);
  }
  sentinel.touch(input.confirmed.by);
  return withHeartbeat(async (pulse) => {
    const planned = await frozenItems(dependencies, input);
    const done = new Map<number, LedgerResult>();
    const report = () =>
      pulse.report({
        batch: input.batch,
        attempt: input.attempt,
        done: done.size,
        total: planned.length,
      });
    report();
    for (const [position, items] of slices(adapter, planned).entries()) {
      if (pulse.stopAsked) break;
      const deadline = Date.now() + input.call_timeout_ms;
      const open =
        position === 0
          ? await ledger.claim(claim, { items, skipped: input.skipped, confirmed: input.confirmed, deadline })
          : await ledger.intend(claim, items, deadline);
      if (!open) throw fenced(input);
      const results = await applySlice(dependencies, adapter, input, { claim, items, deadline, pulse });
      for (const result of results) done.set(result.index, result);
      report();
      sentinel.touch(input.confirmed.by);
    }
    return packOutcomes(planned.map(({ index }) => coded(done.get(index))));
  });
}

/** The items as they were frozen; the ids are those of the question that was confirmed. */
async function frozenItems({ ledger }: ActivityDependencies, input: RunBatchInput): Promise<PlannedItem[]> {
  const whole = itemsOf(input.items);
  if (whole) return whole;
  const { indexes, ids } = input.items;
  const rows = new Map((await ledger.planned(input.operation_id, indexes)).map((item) => [item.index, item]));
  return indexes.map((index, at) => {
    const row = rows.get(index);
    if (row && row.id === ids[at]) return row;
    throw new BatchgateError(
      'INTERNAL',
      `The ledger does not hold item ${ids[at]} as it was planned; nothing of batch ${input.batch} was run.`,
      'Cancel, and start a new operation over what remains: rows of the ledger were changed or removed.',
    );
  });
}

function slices(adapter: BulkAdapter, items: readonly PlannedItem[]): PlannedItem[][] {
  const size = Math.max(1, adapter.sliceSize ?? items.length);
  const count = Math.max(1, Math.ceil(items.length / size));
  return Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size));
}

function coded(result: LedgerResult | undefined): { code: OutcomeCode } & OutcomeDetail {
  if (!result) return { code: 'p' };
  const { error, retryable } = result;
  return { code: CODES[result.state], error, retryable };
}

/** Fences do not reach across stores: a batch runs only over the one that holds its operation's evidence. */
function otherStore(store_id: string): BatchgateError {
  const details: OtherStore = { store_id };
  return new BatchgateError(
    'NOT_CONFIGURED',
    'The worker keeps another ledger than the one that holds the evidence of this operation; nothing was run.',
    'If workers keep separate stores, set BATCHGATE_DATABASE_URL for all. If the old store is gone, confirm again.',
    details,
  );
}
