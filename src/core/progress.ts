import { parseInput } from '../contract/errors';
import {
  bulkProgressContractSchema,
  IN_DOUBT_REASON,
  type BulkProgressContract,
  type CompletionGuardResult,
  type ItemPolicy,
} from '../contract/progress';

const LISTED = 10;

/** What a new contract is made of; policies default to those of task runs: failures block, skips need a reason. */
export type ProgressContractInput = Pick<BulkProgressContract, 'contract_id'> & Partial<BulkProgressContract>;

/**
 * A contract on which nothing has been recorded yet. `now` is milliseconds since the epoch.
 * @throws BatchgateError `INVALID_INPUT` with the path of each mistake: a malformed total would let everything pass.
 */
export function createProgressContract(input: ProgressContractInput, now: number): BulkProgressContract {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
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
    ...Object.fromEntries(given),
  };
  return parseInput(bulkProgressContractSchema, contract, 'The progress contract');
}

/** Items that are done. A later success replaces a failure or a skip; a repeat changes nothing. */
export function recordCompleted(
  contract: BulkProgressContract,
  items: readonly string[],
  now: number,
): BulkProgressContract {
  const done = new Set(contract.completed);
  const fresh = [...new Set(items)].filter((item) => !done.has(item));
  if (fresh.length === 0) return contract;
  const replaced = new Set(fresh);
  return progressed(contract, now, {
    completed: [...contract.completed, ...fresh],
    failed: contract.failed.filter(({ item }) => !replaced.has(item)),
    skipped: contract.skipped.filter(({ item }) => !replaced.has(item)),
  });
}

/** Items that failed, each with its latest reason. A completed item stays completed; a repeat changes nothing. */
export function recordFailed(
  contract: BulkProgressContract,
  entries: readonly BulkProgressContract['failed'][number][],
  now: number,
): BulkProgressContract {
  const fresh = freshOf(contract.failed, entries, new Set(contract.completed));
  if (fresh.size === 0) return contract;
  return progressed(contract, now, {
    failed: [...contract.failed.filter(({ item }) => !fresh.has(item)), ...fresh.values()],
    skipped: contract.skipped.filter(({ item }) => !fresh.has(item)),
  });
}

/** Items left out on purpose, each with its reason. What is done or failed stays so; a repeat changes nothing. */
export function recordSkipped(
  contract: BulkProgressContract,
  entries: readonly BulkProgressContract['skipped'][number][],
  now: number,
): BulkProgressContract {
  const settled = new Set([...contract.completed, ...contract.failed.map(({ item }) => item)]);
  const fresh = freshOf(contract.skipped, entries, settled);
  if (fresh.size === 0) return contract;
  return progressed(contract, now, {
    skipped: [...contract.skipped.filter(({ item }) => !fresh.has(item)), ...fresh.values()],
  });
}

export function updateCursor(
  contract: BulkProgressContract,
  cursor: string,
  now: number,
): BulkProgressContract {
  return contract.cursor === cursor ? contract : progressed(contract, now, { cursor });
}

export function markStopConditionSatisfied(
  contract: BulkProgressContract,
  now: number,
): BulkProgressContract {
  return contract.stop_condition_satisfied
    ? contract
    : { ...contract, stop_condition_satisfied: true, updated_at: now };
}

/**
 * Whether the task may be called complete (seed 004): by set where the items are known, by number where only their
 * count is, by an explicitly satisfied stop condition where neither is. `items` lists up to ten missing ones.
 */
