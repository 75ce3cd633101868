import type { Client } from '@temporalio/client';
import { getSessionOf, type DecisionOptions } from '../client';
import { BatchgateError } from '../contract/errors';
import { reaches } from '../core/access/permissions';

/** The calling agent, and the sessions that it can reach: its own, whose ids share a prefix. */
export interface Caller {
  /** Unique for each agent. */
  id: string;
  /** The name in records. */
  name: string;
  /** The prefix of its sessions' ids. */
  sessions: string;
  /** The prefix to which its key limits it; such a key starts no macro. */
  session_prefix?: string | undefined;
  /** The session of this conversation, without the prefix. */
  conversation: string;
}

/** Options of a decision passed on by an agent. The time at which its host showed the question is unknown. */
export const byMcp = ({ origin }: { origin: () => Promise<string> }): DecisionOptions => ({
  door: 'mcp',
  origin,
});

/** The session that the agent names, by default its conversation's. Always one of the agent's own sessions. */
export function sessionOf({ sessions, conversation }: Caller, name: string | undefined): string {
  if (name === undefined) return `${sessions}${conversation}`;
  return name.startsWith(sessions) ? name : `${sessions}${name}`;
}

/**
 * Allows a call that concerns one of the agent's own jobs.
 * @throws BatchgateError `NOT_FOUND`, the same for a missing job and for another agent's.
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
