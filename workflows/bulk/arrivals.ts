import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import type { Arrivals } from '../../src/contract/activities';
import { publishProgress } from '../shared/visibility';
import type { RunningOperation } from './running-operation';
import { activities } from './steps';

/** Returns undefined if the history cannot be read. Then no decision that needs a time counts. */
export async function arrivalsOf(
  operation: RunningOperation,
  task: number,
  signal?: string,
): Promise<Arrivals | undefined> {
  const look = activities({
    startToCloseTimeout: '10s',
    scheduleToCloseTimeout: '1 minute',
    summary: 'Read when a confirmation was sent',
  });
  const { operation_id } = operation.state;
  const { runId: run_id } = workflowInfo();
  const input = { operation_id, run_id, task, ...(signal !== undefined && { signal }) };
  try {
    return await CancellationScope.nonCancellable(() => look.arrivals(input));
  } catch {
    return undefined;
  }
}

/**
 * A task without a command has no end in the history. A worker that reads it again may then apply its signal together
 * with later messages, when its place among the signals of its task would be another one.
 */
export function markTask(operation: RunningOperation): void {
  const { historyLength } = workflowInfo();
  if (operation.markedTask === historyLength) return;
  operation.markedTask = historyLength;
  publishProgress(operation);
}
