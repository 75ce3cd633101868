import {
  allHandlersFinished,
  CancellationScope,
  condition,
  defineQuery,
  defineUpdate,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { BatchgateError } from '../../src/contract/errors';
import { parseJobId } from '../../src/contract/job-ids';
import { QUERIES, UPDATES, WORKFLOW_TYPES, type CompleteRequest } from '../../src/contract/messages';
import type { CompletionGuardResult } from '../../src/contract/progress';
import {
  recordRequestSchema,
  taskRunRequestSchema,
  type RecordRequest,
  type TaskRunInput,
  type TaskRunRequest,
  type TaskRunStatus,
} from '../../src/contract/task-run';
import {
  beginTaskRun,
  closedError,
  completeTaskRun,
  endTaskRun,
  expired,
  expiryOf,
  handedOn,
  parseTaskRunInput,
  recordOn,
  taskRunStatus,
  takenOver,
  type Carried,
  type TaskRun,
} from '../../src/core/progress/task-run';
import type { Fingerprints } from '../../src/core/progress/fingerprints';
import { askForPlace, leavePlace, parentInMemo } from '../shared/admission';
import { sessionKey, showProgress, stateKey, touchSentinel } from '../shared/visibility';
import { read, readCompletion } from '../shared/decision-record';
import { refusing, toFailure } from '../shared/failures';
import { handedOver, handOver, isFull } from '../shared/hand-over';
import { resetsSoFar } from '../shared/resets';
import { waitFor } from '../shared/settle';

const readyUpdate = defineUpdate<TaskRunStatus>(UPDATES.ready);
const recordUpdate = defineUpdate<TaskRunStatus, [RecordRequest]>(UPDATES.record);
const completeUpdate = defineUpdate<CompletionGuardResult, [(CompleteRequest | null)?]>(UPDATES.complete);
const getQuery = defineQuery<TaskRunStatus, [(TaskRunRequest | null)?]>(QUERIES.get);

/**
 * Tracks a repetitive task of an agent or a backend, and guards it against early completion if its input has a contract
 * (specification T8). It runs nothing itself. A task run with a session takes a slot. Only continue-as-new sets
 * `carried`.
 */
export async function taskRun(
  input: TaskRunInput,
  carried?: TaskRun,
  ...fingerprints: Fingerprints[]
): Promise<TaskRunStatus> {
  const parts = handedOver(carried && ([carried, ...fingerprints] satisfies Carried));
  const previous = parts && takenOver(parts);
  const running: Running = { run: previous ?? begin(input), admitted: previous !== undefined, resets: 0 };
  registerHandlers(running);
  const ended = () => running.run.state !== 'running';
  CancellationScope.current().cancelRequested.catch(() => {
    if (!ended()) running.run = endTaskRun(running.run, 'cancelled', Date.now());
  });
  return CancellationScope.nonCancellable(async () => {
    if (!previous) publish(running.run);
    if (!previous && !ended()) await takePlace(running);
    running.admitted = true;
    if (!previous) running.run = { ...running.run, active_at: Date.now() };
    const isOver = () => ended() || isFull() || !isAdmitted(running);
    await untilOver(running, isOver);
    while (!ended() && !isAdmitted(running)) {
      // It may have been reset in Temporal after its end, and other jobs have its slot or its session by now.
      await takePlace(running, 'cancelled');
      await untilOver(running, isOver);
    }
    await condition(allHandlersFinished);
    // The run now contains the terms of the contract.
    if (!ended()) await handOver<typeof taskRun>({ goal: input.goal }, ...handedOn(running.run));
    publish(running.run);
    if (running.run.session_id !== undefined) await leavePlace();
    return taskRunStatus(running.run, { items: true });
  });
}

/** Waits until it is over or has expired. The timer is set again only when it fires: work moves the deadline. */
async function untilOver(running: Running, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const at = expiryOf(running.run);
    if (at === undefined) return condition(isOver);
    await condition(isOver, Math.max(1, at - Date.now()), { summary: 'Until it expires' });
    if (!isOver()) running.run = expired(running.run, Date.now());
  }
}

