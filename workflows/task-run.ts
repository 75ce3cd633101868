import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineUpdate,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { BatchgateError } from '../src/contract/errors';
import { QUERIES, SEARCH_ATTRIBUTES, UPDATES, type CompleteRequest } from '../src/contract/messages';
import type { CompletionGuardResult } from '../src/contract/progress';
import {
  recordRequestSchema,
  taskRunRequestSchema,
  type RecordRequest,
  type TaskRunInput,
  type TaskRunRequest,
  type TaskRunStatus,
} from '../src/contract/task-run';
import {
  beginTaskRun,
  completeTaskRun,
  endTaskRun,
  parseTaskRunInput,
  recordOn,
  taskRunStatus,
  type TaskRun,
} from '../src/core/task-run';
import { read, readCompletion } from './decision-record';
import { toFailure } from './failures';

/** Five events a record: a run holds about four hundred of them, and replays in a second. */
const EVENTS_PER_RUN = 2_000;

const recordUpdate = defineUpdate<TaskRunStatus, [RecordRequest]>(UPDATES.record);
const completeUpdate = defineUpdate<CompletionGuardResult, [(CompleteRequest | null)?]>(UPDATES.complete);
const getQuery = defineQuery<TaskRunStatus, [(TaskRunRequest | null)?]>(QUERIES.get);

const stateKey = defineSearchAttributeKey(SEARCH_ATTRIBUTES.state, SearchAttributeType.KEYWORD);
const sessionKey = defineSearchAttributeKey(SEARCH_ATTRIBUTES.session, SearchAttributeType.KEYWORD);

/**
 * Any repetitive task of an agent or a backend, counted, and guarded against being called complete too early where its
 * input has a contract (seed 004). It runs nothing itself. `carried` is handed over by continue-as-new only.
 */
export async function taskRun(input: TaskRunInput, carried?: TaskRun): Promise<TaskRunStatus> {
  const handed = workflowInfo().continuedFromExecutionRunId === undefined ? undefined : carried;
  const running = { run: handed ?? begin(input) };
  registerHandlers(running);
  const ended = () => running.run.state !== 'running';
  CancellationScope.current().cancelRequested.catch(() => {
    if (!ended()) running.run = endTaskRun(running.run, 'cancelled', Date.now());
  });
  return CancellationScope.nonCancellable(async () => {
    if (!handed) publish(running.run);
    const full = () =>
      workflowInfo().continueAsNewSuggested || workflowInfo().historyLength >= EVENTS_PER_RUN;
    await condition(() => ended() || full());
    await condition(allHandlersFinished);
    if (!ended()) await continueAsNew<typeof taskRun>(input, running.run);
    publish(running.run);
    return taskRunStatus(running.run, { items: true });
  });
}

/** An input that cannot be read still makes a run, so that its refusal can be asked for. */
function begin(value: unknown): TaskRun {
  const { workflowId, startTime } = workflowInfo();
  const now = startTime.getTime();
  try {
    return beginTaskRun(workflowId, parseTaskRunInput(value), now);
  } catch (error) {
    if (!(error instanceof BatchgateError)) throw error;
    const refused = endTaskRun(beginTaskRun(workflowId, { goal: '' }, now), 'rejected', now);
    return { ...refused, error: error.body };
  }
}

function registerHandlers(running: { run: TaskRun }): void {
  setHandler(
    recordUpdate,
    (request) => {
      try {
        running.run = recordOn(running.run, request, Date.now());
      } catch (error) {
        throw error instanceof BatchgateError ? toFailure(error.body) : error;
      }
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
    (request) => {
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

function refuseClosed({ state, task_run_id }: TaskRun): void {
  if (state === 'running') return;
  throw toFailure({
    code: 'OPERATION_CLOSED',
    message: `The task run ${task_run_id} is ${state}; it records nothing more.`,
    hint: 'Start another one for what is left.',
  });
}

function publish({ state, session_id }: TaskRun): void {
  upsertSearchAttributes([
    { key: stateKey, value: state },
    ...(session_id === undefined ? [] : [{ key: sessionKey, value: session_id }]),
  ]);
}
