import { z } from 'zod';
import { BatchgateError, parseInput } from '../../contract/errors';
import { bulkProgressContractSchema, type BulkProgressContract } from '../../contract/progress';
import { recordRequestSchema, taskRunInputSchema, type RecordRequest } from '../../contract/task-run';
import { bytesOf, fitting } from '../shared/bounds';
import { markOf, withMarks, type Mark } from './fingerprints';

/**
 * The limits of a contract. After `listed` entries of a kind, or `bytes` of them as JSON, an item is stored as a
 * fingerprint; after `items` it is refused.
 */
export interface ContractCaps {
  listed: number;
  bytes: number;
  items: number;
}

/** 131,072 fingerprints are 1.3 MB of JSON, which continue-as-new carries in parts. */
export const CONTRACT_CAPS: ContractCaps = { listed: 1_000, bytes: 24_576, items: 131_072 };

/** The input of a new contract. */
export type ProgressContractInput = Parameters<typeof createProgressContract>[0];

type Kind = 'completed' | 'failed' | 'skipped';

const KIND_OF: Record<Mark, Kind> = { s: 'completed', f: 'failed', F: 'failed', k: 'skipped', K: 'skipped' };
/** A later outcome replaces an equal or lesser one: done stays done, and a skip does not undo a failure. */
const RANK: Record<Kind, number> = { skipped: 1, failed: 2, completed: 3 };

type Terms = Pick<
  Partial<BulkProgressContract>,
  'expected_total' | 'expected_items' | 'min_completed' | 'stop_condition'
>;

/** The number of items that must have an outcome; undefined if it is unknown. */
export function totalOf({
  expected_total,
  expected_items,
}: Pick<Terms, 'expected_total' | 'expected_items'>): number | undefined {
  return expected_items ? Math.max(new Set(expected_items).size, expected_total ?? 0) : expected_total;
}

/**
 * Refuses a contract that no records could complete. `most`: the number of items that can be recorded.
 * @throws BatchgateError `INVALID_INPUT` with the reason.
 */
export function refuseImpossible(contract: Terms, most: number = CONTRACT_CAPS.items): void {
  const { expected_items, min_completed = 0, stop_condition = '' } = contract;
  if (expected_items?.length === 0) {
    throw impossible('expected_items is empty.', 'Name the items, or leave expected_items out.');
  }
  const total = totalOf(contract);
  if (total === undefined && stop_condition.trim() === '') {
    throw impossible(
      'It says neither how many items there are nor when to stop.',
      'Give expected_total, expected_items or a stop_condition. A min_completed alone does not say when all is done.',
    );
  }
  if (total !== undefined && min_completed > total) {
    throw impossible(
      `min_completed is ${min_completed}, and only ${total} item(s) are expected.`,
      `Give a min_completed of ${total} or less, or expect more items.`,
    );
  }
  const needed = Math.max(total ?? 0, min_completed);
  if (needed > most) {
    throw impossible(
      `It needs ${needed} items, and at most ${most} can be recorded.`,
      'Split the task into several runs, each with its own contract.',
    );
  }
}

function impossible(why: string, hint: string): BatchgateError {
  return new BatchgateError('INVALID_INPUT', `The contract can never be completed. ${why}`, hint);
}

/**
 * A new contract. `now` is milliseconds since the epoch. Policies default to those of task runs: failures block, skips
 * need a reason.
 * @throws BatchgateError `INVALID_INPUT` with the path of each mistake, or if it could never be completed.
 *
 * @example
 * const contract = createProgressContract({ contract_id: 'letters', expected_total: 80 }, Date.now());
 */
export function createProgressContract(
  input: Pick<BulkProgressContract, 'contract_id'> & Partial<BulkProgressContract>,
  now: number,
): BulkProgressContract {
  const contract = newContract(input, now);
  const { expected_total, expected_items, min_completed, stop_condition, item_key } = contract;
  const terms = { expected_total, expected_items, min_completed, stop_condition, item_key };
  parseInput(termsSchema, terms, 'The progress contract');
  refuseImpossible(terms);
  return contract;
}

/** The terms of a contract, as every interface accepts them. */
const termsSchema = taskRunInputSchema.shape.contract.unwrap();

