import { digestOf } from './canonical';

/** The id of the operation that a call of `start_bulk_operation` starts: the same call again finds the same one. */
export const startedBy = (idempotencyKey: string): string =>
  `bulk-${digestOf({ tool_call: idempotencyKey }).slice(0, 32)}`;

/** The same for a call of `task_run_start`. */
export const taskRunStartedBy = (idempotencyKey: string): string =>
  `task-${digestOf({ tool_call: idempotencyKey }).slice(0, 32)}`;

export const START_TOOL = 'start_bulk_operation';
