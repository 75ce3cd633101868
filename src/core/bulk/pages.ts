import type { BulkItem, FrozenItem } from '../../contract/items';
import { BatchgateError } from '../../contract/errors';
import { bytesOf, MAX_BATCH_BYTES } from '../shared/bounds';
import { sealOfAll } from './seal';

/** Some batches of a plan, in the plan's order. */
export interface PlanPage<I = BulkItem> {
  /** The place of its first item in the plan, from 0. */
  from: number;
  items: I[];
}

/**
 * A list of items as pages of whole batches. `from`: the place in the plan of the first item, which begins a batch.
 * @throws BatchgateError `INVALID_INPUT` if a single batch is larger than a page, or a batch would have no items.
 */
export function pagesOf<I extends BulkItem>(items: readonly I[], batchSize: number, from = 0): PlanPage<I>[] {
  // The operator's limits refuse it too, but only once they are known. Until then the list must not be paged forever.
  if (batchSize < 1) throw noBatch(batchSize);
  const pages: PlanPage<I>[] = [];
  let room = 0;
  for (let at = 0; at < items.length; at += batchSize) {
    const batch = items.slice(at, at + batchSize);
    const bytes = bytesOf(batch);
    if (bytes > MAX_BATCH_BYTES) throw tooLarge(batch, bytes);
    const page = pages.at(-1);
    if (page && bytes <= room) {
      page.items.push(...batch);
      room -= bytes;
    } else {
      pages.push({ from: from + at, items: batch });
      room = MAX_BATCH_BYTES - bytes;
    }
  }
  return pages;
}

/** The digest of a page that the workflow does not hold. The items that are read later must match it. */
export function pageDigest(items: readonly FrozenItem[]): string {
  return sealOfAll(items);
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