/** Creates a contract without checking whether it can ever be completed. */
export function newContract(input: ProgressContractInput, now: number): BulkProgressContract {
  const members = Object.entries(input).filter(([, value]) => value !== undefined);
  const contract = {
    scope: 'task_run',
    stop_condition: '',
    stop_condition_satisfied: false,
    item_key: 'id',
    completed: [],
    failed: [],
    skipped: [],
    failed_policy: 'block',
    skipped_policy: 'allow_with_reason',
    last_progress_at: now,
    created_at: now,
    updated_at: now,
    ...Object.fromEntries(members),
  };
  return parseInput(bulkProgressContractSchema, contract, 'The progress contract');
}

/**
 * Records completed items. A later success replaces a failure or a skip; a repeat changes nothing.
 * `now` is milliseconds since the epoch, as in the other functions.
 * @throws BatchgateError `TOO_MANY_ITEMS` when the contract would hold too many items; `INVALID_INPUT` for values that
 * are not ids.
 *
 * @example
 * contract = recordCompleted(contract, ['letter-1', 'letter-2'], Date.now());
 */
export function recordCompleted(
  contract: BulkProgressContract,
  items: readonly string[],
  now: number,
  caps: typeof CONTRACT_CAPS = CONTRACT_CAPS,
): BulkProgressContract {
  const parsed = parseInput(z.array(completedSchema), items, 'The completed items');
  return recorded(contract, 'completed', new Map(parsed.map((item) => [item, { item }])), now, caps);
}

const { completed, failed, skipped } = recordRequestSchema.shape;
const completedSchema = completed.unwrap().element;
const failedSchema = failed.unwrap().element;
const skippedSchema = skipped.unwrap().element;

/** Records failed items, each with its latest reason. A completed item stays completed; a repeat changes nothing. */
export function recordFailed(
  contract: BulkProgressContract,
  entries: readonly BulkProgressContract['failed'][number][],
  now: number,
  caps: typeof CONTRACT_CAPS = CONTRACT_CAPS,
): BulkProgressContract {
  const parsed = parseInput(z.array(failedSchema), entries, 'The failed items');
  return recorded(contract, 'failed', byItem(parsed), now, caps);
}

/** Records skipped items, each with its reason. Completed and failed items stay so; a repeat changes nothing. */
export function recordSkipped(
  contract: BulkProgressContract,
  entries: readonly BulkProgressContract['skipped'][number][],
  now: number,
  caps: typeof CONTRACT_CAPS = CONTRACT_CAPS,
): BulkProgressContract {
  const parsed = parseInput(z.array(skippedSchema), entries, 'The skipped items');
  return recorded(contract, 'skipped', byItem(parsed), now, caps);
}

const byItem = <E extends Entry>(entries: readonly E[]) =>
  new Map(entries.map((entry): [string, E] => [entry.item, entry]));

/** Stores the position from which the work continues, such as a page token. Replaces the previous one. */
export function updateCursor(
  contract: BulkProgressContract,
  cursor: string,
  now: number,
): BulkProgressContract {
  const parsed = parseInput(recordRequestSchema.shape.cursor.unwrap(), cursor, 'The cursor');
  return contract.cursor === parsed ? contract : progressed(contract, now, { cursor: parsed });
}

/** Records that the contract's `stop_condition` holds, which the guard then accepts. */
export function markStopConditionSatisfied(
  contract: BulkProgressContract,
  now: number,
): BulkProgressContract {
  return contract.stop_condition_satisfied
    ? contract
    : { ...contract, stop_condition_satisfied: true, updated_at: now };
}

/** Records everything in a parsed message. @throws BatchgateError `TOO_MANY_ITEMS` above the limit of items. */
export function recordAll(
  contract: BulkProgressContract,
  request: RecordRequest,
  now: number,
): BulkProgressContract {
  const { completed = [], failed = [], skipped = [], cursor, stop_condition_satisfied } = request;
  const entries = completed.map((item) => ({ item }));
  let next = recorded(contract, 'completed', byItem(entries), now, CONTRACT_CAPS);
  next = recorded(next, 'failed', byItem(failed), now, CONTRACT_CAPS);
  next = recorded(next, 'skipped', byItem(skipped), now, CONTRACT_CAPS);
  if (cursor !== undefined) next = updateCursor(next, cursor, now);
  return stop_condition_satisfied ? markStopConditionSatisfied(next, now) : next;
}

