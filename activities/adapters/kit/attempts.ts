import type { BatchCall } from '../../../src/contract/adapter';
import { BatchgateError } from '../../../src/contract/errors';
import type { BulkItem, BulkResult } from '../../../src/contract/items';
import { mapConcurrently } from '../shared/actions';
import { reported, type Results } from '../shared/results';
import type { ProviderFailure } from '../shared/failure';

/** The result of one item, and whether the tool may have changed something for it. */
export interface Attempt {
  readonly result: BulkResult;
  readonly touched: boolean;
  /** The tool refuses our credentials, or every request for a time, regardless of the item. */
  readonly refusal?: ProviderFailure;
}

export const untouched = (result: BulkResult): Attempt => ({ result, touched: false });

export const refusalIn = (failure: ProviderFailure): { refusal?: ProviderFailure } =>
  failure.refusesUs || failure.until !== undefined ? { refusal: failure } : {};

/** Runs `work` for the items, a few at a time. Sends no more once the tool refuses every request for a time. */
export async function inSequence(
  items: readonly BulkItem[],
  concurrency: number,
  call: BatchCall,
  work: (item: BulkItem) => Promise<Attempt>,
): Promise<Attempt[]> {
  let rateLimit: ProviderFailure | undefined;
  return mapConcurrently(items, concurrency, async (item) => {
    if (rateLimit) return notSent(item.id, rateLimit);
    const attempt = await work(item);
    if (attempt.refusal?.until !== undefined) rateLimit = attempt.refusal;
    if (!attempt.refusal) reported(call, attempt.result);
    return attempt;
  });
}

const notSent = (item_id: string, { message }: ProviderFailure): Attempt =>
  untouched({ item_id, success: false, error: `Not sent: ${message}`, retryable: true });

/**
 * Returns the results of a batch.
 * @throws BatchgateError if the tool refuses our credentials or every request, and every change is already reported.
 */
export function resultsOf(
  attempts: readonly Attempt[],
  call: BatchCall,
  callError: Results['callError'],
): BulkResult[] {
  const refusal = attempts.find((attempt) => attempt.refusal)?.refusal;
  const touched = attempts.filter((attempt) => attempt.touched);
  // These are the items of one slice: an earlier one of the batch may have changed something.
  if (refusal && touched.length === 0) throw refused(refusal, 'Nothing more was changed', callError);
  const isOpen = touched.some(({ result }) => result.outcome_unknown === true);
  // The items that were not sent stay in the plan, for the next confirmation of this batch.
  if (refusal?.until !== undefined && call.onResult && !isOpen)
    throw refused(refusal, 'The rest of the batch was not sent', callError);
  return attempts.map(({ result }) => result);
}

function refused(refusal: ProviderFailure, what: string, callError: Results['callError']): BatchgateError {
  if (refusal.until === undefined) return callError(refusal, what);
  const until = new Date(refusal.until).toISOString();
  return new BatchgateError(
    'RATE_LIMITED',
    `${what}: ${refusal.message}`,
    `It accepts nothing until ${until}. A batch that is confirmed before then begins at that time.`,
    { until },
  );
}
