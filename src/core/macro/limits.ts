import type { ErrorBody } from '../../contract/errors';
import { gatewayError } from './errors';

/** The cost of a task before the run yields: about 100 ms of the ten seconds that Temporal allows. */
export const MAX_COST = 5_000_000;
/** The cost of a step, of each frame around it, and of each variable that is copied or read. */
export const STEP_COST = 5_000;
export const FRAME_COST = 50;
export const VARIABLE_COST = 50;

/**
 * The cost after which a run of the chain continues as new: about two seconds. A worker that takes over the run
 * computes all of it again within one task.
 */
export const MAX_RUN_COST = 100_000_000;

/** This many steps take minutes of a worker; nested loops could take years. */
const MAX_STEPS = 1_000_000;
/** Swarms within swarms multiply the number of threads. */
const MAX_THREADS = 500;
/** A run does not continue as new while a transaction is open, and Temporal ends a run of 51,200 events or 50 MB. */
const MAX_HELD_CALLS = 10_000;
const MAX_HELD_EVENTS = 40_000;
const MAX_HELD_BYTES = 30_000_000;
const MAX_HELD_COST = 300_000_000;

/** The limits of a run (specification P5). */
export function callsSpent(calls: number, limit: number): ErrorBody | undefined {
  if (calls < limit) return undefined;
  return gatewayError(
    `The run made ${limit} calls, the maximum.`,
    'Split the work, or raise op_max_total_tool_calls.',
  );
}

export function stepsSpent(steps: number): ErrorBody | undefined {
  if (steps <= MAX_STEPS) return undefined;
  return gatewayError(
    `The run took ${MAX_STEPS} steps, the maximum.`,
    'Nest fewer loops, or do the work in a tool.',
  );
}

export function threadsSpent(threads: number): ErrorBody | undefined {
  if (threads < MAX_THREADS) return undefined;
  return gatewayError(
    `${MAX_THREADS} steps are running in parallel, the maximum.`,
    'Nest fewer macros with "is_async".',
  );
}

/** Ends a transaction that would hold its locks, and extend its run's history, without end. */
export function callsHeld(calls: number): ErrorBody | undefined {
  if (calls <= MAX_HELD_CALLS) return undefined;
  return heldTooLong(`More than ${MAX_HELD_CALLS} calls were made`);
}

export function historyHeld(events: number, bytes: number, cost: number): ErrorBody | undefined {
  if (cost > MAX_HELD_COST) return heldTooLong('Too much was computed');
  if (bytes > MAX_HELD_BYTES) return heldTooLong(`More than ${MAX_HELD_BYTES} bytes were sent and received`);
  return events > MAX_HELD_EVENTS
    ? heldTooLong(`More than ${MAX_HELD_EVENTS} events were recorded`)
    : undefined;
}

const heldTooLong = (what: string): ErrorBody =>
  gatewayError(
    `${what} while a transaction was open.`,
    'Commit with manage_transaction every few hundred steps, and pass less data from step to step.',
  );

/** Whether a number may limit the rows of a fetch. */
export const isLimit = (limit: number): boolean => Number.isInteger(limit) && limit >= 1;
export const NO_LIMIT = {
  message: 'The limit is not a whole number above 0.',
  hint: 'Give a number, for example 100.',
};