interface Entry {
  item: string;
  reason?: string;
  retryable?: boolean;
}

/** Moves each item to its current place: its list while there is room, else the fingerprints. */
function recorded(
  contract: BulkProgressContract,
  kind: Kind,
  entries: ReadonlyMap<string, Entry>,
  now: number,
  caps: ContractCaps,
): BulkProgressContract {
  const listedItems = listed(contract);
  const marks = contract.fingerprints ?? {};
  const cut = { completed: 0, failed: 0, skipped: 0, ...contract.truncation };
  const moved = new Map<string, Entry>();
  const changed = new Map<string, Mark | undefined>();
  for (const [item, entry] of entries) {
    const before = listedItems.get(item);
    const mark = before || contract.fingerprints === undefined ? undefined : markOf(marks, item);
    const kindBefore = before?.kind ?? (mark && KIND_OF[mark]);
    if (kindBefore && RANK[kindBefore] > RANK[kind]) continue;
    if (mark) {
      const marked = markFor(kind, entry);
      if (mark === marked) continue;
      changed.set(item, marked);
      cut[KIND_OF[mark]]--;
      cut[kind]++;
    } else if (!before || before.kind !== kind || !same(before.entry, entry)) moved.set(item, entry);
  }
  if (moved.size + changed.size === 0) return contract;
  const lists = without(contract, moved);
  const room = Math.max(0, caps.listed - lists[kind].length);
  const entered = [...moved.values()].map((entry) => (kind === 'completed' ? entry.item : entry));
  const fits = fitting(entered.slice(0, room), caps.bytes - bytesOf(lists[kind])).length;
  const [fitted, over] = [[...moved.values()].slice(0, fits), [...moved.values()].slice(fits)];
  for (const entry of over) changed.set(entry.item, markFor(kind, entry));
  cut[kind] += over.length;
  const total = lists.completed.length + lists.failed.length + lists.skipped.length + fitted.length;
  refuseBeyond(total + cut.completed + cut.failed + cut.skipped, caps);
  return progressed(contract, now, {
    ...lists,
    [kind]: [...lists[kind], ...(kind === 'completed' ? fitted.map(({ item }) => item) : fitted)],
    ...(changed.size > 0 && { fingerprints: withMarks(marks, changed), truncation: truncationOf(cut) }),
  });
}

function listed({ completed, failed, skipped }: BulkProgressContract) {
  const items = new Map<string, { kind: Kind; entry: Entry }>();
  for (const item of completed) items.set(item, { kind: 'completed', entry: { item } });
  for (const entry of failed) items.set(entry.item, { kind: 'failed', entry });
  for (const entry of skipped) items.set(entry.item, { kind: 'skipped', entry });
  return items;
}

function without({ completed, failed, skipped }: BulkProgressContract, moved: ReadonlyMap<string, unknown>) {
  return {
    completed: completed.filter((item) => !moved.has(item)),
    failed: failed.filter(({ item }) => !moved.has(item)),
    skipped: skipped.filter(({ item }) => !moved.has(item)),
  };
}

const same = (a: Entry, b: Entry) => a.reason === b.reason && a.retryable === b.retryable;

function markFor(kind: Kind, { reason = '' }: Entry): Mark {
  if (kind === 'completed') return 's';
  const explained = reason.trim() !== '';
  if (kind === 'failed') return explained ? 'f' : 'F';
  return explained ? 'k' : 'K';
}

/** Reports only the lists that were cut. */
function truncationOf(cut: Record<Kind, number>): BulkProgressContract['truncation'] {
  return Object.fromEntries(Object.entries(cut).filter(([, count]) => count > 0));
}

function refuseBeyond(count: number, caps: ContractCaps): void {
  if (count <= caps.items) return;
  throw new BatchgateError(
    'TOO_MANY_ITEMS',
    `The contract would hold ${count} items, and it takes at most ${caps.items}.`,
    'Split the task into several runs, each with its own contract.',
  );
}

function progressed(
  contract: BulkProgressContract,
  now: number,
  change: Partial<BulkProgressContract>,
): BulkProgressContract {
  return { ...contract, ...change, last_progress_at: now, updated_at: now };
}
