import { z } from 'zod';
import type { AdapterAction, BulkAdapter, CallLimits, Reconciliation } from '../contract/adapter';
import { BatchgateError, parseInput } from '../contract/errors';
import { quoted } from '../core/shared/plain-text';
import type { BulkItem, BulkResult, PreparedBulkContext } from '../contract/items';

export interface FakeAdapterOptions {
  /** Default `fake`. */
  toolName?: string;
  /** The items of a query; called for each page, like a real tool. */
  items: () => readonly BulkItem[];
  /** Changes one item. A thrown error becomes an item error; a result is used unchanged. */
  apply: (item: BulkItem, limits: CallLimits) => Promise<BulkResult | void>;
  /** Reads an item back. Without it, the outcome of an item cannot be reconciled. */
  readBack?: (item: BulkItem) => Promise<Reconciliation>;
  /** Default 1: every item is a boundary. */
  sliceSize?: number;
  planPageSize?: number;
  itemNoun?: { one: string; many: string };
  /** Called before each call of the adapter; the adapter throws its errors. */
  onCall?: (method: 'prepare' | 'getTotalCount' | 'getNextBatch' | 'executeBatch') => void;
}

const mark: AdapterAction = {
  description: 'Marks each item',
  query: z.strictObject({ group: z.string().min(1) }),
  change: z.strictObject({ mark: z.string().min(1).optional() }),
};

/** An adapter with the caller's items and changes, for tests of the parts around adapters. Query: `{ group }`. */
export function createFakeAdapter(options: FakeAdapterOptions): BulkAdapter {
  const toolName = options.toolName ?? 'fake';
  const adapter: BulkAdapter = {
    toolName,
    actions: { mark },
    sliceSize: options.sliceSize ?? 1,
    ...(options.planPageSize !== undefined && { planPageSize: options.planPageSize }),
    ...(options.itemNoun && { itemNoun: options.itemNoun }),
    describeChange({ query_params: { group }, action_params: { mark: text } }) {
      const which = typeof group === 'string' ? ` of the group ${quoted(group)}` : '';
      const how = typeof text === 'string' ? ` with ${quoted(text)}` : '';
      return {
        summary: `Mark each item${which}${how}.`,
        fields: typeof text === 'string' ? [{ name: 'mark', to: text }] : [],
        reversible: 'no',
      };
    },
    prepare(request) {
      options.onCall?.('prepare');
      if (!(request.action in adapter.actions)) {
        throw new BatchgateError('INVALID_INPUT', `No action ${request.action} on ${toolName}.`, 'Use mark.');
      }
      const schema = request.explicit_items ? mark.change : mark.query.extend(mark.change.shape);
      const { group, ...change } = parseInput(
        schema,
        request.params,
        'Missing required parameters: params',
      ) as {
        group?: string;
        mark?: string;
      };
      return Promise.resolve(context(toolName, request.action, group, change));
    },
    getTotalCount() {
      options.onCall?.('getTotalCount');
      return Promise.resolve(options.items().length);
    },
    getNextBatch(_context, batchSize, offset) {
      options.onCall?.('getNextBatch');
      return Promise.resolve(options.items().slice(offset, offset + batchSize));
    },
    async executeBatch(items, _context, limits) {
      options.onCall?.('executeBatch');
      return Promise.all(items.map((item) => applyOne(options, item, limits)));
    },
  };
  const { readBack } = options;
  return readBack ? { ...adapter, reconcile: (item) => readBack(item) } : adapter;
}

async function applyOne(
  options: FakeAdapterOptions,
  item: BulkItem,
  limits: CallLimits,
): Promise<BulkResult> {
  try {
    return (await options.apply(item, limits)) ?? { item_id: item.id, success: true };
  } catch (error) {
    return {
      item_id: item.id,
      success: false,
      error: error instanceof Error ? error.message : 'Unknown error',
    };
  }
}

function context(
  tool_name: string,
  action: string,
  group: string | undefined,
  action_params: Record<string, unknown>,
): PreparedBulkContext {
  return { tool_name, action, query_params: group === undefined ? {} : { group }, action_params };
}
