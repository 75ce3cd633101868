import type { Client } from '@temporalio/client';
import { QUERIES } from '../contract/messages';
import { COOLDOWN_MS, sentinelId, type Observed, type SentinelOverview } from '../contract/sentinel';
import { call, describeWorkflow } from './calls';
import { unlessMissing } from './failures';
import { ask } from './messages';
import { inBatches, jobsThatRun, stillLive } from './running-jobs';

/** The state of a task queue's sentinel. The query is not activity: it starts no sentinel and no cooldown. */
export async function observe(client: Client, taskQueue: string): Promise<Observed> {
  const running = () => call(client, () => jobsThatRun(client, taskQueue));
  const found = await describeWorkflow(client, sentinelId(taskQueue)).catch(unlessMissing);
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
  // The cooldown is longer than the delay after which a list shows a new job.
  return cooldown.active ? { paused_until } : { paused_until, jobs: await running() };
}

/** The workflows among these that ended before then, or that Temporal no longer knows. */
export async function endedBefore(client: Client, ids: readonly string[], before: string): Promise<string[]> {
  const ended = await inBatches(ids, async (id) => {
    const found = await describeWorkflow(client, id).catch(unlessMissing);
    return found === undefined || (found.closeTime?.toISOString() ?? before) < before;
  });
  return ids.filter((_, at) => ended[at]);
}
