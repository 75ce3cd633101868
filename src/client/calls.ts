import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import type { z } from 'zod';
import { toBatchgateError } from './failures';
import { TASK_QUEUE } from '../contract/messages';

/** The time limit for an answer of the server or of a worker behind it. Milliseconds. */
export const ANSWER_MS = 15_000;

/** Makes one call to Temporal under a deadline. A failure becomes an error of the public surface. */
export async function call<T>(client: Client, work: () => Promise<T>, withinMs = ANSWER_MS): Promise<T> {
  try {
    return await client.withDeadline(Date.now() + withinMs, work);
  } catch (error) {
    throw toBatchgateError(error);
  }
}

/** Returns the server's description of a workflow. Needs no worker. */
export const describeWorkflow = (client: Client, workflowId: string): Promise<WorkflowExecutionDescription> =>
  call(client, () => client.workflow.getHandle(workflowId).describe());

/** The first run of a workflow's chain. */
export const firstRunIn = ({ raw, runId }: Pick<WorkflowExecutionDescription, 'raw' | 'runId'>): string =>
  raw.workflowExecutionInfo?.firstRunId || runId;

export const firstRunOf = async (client: Client, workflowId: string): Promise<string> =>
  firstRunIn(await describeWorkflow(client, workflowId));

/** Returns the last heartbeat of a running activity, if it matches this schema. */
export async function heartbeatOf<T extends z.ZodType>(
  client: Client,
  { raw }: WorkflowExecutionDescription,
  shape: T,
): Promise<z.infer<T> | undefined> {
  for (const { heartbeatDetails } of raw.pendingActivities ?? []) {
    const { loadedDataConverter } = client.options;
    const [details] = await decodeArrayFromPayloads(loadedDataConverter, heartbeatDetails?.payloads);
    const parsed = shape.safeParse(details);
    if (parsed.success) return parsed.data;
  }
  return undefined;
}

const queues = new WeakMap<Client, string>();

/** Remembers the queue: Temporal no longer has that of a deleted workflow, and only its workers have the ledger. */
export const rememberQueue = (client: Client, taskQueue: string): void => void queues.set(client, taskQueue);

/** Returns the queue of the workers that a client asks about deleted operations. */
export const queueOf = (client: Client): string => queues.get(client) ?? TASK_QUEUE;
