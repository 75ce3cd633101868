import {
  IN_DOUBT_REASON,
  type BulkProgressContract,
  type CompletionGuardResult,
} from '../../contract/progress';
import type { OperationState } from './operation';
import { codeAt, countOutcomes } from './outcomes';
import { checkCompletionGuard, withHint } from '../progress/completion-guard';
import { contractOf } from '../progress/contract';

/** A bulk operation's progress as a contract: its plan is the expected set, and failures and skips are allowed. */
export function bulkContract(state: OperationState): BulkProgressContract {
  const { item_key, stop_condition, ...wanted } = state.input.contract ?? {};
  const of = (code: string) =>
    state.items.flatMap((item, index) =>
      codeAt(state.codes, index) === code ? [{ item: item.id, detail: state.details[index] }] : [],
    );
  return contractOf(
    {
      contract_id: state.operation_id,
      run_id: state.operation_id,
      scope: 'batch',
      expected_total: state.items.length,
      expected_items: state.items.map(({ id }) => id),
      failed_policy: 'allow',
      skipped_policy: 'allow',
      ...Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)),
      item_key: item_key ?? 'id',
      stop_condition: stop_condition ?? 'every planned item has an outcome',
      stop_condition_satisfied: state.stop_condition_satisfied,
      completed: of('s').map(({ item }) => item),
      failed: [
        ...of('f').map(({ item, detail }) => ({
          item,
          reason: detail?.error ?? 'Unknown error',
          retryable: detail?.retryable ?? false,
        })),
        ...of('d').map(({ item }) => ({ item, reason: IN_DOUBT_REASON, retryable: false })),
      ],
      skipped: of('k').map(({ item, detail }) => ({ item, reason: detail?.error ?? '' })),
      last_progress_at: state.progressed_at,
      updated_at: state.updated_at,
    },
    state.created_at,
  );
}

/** Also holds the end while items are in doubt: whether they were changed is not known yet. */
export function bulkGuard(state: OperationState, options: { items?: boolean } = {}): CompletionGuardResult {
  const guard = checkCompletionGuard(bulkContract(state), options);
  const doubtful = countOutcomes(state.codes).in_doubt;
  if (!guard.allowed || doubtful === 0) return guard;
  return withHint({
    ...guard,
    allowed: false,
    reason: `${doubtful} item(s) are in doubt.`,
    suggested_next_action: 'Resolve the items in doubt, or force completion with a reason.',
  });
}
