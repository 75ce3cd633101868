import type { BatchCall } from '../../../src/contract/adapter';
import type { BulkItem, BulkResult } from '../../../src/contract/items';
import { mapConcurrently } from '../shared/actions';
import { failureOf, isGone, unlessGone, type ProviderFailure } from '../shared/failure';
import { changedSincePreview, difference } from '../shared/frozen-state';
import { inSequence, refusalIn, resultsOf, untouched, type Attempt } from './attempts';
import { changed, knownOf, missingOf, namedOf, type Known } from './frozen';
import type { Kit } from './kit';
import type { Words } from './preview';
import type { State, Tool, ToolItem, WrittenItem } from './types';

/** One batch: the tool, and the settings that its items share. */
export interface Batch {
  readonly kit: Kit;
  readonly tool: Tool;
  readonly call: BatchCall;
  readonly undo: boolean;
  /** Whether the tool's write accepts the version of an item as a condition. */
  readonly conditional: boolean;
  readonly words: (known: Known) => Words;
  /** Plans an item from its current state. */
  readonly freeze: (item: BulkItem) => Promise<BulkItem>;
}

/** An item that is ready to be written. */
interface Task {
  readonly known: Known;
  readonly item: WrittenItem;
  /** The item as it was planned. */
  readonly planned: BulkItem;
  /** The data that the write stores for an undo. */
  readonly kept: Record<string, unknown>;
  readonly target: State | null;
}

/**
 * Changes the items. An item succeeds if its state after the write is the target.
 * @throws BatchgateError if the tool refuses our credentials or every request, and every change is already reported.
 */
export async function executeItems(batch: Batch, items: readonly BulkItem[]): Promise<BulkResult[]> {
  const attempts = batch.tool.writeMany
    ? await writeTogether(batch, items)
    : await inSequence(items, batch.tool.concurrency ?? batch.kit.concurrency, batch.call, async (item) => {
        const task = await taskOf(batch, item);
        return 'result' in task ? task : writeOne(batch, task);
      });
  return resultsOf(attempts, batch.call, batch.kit.results.callError);
}

/** Returns the task that writes an item, or the result of an item that needs no write. */
async function taskOf(batch: Batch, planned: BulkItem): Promise<Task | Attempt> {
  const { compare } = batch.kit;
  const item_id = planned.id;
  try {
    // An item without a plan, as in a direct call, is planned now.
    const item = isPlanned(planned) ? planned : await batch.freeze(planned);
    const known = knownOf(item.raw_data);
    if (known === undefined) return untouched(await missing(batch, item, missingOf(item)));
    if (known.refused !== undefined)
      return untouched({ item_id, success: false, error: known.refused, retryable: false });
    const { version, state } = known;
    const isAlready = compare.isAlready(known);
    const reads = isAlready || !batch.conditional || version === undefined || state === undefined;
    if (!reads) return taskFor(batch, item, known, { state: state ?? null, version });
    const now = await read(batch.tool, item, batch.undo);
    const current = now?.state ?? null;
    if (compare.isReached(known, current))
      return untouched(isAlready ? { item_id, success: true } : madeByOthers(item_id));
    const isOld = version !== undefined && now?.version !== undefined && version !== now.version;
    if (isOld || !compare.isAsPlanned(known, current))
      return untouched(await drifted(batch, item_id, known, now));
    return taskFor(batch, item, known, { state: current, version: now?.version });
  } catch (error) {
    return unread(batch, item_id, error);
  }
}

/** Returns the result of an item that others have already changed to the target. An undo must not change it. */
const madeByOthers = (item_id: string): BulkResult => changedSincePreview(item_id, 'it is so by now');

const isPlanned = (item: BulkItem): boolean =>
  knownOf(item.raw_data) !== undefined || missingOf(item) !== undefined;

function taskFor(
  { undo }: Batch,
  planned: BulkItem,
  known: Known,
  { state, version }: { state: State | null; version: string | undefined },
): Task {
  const kept: Record<string, unknown> = {};
  const item: WrittenItem = {
    ...{ id: planned.id, ...namedOf(planned, undo), state },
    ...(version !== undefined && { version }),
    keep: (data) => void Object.assign(kept, data),
  };
  return { known, item, planned, kept, target: changed(state, known.to) };
}

/**
 * Returns the result of an item that could not be read when it was planned. It is not changed, even if it can be read
 * now.
 */
async function missing(
  { tool, undo, kit: { results } }: Batch,
  item: BulkItem,
  why: string | undefined,
): Promise<BulkResult> {
  const { id } = item;
  if ((await read(tool, item, undo))?.state) return changedSincePreview(id, 'it could not be read before');
  return { item_id: id, success: false, error: why ?? results.notFound, retryable: false };
}

/** Returns the result of an item that could not be read, and was therefore not changed. */
function unread({ kit: { results } }: Batch, item_id: string, error: unknown): Attempt {
  const failure = failureOf(error);
  const { error: text, retryable = true } = results.failed(item_id, failure);
  const result = { item_id, success: false, error: text, retryable };
  return { result, touched: false, ...refusalIn(failure) };
}

