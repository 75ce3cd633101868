import assert from 'node:assert/strict';
import type { BatchCall, BulkAdapter } from '../../contract/adapter';
import { BatchgateError } from '../../contract/errors';
import type { BulkItem, BulkResult, PreparedBulkContext } from '../../contract/items';
import { collectItems } from '../../core/shared/paging';
import type { ConformanceRequest, ConformanceWorld, FaultRule } from './subject';

/** The time limit of most calls. Calls to a silent provider end after `SHORT_MS`. */
const LONG_MS = 30_000;
export const SHORT_MS = 1_000;
const WATCHDOG_MS = 10_000;

export function call(ms = LONG_MS, signal: AbortSignal = new AbortController().signal): BatchCall {
  return { operation_id: 'bulk-conformance', run_id: 'run-1', deadline: Date.now() + ms, signal };
}

/** Runs `work` with a call whose signal aborts at its deadline, as the worker's signal does. */
export async function within<T>(ms: number, work: (call: BatchCall) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new Error('The time for this call has run out')), ms);
  try {
    return await work(call(ms, controller.signal));
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until the provider receives a write, the call ends, or the watchdog fires. */
export async function untilWriting(world: ConformanceWorld, running: Promise<unknown>): Promise<void> {
  let over = false;
  const end = () => void (over = true);
  running.then(end, end);
  const watchdog = setTimeout(end, WATCHDOG_MS);
  while (!over && writes(world) === 0) await new Promise((resolve) => setImmediate(resolve));
  clearTimeout(watchdog);
}

/** Returns the result of `work`, or throws if it has not ended when the watchdog fires. */
export async function watched<T>(work: Promise<T>, otherwise: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const watchdog = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new assert.AssertionError({ message: otherwise })), WATCHDOG_MS);
  });
  try {
    return await Promise.race([work, watchdog]);
  } finally {
    clearTimeout(timer);
  }
}

export const idsOf = (items: readonly BulkItem[]): string[] => items.map(({ id }) => id);

/** Serializes through JSON, like every value of an adapter in a history. */
export const travelled = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

export async function prepare(
  adapter: BulkAdapter,
  { action, params, items }: ConformanceRequest,
): Promise<PreparedBulkContext> {
  const request = { action, params, explicit_items: items !== undefined };
  return travelled(await adapter.prepare(request, call()));
}

/** Returns the same request for named items, with only the parameters of the change. */
export function named(adapter: BulkAdapter, { action, params }: ConformanceRequest): ConformanceRequest {
  const change = adapter.actions[action]?.change.shape ?? {};
  const changeParams = Object.entries(params).filter(([name]) => Object.hasOwn(change, name));
  return { action, params: Object.fromEntries(changeParams), items: [] };
}

/** Freezes items in the same way as the plan. */
export async function freeze(
  adapter: BulkAdapter,
  context: PreparedBulkContext,
  items: readonly BulkItem[],
): Promise<BulkItem[]> {
  return travelled(adapter.freezeItems ? await adapter.freezeItems(items, context, call()) : [...items]);
}

/** Runs a batch. Converts a `RATE_LIMITED` error of the batch to a retryable failure of each item. */
export async function executed(
  adapter: BulkAdapter,
  items: readonly BulkItem[],
  context: PreparedBulkContext,
  limits: BatchCall = call(),
): Promise<BulkResult[]> {
  try {
    return await adapter.executeBatch(items, context, limits);
  } catch (error) {
    if (!(error instanceof BatchgateError && error.code === 'RATE_LIMITED')) throw error;
    return items.map(({ id }) => ({ item_id: id, success: false, error: error.message, retryable: true }));
  }
}

/** Returns the items that the plan would freeze for a request, read in pages of `size`. */
export async function plan(
  adapter: BulkAdapter,
  request: ConformanceRequest,
  context: PreparedBulkContext,
  size = adapter.planPageSize ?? 100,
): Promise<BulkItem[]> {
  if (request.items) return freeze(adapter, context, request.items);
  const getPage = (limit: number, offset: number) => adapter.getNextBatch(context, limit, offset, call());
  const items = await collectItems(getPage, size, Infinity, () => undefined);
  assert.ok(items, 'getNextBatch returns different items each time: its order is not stable');
  return travelled(items);
}

