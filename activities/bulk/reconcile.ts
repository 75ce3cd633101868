import { Context } from '@temporalio/activity';
import type { BulkAdapter, Reconciliation } from '../../src/contract/adapter';
import type { Reconciled, ReconcileInput } from '../../src/contract/activities';
import type { OutcomeCode, OutcomeDetail, PlannedItem } from '../../src/contract/items';
import type { BatchgateError } from '../../src/contract/errors';
import type { BulkItem } from '../../src/contract/items';
import type { Claim, FencedItem, LedgerResult } from '../../src/contract/ledger';
import { packOutcomes } from '../../src/core/bulk/outcomes';
import type { ActivityDependencies } from '../shared/dependencies';
import { withHeartbeat } from '../shared/heartbeat';
import { unlessOverdue, withLimits } from '../adapters/shared/limits';
import { forItemsOf } from './contexts';
import { frozenItem, plannedItems, type RunningBatch } from './evidence';
import { isElsewhere } from './place';

/** The time limit of the early read, so that an unavailable tool does not delay the question. */
const EARLY_LOOK_MS = 2_000;
/** From this try on, the items of a tool that cannot be read are in doubt. */
const LAST_TRY = 5;
const IN_DOUBT = 'It may have been touched before the batch died, and reading it back gave no answer.';
const WITHOUT_EVIDENCE = {
  code: 'd',
  error: 'It may have been touched, and the ledger of this worker has no record of it.',
} as const;

/** Epochs of a batch: each attempt has one to run under and a higher one that fences it off. */
export function runEpoch(attempt: number): number {
  return 2 * attempt;
}
function fenceEpoch(attempt: number): number {
  return 2 * attempt + 1;
}

/** True if a later claim or fence holds the batch: further tries do not change that. */
export const isFencedOff = ({ details }: BatchgateError): boolean =>
  typeof details === 'object' && details !== null && 'epoch' in details;

type Settled = LedgerResult | { index: number; state: 'planned' };

/**
 * Determines the outcome of a batch that died, after fencing it off. Results in the ledger count; items that were
 * never begun stay pending; the others are read back. A visible change counts at once. The absence of a change counts
 * only after the deadline of the last request, because a request outlives the process that sent it; until then the
 * item is unsettled. Items without evidence are in doubt. An excluded item that proves unchanged is skipped.
 */
export async function reconcile(
  dependencies: ActivityDependencies,
  input: ReconcileInput,
): Promise<Reconciled> {
  const { adapters, ledger } = dependencies;
  const fence: Claim = {
    operation_id: input.operation_id,
    batch: input.batch,
    epoch: fenceEpoch(input.attempt),
  };
  return withHeartbeat(async ({ lost }) => {
    const { indexes } = input;
    // Nothing of a batch whose items were all excluded is read back.
    const part =
      indexes.length > 0 ? { from: Math.min(...indexes), to: Math.max(...indexes) + 1 } : undefined;
    const planned = await plannedItems(ledger, input, part ? [part] : []);
    if (!planned) return packOutcomes(indexes.map(() => WITHOUT_EVIDENCE));
    // The fence comes first: it returns the items that may have been begun.
    const leftOut = input.skipped.filter(({ index }) => !indexes.includes(index));
    const rows = new Map((await ledger.fence(fence, leftOut, part)).map((row) => [row.index, row]));
    const begunItems = planned.items
      .filter(({ index }) => indexes.includes(index) && rows.get(index)?.state === 'intended')
      .map(frozenItem);
    const until = Math.max(0, ...begunItems.map(({ index }) => rows.get(index)?.deadline ?? 0));
    if (input.wait) await waitUntil(until);
    const early = Date.now() < until ? Date.now() + EARLY_LOOK_MS : undefined;
    const results = new Map<number, Settled>();
    const indices: number[] = [];
    const { context } = planned;
    for (const item of begunItems) {
      const adapter = forItemsOf(adapters.get(context.tool_name), context);
      const result = await lookAt(adapter, { ...input, context }, item, lost, { until, early });
      if (result) results.set(item.index, unlessExcluded(input, result));
      else indices.push(item.index);
    }
    await ledger.settle(fence, [...results.values()]);
    const outcomes = packOutcomes(
      indexes.map((index) =>
        coded(indices.includes(index) ? UNCHANGED : (results.get(index) ?? rows.get(index))),
      ),
    );
    return { ...outcomes, ...(indices.length > 0 && { unsettled: { indices, until } }) };
  });
}

