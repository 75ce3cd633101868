import type { BulkActivities, Plan, PlanInput, ResetResults } from '../../src/contract/activities';
import type { Ledger } from '../../src/contract/ledger';
import type { LedgerItem, LedgerRecord } from '../../src/contract/ledger-record';
import { wordsOfAction } from '../../src/core/bulk/change';
import { pageDigest, pagesOf } from '../../src/core/bulk/pages';
import { foreseenIn } from '../../src/core/bulk/groups';
import { sealed } from '../../src/core/bulk/seal';
import { codeOfItem } from '../../src/core/bulk/ledger-status';
import { bytesOf } from '../../src/core/shared/bounds';
import type { ActivityDependencies } from '../shared/dependencies';
import { runEpoch } from './reconcile';
import { otherStore } from './run-batch';
import { wholeRecord } from './undoing';

/**
 * The plan of an earlier run of the same chain, with what became of its items. Temporal's reset makes a run plan again
 * after batches have run; another plan would be matched with their results by place.
 */
export async function planBefore(
  { adapters, ledger }: ActivityDependencies,
  { operation_id, run_id, batch_size }: PlanInput,
): Promise<Plan | undefined> {
  const reset = await afterFence(ledger, operation_id, run_id);
  if (!reset) return undefined;
  const { record, attempt } = reset;
  const { context, change, change_params = {}, noun = { one: 'item', many: 'items' } } = record;
  if (!context || !change) return undefined;
  const items = record.items.map(({ id, display_name, raw_data, preview }) => ({
    ...{ id, display_name },
    ...(raw_data && { raw_data }),
    ...(preview && { preview }),
  }));
  const pages = pagesOf(items, batch_size);
  const action = adapters.get(context.tool_name).actions[context.action];
  return {
    items: (pages[0]?.items ?? []).map(sealed),
    total: items.length,
    bytes: bytesOf(items),
    pages: Object.fromEntries(pages.map((page) => [page.from, pageDigest(page.items)])),
    foreseen: foreseenIn(items),
    codes: codesOf(record),
    store_id: ledger.storeId,
    prepared: { context, change_params, noun, change, words: wordsOfAction(context.action, action) },
    reset: { attempt, details: detailsOf(record.items) },
  };
}

/**
 * Returns the ledger's results of a run that was reset after its plan. Another ledger than the plan's has no evidence
 * of its batches.
 * @throws the ledger's failure: without it, a question would be about items that may have been run.
 */
export async function resultsAfterReset(
  { ledger }: Pick<ActivityDependencies, 'ledger'>,
  { operation_id, run_id, store_id }: Parameters<BulkActivities['resultsAfterReset']>[0],
): Promise<ResetResults | null> {
  if (ledger.storeId !== store_id) throw otherStore(ledger.storeId);
  const reset = await afterFence(ledger, operation_id, run_id);
  if (!reset) return null;
  const { record, attempt } = reset;
  return { codes: codesOf(record), attempt, details: detailsOf(record.items) };
}

/** No earlier run changes anything from here on; undefined if none has run a batch. */
async function afterFence(
  ledger: Ledger,
  operationId: string,
  runId: string,
): Promise<{ record: LedgerRecord; attempt: number } | undefined> {
  const epoch = await ledger.fenceAll(operationId, runId);
  if (epoch === null) return undefined;
  return { record: await wholeRecord(ledger, operationId), attempt: attemptAfter(epoch) };
}

const codesOf = ({ items }: LedgerRecord) => items.map(codeOfItem).join('');

function attemptAfter(epoch: number): number {
  let attempt = 1;
  while (runEpoch(attempt) <= epoch) attempt++;
  return attempt;
}

const detailsOf = (items: readonly LedgerItem[]): NonNullable<Plan['reset']>['details'] =>
  Object.fromEntries(
    items.flatMap(({ index, error, retryable }) =>
      error === undefined ? [] : [[index, { error, ...(retryable !== undefined && { retryable }) }]],
    ),
  );
