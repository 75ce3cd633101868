import {
  IN_DOUBT_REASON,
  type BulkProgressContract,
  type CompletionGuardResult,
  type ItemPolicy,
} from '../../contract/progress';
import { totalOf } from './contract';
import { countMarked, markOf, type Mark } from './fingerprints';
import { BatchgateError, parseInput } from '../../contract/errors';
import { completeRequestSchema, type CompleteRequest } from '../../contract/messages';

const LISTED = 10;

/**
 * Checks whether the task may be completed (specification T2 to T6): by set if the items are known, by number if only
 * their count is, by an explicitly satisfied stop condition if neither is. `items` lists up to ten missing items.
 */
export function checkCompletionGuard(
  contract: BulkProgressContract,
  options: { items?: boolean } = {},
): CompletionGuardResult {
  return withHint(judge(contract, options));
}

/** The result without a hint. */
function judge(contract: BulkProgressContract, options: { items?: boolean }): CompletionGuardResult {
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
      const { stop_condition } = contract;
      const isBlank = stop_condition.trim() === '';
      return blocked(
        isBlank
          ? 'The total is unknown, and there is no stop condition.'
          : `The total is unknown, and the stop condition "${stop_condition}" is not marked satisfied.`,
        0,
        failed,
        isBlank
          ? 'Give the contract a stop condition or an expected total.'
          : `Go on until "${stop_condition}" holds, then mark it satisfied.`,
      );
    }
  }
  return policyBlock(contract, failed) ?? { allowed: true, missing_count: 0, failed_count: failed };
}

/** The guard's result for a task that was completed by force, without the advice to process more items. */
export function overruled({
  hint: _,
  suggested_next_action: __,
  ...facts
}: CompletionGuardResult): CompletionGuardResult {
  return { ...facts, allowed: true };
}

function missingOf(contract: BulkProgressContract): { count: number; items: string[] } {
  const { expected_items: expected, expected_total: total, truncation } = contract;
  const settled = new Set([
    ...contract.completed,
    ...contract.failed.map(({ item }) => item),
    ...contract.skipped.map(({ item }) => item),
  ]);
  const cutOff = (item: string) => contract.fingerprints && markOf(contract.fingerprints, item) !== undefined;
  const items = [...new Set(expected)].filter((item) => !settled.has(item) && !cutOff(item));
  const cut = (truncation?.completed ?? 0) + (truncation?.failed ?? 0) + (truncation?.skipped ?? 0);
  const byNumber = Math.max(0, (total ?? 0) - settled.size - cut);
  return { count: Math.max(items.length, byNumber), items };
}

function policyBlock(contract: BulkProgressContract, failed: number): CompletionGuardResult | undefined {
  const skipped = contract.skipped.length + (contract.truncation?.skipped ?? 0);
  const failures = forbidden(contract, contract.failed_policy, {
    count: failed,
    entries: contract.failed,
    mark: 'F',
  });
  if (failures) {
    const doubt = contract.failed.some(({ reason }) => reason === IN_DOUBT_REASON);
    return blocked(
      `${failures.count} item(s) failed${failures.how}`,
      0,
      failed,
      failures.unexplained
        ? `Record a reason for each of them${failures.named}, or force completion with a reason.`
        : `${doubt ? 'Resolve the items in doubt, retry' : 'Retry'} the failed items, or force completion with a reason.`,
    );
  }
  const skips = forbidden(contract, contract.skipped_policy, {
    count: skipped,
    entries: contract.skipped,
    mark: 'K',
  });
  if (!skips) return undefined;
  return blocked(
    `${skips.count} item(s) were skipped${skips.how}`,
    0,
    failed,
    skips.unexplained
      ? `Record a reason for each of them${skips.named}, or force completion with a reason.`
      : 'Process the skipped items, or force completion with a reason.',
  );
}

interface Entries {
  count: number;
  entries: readonly { item: string; reason: string }[];
  mark: Mark;
}

/** The entries that the policy forbids: all of them, or those without a reason. */
function forbidden(contract: BulkProgressContract, policy: ItemPolicy, { count, entries, mark }: Entries) {
  if (policy === 'allow' || count === 0) return undefined;
  if (policy === 'block') {
    return { count, unexplained: false, named: '', how: ', and the contract does not allow that.' };
  }
  const listed = entries.filter(({ reason }) => reason.trim() === '').map(({ item }) => item);
  const unexplained = listed.length + countMarked(contract.fingerprints ?? {}, mark);
  if (unexplained === 0) return undefined;
  const names = listed.slice(0, LISTED).join(', ');
  return {
    count: unexplained,
    unexplained: true,
    named: names === '' ? '' : ` (${names}${unexplained > LISTED ? ', …' : ''})`,
    how: ` without a reason, and the contract asks for one${names === '' ? '' : `: ${names}${unexplained > LISTED ? ', …' : ''}`}.`,
  };
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
  };
}

/** The evidence that a task is complete: its counts and its stop condition (specification T12). */
export function evidenceOf(contract: BulkProgressContract, forced: boolean): string {
  const { truncation, stop_condition, stop_condition_satisfied } = contract;
  const total = totalOf(contract);
  const count = (kind: 'completed' | 'failed' | 'skipped') =>
    contract[kind].length + (truncation?.[kind] ?? 0);
  const how = forced ? 'complete by force, which is recorded' : 'complete';
  const stop =
    stop_condition.trim() === ''
      ? ''
      : ` Its stop condition is ${stop_condition_satisfied ? '' : 'not marked '}satisfied.`;
  const of = total === undefined ? '' : ` of ${total}`;
  return `It is ${how}: ${count('completed')}${of} completed, ${count('failed')} failed, ${count('skipped')} skipped.${stop}`;
}

/**
 * Parses the optional argument of `complete`.
 * @throws BatchgateError `INVALID_INPUT` when it cannot be parsed, or forces without a reason.
 */
export function parseCompletion(value: unknown): CompleteRequest {
  const request = parseInput(completeRequestSchema, value ?? {}, 'The message');
  if (!request.force || (request.reason ?? '').trim() !== '') return request;
  throw new BatchgateError(
    'INVALID_INPUT',
    'Forced completion needs a reason.',
    'Say in reason why the missing items do not matter.',
  );
}

/** A message for an agent that has just attempted something (specification T9). */
type Hint = NonNullable<CompletionGuardResult['hint']>;

/** The hint after an attempt to complete a task; undefined if it may be completed. */
export function completionHint(guard: CompletionGuardResult): Hint | undefined {
  if (guard.allowed) return undefined;
  const { reason, missing_count = 0, suggested_next_action } = guard;
  return {
    level: 'warning',
    message: reason ?? 'Completion was attempted too early.',
    missing_count,
    suggested_next_action: suggested_next_action ?? 'Process the remaining items.',
  };
}

/** The guard's result with its hint. */
export function withHint(guard: CompletionGuardResult): CompletionGuardResult {
  const hint = completionHint(guard);
  return hint ? { ...guard, hint } : guard;
}
