import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { ResetResults } from '../../src/contract/plans';
import type { ErrorBody } from '../../src/contract/errors';
import { noSlotAfterReset } from '../../src/core/bulk/closed';
import { askNext, withResults } from '../../src/core/bulk/lifecycle';
import type { OperationState } from '../../src/core/bulk/operation';
import { isClosed } from '../../src/core/bulk/transitions';
import { askForPlace, parentInMemo } from '../shared/admission';
import { requestClose, type RunningOperation } from './running-operation';

/**
 * Requests a slot for an operation that was reset after its plan, like a start. If it had ended, other jobs may have
 * its slot and session now; otherwise it still holds its slot. Without a slot, the operation ends. The state does not
 * change before the answer, so that no inadmissible question becomes visible.
 */
export async function takeSlotAgain(
  operation: RunningOperation,
  results: ResetResults | undefined,
): Promise<void> {
  const { state } = operation;
  // If every batch had run, no question is left.
  const isOver = results && isClosed(askNext(withResults(state, results), Date.now()).state);
  if (operation.closing || isOver) return;
  operation.step = new CancellationScope();
  try {
    const refusal = await operation.step.run(() => refusalFor(state));
    if (refusal) requestClose(operation, { to: 'cancelled', error: refusal });
  } catch (error) {
    // A person has ended it meanwhile.
    if (!isCancellation(error)) throw error;
  }
}

async function refusalFor({
  operation_id,
  first_run_id: run_id,
  input,
}: OperationState): Promise<ErrorBody | undefined> {
  const { domain, action, session_id } = input;
  const answer = await askForPlace({
    ...{ operation_id, run_id, kind: 'bulk_operation', domain, action },
    ...(session_id !== undefined && { session_id }),
    ...parentInMemo(),
  });
  return answer.admitted ? undefined : noSlotAfterReset(operation_id, answer.error);
}
