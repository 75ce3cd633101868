import type { Client } from '@temporalio/client';
import { toBatchgateError } from './failures';

/** How long the server, or a worker behind it, may take to answer. Milliseconds. */
export const ANSWER_MS = 15_000;

/** One call to Temporal under a deadline; its failure is an error of the public surface. */
export async function call<T>(client: Client, work: () => Promise<T>, withinMs = ANSWER_MS): Promise<T> {
  try {
    return await client.withDeadline(Date.now() + withinMs, work);
  } catch (error) {
    throw toBatchgateError(error);
  }
}
