import type { BatchCall } from '../../../src/contract/adapter';
import { BatchgateError } from '../../../src/contract/errors';
import type { BulkItem, BulkResult } from '../../../src/contract/items';
import { mapConcurrently } from '../shared/actions';
import { failureOf, ProviderFailure } from '../shared/failure';
import { changedSincePreview, difference } from '../shared/frozen-state';
import { reported } from '../shared/results';
import { changed, knownOf, missingOf, type Known } from './frozen';
import type { Kit } from './kit';
import type { Words } from './preview';
import type { State, Tool, ToolItem, WrittenItem } from './types';

/** The result of one item, and whether the tool may have changed something for it. */
interface Attempt {
  readonly result: BulkResult;
  readonly touched: boolean;
  /** The tool refuses us, or everything for a time, whatever the item. */
  readonly refusal?: ProviderFailure;
}

/** One batch: the tool, and what its items have in common. */
export interface Batch {
  readonly kit: Kit;
  readonly tool: Tool;
  readonly call: BatchCall;
  /** Whether the tool's write takes the version of an item. */
  readonly conditional: boolean;
  readonly words: (known: Known) => Words;
  /** The item as a plan would keep it now. */
  readonly freeze: (item: BulkItem) => Promise<BulkItem>;
}

/** An item that is ready to be written. */
interface Task {
  readonly known: Known;
  readonly item: WrittenItem;
  readonly target: State | null;
}

/**
 * Changes the items. A success is an item whose state, as the tool shows it afterwards, is the target.
 * @throws BatchgateError if the tool refuses us or everything, and nothing was changed.
 */
export async function executeItems(batch: Batch, items: readonly BulkItem[]): Promise<BulkResult[]> {
  const attempts = batch.tool.writeMany
    ? await writeTogether(batch, items)
    : await inSequence(batch, items, async (item) => {
        const task = await taskOf(batch, item);
        return 'result' in task ? task : writeOne(batch, task);
      });
  const refusal = attempts.find((attempt) => attempt.refusal)?.refusal;
  if (refusal && !attempts.some(({ touched }) => touched)) throw refused(batch, refusal);
  return attempts.map(({ result }) => result);
}

function refused({ kit: { results } }: Batch, refusal: ProviderFailure): BatchgateError {
  if (refusal.until === undefined) return results.callError(refusal, 'Nothing was changed');
  return new BatchgateError(
    'RATE_LIMITED',
    `Nothing was changed: ${refusal.message}`,
    `It accepts nothing until ${new Date(refusal.until).toISOString()}. Confirm again after that.`,
  );
}

/** Runs the items, a few at once. Once the tool refuses everything for a time, nothing more is sent. */
async function inSequence(
  { kit: { concurrency }, call }: Batch,
  items: readonly BulkItem[],
  work: (item: BulkItem) => Promise<Attempt>,
): Promise<Attempt[]> {
  let limited: ProviderFailure | undefined;
  return mapConcurrently(items, concurrency, async (item) => {
    if (limited) return notSent(item.id, limited);
    const attempt = await work(item);
    if (attempt.refusal?.until !== undefined) limited = attempt.refusal;
    if (!attempt.refusal) reported(call, attempt.result);
    return attempt;
  });
}

const notSent = (item_id: string, { message }: ProviderFailure): Attempt => ({
  result: { item_id, success: false, error: `Not sent: ${message}`, retryable: true },
  touched: false,
});

const untouched = (result: BulkResult): Attempt => ({ result, touched: false });

/** What to write for an item, or its result if it needs no write. */
async function taskOf(batch: Batch, planned: BulkItem): Promise<Task | Attempt> {
  const { compare } = batch.kit;
  const item_id = planned.id;
  try {
    // Without a plan, as in a direct call, the item is planned now.
    const item = isPlanned(planned) ? planned : await batch.freeze(planned);
    const known = knownOf(item.raw_data);
    if (known === undefined) return untouched(await missing(batch, planned, missingOf(item)));
    if (known.refused !== undefined)
      return untouched({ item_id, success: false, error: known.refused, retryable: false });
    const { version, state } = known;
    const isAlready = compare.isAlready(known);
    const reads = isAlready || !batch.conditional || version === undefined || state === undefined;
    if (!reads)
      return { known, item: { id: item_id, version, state: state ?? null }, target: targetOf(state, known) };
    const now = await read(batch.tool, item_id);
    const current = now?.state ?? null;
    if (compare.isReached(known, current)) return untouched({ item_id, success: true });
    const isOld = version !== undefined && now?.version !== undefined && version !== now.version;
    if (isOld || !compare.isAsPlanned(known, current))
      return untouched(await drifted(batch, item_id, known, now));
    const shown = {
      id: item_id,
      state: current,
      ...(now?.version !== undefined && { version: now.version }),
    };
    return { known, item: shown, target: targetOf(current, known) };
  } catch (error) {
    return unread(batch, item_id, error);
  }
}

const isPlanned = (item: BulkItem): boolean =>
  knownOf(item.raw_data) !== undefined || missingOf(item) !== undefined;

const targetOf = (state: State | null, { to }: Known): State | null => changed(state, to);

/** An item that could not be read when it was planned is not changed, even if it can be read by now. */
async function missing(
  { tool, kit: { results } }: Batch,
  { id }: BulkItem,
  why: string | undefined,
): Promise<BulkResult> {
  if ((await read(tool, id))?.state) return changedSincePreview(id, 'it could not be read before');
  return { item_id: id, success: false, error: why ?? results.notFound, retryable: false };
}

