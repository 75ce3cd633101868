import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { batchProgressSchema, type BatchProgress } from '../contract/activities';
import { describeOperation } from './operations';

/** A look from outside: it asks no worker and leaves nothing in the history. */
export interface Glance {
  /** Changes whenever the operation may have: what a status that was read under it says still holds. */
  revision: string;
  /** How far the running batch is, by its last heartbeat. */
  progress?: BatchProgress;
}

/** Looks at an operation without asking its workflow. */
export async function glanceAt(client: Client, operationId: string): Promise<Glance> {
  const description = await describeOperation(client, operationId);
  const { runId, historyLength, status } = description;
  const progress = await batchProgress(client, description);
  return { revision: `${runId}/${historyLength}/${status.name}`, ...(progress && { progress }) };
}

async function batchProgress(
  client: Client,
  { raw }: WorkflowExecutionDescription,
): Promise<BatchProgress | undefined> {
  for (const { heartbeatDetails } of raw.pendingActivities ?? []) {
    const [details] = await decodeArrayFromPayloads(
      client.options.loadedDataConverter,
      heartbeatDetails?.payloads,
    );
    const parsed = batchProgressSchema.safeParse(details);
    if (parsed.success) return parsed.data;
  }
  return undefined;
}
