import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { isUnsettled, toBatchgateError } from './failures';

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
