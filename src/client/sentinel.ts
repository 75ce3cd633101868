import type { Client } from '@temporalio/client';
import { QUERIES, SIGNALS, TASK_QUEUE, UPDATES } from '../contract/messages';
import {
  type Cooldown,
  type Job,
  type NoteRequest,
  type Sentinel,
  type TouchAnswer,
  type TouchRequest,
  COOLDOWN_MS,
  sentinelId,
  type Observed,
  type SentinelOverview,
} from '../contract/sentinel';
import { jobOf } from '../core/sentinel/rows';
import { spokenOf } from '../core/sentinel/state';
import { oneAtATime } from '../core/shared/promises';
import { admit, oncePerEpoch } from './admission';
import { call, describeWorkflow } from './calls';
import { jobsThatRun, stillLive, inBatches } from './running-jobs';
import { askSentinel, handleOf, release, removeWedgedSentinel, updateSentinel } from './sentinel-calls';
import { unlessMissing } from './failures';
import { ask } from './messages';

/** The timeout for a report of activity. */
const ACTIVITY_MS = 1_000;

/** The interval in which only the first touch is sent. */
const TOUCH_INTERVAL_MS = 1_000;
const TOOL_INTERVAL_MS = 60_000;

/** Creates the client of a task queue's sentinel, for the activities of its workers. */
export function createSentinel(client: Client, taskQueue: string = TASK_QUEUE): Sentinel {
  // Temporal accepts ten updates at a time for one workflow, and delays more of them by a second.
  const inTurn = oneAtATime();
  const running = oncePerEpoch(() => jobsThatRun(client, taskQueue));
  return {
    admit: (job, limit) => admit({ client, taskQueue, inTurn, running }, job, limit),
    release: (key) => release(client, taskQueue, key),
    removeWedged: () => removeWedgedSentinel(client, taskQueue),
    touch: throttled(TOUCH_INTERVAL_MS, (by) => signalActivity(client, by, taskQueue)),
    toolCalled: throttled(TOOL_INTERVAL_MS, (by) => signalActivity(client, by, taskQueue)),
    observe: () => observe(client, taskQueue),
    endedBefore: (operationIds, before) => endedBefore(client, operationIds, before),
  };
}

/**
 * Records activity (specification S4): hygiene does not run for 15 minutes. With a session, the answer names its live
 * job.
 * @throws BatchgateError `TEMPORAL_UNAVAILABLE` when no worker answers.
 */
export async function touch(
  client: Client,
  request: TouchRequest = {},
  taskQueue: string = TASK_QUEUE,
): Promise<TouchAnswer> {
  const answer = await updateSentinel<TouchAnswer, TouchRequest>(client, taskQueue, UPDATES.touch, request);
  if (answer.settled || request.session_id === undefined) return answer;
  // The sentinel is new and has not read the running jobs yet, so they are read here.
  const job = spokenOf(await jobsThatRun(client, taskQueue), request.session_id);
  return { ...answer, ...(job && { job }) };
}

/** Signals activity without waiting for a worker. Without a sentinel, there is no hygiene to delay. */
export async function signalActivity(
  client: Client,
  by?: string,
  taskQueue: string = TASK_QUEUE,
): Promise<void> {
  await call(
    client,
    () => handleOf(client, taskQueue).signal(SIGNALS.touch, { ...(by !== undefined && { by }) }),
    ACTIVITY_MS,
  );
}

/** The reporters of activity, by client and task queue. */
const reports = new WeakMap<Client, Map<string, (by?: string) => void>>();

/** Reports any activity of a door's callers within a second (specification S6). */
export function noteActivity(client: Client, by?: string, taskQueue: string = TASK_QUEUE): void {
  const ofClient = reports.get(client) ?? new Map<string, (by?: string) => void>();
  reports.set(client, ofClient);
  const report =
    ofClient.get(taskQueue) ?? paced(TOUCH_INTERVAL_MS, (name) => signalActivity(client, name, taskQueue));
  ofClient.set(taskQueue, report);
  report(by);
}

