import { Context } from '@temporalio/activity';
import { cutAt, storableJson } from '../../src/contract/text';
import type { Plan, PlanInput } from '../../src/contract/plans';
import type { Prepared } from '../../src/contract/prepared';
import { BatchgateError, describeIssues } from '../../src/contract/errors';
import {
  bulkItemSchema,
  MAX_NAME_LENGTH,
  undoItemSchema,
  type BulkItem,
  type FrozenItem,
  type PreparedBulkContext,
} from '../../src/contract/items';
import { changeOfAdapter, wordsOfAction } from '../../src/core/bulk/change';
import { namedTwice, tooMany, tooManyBytes, withoutDuplicates } from '../../src/core/bulk/input';
import { foreseenIn } from '../../src/core/bulk/groups';
import {
  conflictDetail,
  namesOf,
  promisedFor,
  startsSkipped,
  withPreview,
} from '../../src/core/bulk/preview';
import { groupsOf, marksOf } from '../../src/core/bulk/pages';
import { rampOf } from '../../src/core/bulk/ramp';
import { bytesOf, MAX_CONTEXT_BYTES } from '../../src/core/shared/bounds';
import { collectItems } from '../../src/core/shared/paging';
import type { ActivityDependencies } from '../shared/dependencies';
import { limits } from '../adapters/shared/limits';
import { forItemsOf } from './contexts';
import { knownAtFirst } from './known';
import { namesForPolicies, underPolicy } from './policing';
import { planBefore } from './resets';
import { itemsToRestore, prepareUndo, wholeRecord } from './undoing';
import type { LedgerRecord } from '../../src/contract/ledger-record';
import type { Revision } from '../../src/contract/revision';
import { revisionOf, revisionRefused } from '../../src/core/bulk/revisions';

const DEFAULT_PAGE_SIZE = 100;

/** The dependencies of a plan. */
export interface Planning extends ActivityDependencies {
  /** Called after each page read, or units of an allowance received, to show that the plan is not stuck. */
  readonly readOn?: () => void;
}

/** Prepares, counts, freezes and records the items, so that exactly the confirmed items run. */
export async function plan(dependencies: Planning, input: PlanInput): Promise<Plan> {
  const { later } = input;
  const reset = later ? undefined : await planBefore(dependencies, input);
  if (reset) return reset;
  if (!later) await refuseUnrevisable(dependencies, input);
  const base = later?.prepared ?? (await prepare(dependencies, input));
  const { context } = base;
  goOn();
  const frozen = await foundItems(dependencies, input, context);
  const adapter = forItemsOf(dependencies.adapters.get(context.tool_name), context);
  const previewed = frozen.map((item) => (item.preview ? item : withPreview(adapter, item, context)));
  // The question shows exactly the items that the ledger stores.
  const items = stored<FrozenItem[]>(previewed);
  const scope = later ? undefined : adapter.describeItems?.(items, context);
  const { named = 0, items: explicit = [] } = input;
  const isWhole = explicit.length >= named;
  if (!isWhole && items.length < explicit.length)
    throw BatchgateError.from(namedTwice(namesOfOne(items, explicit)));
  const prepared = later
    ? base
    : stored<Prepared>({ ...base, change: promisedFor(base.change, items, scope, isWhole) });
  const bytes = bytesOf(items);
  const excess = tooManyBytes(items.length, bytes);
  if (excess) throw BatchgateError.from(excess);
  const resolved = later ? {} : await namesForPolicies(dependencies, context, items, dependencies.readOn);
  const policed = underPolicy(dependencies, input, { prepared, items, resolved, isWhole });
  const { input: planInput, found: requirements } = policed;
  const ramp = rampOf({ ...planInput, batch_sizes: planInput.terms.batch_sizes });
  // Throws for a batch that is too large.
  groupsOf(items, ramp);
  goOn();
  const record = { ...planInput, ...prepared, offset: later?.offset };
  const salts = await dependencies.ledger.recordPlan(record, items);
  const rows = items.map((item, index) => ({
    ...{ ...item, index, salt: salts[index] },
    ...(startsSkipped(item, input.overwrite) && conflictDetail(item.preview)),
  }));
  const codes = rows.map(({ error }) => (error === undefined ? 'p' : 'k')).join('');
  return {
    items: later ? [] : knownAtFirst(rows, codes, ramp),
    total: items.length,
    bytes,
    marks: marksOf(rows, ramp),
    foreseen: foreseenIn(items),
    ...(codes.includes('k') && { codes }),
    store_id: dependencies.ledger.storeId,
    ...(!later && { prepared }),
    ...requirements,
  };
}

