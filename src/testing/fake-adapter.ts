import { z } from 'zod';
import type { AdapterAction, BulkAdapter, CallLimits } from '../contract/adapter';
import { BatchgateError, parseInput } from '../contract/errors';
import { quoted } from '../core/shared/plain-text';
import type { BulkItem, BulkResult, PreparedBulkContext, UndoData } from '../contract/items';
import type { ItemPreview } from '../contract/preview';

/** The options of `createFakeAdapter`. */
export type FakeAdapterOptions = Parameters<typeof createFakeAdapter>[0];
type Marks = NonNullable<FakeAdapterOptions['marks']>;

const DEFAULT_MARK = 'done';

const mark: AdapterAction = {
  description: 'Marks each item',
  already: 'already have this mark',
  query: z.strictObject({ group: z.string().min(1) }),
  change: z.strictObject({ mark: z.string().min(1).optional() }),
};

/**
 * Creates an adapter with the caller's items and changes, to test code that uses adapters. Its action is `mark`, with
 * the query `{ group }` and the change `{ mark? }`.
 *
 * @example
 * const adapter = createFakeAdapter({ items: () => letters, apply: async ({ id }) => void sent.push(id) });
 */
// eslint-disable-next-line max-lines-per-function -- half of it are the options, which its users read here
export function createFakeAdapter(options: {
  /** Default `fake`. */
  toolName?: string;
  /** Returns the items of a query. Called for each page. */
  items: () => readonly BulkItem[];
  /** Changes one item. A thrown error becomes an item error; a result is used unchanged. */
  apply: (item: BulkItem, limits: CallLimits) => Promise<BulkResult | void>;
  /** Reads an item back. Without it, the outcome of an item cannot be reconciled. */
  readBack?: (item: BulkItem) => Promise<'applied' | 'not_applied' | 'unknown'>;
  /**
   * The tool's marks by item id, in a `Map` or in an asynchronous store. A failed `set` or `delete` may have reached
   * the tool. With marks the adapter previews an item, skips an item that changed since it was frozen, and can undo. The
   * adapter sets the marks itself, after `apply` succeeded.
   */
  marks?: {
    get(id: string): string | undefined | Promise<string | undefined>;
    set(id: string, mark: string): unknown;
    delete(id: string): unknown;
  };
  /** Default 1: a run can stop after each item. */
  sliceSize?: number;
  planPageSize?: number;
  itemNoun?: { one: string; many: string };
  /** Called before each call of the adapter; the adapter throws its errors. */
  onCall?: (method: 'prepare' | 'getTotalCount' | 'getNextBatch' | 'executeBatch') => void;
}): BulkAdapter {
  const toolName = options.toolName ?? 'fake';
  const adapter: BulkAdapter = {
    toolName,
    actions: { mark: options.marks ? { ...mark, undo: true } : mark },
    sliceSize: options.sliceSize ?? 1,
    planPageSize: options.planPageSize,
    itemNoun: options.itemNoun,
    describeChange({ query_params: { group }, action_params: { mark: text } }) {
      const groupPart = typeof group === 'string' ? ` of the group ${quoted(group)}` : '';
      const markPart = typeof text === 'string' ? ` with ${quoted(text)}` : '';
      return {
        summary: `Mark each item${groupPart}${markPart}.`,
        fields: typeof text === 'string' ? [{ name: 'mark', to: text }] : [],
        reversible: options.marks ? 'yes' : 'no',
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
      const page = options.items().slice(offset, offset + batchSize);
      return options.marks ? frozenWith(options.marks, page) : Promise.resolve(page);
    },
    async executeBatch(items, prepared, call) {
      options.onCall?.('executeBatch');
      return Promise.all(
        items.map(async (item) => {
          const result = await changeOne(options, item, prepared, call);
          call.onResult?.(result);
          return result;
        }),
      );
    },
  };
  const { readBack, marks } = options;
  return {
    ...adapter,
    ...(marks && marking(marks)),
    ...(readBack && { reconcile: (item: BulkItem) => readBack(item) }),
  };
}

type Mark = string | null;

/** Returns the additional methods of an adapter with marks. */
function marking(marks: Marks): Required<Pick<BulkAdapter, 'freezeItems' | 'previewItem' | 'reconcile'>> {
  return {
    freezeItems: (items) => frozenWith(marks, items),
    previewItem: (item, prepared) => previewOf(item, prepared),
    reconcile: async ({ id, raw_data }, prepared) =>
      ((await marks.get(id)) ?? null) === wished(raw_data, prepared) ? 'applied' : 'not_applied',
  };
}

function frozenWith(marks: Marks, items: readonly BulkItem[]): Promise<BulkItem[]> {
  return Promise.all(
    items.map(async (item) => {
      const { undo } = item.raw_data ?? {};
      const mark = (await marks.get(item.id)) ?? null;
      return { ...item, raw_data: { mark, ...(undo !== undefined && { undo }) } };
    }),
  );
}

const markIn = (data: Record<string, unknown> | undefined): Mark =>
  typeof data?.['mark'] === 'string' ? data['mark'] : null;

const undoIn = (data: BulkItem['raw_data']) => data?.['undo'] as UndoData | undefined;

/** Returns the mark that the change sets; for an undo, the mark that it restores. */
function wished(data: BulkItem['raw_data'], { action_params, undo }: PreparedBulkContext): Mark {
  if (undo) return markIn(undoIn(data)?.to);
  const { mark: text = DEFAULT_MARK } = action_params;
  return String(text);
}

/** Returns the mark that the original operation set. */
function left(data: BulkItem['raw_data'], { action_params }: PreparedBulkContext): Mark {
  const before = undoIn(data)?.left;
  return before ? markIn(before) : wished(data, { action_params } as PreparedBulkContext);
}

function previewOf({ raw_data }: BulkItem, prepared: PreparedBulkContext): ItemPreview {
  const [now, then] = [markIn(raw_data), wished(raw_data, prepared)];
  const touched = prepared.undo && now !== then && now !== left(raw_data, prepared);
  return {
    before: { mark: now },
    after: { mark: then },
    ...(now === then && { already: true as const }),
    ...(touched && { conflict: `mark is now ${now === null ? 'none' : quoted(now)}` }),
  };
}

async function changeOne(
  options: FakeAdapterOptions,
  item: BulkItem,
  prepared: PreparedBulkContext,
  limits: CallLimits,
): Promise<BulkResult> {
  const { marks } = options;
  if (!marks) return applyOne(options, item, limits);
  const [now, frozen, then] = [
    (await marks.get(item.id)) ?? null,
    markIn(item.raw_data),
    wished(item.raw_data, prepared),
  ];
  if (now === then) return { item_id: item.id, success: true };
  if (now !== frozen) {
    const words = (value: Mark) => (value === null ? 'none' : quoted(value));
    const error = `Changed since the preview: mark was ${words(frozen)}, is now ${words(now)}`;
    return { item_id: item.id, success: false, changed_since_preview: true, error };
  }
  const result = await applyOne(options, item, limits);
  if (!result.success) return result;
  try {
    await (then === null ? marks.delete(item.id) : marks.set(item.id, then));
    return result;
  } catch (error) {
    return { item_id: item.id, success: false, error: String(error), outcome_unknown: true };
  }
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