interface Running {
  run: TaskRun;
  /** The time of this run's last progress report to the sentinel, in milliseconds. */
  shown_at?: number;
  /** Whether it has its slot or needs none, or was refused and has ended. */
  admitted: boolean;
  /** The number of resets of this run before it got its slot. */
  resets: number;
}

const isAdmitted = ({ run, admitted, resets }: Running): boolean =>
  admitted && (run.session_id === undefined || resetsSoFar() <= resets);

async function takePlace(running: Running, refused: 'rejected' | 'cancelled' = 'rejected'): Promise<void> {
  const { task_run_id, session_id } = running.run;
  const resets = resetsSoFar();
  if (session_id === undefined) return;
  const { firstExecutionRunId: run_id } = workflowInfo();
  const applicant = { operation_id: task_run_id, run_id, kind: 'task_run' as const, session_id };
  const admission = await askForPlace({ ...applicant, ...parentInMemo() });
  if (!admission.admitted && running.run.state === 'running')
    running.run = { ...endTaskRun(running.run, refused, Date.now()), error: admission.error };
  running.resets = resets;
}

/** An input that cannot be parsed still starts a run, so that a query can return the refusal. */
function begin(value: unknown): TaskRun {
  const { workflowId, startTime } = workflowInfo();
  const now = startTime.getTime();
  try {
    parseJobId(workflowId, WORKFLOW_TYPES.taskRun);
    return beginTaskRun(workflowId, parseTaskRunInput(value), now);
  } catch (error) {
    if (!(error instanceof BatchgateError)) throw error;
    const refused = endTaskRun(beginTaskRun(workflowId, { goal: '' }, now), 'rejected', now);
    return { ...refused, error: error.body };
  }
}

function registerHandlers(running: Running): void {
  setHandler(
    readyUpdate,
    async () => {
      await waitFor(() => isAdmitted(running) || running.run.state !== 'running');
      return taskRunStatus(running.run);
    },
    { description: 'Answers once it has its place, or with the refusal' },
  );
  setHandler(
    recordUpdate,
    async (request) => {
      await open(running);
      running.run = refusing(() => recordOn(running.run, request, Date.now()));
      showProgress(running);
      return taskRunStatus(running.run);
    },
    {
      validator: (request) => {
        read(recordRequestSchema, request);
        refuseClosed(running.run);
      },
      description:
        'What was done: {"completed": ["…"], "failed": [{"item": "…", "reason": "…"}], "cursor": "…"}',
    },
  );
  setHandler(
    completeUpdate,
    async (request) => {
      await open(running);
      touchSentinel(request?.by);
      const { run, guard } = completeTaskRun(running.run, request ?? {}, Date.now());
      running.run = run;
      return guard;
    },
    {
      validator: (request?: CompleteRequest | null) => {
        readCompletion(request);
        refuseClosed(running.run);
      },
      description:
        'Call it complete; refused while the contract is not met, unless {"force": true, "reason": "…"}',
    },
  );
  setHandler(getQuery, (request) => taskRunStatus(running.run, read(taskRunRequestSchema, request ?? {})), {
    description: 'Where it stands; {"items": true} for everything recorded',
  });
}

/** Waits until the run is admitted, because a run that may still be refused records nothing. Refuses an ended run. */
async function open(running: Running): Promise<void> {
  if (!isAdmitted(running)) await waitFor(() => isAdmitted(running) || running.run.state !== 'running');
  // Temporal delivers a message before a timer of the same time.
  running.run = expired(running.run, Date.now());
  refuseClosed(running.run);
}

function refuseClosed(run: TaskRun): void {
  if (run.state !== 'running') throw toFailure(closedError(run));
}

function publish({ state, session_id }: TaskRun): void {
  upsertSearchAttributes([
    { key: stateKey, value: state },
    ...(session_id === undefined ? [] : [{ key: sessionKey, value: session_id }]),
  ]);
}