/** A prepared request with items that no other request of this case uses. */
export interface Batch {
  readonly request: ConformanceRequest;
  readonly context: PreparedBulkContext;
  readonly items: BulkItem[];
}

/** Runs `work` once for each request of the world, over `count` items of its own. */
export async function eachRequest(
  world: ConformanceWorld,
  count: number,
  work: (adapter: BulkAdapter, batch: Batch) => Promise<void>,
): Promise<void> {
  const used = new Set<string>();
  for (const request of world.requests) {
    const adapter = world.adapter();
    const context = await prepare(adapter, request);
    const items = await unused(adapter, request, context, used, count);
    assert.equal(items.length, count, `${request.action}: the world has too few items for this case`);
    for (const { id } of items) used.add(id);
    world.forgetCalls();
    try {
      await work(adapter, { request, context, items });
    } catch (error) {
      if (error instanceof Error) error.message = `${request.action}: ${error.message}`;
      throw error;
    } finally {
      world.fail(undefined);
    }
  }
}

/** Returns up to `count` frozen items that no earlier request used. */
async function unused(
  adapter: BulkAdapter,
  request: ConformanceRequest,
  context: PreparedBulkContext,
  used: ReadonlySet<string>,
  count: number,
): Promise<BulkItem[]> {
  const items = request.items
    ? await freeze(adapter, context, request.items)
    : travelled(await adapter.getNextBatch(context, used.size + count, 0, call()));
  return items.filter(({ id }) => !used.has(id)).slice(0, count);
}

/** Runs `work` while the provider has this fault. */
export async function failing<T>(
  world: ConformanceWorld,
  rule: FaultRule,
  work: () => Promise<T>,
): Promise<T> {
  world.fail(rule);
  try {
    return await work();
  } finally {
    world.fail(undefined);
  }
}

/**
 * Fails a case that checked nothing. Such a case must be exempted with a reason, and never passes by itself. `what`
 * names the missing part of the world or the adapter.
 */
export function assertApplies(applies: unknown, what: string): asserts applies {
  assert.ok(applies, `${what}. Add it, or exempt this case with its reason`);
}

/** Returns the requests that search for items. */
export function searching(world: ConformanceWorld): ConformanceRequest[] {
  const requests = world.requests.filter(({ items }) => items === undefined);
  assertApplies(requests.length > 0, 'no request of the world searches for items');
  return requests;
}

/** Asserts that there is one result per item, in the order of the items. */
export function assertOneEach(results: readonly BulkResult[], items: readonly BulkItem[]): void {
  assert.deepEqual(
    results.map(({ item_id }) => item_id),
    idsOf(items),
    'executeBatch must return one result for each item, in the order of the items',
  );
  for (const result of results) {
    if (!result.success) assert.ok(result.error, `the failed item ${result.item_id} has no error text`);
  }
}

/** Returns the `BatchgateError` that `work` throws. */
export async function refusal(work: () => Promise<unknown>, what: string): Promise<BatchgateError> {
  try {
    await work();
  } catch (error) {
    assert.ok(error instanceof BatchgateError, `${what} throws a BatchgateError, not ${String(error)}`);
    assert.ok(error.hint.length > 0, `${what}: the error has no hint`);
    return error;
  }
  assert.fail(`${what} is not refused`);
}

export async function assertChanged(
  world: ConformanceWorld,
  request: ConformanceRequest,
  items: readonly BulkItem[],
  expected: boolean,
): Promise<void> {
  for (const { id } of items) {
    const changed = await world.isChanged(id, request);
    assert.equal(changed, expected, `item ${id} ${expected ? 'does not have the change' : 'was changed'}`);
  }
}

/** Returns the number of writes. */
export const writes = (world: ConformanceWorld): number =>
  world.calls().filter(({ kind }) => kind === 'write').length;
