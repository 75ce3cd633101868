import { setTimeout as pause } from 'node:timers/promises';
import {
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  type Client,
} from '@temporalio/client';
import { BatchgateError } from '../contract/errors';
import { SIGNALS, WORKFLOW_TYPES } from '../contract/messages';
import { sentinelId, type JobKey, type SentinelInput } from '../contract/sentinel';
import { call } from './calls';
import { isMissing, isUnsettled } from './failures';
import { ask } from './messages';
import { describeRaw, quarantineOf } from './quarantine';
import { whyNoAnswer } from './waiting';

/** The interval and the total duration of repeated updates. */
const [AGAIN_MS, AGAIN_FOR_MS] = [250, 12_000];

export async function askSentinel<T>(
  client: Client,
  taskQueue: string,
  query: string,
): Promise<T | undefined> {
  return ask(client, sentinelId(taskQueue), async (handle) => {
    try {
      return await handle.query<T>(query);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  });
}

/** Releases a slot. Without a sentinel, there is nothing to release. */
export async function release(client: Client, taskQueue: string, key: JobKey): Promise<void> {
  try {
    await handleOf(client, taskQueue).signal(SIGNALS.release, key);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Sends an update to the sentinel, which is started if none runs. */
export async function updateSentinel<T, R extends object>(
  client: Client,
  taskQueue: string,
  update: string,
  request: R,
): Promise<T> {
  const send = (reuse: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE', input: SentinelInput) =>
    client.workflow.executeUpdateWithStart<(input: SentinelInput) => Promise<void>, T, [R]>(update, {
      args: [request],
      startWorkflowOperation: new WithStartWorkflowOperation(WORKFLOW_TYPES.sentinel, {
        workflowId: sentinelId(taskQueue),
        taskQueue,
        args: [input],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: reuse,
        staticSummary: 'Who may run, and when hygiene may',
      }),
    });
  const once = async () => {
    try {
      // If there never was a sentinel, no job can have been admitted a moment ago, so there is nothing to wait for.
      return await send('REJECT_DUPLICATE', { settle_ms: 0 });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      return send('ALLOW_DUPLICATE', {});
    }
  };
  const repeated = async () => {
    // A repeated request changes nothing. A sentinel that was just continuing as new accepts the repetition.
    for (const until = Date.now() + AGAIN_FOR_MS; ; await pause(AGAIN_MS)) {
      try {
        return await once();
      } catch (error) {
        if (!isUnsettled(error) || Date.now() >= until) throw error;
      }
    }
  };
  try {
    return await call(client, repeated);
  } catch (error) {
    if (!(error instanceof BatchgateError) || error.code !== 'TEMPORAL_UNAVAILABLE') throw error;
    throw (await whyNoAnswer(client, sentinelId(taskQueue), false)) ?? error;
  }
}

export function handleOf(client: Client, taskQueue: string) {
  return client.workflow.getHandle(sentinelId(taskQueue));
}

/**
 * Terminates a sentinel that cannot answer: one whose workflow task keeps failing, or another workflow under its id.
 * The next request starts a new one, which collects the holders of slots from the running jobs. Returns the reason.
 */
export async function removeWedgedSentinel(client: Client, taskQueue: string): Promise<string | undefined> {
  const id = sentinelId(taskQueue);
  return call(client, async () => {
    try {
      const description = await describeRaw(client, id);
      const info = description.workflowExecutionInfo;
      if (info?.closeTime) return undefined;
      const wedged = await quarantineOf(client, description);
      const foreign = info?.type?.name !== WORKFLOW_TYPES.sentinel;
      if (!wedged && !foreign) return undefined;
      const reason = wedged
        ? `Its workflow task failed ${wedged.failures} times in a row. ${wedged.reason}`
        : `A workflow of type ${info?.type?.name} had its id.`;
      // Terminates only this run, because another worker may already have replaced it.
      await client.workflow.getHandle(id, info?.execution?.runId ?? '').terminate(`Wedged: ${reason}`);
      return reason;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  });
}
