import type { Plan, PlanInput } from '../../src/contract/activities';
import type { LedgerItem } from '../../src/contract/ledger-record';
import { wordsOfAction } from '../../src/core/bulk/change';
import { pageDigest, pagesOf } from '../../src/core/bulk/pages';
import { foreseenIn } from '../../src/core/bulk/preview';
import { sealed } from '../../src/core/bulk/seal';
import { codeOfItem } from '../../src/core/bulk/ledger-status';
import { bytesOf } from '../../src/core/shared/bounds';
import type { ActivityDependencies } from '../shared/dependencies';
import { runEpoch } from './reconcile';
import { wholeRecord } from './undoing';

/**
 * The plan of an earlier run of the same chain, with what became of its items. Temporal's reset makes a run plan again
 * after batches have run; another plan would be matched with their results by place.
 */
export async function planBefore(
  { adapters, ledger }: ActivityDependencies,
  { operation_id, run_id, batch_size }: PlanInput,
): Promise<Plan | undefined> {
  const epoch = await ledger.fenceAll(operation_id, run_id);
  if (epoch === null) return undefined;
  const record = await wholeRecord(ledger, operation_id);
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
    codes: record.items.map(codeOfItem).join(''),
    store_id: ledger.storeId,
    prepared: { context, change_params, noun, change, words: wordsOfAction(context.action, action) },
    reset: { attempt: attemptAfter(epoch), details: detailsOf(record.items) },
  };
}

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