/** Returns the result of an item that was changed by others since it was planned, and is therefore left unchanged. */
async function drifted(
  { tool, words, kit: { noun, results } }: Batch,
  item_id: string,
  known: Known,
  now: ToolItem | undefined,
): Promise<BulkResult> {
  if ((now?.state ?? null) === null && known.state !== null)
    return { item_id, success: false, error: results.notFound, retryable: false };
  const names = now && (await tool.names?.([now]).catch(() => undefined));
  const itemWords = words({ ...known, names: { ...names, ...known.names } });
  const what =
    known.state && now ? difference(itemWords.whole(known.state), itemWords.whole(now.state)) : undefined;
  return changedSincePreview(item_id, what ?? `the ${noun.one} has a newer version`);
}

async function writeOne(batch: Batch, task: Task): Promise<Attempt> {
  const { tool } = batch;
  const { compare, results } = batch.kit;
  const { item, target, known } = task;
  let after: State | null | undefined;
  try {
    after = (await tool.write?.(item, target)) as State | null | undefined;
  } catch (error) {
    const failure = failureOf(error);
    if (failure.status === 412) return untouched(await whatChanged(batch, task));
    const isOver = isGone(failure) && known.to === null;
    if (isOpen(failure) || isOver) {
      const result = await readBack(batch, task, failure);
      // The tool had nothing to delete: another client has already deleted it.
      return isOver && result.success ? untouched(madeByOthers(item.id)) : { result, touched: true };
    }
    const touched = failure.kind === 'no_answer';
    return { result: results.failed(item.id, failure), touched, ...refusalIn(failure) };
  }
  const isShown = after !== undefined && compare.shows(after, known.to);
  return {
    result: isShown
      ? { ...results.accepted(item.id, 'applied'), ...keeping(task) }
      : await readBack(batch, task),
    touched: true,
  };
}

const keeping = ({ kept }: Task): Pick<BulkResult, 'kept'> => (Object.keys(kept).length > 0 ? { kept } : {});

/**
 * Returns true if the outcome is open: the tool may have made the change before it failed, or its answer is unusable or
 * contradicts its status.
 */
const isOpen = ({ kind, status = 400, until }: ProviderFailure): boolean =>
  kind === 'malformed' || (kind === 'refused' && (status < 400 || status >= 500) && until === undefined);

/** Writes all items with one call, and then reads them back. */
async function writeTogether(batch: Batch, items: readonly BulkItem[]): Promise<Attempt[]> {
  const prepared = await mapConcurrently(items, batch.kit.concurrency, (item) => taskOf(batch, item));
  const tasks = prepared.flatMap((task) => ('result' in task ? [] : [task]));
  let failure: ProviderFailure | undefined;
  try {
    if (tasks.length > 0) await batch.tool.writeMany?.(tasks);
  } catch (error) {
    failure = failureOf(error);
  }
  return mapConcurrently(prepared, batch.kit.concurrency, async (task) => {
    if ('result' in task) return task;
    if (failure === undefined || isOpen(failure))
      return { result: await readBack(batch, task, failure), touched: true };
    const touched = failure.kind === 'no_answer';
    return { result: batch.kit.results.failed(task.item.id, failure), touched, ...refusalIn(failure) };
  });
}

/** Returns the result of an item that has a newer version than the planned one. */
async function whatChanged(batch: Batch, { item, known, planned }: Task): Promise<BulkResult> {
  try {
    const now = await read(batch.tool, planned, batch.undo);
    if (batch.kit.compare.isReached(known, now?.state ?? null)) return madeByOthers(item.id);
    return drifted(batch, item.id, known, now);
  } catch {
    return changedSincePreview(item.id, `the ${batch.kit.noun.one} has a newer version`);
  }
}

/**
 * Reads an item after its write. `failure`: the failure of the write, which may nevertheless have made the change.
 */
async function readBack(batch: Batch, task: Task, failure?: ProviderFailure): Promise<BulkResult> {
  const { item, known, planned, kept } = task;
  const { tool, undo } = batch;
  const { compare, results, noun } = batch.kit;
  const item_id = item.id;
  let now: State | null;
  try {
    now = (await read(tool, planned, undo))?.state ?? null;
  } catch (error) {
    return results.notReadBack(item_id, failureOf(error));
  }
  if (compare.isDone(known, now)) {
    if (known.open) kept['left'] = now;
    return { ...results.accepted(item_id, 'applied'), ...keeping(task) };
  }
  if (now === null) return { item_id, success: false, error: results.notFound, retryable: false };
  if (compare.isAsPlanned(known, now))
    return failure && failure.kind !== 'malformed'
      ? results.failed(item_id, failure)
      : results.accepted(item_id, 'not_applied');
  const itemWords = batch.words(known);
  const differences = difference(itemWords.altered(changed(item.state, known.to)), itemWords.altered(now));
  const error = `The ${noun.one} is not as the change should leave it${differences === undefined ? '' : `: ${differences}`}`;
  return { item_id, success: false, error, outcome_unknown: true };
}

/** Reads an item. Returns undefined if it does not exist. */
export const read = (tool: Tool, item: BulkItem, undo: boolean): Promise<ToolItem | undefined> =>
  unlessGone(() => tool.read(item.id, namedOf(item, undo)));
