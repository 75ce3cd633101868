import type { BulkAdapter } from '../../src/contract/adapter';
import type { OtherStore, RunBatchInput, RunBatchResult } from '../../src/contract/activities';
import type { OutcomeCode, OutcomeDetail, PlannedItem } from '../../src/contract/items';
import { BatchgateError } from '../../src/contract/errors';
import type { Claim, Ledger, LedgerResult } from '../../src/contract/ledger';
import { itemsOf, packOutcomes } from '../../src/core/bulk/outcomes';
import { sealOfAll } from '../../src/core/bulk/seal';
import { applySlice, fenced } from './apply-slice';
import type { ActivityDependencies } from '../shared/dependencies';
import { withHeartbeat } from '../shared/heartbeat';
import { refuseElsewhere } from './place';
import { runEpoch } from './reconcile';

const CODES: Record<LedgerResult['state'], OutcomeCode> = {
  succeeded: 's',
  failed: 'f',
  skipped: 'k',
  in_doubt: 'd',
};

/**
 * Runs one confirmed batch, slice by slice: intents, the change, results. Every write is conditional on the batch's own
 * epoch: a worker that was given up and wakes again writes nothing more.
 */
export async function runBatch(
  dependencies: ActivityDependencies,
  input: RunBatchInput,
): Promise<RunBatchResult> {
  const { adapters, ledger, log, sentinel } = dependencies;
  const adapter = adapters.get(input.context.tool_name);
  const began = performance.now();
  const claim: Claim = {
    operation_id: input.operation_id,
    batch: input.batch,
    epoch: runEpoch(input.attempt),
  };
  if (ledger.storeId !== input.store_id) {
    log.warn({ operation_id: input.operation_id }, 'refused to run a batch over another store');
    throw otherStore(ledger.storeId);
  }
  await refuseElsewhere(adapter, input.context);
  sentinel.touch(input.confirmed.by);
  return withHeartbeat(async (pulse) => {
    const { indexes } = input.items;
    const done = new Map<number, LedgerResult>();
    const report = () =>
      pulse.report({
        batch: input.batch,
        attempt: input.attempt,
        done: done.size,
        total: indexes.length,
        outcomes: Object.fromEntries([...done].map(([index, result]) => [index, coded(result).code])),
      });
    report();
    let planned: readonly PlannedItem[] | undefined = itemsOf(input.items);
    for (const { from, to } of slices(adapter, indexes.length)) {
      if (pulse.stopAsked) break;
      const deadline = Date.now() + input.call_timeout_ms;
      if (from === 0) {
        planned = await claimed(ledger, claim, input, planned, to, deadline);
        if (planned && sealOfAll(planned) !== input.seal)
          throw await altered(ledger, claim, input, planned.slice(0, to));
      }
      const items = planned?.slice(from, to);
      if (!items || (from > 0 && !(await ledger.intend(claim, items, deadline)))) throw fenced(input);
      const results = await applySlice(dependencies, adapter, input, { claim, items, deadline, pulse });
      for (const result of results) done.set(result.index, result);
      report();
      sentinel.touch(input.confirmed.by);
    }
    const outcomes = packOutcomes(indexes.map((index) => coded(done.get(index))));
    return { ...outcomes, duration_ms: Math.round(performance.now() - began) };
  });
}

/** Claims the batch with its first slice. Returns all items as they were planned; undefined if it is fenced off. */
async function claimed(
  ledger: Ledger,
  claim: Claim,
  { items: { indexes, ids }, skipped, confirmed }: RunBatchInput,
  whole: readonly PlannedItem[] | undefined,
  firstSlice: number,
  deadline: number,
): Promise<readonly PlannedItem[] | undefined> {
  const refs = whole ?? indexes.map((index, at) => ({ index, id: ids[at] ?? '' }));
  const items = refs.slice(0, firstSlice);
  // Items that the activity's input contains whole are not read from the ledger.
  const later = whole ? [] : refs.slice(firstSlice);
  const rows = await ledger.claim(claim, { items, later, skipped, confirmed, deadline });
  return rows ? (whole ?? rows) : undefined;
}

/**
 * The refusal of a batch whose items differ from those that were confirmed: rows of the ledger were changed. Nothing was
 * sent, so the intents are taken back.
 */
async function altered(
  ledger: Ledger,
  claim: Claim,
  { batch }: RunBatchInput,
  begun: readonly PlannedItem[],
): Promise<BatchgateError> {
  await ledger.settle(
    claim,
    begun.map(({ index }) => ({ index, state: 'planned' as const })),
  );
  return new BatchgateError(
    'INTERNAL',
    `The ledger does not hold the items of batch ${batch} as they were planned and confirmed; nothing of it was run.`,
    'Cancel, and start a new operation over what remains: rows of the ledger were changed.',
  );
}

function slices(adapter: BulkAdapter, total: number): { from: number; to: number }[] {
  const size = Math.max(1, adapter.sliceSize ?? total);
  const count = Math.max(1, Math.ceil(total / size));
  return Array.from({ length: count }, (_, at) => ({
    from: at * size,
    to: Math.min((at + 1) * size, total),
  }));
}

function coded(result: LedgerResult | undefined): { code: OutcomeCode } & OutcomeDetail {
  if (!result) return { code: 'p' };
  const { error, retryable } = result;
  return { code: CODES[result.state], error, retryable };
}

/** Fences do not reach across stores: a batch runs only with the store that holds its operation's evidence. */
export function otherStore(store_id: string): BatchgateError {
  const details: OtherStore = { store_id };
  return new BatchgateError(
    'NOT_CONFIGURED',
    'The worker keeps another ledger than the one that holds the evidence of this operation; nothing was run.',
    'If workers keep separate stores, set BATCHGATE_DATABASE_URL for all. If the old store is gone, confirm again.',
    details,
  );
}
