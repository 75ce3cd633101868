import type { Client } from '@temporalio/client';
import { noteFor } from '../core/intent/conversation';
import { needsConfirmation } from '../core/bulk/transitions';
import { unlessMissing } from './failures';
import { keepNote, touch } from './sentinel';
import { currentStatus } from './status';

/**
 * Notes that the assistant of a session answers while a question of the session is open. A bare yes or no may then be
 * for the assistant, also if its turn began before the question opened. Limits of the batch hold on.
 */
export async function noteAnswer(client: Client, session_id: string, taskQueue: string): Promise<void> {
  const { job } = await touch(client, { session_id }, taskQueue);
  if (job?.kind !== 'bulk_operation') return;
  const status = await currentStatus(client, job.job_id).catch(unlessMissing);
  if (!status || !needsConfirmation(status.state)) return;
  await keepNote(client, { session_id, ...noteFor(status, 'apart'), keeps_limits: true }, taskQueue);
}
