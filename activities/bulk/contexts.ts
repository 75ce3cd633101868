import type { BatchCall, BulkAdapter } from '../../src/contract/adapter';
import type { BulkItem, BulkResult, PreparedBulkContext, UndoData } from '../../src/contract/items';

/**
 * Returns the adapter for the items of one context. An undo of an operation whose change was edited undoes each item by
 * the change that ran for it, so the adapter receives the items of each such change with their own context.
 */
export function forItemsOf(adapter: BulkAdapter, context: PreparedBulkContext): BulkAdapter {
  const { earlier, ...latest } = context;
  if (!earlier) return adapter;
  const contextOf = (item: BulkItem) => earlier[String(editionOf(item))] ?? latest;
  const overrides: Partial<BulkAdapter> = {
    ...(adapter.freezeItems && {
      async freezeItems(items, _, limits) {
        const parts: BulkItem[][] = [];
        for (const [partContext, part] of partsOf(items, contextOf))
          parts.push(((await adapter.freezeItems?.(part, partContext, limits)) ?? []).map(keeping(part)));
        return parts.flat();
      },
    }),
    ...(adapter.previewItem && {
      previewItem: (item) => adapter.previewItem?.(item, contextOf(item)) ?? {},
    }),
    ...(adapter.reconcile && {
      reconcile: async (item, _, call) =>
        (await adapter.reconcile?.(item, contextOf(item), call)) ?? 'unknown',
    }),
    ...(adapter.place && { place: () => placeOf(adapter, [latest, ...Object.values(earlier)]) }),
    executeBatch: (items, _, call) => execute(adapter, partsOf(items, contextOf), call),
  };
  return Object.assign(Object.create(adapter) as BulkAdapter, overrides, { describeItems: undefined });
}

const undoOf = ({ raw_data }: BulkItem) => raw_data?.['undo'] as Partial<UndoData> | undefined;
const editionOf = (item: BulkItem) => undoOf(item)?.edition;

type Part = [PreparedBulkContext, BulkItem[]];

function partsOf(items: readonly BulkItem[], contextOf: (item: BulkItem) => PreparedBulkContext): Part[] {
  const parts = new Map<PreparedBulkContext, BulkItem[]>();
  for (const item of items) {
    const context = contextOf(item);
    parts.set(context, [...(parts.get(context) ?? []), item]);
  }
  return [...parts];
}

/** Restores the edition, because an adapter may drop fields of an undo that it does not use. */
function keeping(items: readonly BulkItem[]): (frozen: BulkItem) => BulkItem {
  const edition = items[0] && editionOf(items[0]);
  return (frozen) => {
    const undo = undoOf(frozen);
    if (undo === undefined || edition === undefined) return frozen;
    return { ...frozen, raw_data: { ...frozen.raw_data, undo: { ...undo, edition } } };
  };
}

/** Runs the parts in order. Reports the results of each part, because the next one may throw. */
async function execute(adapter: BulkAdapter, parts: readonly Part[], call: BatchCall): Promise<BulkResult[]> {
  const all: BulkResult[] = [];
  for (const [context, items] of parts) {
    const results = await adapter.executeBatch(items, context, call);
    for (const result of results) call.onResult?.(result);
    all.push(...results);
  }
  return all;
}

/** Returns the place of the first context, or the current place of a context that has moved. */
async function placeOf(adapter: BulkAdapter, [first, ...others]: PreparedBulkContext[]): Promise<string> {
  for (const context of others) {
    const current = (await adapter.place?.(context)) ?? '';
    if (current !== (context.place ?? '')) return current;
  }
  return (first && (await adapter.place?.(first))) ?? '';
}
