import type { Client } from '@temporalio/client';
import { getSessionOf } from '../client';
import { BatchgateError } from '../contract/errors';
import { reaches } from '../core/access/permissions';

/** The agent that calls, and what it reaches: its own sessions, which all begin alike. */
export interface Caller {
  /** Distinguishes agents from each other. */
  id: string;
  /** As records show it. */
  name: string;
  /** What the ids of its sessions begin with. */
  sessions: string;
  /** The session of this conversation, without that beginning. */
  conversation: string;
}

/** The session that the agent means, by default that of its conversation. No name leads out of its own sessions. */
export function sessionOf({ sessions, conversation }: Caller, named: string | undefined): string {
  if (named === undefined) return `${sessions}${conversation}`;
  return named.startsWith(sessions) ? named : `${sessions}${named}`;
}

/**
 * Lets a call through to a job of the agent's own.
 * @throws BatchgateError `NOT_FOUND`, the same for what is not there and what belongs to another agent.
 */
export async function checkReach(client: Client, { sessions }: Caller, jobId: string): Promise<void> {
  const session = await getSessionOf(client, jobId).catch((error: unknown) => {
    if (error instanceof BatchgateError && error.code === 'NOT_FOUND') throw hidden();
    throw error;
  });
  if (!reaches(sessions, session)) throw hidden();
}

const hidden = () =>
  new BatchgateError(
    'NOT_FOUND',
    'None of your jobs has this id.',
    'Take the id from the call that started the job, or from list_bulk_operations or task_run_list.',
  );
