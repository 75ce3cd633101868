import type { BulkAdapter } from '../../src/contract/adapter';
import type { BulkItem, PreparedBulkContext } from '../../src/contract/items';
import { itemToRestore } from '../../src/core/bulk/undo';
import { call, prepare } from './http-setup';

interface PlanOfItems {
  readonly context: PreparedBulkContext;
  readonly items: BulkItem[];
}

/** Plans items with an adapter, as the ledger stores them, and previews, runs and undoes these plans. */
export function plansOf(adapter: () => BulkAdapter) {
  const freeze = async (context: PreparedBulkContext, items: BulkItem[]) =>
    JSON.parse(JSON.stringify(await adapter().freezeItems!(items, context, call()))) as BulkItem[];
  const run = ({ context, items }: PlanOfItems) => adapter().executeBatch(items, context, call());
  const planned = async (params: object, items: BulkItem[]): Promise<PlanOfItems> => {
    const context = await prepare(adapter(), { ...params });
    return { context, items: await freeze(context, items) };
  };
  const previews = ({ context, items }: PlanOfItems) =>
    items.map((one) => adapter().previewItem?.(one, context));
  /** Plans the undo of items that ran, with the data that their results kept. */
  const undoing = async ({ context, items }: PlanOfItems, results: Awaited<ReturnType<typeof run>>) => {
    const back = items.map((one, at) => itemToRestore({ ...one, kept: results[at]?.kept }));
    const own = { ...context, undo: true as const };
    return { context: own, items: await freeze(own, back) };
  };
  return { freeze, planned, previews, run, undoing };
}
