import type { OutcomeCode } from '../../contract/items';
import type { LedgerItem } from '../../contract/ledger-record';
import { countOutcomes } from './outcomes';

/** The division of a plan into batches. */
export interface Ramp {
  /** The sizes of the batches from the first one on. The last size repeats. */
  sizes: readonly number[];
  /** The batches at which the sizes began again with the first one, in order. */
  restarts: readonly number[];
}

/** A range of places in a plan. `to` is not part of it. */
export interface Slice {
  from: number;
  to: number;
}

/** With `batch_sizes`, `batch_size` is the last of them. */
export const rampOf = (
  {
    batch_size,
    batch_sizes = [batch_size],
  }: { batch_size: number; batch_sizes?: readonly number[] | undefined },
  restarts: readonly number[] = [],
): Ramp => ({ sizes: batch_sizes, restarts });

/** The default share of failed items above which a batch starts the ramp again. */
const RAMP_FAILURE_THRESHOLD = 0.1;

/** The size of the largest batch, and of the groups of a plan that have a mark. */
export const largestOf = ({ sizes }: Pick<Ramp, 'sizes'>): number => Math.max(...sizes);

/** The number of items in this many batches of a ramp that does not start again. */
function itemsIn(sizes: readonly number[], batches: number): number {
  const first = sizes.slice(0, batches).reduce((sum, size) => sum + size, 0);
  return first + Math.max(0, batches - sizes.length) * (sizes.at(-1) ?? 0);
}

/** The number of whole batches before a place in such a ramp. */
function batchesBefore(sizes: readonly number[], place: number): number {
  let from = 0;
  for (const [at, size] of sizes.entries()) {
    if (place < from + size) return at;
    from += size;
  }
  return sizes.length + Math.floor((place - from) / (sizes.at(-1) ?? 1));
}

/** The last start of the ramp that is not later: its batch and the place of its first item. */
function lastStart({ sizes, restarts }: Ramp, isLater: (start: { batch: number; from: number }) => boolean) {
  let start = { batch: 1, from: 0 };
  for (const batch of restarts) {
    const next = { batch, from: start.from + itemsIn(sizes, batch - start.batch) };
    if (isLater(next)) break;
    start = next;
  }
  return start;
}

/** The step of a batch in the ramp, from 0. */
const stepOf = (ramp: Ramp, batch: number): number =>
  batch - lastStart(ramp, (start) => start.batch > batch).batch;

/** The place of the first item of a batch. */
export function fromOf(ramp: Ramp, batch: number): number {
  const start = lastStart(ramp, (later) => later.batch > batch);
  return start.from + itemsIn(ramp.sizes, batch - start.batch);
}

/** The places of a batch in a plan of this many items; empty for a batch past the last one. */
export function sliceOf(ramp: Ramp, total: number, batch: number): Slice {
  const [from, to] = [fromOf(ramp, batch), fromOf(ramp, batch + 1)];
  return { from: Math.min(from, total), to: Math.min(to, total) };
}

/** The number of the batch that contains a place. */
export function batchAt(ramp: Ramp, place: number): number {
  const start = lastStart(ramp, (later) => later.from > place);
  return start.batch + batchesBefore(ramp.sizes, place - start.from);
}

export const batchesIn = (ramp: Ramp, total: number): number => (total === 0 ? 0 : batchAt(ramp, total - 1));

/** Whether the batches differ in size. */
export const isRamp = ({ sizes }: Pick<Ramp, 'sizes'>): boolean => new Set(sizes).size > 1;

/** The ramp after a batch that starts it again. */
export const restartedAfter = (ramp: Ramp, batch: number): Ramp => ({
  ...ramp,
  restarts: [...ramp.restarts, batch + 1],
});

/**
 * Whether a batch whose items all have outcomes starts the ramp again: too many of them failed or are in doubt, or it
 * was the first step and no item ran, so that nothing was tried.
 */
export function startsAgain(
  ramp: Ramp,
  {
    batch,
    codes,
    threshold = RAMP_FAILURE_THRESHOLD,
  }: { batch: number; codes: string; threshold?: number | undefined },
): boolean {
  if (!isRamp(ramp)) return false;
  const { succeeded, failed, in_doubt } = countOutcomes(codes);
  const tried = succeeded + failed + in_doubt;
  return tried === 0 ? stepOf(ramp, batch) === 0 : (failed + in_doubt) / tried > threshold;
}

/**
 * The first batch with an item to run, from `batch` on, and the ramp from there. Batches without such an item are
 * skipped. If the first step is skipped, the ramp starts again there. `next`: the first such place from a place on.
 */
export function batchWithWork(
  ramp: Ramp,
  batch: number,
  next: (place: number) => number | undefined,
): { batch: number; ramp: Ramp } | undefined {
  const place = next(fromOf(ramp, batch));
  if (place === undefined) return undefined;
  const there = batchAt(ramp, place);
  if (there === batch || !isRamp(ramp) || stepOf(ramp, batch) > 0) return { batch: there, ramp };
  return batchWithWork(restartedAfter(ramp, there - 1), there, next);
}

type Recorded = Pick<LedgerItem, 'state' | 'resolution' | 'confirmed_at'>;

/** Rebuilds the ramp of an operation from the outcomes of its items at the end of each batch, before any resolution. */
export function rampFrom(
  sizes: readonly number[],
  items: readonly Recorded[],
  threshold: number | undefined,
): Ramp {
  let ramp: Ramp = { sizes, restarts: [] };
  if (!isRamp(ramp)) return ramp;
  const wasPlanned = ({ state, confirmed_at }: Recorded) => state === 'planned' || confirmed_at !== undefined;
  const next = (place: number) => {
    const at = items.findIndex((item, index) => index >= place && wasPlanned(item));
    return at < 0 ? undefined : at;
  };
  for (let batch = 1; ; batch++) {
    const work = batchWithWork(ramp, batch, next);
    if (!work) return ramp;
    ({ batch, ramp } = work);
    const { from, to } = sliceOf(ramp, items.length, batch);
    const part = items.slice(from, to);
    if (part.some(({ state }) => state === 'planned' || state === 'intended')) return ramp;
    const codes = part.map(codeBefore).join('');
    if (to < items.length && startsAgain(ramp, { batch, codes, threshold }))
      ramp = restartedAfter(ramp, batch);
  }
}

function codeBefore({ state, resolution }: Recorded): OutcomeCode {
  if (resolution || state === 'in_doubt') return 'd';
  return state === 'succeeded' ? 's' : state === 'failed' ? 'f' : 'k';
}

/** Parses sizes from a text such as `1,5,20`; undefined if it is not a list of sizes. */
export function sizesIn(text: string): number[] | undefined {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '');
  return parts.length > 0 && parts.every((part) => /^[0-9]{1,9}$/.test(part)) ? parts.map(Number) : undefined;
}

/** `1, then 5, then 20 at a time`: the sizes of this many batches. */
export const sizesText = (sizes: readonly number[], batches: number): string =>
  `${sizes.slice(0, Math.max(1, batches)).join(', then ')} at a time`;

/**
 * The sizes of a ramp and its number of questions, compared with batches of the operator's minimum:
 * `1, then 5, then 20 at a time: 12 questions, not 40`.
 */
export function rampText({ sizes }: Pick<Ramp, 'sizes'>, total: number, minimum: number): string {
  const questions = batchesIn({ sizes, restarts: [] }, total);
  const plain = Math.ceil(total / minimum);
  const count = `${questions} question${questions === 1 ? '' : 's'}`;
  return `${sizesText(sizes, questions)}: ${count}${plain > questions ? `, not ${plain}` : ''}`;
}
