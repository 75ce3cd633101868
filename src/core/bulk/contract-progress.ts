import type { OutcomeCode, OutcomeDetail } from '../../contract/items';
import {
  IN_DOUBT_REASON,
  type BulkProgressContract,
  type CompletionGuardResult,
} from '../../contract/progress';
import { bytesOf, fitting } from '../shared/bounds';
import type { OperationState } from './operation';
import { codeAt, countOutcomes, placesOf } from './outcomes';
import { checkCompletionGuard, overruled, withHint } from '../progress/completion-guard';
import { newContract } from '../progress/contract';

/** The maximum bytes of each list of the contract. Further items are only counted. */
const MAX_LIST_BYTES = 48_000;

/**
 * A bulk operation's progress as a contract: its plan is the expected set, and failures and skips are allowed. For a
 * large plan the lists are cut, and `truncation` counts the rest. Each place of the plan is counted once.
 */
export function bulkContract(state: OperationState): BulkProgressContract {
  const { item_key, stop_condition, ...terms } = state.input.contract ?? {};
  const of = (code: OutcomeCode) =>
    placesOf(state.codes, [code]).flatMap((index) => {
      const item = state.items[index];
      return item ? [{ item: item.id, detail: state.details[index] }] : [];
    });
  const lists = listsOf(of);
  const counts = countOutcomes(state.codes);
  const cut = {
    completed: counts.succeeded - lists.completed.length,
    failed: counts.failed + counts.in_doubt - lists.failed.length,
    skipped: counts.skipped - lists.skipped.length,
  };
  const truncation = Object.fromEntries(Object.entries(cut).filter(([, count]) => count > 0));
  const expected = Object.values(state.items).map(({ id }) => id);
  const whole = expected.length === state.total && bytesOf(expected) <= MAX_LIST_BYTES;
  return newContract(
    {
      contract_id: state.operation_id,
      run_id: state.operation_id,
      scope: 'batch',
      expected_total: state.total,
      ...(whole && { expected_items: expected }),
      failed_policy: 'allow',
      skipped_policy: 'allow',
      ...Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined)),
      item_key: item_key ?? 'id',
      stop_condition: stop_condition ?? 'every planned item has an outcome',
      stop_condition_satisfied: state.stop_condition_satisfied,
      ...lists,
      ...(Object.keys(truncation).length > 0 && { truncation }),
      last_progress_at: state.progressed_at,
      updated_at: state.updated_at,
    },
    state.created_at,
  );
}

type Listed = { item: string; detail: OutcomeDetail | undefined };

function listsOf(of: (code: OutcomeCode) => Listed[]) {
  const failed = of('f').map(({ item, detail }) => ({
    item,
    reason: detail?.error ?? 'Unknown error',
    retryable: detail?.retryable ?? false,
  }));
  const doubtful = of('d').map(({ item }) => ({ item, reason: IN_DOUBT_REASON, retryable: false }));
  const skipped = of('k').map(({ item, detail }) => ({ item, reason: detail?.error ?? '' }));
  return {
    completed: fitting(
      of('s').map(({ item }) => item),
      MAX_LIST_BYTES,
    ),
    failed: fitting([...failed, ...doubtful], MAX_LIST_BYTES),
    skipped: fitting(skipped, MAX_LIST_BYTES),
  };
}

/** The completion guard of an operation, which a forced completion overrules. */
export function bulkGuard(state: OperationState, options: { items?: boolean } = {}): CompletionGuardResult {
  const guard = guardOf(state, options);
  return state.forced ? overruled(guard) : guard;
}

/** Forbids completion also while items are in doubt, because it is unknown whether they were changed. */
function guardOf(state: OperationState, options: { items?: boolean }): CompletionGuardResult {
  const contract = bulkContract(state);
  const missing = Object.entries(state.items).flatMap(([place, { id }]) =>
    codeAt(state.codes, Number(place)) === 'p' ? [id] : [],
  );
  // Each place of the plan is one item, so the places without an outcome are counted. The ids are only for the message.
  const expected_total = Math.max(state.total, contract.expected_total ?? 0);
  const guard = checkCompletionGuard(
    { ...contract, expected_total, expected_items: missing.slice(0, NAMED) },
    options,
  );
  const doubtful = countOutcomes(state.codes).in_doubt;
  if (!guard.allowed || doubtful === 0) return guard;
  return withHint({
    ...guard,
    allowed: false,
    reason: `${doubtful} item(s) are in doubt.`,
    suggested_next_action: 'Resolve the items in doubt, or force completion with a reason.',
  });
}

/** The maximum number of items that a guard result names. */
const NAMED = 10;
