import { makeContinueAsNewFunc, workflowInfo, type Workflow } from '@temporalio/workflow';
import { isUnreadable } from '../../src/contract/text';

/** It replays in a second. The server suggests a handover earlier if the payloads are large. */
const EVENTS_PER_RUN = 2_000;

/** Whether a run has so much history that the next one should continue. */
export function isFull(eventsPerRun = EVENTS_PER_RUN): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength >= eventsPerRun;
}

/** The memo field in which a run names itself as the one that hands its state over. */
const HANDED_OVER = 'handed_over_by';

/** Continues as new with a state, and never returns. */
export function handOver<F extends Workflow>(...args: Parameters<F>): Promise<never> {
  return handOverWith<F>({}, ...args);
}

/**
 * Continues as new with additions to the memo for the next run. The memo names this run: a cron schedule or a retry
 * policy repeats the arguments and the memo of a start, but the caller of a start cannot know the id of the new run.
 */
export async function handOverWith<F extends Workflow>(
  additions: Record<string, unknown>,
  ...args: Parameters<F>
): Promise<never> {
  // The server itself carries search attributes over, but the memo only as it was at the start.
  const { memo, runId } = workflowInfo();
  return makeContinueAsNewFunc<F>({ memo: { ...memo, ...additions, [HANDED_OVER]: runId } })(...args);
}

/**
 * The state that the previous run handed over; undefined for a second argument from any other source.
 * @throws Error when it cannot be decoded: a worker that has the codec continues with it.
 */
export function handedOver<S>(carried: S | undefined): S | undefined {
  const { memo, continuedFromExecutionRunId: before } = workflowInfo();
  if (before === undefined || memo?.[HANDED_OVER] !== before) return undefined;
  const parts = Array.isArray(carried) ? carried : [carried];
  if (parts.some(isUnreadable))
    throw new Error('this worker lacks the codec of the state that was handed over');
  return carried;
}
