import type { WorkflowInterceptors } from '@temporalio/workflow';

/** The part of the SDK's activator that receives a reset before anything else of the same task. */
interface Activator {
  updateRandomSeed?: (job: unknown) => void;
}

const counter: { resets: number; listener?: () => void } = { resets: 0 };

/**
 * Counts how often a run was reset. A reset run begins with a copy of another run's history, without an event for it;
 * at its end the server gives the run a new random seed. So the count changes at the same place in every replay.
 */
export function interceptors(): WorkflowInterceptors {
  const { __TEMPORAL_ACTIVATOR__: activator } = globalThis as { __TEMPORAL_ACTIVATOR__?: Activator };
  const reseed = activator?.updateRandomSeed;
  if (activator && reseed)
    activator.updateRandomSeed = (job) => {
      reseed.call(activator, job);
      counter.resets++;
      counter.listener?.();
    };
  return {};
}

export const resetsSoFar = (): number => counter.resets;

/** Called at each reset from now on. */
export function onReset(listener: () => void): void {
  counter.listener = listener;
}
