import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { BatchgateError } from '../contract/errors';
import { isMissing, isUnsettled, toBatchgateError } from './failures';

/** How long the server, or a worker behind it, may take to say something. */
const ANSWER_MS = 15_000;
const LOOK_AGAIN_MS = 250;

/** One call to Temporal under a deadline; its failure is an error of the public surface. */
export async function call<T>(client: Client, work: () => Promise<T>, withinMs = ANSWER_MS): Promise<T> {
  try {
    return await client.withDeadline(Date.now() + withinMs, work);
  } catch (error) {
    throw toBatchgateError(error);
  }
}

/**
 * One question to a workflow. The server refuses it at once while the workflow's last tasks were lost with their
 * workers, and gives those tasks out again by itself: so it is asked again, for as long as any answer may take.
 */
export async function ask<T>(client: Client, question: () => Promise<T>): Promise<T> {
  const patience = Date.now() + ANSWER_MS;
  for (;;) {
    try {
      return await client.withDeadline(Math.max(patience, Date.now() + LOOK_AGAIN_MS), question);
    } catch (error) {
      if (!isUnsettled(error) || Date.now() >= patience) throw toBatchgateError(error);
      await pause(LOOK_AGAIN_MS);
    }
  }
}

/**
 * Tells a workflow something and waits for what it makes of it. A worker must take it up soon; what it sets in motion
 * may take long. `whenMissing` says why no running workflow was there to hear it.
 */
export async function tell<T>(
  client: Client,
  workflowId: string,
  update: string,
  request: object,
  { updateId = randomUUID(), whenMissing }: { updateId?: string; whenMissing: () => Promise<BatchgateError> },
): Promise<T> {
  const handle = client.workflow.getHandle(workflowId);
  const options = { args: [request] as [object], updateId, waitForStage: 'ACCEPTED' as const };
  try {
    const accepted = await client.withDeadline(Date.now() + ANSWER_MS, () =>
      handle.startUpdate<T, [object]>(update, options),
    );
    return await accepted.result();
  } catch (error) {
    throw isMissing(error) ? await whenMissing() : toBatchgateError(error);
  }
}
