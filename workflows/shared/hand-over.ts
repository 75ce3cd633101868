import { makeContinueAsNewFunc, workflowInfo, type Workflow } from '@temporalio/workflow';
import { isUnreadable } from '../../src/contract/text';

/** Replayed in a second. The server suggests it earlier where the payloads are large. */
const EVENTS_PER_RUN = 2_000;

/** Whether a run has so much history that the next one should go on. */
export function isFull(eventsPerRun = EVENTS_PER_RUN): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength >= eventsPerRun;
}

/** The memo in which a run names itself as the one that hands its state over. */
const HANDED_OVER = 'handed_over_by';

/** Continues as new with a state, and never returns. */
export function handOver<F extends Workflow>(...args: Parameters<F>): Promise<never> {
  return handOverWith<F>({}, ...args);
}

/**
 * The same, with what the memo of the next run says in addition to that of this one. It names this run: a cron schedule
 * or a retry policy repeats the arguments and the memo of a start, but the caller of a start cannot know the id that the
 * run will have.
 */
export async function handOverWith<F extends Workflow>(
  said: Record<string, unknown>,
  ...args: Parameters<F>
): Promise<never> {
  // The server carries search attributes over by itself, and the memo only as it was at the start.
  const { memo, runId } = workflowInfo();
  return makeContinueAsNewFunc<F>({ memo: { ...memo, ...said, [HANDED_OVER]: runId } })(...args);
}

/**
 * The state that the run before this one handed over; undefined for anybody else's second argument.
 * @throws Error when it cannot be decoded: a worker that has the codec goes on with it.
 */
export function handedOver<S>(carried: S | undefined): S | undefined {
  const { memo, continuedFromExecutionRunId: before } = workflowInfo();
  if (before === undefined || memo?.[HANDED_OVER] !== before) return undefined;
  const parts = Array.isArray(carried) ? carried : [carried];
  if (parts.some(isUnreadable))
    throw new Error('this worker lacks the codec of the state that was handed over');
  return carried;
}
