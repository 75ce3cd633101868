import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  QueryRejectedError,
  WorkflowClient,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
  type QueryRejectCondition,
  type WorkflowHandle,
} from '@temporalio/client';
import type { BatchgateError } from '../contract/errors';
import { ANSWER_MS, describeWorkflow } from './calls';
import {
  isEndedMeanwhile,
  isMissing,
  isTimeUp,
  isUnknownQuery,
  isUnknownUpdate,
  isUnsettled,
  toBatchgateError,
} from './failures';
import { wrongKind } from './job-kinds';
import { refuseQuarantined } from './quarantine';
import { whyNoAnswer } from './waiting';

const LOOK_AGAIN_MS = 250;
/** The timeout of one query. A worker silently drops a query that arrives while its run ends; a second is answered. */
const QUESTION_MS = 5_000;
/** The maximum wait of one call for an update. */
const OUTCOME_MS = 10_000;

/**
 * Sends one query to a workflow.
 * @throws BatchgateError `TEMPORAL_UNAVAILABLE`, with the reason if the run is quarantined.
 */
export async function ask<T>(
  client: Client,
  workflowId: string,
  question: (handle: WorkflowHandle) => Promise<T>,
): Promise<T> {
  const handle = client.workflow.getHandle(workflowId);
  const once = (patience: number) => {
    const until = Math.min(Math.max(patience, Date.now() + LOOK_AGAIN_MS), Date.now() + QUESTION_MS);
    return client.withDeadline(until, () => question(handle));
  };
  try {
    return await untilSettled(client, workflowId, once, isTimeUp);
  } catch (error) {
    throw await explained(client, workflowId, error);
  }
}

/** The reason why a query got no answer: the run has ended, or workflows of its kind do not have the query. */
export type Unanswered = 'ended' | 'unknown';

/** Sends a query by its name. The server rejects it for a run whose status is in the reject condition. */
export async function askIf<T extends object>(
  client: Client,
  workflowId: string,
  rejectWhen: QueryRejectCondition,
  name: string,
  ...args: object[]
): Promise<T | Unanswered> {
  // The SDK sets the condition per client; creating one is cheap.
  const { loadedDataConverter: dataConverter } = client.options;
  const conditional = { ...client.workflow.options, dataConverter, queryRejectCondition: rejectWhen };
  const handle = new WorkflowClient(conditional).getHandle(workflowId);
  return ask(client, workflowId, async () => {
    try {
      return await handle.query<T, object[]>(name, ...args);
    } catch (error) {
      if (error instanceof QueryRejectedError) return 'ended';
      if (isUnknownQuery(error)) return 'unknown';
      throw error;
    }
  });
}

export interface UpdateOptions {
  updateId?: string;
  /** `meanwhile`: the run ended after it had accepted the update. */
  whenMissing: (ended: 'before' | 'meanwhile') => Promise<BatchgateError>;
  /** Returns the request for each try, if it depends on the time. */
  renewed?: () => object;
  /** Skips the wait for the work that the update starts: the answer is undefined once this returns true. */
  until?: () => Promise<boolean>;
}

/** The wait for a refusal, which may arrive a moment after the acceptance. */
const REFUSAL_MS = 100;

/**
 * Sends an update to a workflow and waits for its outcome. A worker must accept it soon; the work that it starts may
 * take long. `whenMissing` returns the error if no running workflow accepts it.
 * @throws BatchgateError with the code of the refusal; `TEMPORAL_UNAVAILABLE` as above.
 */
export async function sendUpdate<T>(
  client: Client,
  workflowId: string,
  update: string,
  request: object,
  { updateId = randomUUID(), whenMissing, until, renewed = () => request }: UpdateOptions,
): Promise<T> {
  const handle = client.workflow.getHandle(workflowId);
  const options = () => ({ args: [renewed()] as [object], updateId });
  const begin = async (runs: () => Promise<boolean>) => {
    const accepted = await withinCall(client, ANSWER_MS, () =>
      handle.startUpdate<T, [object]>(update, { ...options(), waitForStage: 'ACCEPTED' }),
    );
    const outcome = accepted.result();
    for (;;) {
      const answer = await Promise.race([outcome, pause(REFUSAL_MS)]);
      if (answer !== undefined || (await runs())) return answer as T;
    }
  };
  const finish = () =>
    withinCall(client, OUTCOME_MS, () => handle.executeUpdate<T, [object]>(update, options())).catch(
      async (error: unknown) => {
        if (!(error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)) throw error;
        // Sending the same update again only shows whether a worker has accepted it.
        const accepted = await withinCall(client, ANSWER_MS - OUTCOME_MS, () =>
          handle.startUpdate<T, [object]>(update, { ...options(), waitForStage: 'ACCEPTED' }),
        );
        return accepted.result();
      },
    );
  try {
    return await untilSettled(client, workflowId, until ? () => begin(until) : finish);
  } catch (error) {
    if (isMissing(error)) throw await whenMissing('before');
    if (isEndedMeanwhile(error)) throw await whenMissing('meanwhile');
    if (isUnknownUpdate(error)) throw await ofItsKind(client, workflowId);
    throw await explained(client, workflowId, error, true);
  }
}

async function ofItsKind(client: Client, workflowId: string): Promise<BatchgateError> {
  const { type } = await describeWorkflow(client, workflowId);
  return wrongKind(workflowId, type);
}

/**
 * The server refuses calls at once while the workflow's last tasks were lost with their workers, and dispatches those
 * tasks again by itself. So the call is repeated, for as long as any answer may take.
 */
async function untilSettled<T>(
  client: Client,
  workflowId: string,
  work: (patience: number) => Promise<T>,
  isLost: (error: unknown) => boolean = () => false,
): Promise<T> {
  let patience = Date.now() + ANSWER_MS;
  for (;;) {
    const startedAt = Date.now();
    try {
      return await work(patience);
    } catch (error) {
      // The call was accepted, and then lost with the worker.
      if (Date.now() - startedAt >= OUTCOME_MS) patience = Date.now() + ANSWER_MS;
      if (!(isUnsettled(error) || isLost(error)) || Date.now() >= patience) throw error;
      await refuseQuarantined(client, workflowId);
      await pause(LOOK_AGAIN_MS);
    }
  }
}

const withinCall = <T>(client: Client, ms: number, work: () => Promise<T>) =>
  client.withDeadline(Date.now() + ms, work);

/** Converts a failure to an error of the public surface. If there was no answer, it determines the reason. */
async function explained(
  client: Client,
  workflowId: string,
  error: unknown,
  taken = false,
): Promise<BatchgateError> {
  const failure = toBatchgateError(error);
  if (failure.code !== 'TEMPORAL_UNAVAILABLE') return failure;
  await refuseQuarantined(client, workflowId, taken);
  return (await whyNoAnswer(client, workflowId)) ?? failure;
}
