import type { WorkflowInterceptors, WorkflowInternalsInterceptor } from '@temporalio/workflow';
import { READ_AHEAD } from '../../src/contract/text';

type Activation = Parameters<NonNullable<WorkflowInternalsInterceptor['activate']>>[0]['activation'];
type Command = Parameters<
  NonNullable<WorkflowInternalsInterceptor['concludeActivation']>
>[0]['commands'][number];

interface Reading {
  /** The time of the workflow task. */
  time: string;
  /** The number of events that were read. */
  events: number;
  /** The minimum number of events for its commands. */
  written: number;
  replaying: boolean;
}

/** A workflow task ends with its completion; the next one is scheduled and started. */
const EVENTS_BETWEEN_TASKS = 3;

/**
 * Drops a run that was read past its last completed workflow task, so that the next task is read from the start.
 *
 * A query that waited for a worker comes with the history at that time. Events whose task is still to come, or was lost
 * with its worker, are applied for the query, and the SDK keeps the run. The task then brings only newer events, for
 * example an update. A worker without that run gets all of it at once and applies updates first: the commands come in
 * another order, and the history does not replay.
 *
 * If the task is still to come, its time is missing, and the query is refused. If it was started and lost, the next
 * task comes too early for the commands of that reading to be in the history, and fails once. Both make the SDK drop
 * the run. A run that was terminated with such events cannot be queried; its ledger answers.
 */
export function interceptors(): WorkflowInterceptors {
  let last: Reading | undefined;
  let ahead = false;
  let query = false;
  return {
    internals: [
      {
        activate(input, next) {
          const { activation, batchIndex } = input;
          query = activation.jobs?.some(({ queryWorkflow }) => queryWorkflow) ?? false;
          if (query && ahead) throw new Error(READ_AHEAD);
          if (!query && batchIndex === 0) {
            const reading = readingOf(activation);
            const grown = last !== undefined && reading.events > last.events;
            if (grown && isUnwritten(last, reading, activation)) throw new Error(READ_AHEAD);
            ahead = grown && last?.time === reading.time;
            last = reading;
          }
          next(input);
        },
        concludeActivation(input, next) {
          const output = next(input);
          if (!query && last) last.written = written(output.commands);
          return output;
        },
      },
    ],
  };
}

function readingOf({ timestamp, historyLength, isReplaying }: Activation): Reading {
  const time = `${timestamp?.seconds?.toString()}.${timestamp?.nanos}`;
  return { time, events: historyLength ?? 0, written: 0, replaying: isReplaying ?? false };
}

function isUnwritten(last: Reading | undefined, reading: Reading, { jobs }: Activation): boolean {
  if (!last || last.replaying || last.time === reading.time) return false;
  const newEvents = (jobs ?? []).reduce((events, job) => {
    if (job.resolveActivity?.result?.completed) return events + 2;
    return events + ((job.signalWorkflow ?? job.fireTimer ?? job.cancelWorkflow) ? 1 : 0);
  }, 0);
  return reading.events < last.events + EVENTS_BETWEEN_TASKS + last.written + newEvents;
}

/** A timer or an activity that is cancelled in the task that requests it leaves no event. */
function written(commands: readonly Command[]): number {
  const count = (is: (command: Command) => unknown) => commands.filter(is).length;
  const timers = count((command) => command.startTimer) - count((command) => command.cancelTimer);
  const activities =
    count((command) => command.scheduleActivity) - count((command) => command.requestCancelActivity);
  return (
    Math.max(timers, 0) +
    Math.max(activities, 0) +
    count((command) => command.upsertWorkflowSearchAttributes ?? command.modifyWorkflowProperties)
  );
}
