import { shortened } from '../../src/contract/text';
import { setTimeout as pause, setImmediate as nextTurn } from 'node:timers/promises';
import type { BulkAdapter, Reconciliation } from '../../src/contract/adapter';
import type { RunBatchInput } from '../../src/contract/activities';
import type { PlannedItem } from '../../src/contract/items';
import { BatchgateError } from '../../src/contract/errors';
import { MAX_RAW_DATA_BYTES, utf8Length, type BulkResult } from '../../src/contract/items';
import type { Claim, LedgerResult } from '../../src/contract/ledger';
import { matchResults } from '../../src/core/bulk/outcomes';
import type { ActivityDependencies } from '../shared/dependencies';
import type { Pulse } from '../shared/heartbeat';
import { unlessOverdue, withLimits } from '../adapters/shared/limits';
import type { RunningBatch } from './evidence';
import { readBack } from './reconcile';

const MAX_ERROR_LENGTH = 500;
const NAMED_ITEMS = 20;
/** The number of tries to read back an item with a lost answer while the tool itself cannot be read. */
const LOOKS = 3;
const LOOK_PAUSE_MS = 500;

/** Items whose intents are in the ledger, and the deadline of their request. */
export interface Slice {
  claim: Claim;
  items: readonly PlannedItem[];
  deadline: number;
  pulse: Pulse;
}

/**
 * Changes one slice, and writes all its results into the ledger before the next slice begins. Results that the adapter
 * reports early are written as they arrive, the others with the adapter's answer.
 */
export async function applySlice(
  { ledger }: ActivityDependencies,
  adapter: BulkAdapter,
  input: RunningBatch,
  slice: Slice,
): Promise<LedgerResult[]> {
  if (slice.items.length === 0) return [];
  const recorder = createRecorder(async (results) => {
    if (!(await ledger.record(slice.claim, results))) throw fenced(input);
  });
  const { already, open } = splitItems(slice.items);
  const unsentResults = already.map(({ index }) => ({ index, state: 'succeeded' as const }));
  if (open.length === 0) {
    recorder.add(unsentResults);
    return recorder.written();
  }
  const itemOf = new Map(open.map((item) => [item.id, item]));
  const resultsOfItems = (results: readonly BulkResult[]) =>
    results.flatMap((result) => {
      const item = itemOf.get(result.item_id);
      return item && !unanswered(result) ? [plainResult(item, result)] : [];
    });
  const untouched = async () => {
    await recorder.written();
    const unchanged = slice.items.filter(({ index }) => !recorder.has(index));
    await ledger.settle(
      slice.claim,
      unchanged.map(({ index }) => ({ index, state: 'planned' as const })),
    );
  };
  const onResult = (result: BulkResult) => recorder.add(resultsOfItems([result]));
  const answer = await execute(adapter, input, { ...slice, items: open }, { onResult, untouched });
  // An abandoned attempt leaves its intents; the attempt that fenced it off reconciles them.
  if (slice.pulse.lost.aborted) throw fenced(input);
  const { results, missing, foreign } = answer
    ? matchResults(open, answer)
    : { results: noneOf(adapter, open), missing: [], foreign: [] };
  recorder.add([...unsentResults, ...resultsOfItems(results)]);
  await recorder.written();
  for (const result of results.filter(unanswered)) {
    const item = itemOf.get(result.item_id);
    if (!item || recorder.has(item.index)) continue;
    const outcome = await lookFor(
      adapter,
      input,
      { ...slice, isOver: answer !== undefined },
      item,
      result,
    ).catch((error: unknown) => {
      throw slice.pulse.lost.aborted ? fenced(input) : error;
    });
    recorder.add([outcome]);
    await recorder.written();
  }
  if (missing.length + foreign.length > 0) throw brokenAnswer(adapter.toolName, missing, foreign);
  return recorder.written();
}

/** Results for a call that did not return by its deadline. */
const noneOf = ({ toolName }: BulkAdapter, items: readonly PlannedItem[]): BulkResult[] =>
  items.map(({ id }) => ({
    ...{ item_id: id, success: false, outcome_unknown: true },
    error: `${toolName} did not answer in time, so the outcome is unknown`,
  }));

/** Separates the items that were in the wanted state when the plan froze them: only the others need a call. */
function splitItems(items: readonly PlannedItem[]): { already: PlannedItem[]; open: PlannedItem[] } {
  return {
    already: items.filter(({ preview }) => preview?.already),
    open: items.filter(({ preview }) => !preview?.already),
  };
}

/** Returns the error of a worker that returns after its batch was given up. */
export function fenced(input: RunBatchInput): BatchgateError {
  return new BatchgateError(
    'STALE_CONFIRMATION',
    `Batch ${input.batch}, attempt ${input.attempt} was given up; this worker came too late.`,
    'Nothing to do: the operation asks again, or went on.',
  );
}

