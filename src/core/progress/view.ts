import type { BulkProgressContract, CompletionGuardResult, ProgressView } from '../../contract/progress';
import { iso } from '../bulk/view';

const LATEST = 10;

/**
 * The view of progress and its guard. `items`: include all listed items, not only the latest. `guarded`: false without
 * a contract, so that no terms are included.
 */
export function progressView(
  progress: BulkProgressContract,
  guard: CompletionGuardResult,
  options: { items?: boolean; guarded?: boolean } = {},
): ProgressView {
  const { completed, failed, skipped, truncation, cursor, expected_total } = progress;
  const { min_completed, stop_condition, stop_condition_satisfied, failed_policy, skipped_policy } = progress;
  const stop = stop_condition.trim() !== '' && { stop_condition, stop_condition_satisfied };
  const { fingerprints: _, ...contract } = progress;
  return {
    expected_total,
    ...(options.guarded !== false && { min_completed, ...stop, failed_policy, skipped_policy }),
    completed_count: completed.length + (truncation?.completed ?? 0),
    failed_count: failed.length + (truncation?.failed ?? 0),
    skipped_count: skipped.length + (truncation?.skipped ?? 0),
    cursor,
    completed: completed.slice(-LATEST),
    failed: failed.slice(-LATEST),
    skipped: skipped.slice(-LATEST),
    guard,
    ...(options.items && { contract }),
    created_at: iso(progress.created_at),
    updated_at: iso(progress.updated_at),
  };
}