/** Returns the given names of the first item that has several of them. */
function namesOfOne(items: readonly FrozenItem[], given: readonly BulkItem[]): string[] {
  const ids = new Set(given.map(({ id }) => id));
  const names = items.map((item) => namesOf(item).filter((name) => ids.has(name)));
  return names.find(({ length }) => length > 1) ?? [];
}

/** Converts a value to the form in which the ledger stores it, so that the confirmed and the stored value agree. */
export const stored = <T>(value: T): T => JSON.parse(storableJson(value)) as T;

/**
 * Stops a try that was cancelled, or that the server has given up: the next try may have written its plan already.
 * @throws the reason.
 */
export function goOn(): void {
  Context.current().cancellationSignal.throwIfAborted();
}

/** Resolves names to ids and splits the parameters. Reads no items and changes nothing. */
export async function prepare(
  dependencies: ActivityDependencies,
  input: Pick<PlanInput, 'domain' | 'action' | 'params' | 'items' | 'metadata' | 'undoes'>,
): Promise<Prepared> {
  if (input.undoes !== undefined) return prepareUndo(dependencies, input, input.undoes);
  const { adapters, settings } = dependencies;
  const adapter = adapters.get(input.domain);
  const { action, params, items, metadata } = input;
  const request = { action, params, explicit_items: items !== undefined, ...(metadata && { metadata }) };
  const resolved = await adapter.prepare(request, limits(settings.call_timeout_ms));
  const bytes = bytesOf(resolved);
  if (bytes > MAX_CONTEXT_BYTES)
    throw ofAdapter(
      input.domain,
      `made ${bytes} bytes of the parameters, and at most ${MAX_CONTEXT_BYTES} fit`,
    );
  const place = await adapter.place?.(resolved);
  const context = {
    ...resolved,
    ...(place !== undefined && { place }),
    ...(metadata && { metadata }),
  };
  const parameters = Object.keys(adapter.actions[action]?.change.shape ?? {});
  const values = { ...params, ...adapter.evaluatedParams?.(context) };
  const change_params = Object.fromEntries(
    Object.entries(values).filter(([name]) => parameters.includes(name)),
  );
  return {
    context,
    change_params,
    noun: adapter.itemNoun ?? { one: 'item', many: 'items' },
    words: wordsOfAction(action, adapter.actions[action]),
    change: changeOfAdapter(adapter, context, change_params),
  };
}

async function foundItems(
  dependencies: Planning,
  { items, undoes, max_total_items }: PlanInput,
  context: PreparedBulkContext,
): Promise<FrozenItem[]> {
  if (undoes === undefined) {
    return items
      ? namedItems(dependencies, context, withoutDuplicates(items))
      : searchedItems(dependencies, context, max_total_items);
  }
  const freeze = (changed: BulkItem[]) => namedItems(dependencies, context, changed);
  const restorable = await itemsToRestore(dependencies, context, { undoes, items }, freeze);
  const excess = tooMany(restorable.length, max_total_items);
  if (excess) throw BatchgateError.from(excess);
  return restorable;
}