/** Returns the adapter's answer; undefined if the call is still running after its deadline. */
async function execute(
  adapter: BulkAdapter,
  input: RunningBatch,
  { items, deadline, pulse }: Slice,
  { onResult, untouched }: { onResult: (result: BulkResult) => void; untouched: () => Promise<void> },
): Promise<BulkResult[] | undefined> {
  const { operation_id, run_id, context } = input;
  try {
    // The ledger was slow, or the worker suspended: after the deadline another attempt reconciles the items.
    if (Date.now() >= deadline) throw tooLate(input);
    return await withLimits(deadline, pulse.lost, (limits) =>
      unlessOverdue(
        limits.signal,
        adapter.executeBatch(items, context, { ...limits, operation_id, run_id, onResult }),
      ),
    );
  } catch (error) {
    // Under the adapter's contract the slice is unchanged then; after any other exception the intents stay.
    if (error instanceof BatchgateError) await untouched();
    throw error;
  }
}

function unanswered(result: BulkResult): boolean {
  return !result.success && result.outcome_unknown === true && result.changed_since_preview !== true;
}

function plainResult({ index }: PlannedItem, result: BulkResult): LedgerResult {
  if (result.success) return { index, state: 'succeeded', ...keptOf(result) };
  if (result.changed_since_preview) {
    const error = `changed_since_preview: ${textOf(result)}`;
    return { index, state: 'skipped', error, retryable: true };
  }
  return { index, state: 'failed', error: textOf(result), retryable: result.retryable ?? false };
}

function keptOf({ kept }: BulkResult): Pick<LedgerResult, 'kept'> {
  if (kept === undefined || utf8Length(JSON.stringify(kept)) > MAX_RAW_DATA_BYTES) return {};
  return { kept };
}

/**
 * Handles a lost answer: reads the item back and, if it shows no change, again after the request's deadline. `isOver`:
 * the adapter's call has returned; a call that ignores its deadline may still change the item.
 */
async function lookFor(
  adapter: BulkAdapter,
  input: RunningBatch,
  { deadline, pulse, isOver }: Slice & { isOver: boolean },
  { index, ...item }: PlannedItem,
  result: BulkResult,
): Promise<LedgerResult> {
  const look = () => patientRead(() => readBack(adapter, item, input, pulse.lost), pulse);
  let reconciled = await look();
  if (reconciled === 'not_applied') {
    await pause(Math.max(0, deadline - Date.now()), undefined, { signal: pulse.lost });
    reconciled = await look();
  }
  if (reconciled === 'applied') return { index, state: 'succeeded' };
  const error = textOf(result);
  return reconciled === 'not_applied' && isOver
    ? { index, state: 'failed', error, retryable: true }
    : { index, state: 'in_doubt', error };
}

async function patientRead(read: () => Promise<Reconciliation>, { lost }: Pulse): Promise<Reconciliation> {
  for (let looks = 1; ; looks++) {
    try {
      return await read();
    } catch (error) {
      if (lost.aborted) throw error;
      if (looks === LOOKS) return 'unknown';
      await pause(LOOK_PAUSE_MS, undefined, { signal: lost });
    }
  }
}

function textOf({ error }: BulkResult): string {
  return shortened(error ?? 'Unknown error', MAX_ERROR_LENGTH);
}

function tooLate(input: RunningBatch): BatchgateError {
  return new BatchgateError(
    'ADAPTER_UNAVAILABLE',
    `Batch ${input.batch}, attempt ${input.attempt} stopped before an item whose time was over before its call.`,
    'The worker or its store was too slow. Nothing of that item was touched; confirm the rest of the batch again.',
  );
}

function brokenAnswer(toolName: string, missing: string[], foreign: string[]): BatchgateError {
  const problems = [
    ...(missing.length > 0 ? [`no result for ${missing.slice(0, 5).join(', ')}`] : []),
    ...(foreign.length > 0 ? [`a result for the unknown ${foreign.slice(0, 5).join(', ')}`] : []),
  ];
  return new BatchgateError(
    'INTERNAL',
    `The adapter ${toolName} gave ${problems.join(' and ')}.`,
    'This is a defect of the adapter; tell its author.',
    { missing: missing.slice(0, NAMED_ITEMS), foreign: foreign.slice(0, NAMED_ITEMS) },
  );
}

/** Writes each result of a slice once. Results that arrive during a write are written together after it. */
interface Recorder {
  add(results: readonly LedgerResult[]): void;
  has(index: number): boolean;
  /** Waits until all results are written and returns them. @throws the error of the first failed write. */
  written(): Promise<LedgerResult[]>;
}

function createRecorder(write: (results: LedgerResult[]) => Promise<void>): Recorder {
  const byIndex = new Map<number, LedgerResult>();
  const queue: LedgerResult[] = [];
  let writing: Promise<void> | undefined;
  const writeAll = async () => {
    // Combine results of the same tick in one write.
    await nextTurn();
    while (queue.length > 0) await write(queue.splice(0));
  };
  const begin = () => {
    writing = writeAll();
    // `written` throws its error.
    writing.then(
      () => {
        writing = undefined;
        if (queue.length > 0) begin();
      },
      () => undefined,
    );
  };
  return {
    add(results) {
      const fresh = results.filter(({ index }) => !byIndex.has(index));
      for (const result of fresh) byIndex.set(result.index, result);
      queue.push(...fresh);
      if (writing === undefined && queue.length > 0) begin();
    },
    has: (index) => byIndex.has(index),
    async written() {
      while (writing) await writing;
      return [...byIndex.values()];
    },
  };
}