const UNCHANGED = { state: 'planned' } as const;

type BatchOfContext = Pick<RunningBatch, 'operation_id' | 'run_id' | 'context' | 'call_timeout_ms'>;

/** Reads one item back, by default within a call's time limit. */
export async function readBack(
  adapter: BulkAdapter,
  item: BulkItem,
  input: BatchOfContext,
  lost: AbortSignal,
  deadline = Date.now() + input.call_timeout_ms,
): Promise<Reconciliation> {
  if (!adapter.reconcile || (await isElsewhere(adapter, input.context))) return 'unknown';
  const { operation_id, run_id, context } = input;
  return withLimits(deadline, lost, async (limits) => {
    const reading = adapter.reconcile?.(item, context, { ...limits, operation_id, run_id });
    const outcome = reading && (await unlessOverdue(limits.signal, reading));
    if (reading && outcome === undefined) throw new Error(`${adapter.toolName} did not answer in time`);
    return outcome ?? 'unknown';
  });
}

/**
 * Waits until a time, in milliseconds since the epoch; a cancelled activity stops waiting. A timer may fire a
 * millisecond early, and an early read settles nothing.
 */
async function waitUntil(moment: number): Promise<void> {
  for (let wait = moment - Date.now(); wait > 0; wait = moment - Date.now())
    await Context.current().sleep(wait);
}

/** `until`: deadline of the last request. `early`: time limit of a read before it; unset once the item is stable. */
async function lookAt(
  adapter: BulkAdapter,
  input: BatchOfContext,
  item: PlannedItem,
  lost: AbortSignal,
  { until, early }: { until: number; early?: number | undefined },
): Promise<Settled | undefined> {
  const { index } = item;
  // The item was in the wanted state before, so nothing was sent for it.
  if (item.preview?.already) return { index, state: 'succeeded' };
  if (early !== undefined && Date.now() >= early) return undefined;
  let outcome: Reconciliation;
  try {
    outcome = await readBack(adapter, item, input, lost, early);
  } catch (error) {
    if (early !== undefined) return undefined;
    if (Context.current().info.attempt < LAST_TRY) throw error;
    outcome = 'unknown';
  }
  if (outcome === 'applied') return { index, state: 'succeeded' };
  if (outcome === 'not_applied') return early === undefined ? { index, state: 'planned' } : undefined;
  return {
    index,
    state: 'in_doubt',
    error: early === undefined ? IN_DOUBT : `${IN_DOUBT} ${stillOpen(until)}`,
  };
}

/** Returns a note that a read before this time may miss a later change. */
const stillOpen = (until: number) =>
  `Its request may still be carried out until ${new Date(until).toISOString()}: look at it after that.`;

function unlessExcluded({ skipped }: ReconcileInput, result: Settled): Settled {
  const excluded = skipped.find(({ index }) => index === result.index);
  if (result.state !== 'planned' || !excluded) return result;
  return { index: result.index, state: 'skipped', error: excluded.reason };
}

function coded(
  row: ({ state: FencedItem['state'] } & OutcomeDetail) | undefined,
): { code: OutcomeCode } & OutcomeDetail {
  if (!row) return WITHOUT_EVIDENCE;
  const { error, retryable } = row;
  switch (row.state) {
    case 'succeeded':
      return { code: 's' };
    case 'failed':
      return { code: 'f', error, retryable };
    case 'skipped':
      return { code: 'k', error, retryable };
    case 'in_doubt':
      return { code: 'd', error };
    case 'planned':
      return { code: 'p' };
    case 'intended':
      throw new Error(`item ${String((row as FencedItem).index)} was not looked at`);
  }
}
