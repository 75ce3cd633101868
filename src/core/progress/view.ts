import type { BulkProgressContract, CompletionGuardResult, ProgressView } from '../../contract/progress';
import { iso } from '../bulk/view';

const LATEST = 10;

/** The view of progress and its guard. `items`: everything that it lists, not only the latest. */
export function progressView(
  progress: BulkProgressContract,
  guard: CompletionGuardResult,
  options: { items?: boolean } = {},
): ProgressView {
  const { completed, failed, skipped, truncation, cursor, expected_total } = progress;
  const { fingerprints: _, ...contract } = progress;
  return {
    expected_total,
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