/** Stores the answer to a session's message before the answer is given. */
export async function keepNote(
  client: Client,
  request: NoteRequest,
  taskQueue: string = TASK_QUEUE,
): Promise<void> {
  await call(client, () => handleOf(client, taskQueue).signal(SIGNALS.note, request));
}

/** Returns the cooldown of hygiene; undefined if there was never any activity. */
export async function getCooldown(
  client: Client,
  taskQueue: string = TASK_QUEUE,
): Promise<Cooldown | undefined> {
  return askSentinel<Cooldown>(client, taskQueue, QUERIES.cooldown);
}

/** Returns the jobs that hold a slot, oldest first. */
export async function getJobs(client: Client, taskQueue: string = TASK_QUEUE): Promise<Job[]> {
  const { settled } = await touch(client, {}, taskQueue);
  if (!settled) return jobsThatRun(client, taskQueue);
  const overview = await askSentinel<SentinelOverview>(client, taskQueue, QUERIES.overview);
  const jobs = overview?.jobs.map(jobOf) ?? [];
  const live = await stillLive(client, jobs);
  // This also detects jobs that were ended from outside, before a start needs their slot.
  const ended = jobs.filter((job) => !live.includes(job));
  for (const { job_id, run_id } of ended) await release(client, taskQueue, { job_id, run_id });
  return live;
}

/** Returns the state of a task queue's sentinel. The query is not activity: it starts no sentinel and no cooldown. */
export async function observe(client: Client, taskQueue: string): Promise<Observed> {
  const running = () => jobsThatRun(client, taskQueue);
  const description = await describeWorkflow(client, sentinelId(taskQueue)).catch(unlessMissing);
  if (!description) return { jobs: await running() };
  if (description.status.name !== 'RUNNING') {
    const endedAt = (description.closeTime ?? description.startTime).getTime();
    return { paused_until: new Date(endedAt + COOLDOWN_MS).toISOString(), jobs: await running() };
  }
  const { settled, cooldown, jobs } = await ask(client, sentinelId(taskQueue), (handle) =>
    handle.query<SentinelOverview>(QUERIES.overview),
  );
  const paused_until = cooldown.cron_pause_until;
  if (settled) return { paused_until, jobs: await stillLive(client, jobs.map(jobOf)) };
  // The cooldown is longer than the delay after which a list shows a new job.
  return cooldown.active ? { paused_until } : { paused_until, jobs: await running() };
}

/** Returns the workflows among these that ended before this time, or that Temporal no longer has. */
export async function endedBefore(client: Client, ids: readonly string[], before: string): Promise<string[]> {
  const ended = await inBatches(ids, async (id) => {
    const description = await describeWorkflow(client, id).catch(unlessMissing);
    return description === undefined || (description.closeTime?.toISOString() ?? before) < before;
  });
  return ids.filter((_, at) => ended[at]);
}

/**
 * Sends at most once per interval. Further calls within it are dropped, and failures are ignored: a lost second does
 * not matter in a cooldown of fifteen minutes.
 */
function throttled(everyMs: number, send: (by?: string) => Promise<void>): (by?: string) => void {
  let sentAt = Number.NEGATIVE_INFINITY;
  return (by) => {
    const now = Date.now();
    if (now - sentAt < everyMs) return;
    sentAt = now;
    send(by).catch(() => undefined);
  };
}

/** Sends at once, and at the end of each interval in which there were more calls. */
function paced(everyMs: number, send: (by?: string) => Promise<void>): (by?: string) => void {
  let waiting: { by?: string | undefined } | undefined;
  let resting = false;
  const report = (by?: string) => {
    if (resting) {
      waiting = { by };
      return;
    }
    resting = true;
    send(by).catch(() => undefined);
    setTimeout(() => {
      resting = false;
      const next = waiting;
      waiting = undefined;
      if (next) report(next.by);
    }, everyMs).unref();
  };
  return report;
}
