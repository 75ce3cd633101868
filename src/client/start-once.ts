import { setTimeout as pause } from 'node:timers/promises';
import {
  WithStartWorkflowOperation,
  type Client,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { BatchgateError, type ErrorBody, type ErrorCode } from '../contract/errors';
import { UPDATES, WORKFLOW_TYPES } from '../contract/messages';
import { digestOf } from '../core/shared/canonical';
import { call, describeWorkflow } from './calls';
import { telling, WAIT_MS, whatItWaitsFor, type WaitOptions } from './waiting';

/** The timeout of one try to reach a worker. */
const TRY_MS = 15_000;
const PAUSE_MS = 500;
/** A task whose worker died is dispatched again after this time. */
const WORKFLOW_TASK_TIMEOUT = '5s';
/** The verb that shows each kind of workflow. */
const LOOK: Readonly<Record<string, string>> = {
  [WORKFLOW_TYPES.bulkOperation]: 'status',
  [WORKFLOW_TYPES.macro]: 'macro status',
  [WORKFLOW_TYPES.taskRun]: 'task get',
};

export interface Start {
  type: string;
  workflowId: string;
  taskQueue: string;
  input: object;
  memo?: Record<string, unknown>;
  staticSummary?: string;
}

/**
 * Starts a workflow that answers `ready`, and returns its status. It waits while no server or worker answers. If it
 * gives up, the started workflow continues; with `accepts_unready`, its status is returned then. The same input under
 * the same id returns the existing workflow, even after its end. Only a workflow that was refused for lack of a slot is
 * started again.
 * @throws BatchgateError with the refusal's code; `IDEMPOTENCY_CONFLICT` if the id belongs to another request.
 */
export async function startOnce<S extends { state: string; error?: ErrorBody }>(
  client: Client,
  start: Start,
  statusOf: () => Promise<S>,
  options: WaitOptions = {},
): Promise<S> {
  const outcome = await begin(client, start, 'REJECT_DUPLICATE', options);
  let status = await statusOf().catch(async (error: unknown) => {
    throw outcome === 'unready' ? await givenUp(client, start) : error;
  });
  if (outcome === 'ended' && foundNoPlace(status.error)) {
    await begin(client, start, 'ALLOW_DUPLICATE', options);
    status = await statusOf();
  }
  const { error } = status;
  if (status.state !== 'rejected' || !error) return status;
  throw new BatchgateError(error.code, error.message, error.hint, {
    ...(typeof error.details === 'object' ? error.details : {}),
    operation_id: start.workflowId,
  });
}

/** Tries to begin until a worker answers. */
async function begin(
  client: Client,
  start: Start,
  reuse: Reuse,
  { wait_ms = WAIT_MS, signal, onWaiting, accepts_unready }: WaitOptions,
): Promise<'started' | 'ended' | 'unready'> {
  const deadline = Date.now() + wait_ms;
  const patient = async () => {
    for (let policy = reuse; ; policy = 'REJECT_DUPLICATE') {
      try {
        return await beginNow(client, start, policy, deadline);
      } catch (error) {
        if (!isUnavailable(error) || signal?.aborted || Date.now() + PAUSE_MS >= deadline) throw error;
        // A second try of the same start returns the first workflow.
        await pause(PAUSE_MS);
      }
    }
  };
  const work = () => telling(client, start.workflowId, onWaiting, patient);
  try {
    return await (signal ? client.withAbortSignal(signal, work) : work());
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    if (accepts_unready) return unready(client, start);
    throw await givenUp(client, start);
  }
}

/** @throws BatchgateError if the server does not answer, or has not received the start. */
async function unready(client: Client, start: Start): Promise<'unready'> {
  const there = await describeWorkflow(client, start.workflowId).catch(() => undefined);
  if (!there) throw await givenUp(client, start);
  refuseOtherRequest(start, there);
  return 'unready';
}

const isUnavailable = (error: unknown) =>
  error instanceof BatchgateError && error.code === 'TEMPORAL_UNAVAILABLE';

async function givenUp(client: Client, { type, workflowId }: Start): Promise<BatchgateError> {
  const line = await whatItWaitsFor(client, workflowId);
  return new BatchgateError(
    'TEMPORAL_UNAVAILABLE',
    `${workflowId} is not ready yet: ${line}.`,
    `What was started continues by itself. Look at it with \`npx batchgate ${LOOK[type] ?? 'status'} ${workflowId}\`; the same start under this id finds it again.`,
    { operation_id: workflowId },
  );
}

type Reuse = 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE';

/** `ended`: a workflow used the id before. */
async function beginNow(
  client: Client,
  start: Start,
  reuse: Reuse,
  deadline: number,
): Promise<'started' | 'ended'> {
  const { type, input, memo, ...options } = start;
  const startWorkflowOperation = new WithStartWorkflowOperation(type, {
    ...options,
    args: [input],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: reuse,
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    memo: { ...memo, input_digest: digestOf(input) },
  });
  const ready = { startWorkflowOperation, waitForStage: 'ACCEPTED' as const };
  const remaining = () => Math.max(1, deadline - Date.now());
  try {
    const accepted = await call(
      client,
      () => client.workflow.startUpdateWithStart(UPDATES.ready, ready),
      Math.min(TRY_MS, remaining()),
    );
    // Describing the accepted workflow runs concurrently with the wait for its result.
    const description = describeWorkflow(client, start.workflowId);
    description.catch(() => undefined);
    await call(client, () => accepted.result(), remaining());
    refuseOtherRequest(start, await description);
    return 'started';
  } catch (error) {
    if (!(error instanceof BatchgateError) || isUnavailable(error)) throw error;
    const there = await describeWorkflow(client, start.workflowId).catch(() => undefined);
    if (there?.type !== type) throw error;
    refuseOtherRequest(start, there);
    return 'ended';
  }
}

const NO_PLACE: readonly (ErrorCode | undefined)[] = ['JOB_LIMIT_REACHED', 'SESSION_LOCKED'];

/** Whether it was refused only because of other jobs. The same request may get a slot now. */
export function foundNoPlace(error: ErrorBody | undefined): boolean {
  return NO_PLACE.includes(error?.code);
}

function refuseOtherRequest(
  { workflowId, type, input }: Start,
  there: Pick<WorkflowExecutionDescription, 'type' | 'memo'>,
): void {
  if (there.type === type && there.memo?.['input_digest'] === digestOf(input)) return;
  throw new BatchgateError(
    'IDEMPOTENCY_CONFLICT',
    `The id ${workflowId} belongs to another request.`,
    'Choose another id, or send the same request again to find the existing one.',
  );
}
