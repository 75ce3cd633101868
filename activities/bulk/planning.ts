import { cutAt } from '../../src/contract/text';
import type { CallLimits } from '../../src/contract/adapter';
import type { CountInput, Plan, PlanInput, PrepareInput, Prepared } from '../../src/contract/activities';
import { BatchgateError, describeIssues } from '../../src/contract/errors';
import { bulkItemSchema, MAX_NAME_LENGTH, utf8Length, type BulkItem } from '../../src/contract/items';
import { changeOfAdapter, wordsOfAction } from '../../src/core/bulk/change';
import { tooMany, withoutDuplicates } from '../../src/core/bulk/input';
import { collectItems } from '../../src/core/shared/paging';
import type { ActivityDependencies } from '../shared/dependencies';

const DEFAULT_PAGE_SIZE = 100;
/** Temporal takes 2 MB a payload; the plan travels with names and ids, and leaves room for the rest. */
const MAX_PLAN_BYTES = 1_500_000;

/** Resolves names to ids and splits the parameters. Reads no items and touches nothing. */
export async function prepare(
  { adapters, settings }: ActivityDependencies,
  input: PrepareInput,
): Promise<Prepared> {
  const adapter = adapters.get(input.domain);
  const { action, params, explicit_items, metadata } = input;
  const request = { action, params, explicit_items, ...(metadata && { metadata }) };
  const resolved = await adapter.prepare(request, limits(settings.call_timeout_ms));
  const context = metadata ? { ...resolved, metadata } : resolved;
  const known = Object.keys(adapter.actions[action]?.change.shape ?? {});
  const change_params = Object.fromEntries(Object.entries(params).filter(([name]) => known.includes(name)));
  return {
    context,
    change_params,
    noun: adapter.itemNoun ?? { one: 'item', many: 'items' },
    words: wordsOfAction(action, adapter.actions[action]),
    change: changeOfAdapter(adapter, context, change_params),
  };
}

export async function count(
  { adapters, settings }: ActivityDependencies,
  { context }: CountInput,
): Promise<number> {
  return adapters.get(context.tool_name).getTotalCount(context, limits(settings.read_timeout_ms));
}

/** Freezes the items and records them, so that what a person confirms is what runs. */
export async function plan(dependencies: ActivityDependencies, input: PlanInput): Promise<Plan> {
  const items = await (input.items
    ? namedItems(dependencies, input, withoutDuplicates(input.items))
    : pageThrough(dependencies, input));
  const bytes = utf8Length(JSON.stringify(items));
  if (bytes > MAX_PLAN_BYTES) {
    throw new BatchgateError(
      'TOO_MANY_ITEMS',
      `The plan of ${items.length} items is ${bytes} bytes, and at most ${MAX_PLAN_BYTES} fit.`,
      'Narrow the request, or send smaller raw_data.',
    );
  }
  await dependencies.ledger.recordPlan(input, items);
  return { items, store_id: dependencies.ledger.storeId };
}

async function pageThrough(
  { adapters, settings }: ActivityDependencies,
  input: PlanInput,
): Promise<BulkItem[]> {
  const adapter = adapters.get(input.context.tool_name);
  const items = await collectItems(
    (size, offset) => adapter.getNextBatch(input.context, size, offset, limits(settings.read_timeout_ms)),
    adapter.planPageSize ?? DEFAULT_PAGE_SIZE,
    input.counted ?? Infinity,
    (page, asked, found) => {
      if (page.length > asked)
        throw ofAdapter(adapter.toolName, `gave ${page.length} items where ${asked} were asked for`);
      const excess = tooMany(found, input.max_total_items);
      if (excess) throw BatchgateError.from(excess);
    },
  );
  if (items) return items.map((item) => checked(adapter.toolName, item));
  throw new BatchgateError(
    'ADAPTER_UNAVAILABLE',
    `The search on ${adapter.toolName} gave other items each time it was read.`,
    'Start again when less is going on there, or narrow the request.',
  );
}

/** Items that the caller named, completed by what the adapter would have found out about them. */
async function namedItems(
  { adapters, settings }: ActivityDependencies,
  { context }: PlanInput,
  items: BulkItem[],
): Promise<BulkItem[]> {
  const adapter = adapters.get(context.tool_name);
  if (!adapter.freezeItems) return items;
  const frozen = await adapter.freezeItems(items, context, limits(settings.read_timeout_ms));
  const asked = items.map(({ id }) => id).join('\n');
  if (frozen.map(({ id }) => id).join('\n') === asked)
    return frozen.map((item) => checked(adapter.toolName, item));
  throw ofAdapter(adapter.toolName, 'gave other items than those that were named');
}

function checked(toolName: string, item: BulkItem): BulkItem {
  const clamped = { ...item, display_name: cutAt(item.display_name, MAX_NAME_LENGTH) };
  const parsed = bulkItemSchema.safeParse(clamped);
  if (parsed.success) return parsed.data;
  throw ofAdapter(toolName, `gave an item that does not fit: ${describeIssues(parsed.error)}`);
}

function ofAdapter(toolName: string, what: string): BatchgateError {
  return new BatchgateError(
    'INTERNAL',
    `The adapter ${toolName} ${what}.`,
    'This is a defect of the adapter; tell its author.',
  );
}

function limits(timeoutMs: number): CallLimits {
  return { signal: AbortSignal.timeout(timeoutMs), deadline: Date.now() + timeoutMs };
}