/** An item that could not be read was not changed, whatever the failure. */
function unread({ kit: { results } }: Batch, item_id: string, error: unknown): Attempt {
  const failure = failureOf(error);
  const { error: text, retryable = true } = results.failed(item_id, failure);
  const result = { item_id, success: false, error: text, retryable };
  return { result, touched: false, ...refusalIn(failure) };
}

const refusalIn = (failure: ProviderFailure): { refusal?: ProviderFailure } =>
  failure.refusesUs || failure.until !== undefined ? { refusal: failure } : {};

/** The result of an item that somebody changed since it was planned: it was not changed. */
async function drifted(
  { tool, words, kit: { noun, results } }: Batch,
  item_id: string,
  known: Known,
  now: ToolItem | undefined,
): Promise<BulkResult> {
  if ((now?.state ?? null) === null && known.state !== null)
    return { item_id, success: false, error: results.notFound, retryable: false };
  const names = now && (await tool.names?.([now]).catch(() => undefined));
  const own = words({ ...known, names: { ...names, ...known.names } });
  const what = known.state && now ? difference(own.whole(known.state), own.whole(now.state)) : undefined;
  return changedSincePreview(item_id, what ?? `the ${noun.one} has a newer version`);
}

async function writeOne(batch: Batch, task: Task): Promise<Attempt> {
  const { tool } = batch;
  const { compare, results } = batch.kit;
  const { item, target, known } = task;
  let shown: State | null | undefined;
  try {
    shown = (await tool.write?.(item, target)) ?? undefined;
  } catch (error) {
    const failure = failureOf(error);
    if (failure.status === 412) return untouched(await whatChanged(batch, task));
    // Somebody else may have deleted it already.
    const isOver = isGone(failure) && known.to === null;
    if (isOpen(failure) || isOver) return { result: await readBack(batch, task, failure), touched: true };
    const touched = failure.kind === 'no_answer';
    return { result: results.failed(item.id, failure), touched, ...refusalIn(failure) };
  }
  const isShown = shown !== undefined && target !== null && compare.shows(shown, known.to);
  return {
    result: isShown ? results.accepted(item.id, 'applied') : await readBack(batch, task),
    touched: true,
  };
}

/** The tool may have made the change before it failed, or answered something else. */
const isOpen = ({ kind, status = 0 }: ProviderFailure): boolean =>
  kind === 'malformed' || (kind === 'refused' && status >= 500);

/** One call for all items, which are then read back. */
async function writeTogether(batch: Batch, items: readonly BulkItem[]): Promise<Attempt[]> {
  const ready = await mapConcurrently(items, batch.kit.concurrency, (item) => taskOf(batch, item));
  const tasks = ready.flatMap((one) => ('result' in one ? [] : [one]));
  let failure: ProviderFailure | undefined;
  try {
    if (tasks.length > 0) await batch.tool.writeMany?.(tasks);
  } catch (error) {
    failure = failureOf(error);
  }
  return mapConcurrently(ready, batch.kit.concurrency, async (one) => {
    if ('result' in one) return one;
    if (failure === undefined || isOpen(failure))
      return { result: await readBack(batch, one, failure), touched: true };
    const touched = failure.kind === 'no_answer';
    return { result: batch.kit.results.failed(one.item.id, failure), touched, ...refusalIn(failure) };
  });
}

/** The tool has a newer version of the item than the planned one. */
async function whatChanged(batch: Batch, { item, known }: Task): Promise<BulkResult> {
  try {
    const now = await read(batch.tool, item.id);
    if (batch.kit.compare.isReached(known, now?.state ?? null)) return { item_id: item.id, success: true };
    return drifted(batch, item.id, known, now);
  } catch {
    return changedSincePreview(item.id, `the ${batch.kit.noun.one} has a newer version`);
  }
}

/**
 * Reads an item after its write. `failure`: the tool's answer to the write, which may nevertheless have been made.
 */
async function readBack(batch: Batch, { item, known }: Task, failure?: ProviderFailure): Promise<BulkResult> {
  const { tool } = batch;
  const { compare, results, noun } = batch.kit;
  const item_id = item.id;
  let now: State | null;
  try {
    now = (await read(tool, item_id))?.state ?? null;
  } catch (error) {
    return results.notReadBack(item_id, failureOf(error));
  }
  if (compare.shows(now, known.to)) return results.accepted(item_id, 'applied');
  if (now === null) return { item_id, success: false, error: results.notFound, retryable: false };
  if (compare.isAsPlanned(known, now))
    return failure && failure.kind !== 'malformed'
      ? results.failed(item_id, failure)
      : results.accepted(item_id, 'not_applied');
  const own = batch.words(known);
  const told = difference(own.altered(changed(item.state, known.to)), own.altered(now));
  const error = `The ${noun.one} is not as the change should leave it${told === undefined ? '' : `: ${told}`}`;
  return { item_id, success: false, error, outcome_unknown: true };
}

const isGone = ({ status }: ProviderFailure): boolean => status === 404 || status === 410;

/** Undefined where there is none. */
export async function read(tool: Tool, id: string): Promise<ToolItem | undefined> {
  try {
    return await tool.read(id);
  } catch (error) {
    if (error instanceof ProviderFailure && isGone(error)) return undefined;
    throw error;
  }
}
