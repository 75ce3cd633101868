import type { BulkAdapter } from '../src/contract/adapter';
import type {
  OutcomeCode,
  OutcomeDetail,
  PlannedItem,
  RunBatchInput,
  RunBatchResult,
} from '../src/contract/activities';
import { BatchgateError } from '../src/contract/errors';
import type { BulkResult } from '../src/contract/items';
import type { Claim, LedgerResult } from '../src/contract/ledger';
import { matchResults } from '../src/core/match-results';
import { packOutcomes } from '../src/core/outcomes';
import type { ActivityDependencies } from './dependencies';
import { withHeartbeat, type Pulse } from './heartbeat';
import { withLimits } from './limits';
import { readBack, runEpoch, waitUntil } from './reconcile';

const MAX_ERROR_LENGTH = 500;
const CODES: Record<LedgerResult['state'], OutcomeCode> = { succeeded: 's', failed: 'f', in_doubt: 'd' };

/**
 * Runs one confirmed batch, slice by slice: intents, the change, results. It runs under its own epoch, and every
 * write is on condition of it: a worker that was given up and wakes again touches nothing more.
 */
export async function runBatch(
  dependencies: ActivityDependencies,
  input: RunBatchInput,
): Promise<RunBatchResult> {
  const { adapters, ledger, log } = dependencies;
  const adapter = adapters.get(input.context.tool_name);
  const claim: Claim = {
    operation_id: input.operation_id,
    batch: input.batch,
    epoch: runEpoch(input.attempt),
  };
  if (ledger.storeId !== input.store_id)
    log.warn({ operation_id: input.operation_id }, 'batch runs on another store');
  return withHeartbeat(async (pulse) => {
    const done = new Map<number, LedgerResult>();
    for (const [position, items] of slices(adapter, input.items).entries()) {
      if (pulse.stopAsked) break;
      const deadline = Date.now() + input.call_timeout_ms;
      const open =
        position === 0
          ? await ledger.claim(claim, { items, skipped: input.skipped, confirmed: input.confirmed, deadline })
          : await ledger.intend(claim, items, deadline);
      if (!open) throw fenced(input);
      const results = await applySlice(dependencies, adapter, input, { claim, items, deadline, pulse });
      for (const result of results) done.set(result.index, result);
    }
    return packOutcomes(input.items.map(({ index }) => coded(done.get(index))));
  });
}

interface Slice {
  claim: Claim;
  items: readonly PlannedItem[];
  deadline: number;
  pulse: Pulse;
}

/** The change on one slice, and its results in the ledger before the next one is touched. */
async function applySlice(
  { ledger }: ActivityDependencies,
  adapter: BulkAdapter,
  input: RunBatchInput,
  slice: Slice,
): Promise<LedgerResult[]> {
  if (slice.items.length === 0) return [];
  const answer = await execute(adapter, input, slice, async () => {
    await ledger.settle(
      slice.claim,
      slice.items.map(({ index }) => ({ index, state: 'planned' as const })),
    );
  });
  const { results, missing, foreign } = matchResults(slice.items, answer);
  const settled: LedgerResult[] = [];
  for (const result of results) {
    const item = slice.items.find(({ id }) => id === result.item_id);
    if (item) settled.push(await ledgerResult(adapter, input, slice, item, result));
  }
  if (!(await ledger.record(slice.claim, settled))) throw fenced(input);
  if (missing.length + foreign.length > 0) throw brokenAnswer(adapter.toolName, missing, foreign);
  return settled;
}

async function execute(
  adapter: BulkAdapter,
  input: RunBatchInput,
  { items, deadline, pulse }: Slice,
  untouched: () => Promise<void>,
): Promise<BulkResult[]> {
  try {
    // A slow ledger, or a worker that slept: from the deadline on the items are read back elsewhere.
    if (Date.now() >= deadline) throw tooLate(input);
    return await withLimits(deadline, pulse.lost, (limits) =>
      adapter.executeBatch(items, input.context, limits),
    );
  } catch (error) {
    // By the adapter's contract nothing of the slice was touched then; any other exception leaves the intents standing.
    if (error instanceof BatchgateError) await untouched();
    throw error;
  }
}

/** A result as the ledger keeps it; an answer that never came is read back once the request is surely over. */
async function ledgerResult(
  adapter: BulkAdapter,
  input: RunBatchInput,
  { deadline, pulse }: Slice,
  item: PlannedItem,
  result: BulkResult,
): Promise<LedgerResult> {
  const { index } = item;
  if (result.success) return { index, state: 'succeeded' };
  const error = (result.error ?? 'Unknown error').slice(0, MAX_ERROR_LENGTH);
  if (!result.outcome_unknown) return { index, state: 'failed', error, retryable: result.retryable ?? false };
  const look = () =>
    readBack(adapter, item, input.context, input.call_timeout_ms, pulse.lost).catch(() => 'unknown' as const);
  let found = await look();
  if (found === 'not_applied') {
    await waitUntil(deadline);
    found = await look();
  }
  if (found === 'applied') return { index, state: 'succeeded' };
  if (found === 'not_applied') return { index, state: 'failed', error, retryable: true };
  return { index, state: 'in_doubt', error };
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

function fenced(input: RunBatchInput): BatchgateError {
  return new BatchgateError(
    'STALE_CONFIRMATION',
    `Batch ${input.batch}, attempt ${input.attempt} was given up; this worker came too late.`,
    'Nothing to do: the operation asks again, or went on.',
  );
}

function tooLate(input: RunBatchInput): BatchgateError {
  return new BatchgateError(
    'ADAPTER_UNAVAILABLE',
    `Batch ${input.batch}, attempt ${input.attempt} stopped before an item whose time was over before its call.`,
    'The worker or its store was too slow. Nothing of that item was touched; confirm the rest of the batch again.',
  );
}

function brokenAnswer(toolName: string, missing: string[], foreign: string[]): BatchgateError {
  const named = [
    ...(missing.length > 0 ? [`no result for ${missing.slice(0, 5).join(', ')}`] : []),
    ...(foreign.length > 0 ? [`a result for the unknown ${foreign.slice(0, 5).join(', ')}`] : []),
  ];
  return new BatchgateError(
    'INTERNAL',
    `The adapter ${toolName} gave ${named.join(' and ')}.`,
    'This is a defect of the adapter; tell its author.',
    { missing, foreign },
  );
}
