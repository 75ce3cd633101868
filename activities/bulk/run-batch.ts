import type { BulkAdapter } from '../../src/contract/adapter';
import type { RefusedBatch, RunBatchInput, RunBatchResult } from '../../src/contract/activities';
import type { OutcomeCode, OutcomeDetail } from '../../src/contract/items';
import { BatchgateError } from '../../src/contract/errors';
import type { Claim, LedgerResult } from '../../src/contract/ledger';
import { packOutcomes } from '../../src/core/bulk/outcomes';
import { applySlice, fenced } from './apply-slice';
import type { ActivityDependencies } from '../shared/dependencies';
import { withHeartbeat } from '../shared/heartbeat';
import { forItemsOf } from './contexts';
import { confirmedBatch } from './evidence';
import { refuseElsewhere } from './place';
import { runEpoch } from './reconcile';

const CODES: Record<LedgerResult['state'], OutcomeCode> = {
  succeeded: 's',
  failed: 'f',
  skipped: 'k',
  in_doubt: 'd',
};

/**
 * Runs one confirmed batch, slice by slice: intents, the change, results. The ledger supplies exactly the confirmed
 * items. Every write is conditional on the batch's own epoch, so a stale worker writes nothing.
 */
export async function runBatch(
  dependencies: ActivityDependencies,
  input: RunBatchInput,
): Promise<RunBatchResult | RefusedBatch> {
  const startedAt = performance.now();
  return withHeartbeat(async (pulse) => {
    const { adapters, ledger, sentinel } = dependencies;
    const batch = await confirmedBatch(ledger, input).catch((error: unknown) =>
      refusedFor(error, dependencies, input),
    );
    if ('refused' in batch) return batch;
    const { context, items, next, tree, frozen } = batch;
    const { indexes, skipped, edition } = input;
    const { question } = input.confirmed;
    const confirmed = { ...input.confirmed, ...(question && { question: { ...question, tree } }) };
    const adapter = forItemsOf(adapters.get(context.tool_name), context);
    await refuseElsewhere(adapter, context);
    const claim: Claim = {
      operation_id: input.operation_id,
      batch: input.batch,
      epoch: runEpoch(input.attempt),
    };
    sentinel.touch(confirmed.by);
    const byIndex = new Map<number, LedgerResult>();
    const report = () =>
      pulse.report({
        batch: input.batch,
        attempt: input.attempt,
        done: byIndex.size,
        total: indexes.length,
        outcomes: Object.fromEntries([...byIndex].map(([index, result]) => [index, coded(result).code])),
      });
    report();
    let isBegun = false;
    for (const { from, to } of slices(adapter, items.length)) {
      if (pulse.stopAsked) break;
      const deadline = Date.now() + input.call_timeout_ms;
      const slice = items.slice(from, to);
      const isHeld = await (from === 0
        ? ledger.claim(claim, { items: slice, skipped, confirmed, frozen, deadline, edition })
        : ledger.intend(claim, slice, deadline));
      if (!isHeld) throw fenced(input);
      isBegun = true;
      const running = { ...input, context };
      const results = await applySlice(dependencies, adapter, running, {
        claim,
        items: slice,
        deadline,
        pulse,
      });
      for (const result of results) byIndex.set(result.index, result);
      report();
      sentinel.touch(confirmed.by);
    }
    const outcomes = packOutcomes(indexes.map((index) => coded(byIndex.get(index))));
    const duration_ms = Math.round(performance.now() - startedAt);
    if (!isBegun) return { ...outcomes, duration_ms, unbegun: true };
    return { ...outcomes, duration_ms, ...(next && !outcomes.codes.includes('p') && { next }) };
  });
}

/** Returns the refusal of a worker without the evidence of the confirmation. Such a worker begins nothing. */
function refusedFor(
  error: unknown,
  { log }: ActivityDependencies,
  { operation_id }: RunBatchInput,
): RefusedBatch {
  if (!(error instanceof BatchgateError)) throw error;
  log.warn({ operation_id, code: error.code }, 'refused to run a batch');
  return { refused: error.body };
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
