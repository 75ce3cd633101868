import type { Client } from '@temporalio/client';
import { getJobs } from '../client';
import { oneLine } from '../core/plain-text';
import { note } from './output';

const SHOWN = 10;
const KINDS = { bulk_operation: 'operation', macro: 'macro run', task_run: 'task run' } as const;

/** Says which jobs of before are still live: nobody has to know of them to find them again. */
export async function tellInterrupted({
  client,
  taskQueue,
}: {
  client: Client;
  taskQueue: string;
}): Promise<void> {
  const jobs = await getJobs(client, taskQueue).catch(() => undefined);
  if (jobs === undefined) {
    note('Whether jobs were interrupted is not known yet; `npx batchgate resume` shows them.');
    return;
  }
  if (jobs.length === 0) return;
  note(`${jobs.length} job(s) of before are live; \`npx batchgate resume\` shows each with its question:`);
  for (const { job_id, kind, session_id, admitted_at } of jobs.slice(0, SHOWN)) {
    const where = session_id === undefined ? '' : `, session ${oneLine(session_id)}`;
    note(`  ${KINDS[kind]} ${oneLine(job_id)}${where}, since ${admitted_at}`);
  }
  if (jobs.length > SHOWN) note(`  and ${jobs.length - SHOWN} more`);
}
