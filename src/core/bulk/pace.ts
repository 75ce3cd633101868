import type { BatchProgress } from '../../contract/activities';
import type { BulkStatus } from '../../contract/operation';

const REMEMBERED = 5;

interface Ran {
  /** The batch and its attempt. */
  key: string;
  items: number;
  ms: number;
}

/** The observed durations of the last batches of an operation. */
export interface Pace {
  readonly batches: readonly Ran[];
}

export const NO_PACE: Pace = { batches: [] };

/** Adds the last batch of a status to the pace, once. It does not include the time a person takes to answer. */
export function observeBatch(pace: Pace, { last_batch: last }: Pick<BulkStatus, 'last_batch'>): Pace {
  if (!last) return pace;
  const batch = {
    key: `${last.number}.${last.attempt}`,
    items: last.succeeded + last.failed + last.in_doubt,
    ms: last.duration_ms,
  };
  const others = pace.batches.filter(({ key }) => key !== batch.key);
  return { batches: [...others, batch].slice(-REMEMBERED) };
}

/** Items per minute of working time; undefined until a batch has run. */
export function itemsPerMinute(
  pace: Pace,
  status: Pick<BulkStatus, 'state' | 'confirmations'>,
  progress: BatchProgress | undefined,
  now: number,
): number | undefined {
  const current = runningBatch(status, progress, now);
  const batches = [...pace.batches, ...(current ? [current] : [])];
  const items = batches.reduce((sum, batch) => sum + batch.items, 0);
  const ms = batches.reduce((sum, batch) => sum + batch.ms, 0);
  return items > 0 && ms > 0 ? (items * 60_000) / ms : undefined;
}

/** The working time that remains at this rate, in milliseconds, without the time a person takes to answer. */
export function workLeft(remaining: number, rate: number | undefined): number | undefined {
  return rate === undefined ? undefined : (remaining / rate) * 60_000;
}

/** The running batch so far. Its time starts with the decision that confirmed it. */
function runningBatch(
  { state, confirmations }: Pick<BulkStatus, 'state' | 'confirmations'>,
  progress: BatchProgress | undefined,
  now: number,
): { items: number; ms: number } | undefined {
  if (state !== 'running_batch' || !progress || progress.done === 0) return undefined;
  const { batch, attempt } = progress;
  const confirmation = confirmations.findLast(
    (entry) =>
      entry.decision === 'continue' &&
      entry.outcome === 'accepted' &&
      entry.batch === batch &&
      entry.attempt === attempt,
  );
  return confirmation && { items: progress.done, ms: Math.max(0, now - Date.parse(confirmation.at)) };
}