/** Returns the results of a search. Counts them before it reads any item. */
async function searchedItems(
  { adapters, settings, readOn }: Planning,
  context: PreparedBulkContext,
  max: number,
): Promise<BulkItem[]> {
  const adapter = adapters.get(context.tool_name);
  const within = () => limits(settings.read_timeout_ms, readOn);
  const count = await adapter.getTotalCount(context, within());
  const refuseExcess = (total: number) => {
    const excess = tooMany(total, max);
    if (excess) throw BatchgateError.from(excess);
  };
  refuseExcess(count);
  const items = await collectItems(
    (size, offset) => {
      goOn();
      readOn?.();
      return adapter.getNextBatch(context, size, offset, within());
    },
    adapter.planPageSize ?? DEFAULT_PAGE_SIZE,
    count,
    (page, size, total) => {
      if (page.length > size)
        throw ofAdapter(adapter.toolName, `gave ${page.length} items where ${size} were asked for`);
      refuseExcess(total);
    },
  );
  if (items) return items.map((item) => checked(adapter.toolName, item));
  throw new BatchgateError(
    'ADAPTER_UNAVAILABLE',
    `The search on ${adapter.toolName} gave other items each time it was read.`,
    'Start again later, or narrow the search to items that no longer change.',
  );
}

/** Returns the items that the caller named, completed with the data that a search would have returned. */
export async function namedItems(
  { adapters, settings, readOn }: Planning,
  context: PreparedBulkContext,
  items: BulkItem[],
): Promise<BulkItem[]> {
  const adapter = forItemsOf(adapters.get(context.tool_name), context);
  if (!adapter.freezeItems) return items;
  const frozen = await adapter.freezeItems(items, context, limits(settings.read_timeout_ms, readOn));
  const schema = context.undo ? undoItemSchema : bulkItemSchema;
  // Two names of one item become one item, under the tool's own id.
  if (frozen.length === items.length)
    return withoutDuplicates(frozen.map((item) => checked(adapter.toolName, item, schema)));
  throw ofAdapter(adapter.toolName, 'gave other items than those that were named');
}

function checked(
  toolName: string,
  item: BulkItem,
  schema: typeof bulkItemSchema | typeof undoItemSchema = bulkItemSchema,
): BulkItem {
  const clamped = { ...item, display_name: cutAt(item.display_name, MAX_NAME_LENGTH) };
  const parsed = schema.safeParse(clamped);
  if (parsed.success) return parsed.data;
  throw ofAdapter(toolName, `gave an item that does not fit: ${describeIssues(parsed.error)}`);
}

export function ofAdapter(toolName: string, what: string): BatchgateError {
  return new BatchgateError(
    'INTERNAL',
    `The adapter ${toolName} ${what}.`,
    'This is a defect of the adapter; tell its author.',
  );
}

/** The maximum delay of the last status behind the answer to the decision that ends an operation. Milliseconds. */
const ENDING_MS = 2_000;

/**
 * Refuses to revise an operation that was not sent back, or that may not be revised again.
 * @throws BatchgateError `NOT_FOUND`, `INVALID_INPUT`, or `FORBIDDEN` after too many revisions by agents.
 */
async function refuseUnrevisable(
  dependencies: ActivityDependencies,
  { operation_id, terms: { revises, by_agent } }: Pick<PlanInput, 'operation_id' | 'terms'>,
): Promise<void> {
  if (revises === undefined) return;
  const before = await endedRecord(dependencies, revises);
  const others = await dependencies.ledger.revisionsOf(revises);
  const refusal = revisionRefused(
    before,
    by_agent === true,
    others.filter((id) => id !== operation_id),
  );
  if (refusal) throw BatchgateError.from(refusal);
}

/** Compares a plan with the operation that it revises. */
export async function compareRevised(
  { ledger }: ActivityDependencies,
  { operation_id }: { operation_id: string },
): Promise<Revision> {
  const now = await wholeRecord(ledger, operation_id);
  const before = await wholeRecord(ledger, now.terms?.revises ?? '');
  const revision = revisionOf(before, now);
  if (revision) return revision;
  throw new BatchgateError(
    'INVALID_INPUT',
    'The operation to revise was not sent back.',
    'Leave revises out, or name an operation whose status has sent_back.',
  );
}

async function endedRecord(
  { ledger, operations }: ActivityDependencies,
  operationId: string,
): Promise<LedgerRecord> {
  const record = await ledger.read(operationId);
  if (record?.status) return record;
  const signal = AbortSignal.timeout(ENDING_MS * 2);
  await operations.ended(operationId, signal, ENDING_MS).catch(() => undefined);
  return (await ledger.read(operationId)) ?? wholeRecord(ledger, operationId);
}
