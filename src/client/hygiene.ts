import type { Client } from '@temporalio/client';
import { QUERIES } from '../contract/messages';
import { COOLDOWN_MS, sentinelId, type Observed, type SentinelOverview } from '../contract/sentinel';
import { call } from './calls';
import { isMissing } from './failures';
import { ask } from './messages';
import { inBatches, jobsThatRun, stillLive } from './running-jobs';

/** What the sentinel of a task queue knows. Asking is no interaction: it starts none, and no cooldown. */
export async function observe(client: Client, taskQueue: string): Promise<Observed> {
  const running = () => call(client, () => jobsThatRun(client, taskQueue));
  const found = await describe(client, sentinelId(taskQueue));
  if (!found) return { jobs: await running() };
  if (found.status.name !== 'RUNNING') {
    const endedAt = (found.closeTime ?? found.startTime).getTime();
    return { paused_until: new Date(endedAt + COOLDOWN_MS).toISOString(), jobs: await running() };
  }
  const { settled, cooldown, jobs } = await ask(client, sentinelId(taskQueue), (handle) =>
    handle.query<SentinelOverview>(QUERIES.overview),
  );
  const paused_until = cooldown.cron_pause_until;
  if (settled) return { paused_until, jobs: await call(client, () => stillLive(client, jobs)) };
  // The cooldown outlasts the time in which a list may lack what has just begun.
  return cooldown.active ? { paused_until } : { paused_until, jobs: await running() };
}

/** Those of these workflows that ended before then, or that Temporal does not know any more. */
export async function endedBefore(client: Client, ids: readonly string[], before: string): Promise<string[]> {
  const ended = await inBatches(ids, async (id) => {
    const found = await describe(client, id);
    return found === undefined || (found.closeTime?.toISOString() ?? before) < before;
  });
  return ids.filter((_, at) => ended[at]);
}

function describe(client: Client, workflowId: string) {
  return call(client, async () => {
    try {
      return await client.workflow.getHandle(workflowId).describe();
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  });
}
