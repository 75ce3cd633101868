import type { BulkItem, FrozenItem } from '../../contract/items';
import { BatchgateError } from '../../contract/errors';
import { bytesOf, MAX_BATCH_BYTES } from '../shared/bounds';
import { isRamp, largestOf, type Ramp } from './ramp';
import { markOf } from './seal';

/**
 * Splits a plan into batches. The part of a batch that a question shows must fit into a payload.
 * @throws BatchgateError `INVALID_INPUT` if a batch does not fit or would have no items.
 */
function batchesOf<I extends BulkItem>(items: readonly I[], batchSize: number): I[][] {
  // The operator's limits refuse such a size too, but later. Here it would make the loop endless.
  if (batchSize < 1) throw noBatch(batchSize);
  const batches: I[][] = [];
  for (let at = 0; at < items.length; at += batchSize) {
    const batch = items.slice(at, at + batchSize);
    const bytes = bytesOf(batch);
    if (bytes > MAX_BATCH_BYTES) throw tooLarge(batch, bytes);
    batches.push(batch);
  }
  return batches;
}

/**
 * The groups of a plan that have a mark: its batches if all have one size, else groups of the largest size. A ramp that
 * starts again may put any consecutive items into one batch, so each such sequence must fit.
 * @throws BatchgateError `INVALID_INPUT` as for `batchesOf`.
 */
export function groupsOf<I extends BulkItem>(items: readonly I[], ramp: Ramp): I[][] {
  const size = largestOf(ramp);
  const groups = batchesOf(items, size);
  if (!isRamp(ramp)) return groups;
  const sizes = items.map((item) => bytesOf(item) + 1);
  let bytes = 1;
  sizes.forEach((added, at) => {
    bytes += added - (sizes[at - size] ?? 0);
    if (bytes > MAX_BATCH_BYTES) throw tooLarge(items.slice(Math.max(0, at - size + 1), at + 1), bytes);
  });
  return groups;
}

/** The concatenated marks of these groups. */
export function marksOf(items: readonly FrozenItem[], ramp: Ramp): string {
  const size = largestOf(ramp);
  let marks = '';
  for (let at = 0; at < items.length; at += size) marks += markOf(items.slice(at, at + size));
  return marks;
}

/** Some batches of a named list, which are planned together. */
export interface PlanPart {
  /** The place of its first item in the plan, from 0. */
  from: number;
  items: BulkItem[];
}

/** Splits a named list into parts of whole groups, each of which fits into a payload. */
export function partsOf(items: readonly BulkItem[], ramp: Ramp): PlanPart[] {
  const parts: PlanPart[] = [];
  let from = 0;
  let room = 0;
  for (const batch of groupsOf(items, ramp)) {
    const bytes = bytesOf(batch);
    const part = parts.at(-1);
    if (part && bytes <= room) {
      part.items.push(...batch);
      room -= bytes;
    } else {
      parts.push({ from, items: batch });
      room = MAX_BATCH_BYTES - bytes;
    }
    from += batch.length;
  }
  return parts;
}

function noBatch(batchSize: number): BatchgateError {
  return new BatchgateError(
    'INVALID_INPUT',
    `batch_size is ${batchSize}, and a batch has at least 1 item.`,
    'Choose a batch_size of at least 1.',
  );
}

function tooLarge(batch: readonly BulkItem[], bytes: number): BatchgateError {
  const fits = Math.max(1, Math.floor((batch.length * MAX_BATCH_BYTES) / bytes));
  return new BatchgateError(
    'INVALID_INPUT',
    `A batch of ${batch.length} of these items is ${bytes} bytes, and at most ${MAX_BATCH_BYTES} fit.`,
    `Choose a batch_size of about ${fits}, or items with shorter names and smaller raw_data.`,
  );
}