export function checkCompletionGuard(
  contract: BulkProgressContract,
  options: { items?: boolean } = {},
): CompletionGuardResult {
  const failed = contract.failed.length + (contract.truncation?.failed ?? 0);
  const missing = missingOf(contract);
  if (missing.count > 0) {
    const listed = missing.items.slice(0, LISTED);
    return blocked(
      `${missing.count} ${contract.item_key === 'id' ? '' : `${contract.item_key} `}item(s) have no outcome yet.`,
      missing.count,
      failed,
      listed.length > 0 ? `Process ${listed.slice(0, 3).join(', ')} next.` : 'Process the remaining items.',
      options.items ? listed : undefined,
    );
  }
  const completed = new Set(contract.completed).size + (contract.truncation?.completed ?? 0);
  if (contract.min_completed !== undefined && completed < contract.min_completed) {
    const short = contract.min_completed - completed;
    return blocked(
      `${completed} item(s) completed, and at least ${contract.min_completed} must be.`,
      short,
      failed,
      failed > 0 ? 'Retry the failed items, or force completion with a reason.' : 'Process more items.',
    );
  }
  if (contract.expected_total === undefined && contract.expected_items === undefined) {
    if (contract.stop_condition.trim() === '' || !contract.stop_condition_satisfied) {
      return blocked(
        'The total is unknown and the stop condition is not marked satisfied.',
        0,
        failed,
        contract.stop_condition.trim() === ''
          ? 'Give the contract a stop condition or an expected total.'
          : `Go on until "${contract.stop_condition}" holds, then mark it satisfied.`,
      );
    }
  }
  return policyBlock(contract, failed) ?? { allowed: true, missing_count: 0, failed_count: failed };
}

function missingOf(contract: BulkProgressContract): { count: number; items: string[] } {
  const { expected_items: expected, expected_total: total, truncation } = contract;
  const settled = new Set([
    ...contract.completed,
    ...contract.failed.map(({ item }) => item),
    ...contract.skipped.map(({ item }) => item),
  ]);
  const items = [...new Set(expected)].filter((item) => !settled.has(item));
  const cut = (truncation?.completed ?? 0) + (truncation?.failed ?? 0) + (truncation?.skipped ?? 0);
  const byNumber = Math.max(0, (total ?? 0) - settled.size - cut);
  return { count: Math.max(items.length, byNumber), items };
}

function policyBlock(contract: BulkProgressContract, failed: number): CompletionGuardResult | undefined {
  const unexplained = (entries: readonly { reason: string }[]) =>
    entries.some(({ reason }) => reason.trim() === '');
  const forbids = (policy: ItemPolicy, count: number, entries: readonly { reason: string }[]) =>
    (policy === 'block' && count > 0) || (policy === 'allow_with_reason' && unexplained(entries));
  if (forbids(contract.failed_policy, failed, contract.failed)) {
    const doubt = contract.failed.some(({ reason }) => reason === IN_DOUBT_REASON);
    return blocked(
      `${failed} item(s) failed, and the contract does not allow that.`,
      0,
      failed,
      `${doubt ? 'Resolve the items in doubt, retry' : 'Retry'} the failed items, or force completion with a reason.`,
    );
  }
  const skipped = contract.skipped.length + (contract.truncation?.skipped ?? 0);
  if (forbids(contract.skipped_policy, skipped, contract.skipped)) {
    return blocked(
      `${skipped} item(s) were skipped, and the contract does not allow that.`,
      0,
      failed,
      'Process the skipped items, or force completion with a reason.',
    );
  }
  return undefined;
}

/** The last entry of each item that is not settled and says something new. */
function freshOf<T extends { item: string; reason: string; retryable?: boolean }>(
  known: readonly T[],
  entries: readonly T[],
  settled: ReadonlySet<string>,
): Map<string, T> {
  const fresh = new Map(entries.map((entry) => [entry.item, entry]));
  const says = ({ item, reason, retryable }: T) =>
    fresh.get(item)?.reason === reason && fresh.get(item)?.retryable === retryable;
  for (const item of [...settled, ...known.filter(says).map((entry) => entry.item)]) fresh.delete(item);
  return fresh;
}

function blocked(
  reason: string,
  missing: number,
  failed: number,
  next: string,
  items?: string[],
): CompletionGuardResult {
  return {
    allowed: false,
    reason,
    missing_count: missing,
    failed_count: failed,
    suggested_next_action: next,
    ...(items && { missing_items: items }),
    hint: { level: 'warning', message: reason, missing_count: missing, suggested_next_action: next },
  };
}

function progressed(
  contract: BulkProgressContract,
  now: number,
  change: Partial<BulkProgressContract>,
): BulkProgressContract {
  return { ...contract, ...change, last_progress_at: now, updated_at: now };
}
