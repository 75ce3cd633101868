import { setTimeout as pause } from 'node:timers/promises';
import {
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  type Client,
} from '@temporalio/client';
import type { ErrorBody } from '../contract/errors';
import { QUERIES, SIGNALS, TASK_QUEUE, UPDATES, WORKFLOW_TYPES } from '../contract/messages';
import {
  ADMISSION_TRY_MS,
  sentinelId,
  SentinelUnsettled,
  type AdmitAnswer,
  type AdmitRequest,
  type Applicant,
  type Cooldown,
  type Job,
  type JobKey,
  type NoteRequest,
  type Sentinel,
  type SentinelInput,
  type TouchAnswer,
  type TouchRequest,
} from '../contract/sentinel';
import { refusalOf } from '../core/sentinel/admission';
import { spokenOf } from '../core/sentinel/state';
import { oneAtATime, type InTurn } from '../core/shared/promises';
import { call } from './calls';
import { isMissing, isUnknownQuery, isUnsettled } from './failures';
import { endedBefore, observe } from './hygiene';
import { ask } from './messages';
import { removeWedgedSentinel } from './sentinel-replacement';
import { describeJobs, jobsThatRun, stillLive } from './running-jobs';

/** The maximum wait for sending a sign of activity. */
const ACTIVITY_MS = 1_000;

/** Only the first of the touches within it is sent. */
const TOUCH_INTERVAL_MS = 1_000;
const TOOL_INTERVAL_MS = 60_000;
/** How often an update is repeated, and for how long. */
const [AGAIN_MS, AGAIN_FOR_MS] = [250, 12_000];

/** The sentinel of a task queue, for the activities of its workers. */
export function createSentinel(client: Client, taskQueue: string = TASK_QUEUE): Sentinel {
  // Temporal accepts ten updates at a time for one workflow, and delays more of them by a second.
  const inTurn = oneAtATime();
  const running = oncePerEpoch(() => liveJobs(client, taskQueue));
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
 * Records activity (seed 002): hygiene does not run for 15 minutes. With a session, the answer names its live job.
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
  const job = spokenOf(await liveJobs(client, taskQueue), request.session_id);
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

/** How the activity of each client's callers is reported. */
const reports = new WeakMap<Client, Map<string, (by?: string) => void>>();

/** Reports activity of a door's callers within a second, whatever they do there (seed 002: any agent activity). */
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

/** Whether hygiene is delayed; undefined if there was never any activity. */
export async function getCooldown(
  client: Client,
  taskQueue: string = TASK_QUEUE,
): Promise<Cooldown | undefined> {
  return askSentinel<Cooldown>(client, taskQueue, QUERIES.cooldown);
}

/** The jobs that hold a slot, oldest first. */
export async function getJobs(client: Client, taskQueue: string = TASK_QUEUE): Promise<Job[]> {
  const { settled } = await touch(client, {}, taskQueue);
  if (!settled) return liveJobs(client, taskQueue);
  const jobs = (await askSentinel<Job[]>(client, taskQueue, QUERIES.jobs)) ?? [];
  const live = await call(client, () => stillLive(client, jobs));
  // Jobs that were ended from outside are found here too, and not only when a start needs their slot.
  const ended = jobs.filter((job) => !live.includes(job));
  for (const { job_id, run_id } of ended) await release(client, taskQueue, { job_id, run_id });
  return live;
}

async function liveJobs(client: Client, taskQueue: string): Promise<Job[]> {
  return call(client, () => jobsThatRun(client, taskQueue));
}

async function askSentinel<T>(client: Client, taskQueue: string, query: string): Promise<T | undefined> {
  return ask(client, sentinelId(taskQueue), async (handle) => {
    try {
      return await handle.query<T>(query);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  });
}

/**
 * Asks for a slot. If jobs are in the way, it checks whether they are still running and reports the ended ones. That
 * takes one round trip if a slot is free, and two more if none seems to be.
 */
async function admit(
  { client, taskQueue, inTurn, running }: SentinelAccess,
  job: Applicant,
  limit: number,
): Promise<ErrorBody | undefined> {
  const overAt = Date.now() + ADMISSION_TRY_MS;
  const forged = await forgedParent(client, job);
  if (forged) return forged;
  const request = { job, limit };
  const askFor = (more: Partial<AdmitRequest> = {}) =>
    inTurn(() => {
      // The answer to an abandoned try is dropped.
      if (Date.now() >= overAt) throw new SentinelUnsettled(0);
      return updateSentinel<AdmitAnswer, AdmitRequest>(client, taskQueue, UPDATES.admit, {
        ...request,
        ...more,
      });
    });
  let answer = await askFor();
  if (!answer.admitted && answer.because === 'unsettled') {
    if (answer.wait_ms > 0) throw new SentinelUnsettled(answer.wait_ms);
    const seen = { epoch: answer.epoch, jobs: await running(answer.epoch) };
    answer = await askFor({ seen });
  }
  // Other jobs may take the slots that were found free, so it may take several checks.
  for (;;) {
    if (answer.admitted) return undefined;
    if (answer.because === 'unsettled') throw new SentinelUnsettled(answer.wait_ms);
    const { because, holders, limit: slots = limit } = answer;
    const described = await call(client, () => describeJobs(client, holders));
    const ended = holders.filter((_, at) => described[at] === undefined);
    if (ended.length === 0) {
      const live = holders.map((holder, at) => ({ ...holder, state: described[at]?.state ?? 'unknown' }));
      return refusalOf(because, live, job, slots);
    }
    const keys = ended.map(({ job_id, run_id }) => ({ job_id, run_id }));
    answer = await askFor({ ended: keys });
  }
}

/** Only the parent knows what it started, so it is asked: an operation's own claim does not let it share a slot. */
async function forgedParent(client: Client, { job_id, parent }: Applicant): Promise<ErrorBody | undefined> {
  if (parent === undefined) return undefined;
  const started = await ask(client, parent.job_id, async (handle) => {
    try {
      return await handle.query<boolean, [object]>(QUERIES.started, { operation_id: job_id });
    } catch (error) {
      // Jobs of other kinds start none.
      if (isMissing(error) || isUnknownQuery(error)) return false;
      throw error;
    }
  });
  if (started) return undefined;
  return {
    code: 'FORBIDDEN',
    message: `${job_id} says that ${parent.job_id} started it, and that job did not.`,
    hint: 'Start it without a parent; it then takes a slot of its own.',
  };
}

/** Without a sentinel, there is nothing to release. */
async function release(client: Client, taskQueue: string, key: JobKey): Promise<void> {
  try {
    await handleOf(client, taskQueue).signal(SIGNALS.release, key);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** An update of the sentinel, which is started if none runs. */
async function updateSentinel<T, R extends object>(
  client: Client,
  taskQueue: string,
  update: string,
  request: R,
): Promise<T> {
  const send = (reuse: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE', input: SentinelInput) =>
    client.workflow.executeUpdateWithStart<(input: SentinelInput) => Promise<void>, T, [R]>(update, {
      args: [request],
      startWorkflowOperation: new WithStartWorkflowOperation(WORKFLOW_TYPES.sentinel, {
        workflowId: sentinelId(taskQueue),
        taskQueue,
        args: [input],
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: reuse,
        staticSummary: 'Who may run, and when hygiene may',
      }),
    });
  const once = async () => {
    try {
      // If there never was a sentinel, no job can have been admitted a moment ago, so there is nothing to wait for.
      return await send('REJECT_DUPLICATE', { settle_ms: 0 });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      return send('ALLOW_DUPLICATE', {});
    }
  };
  return call(client, async () => {
    // Repeating the request changes nothing. A sentinel that was just continuing as new accepts the repetition.
    for (const until = Date.now() + AGAIN_FOR_MS; ; await pause(AGAIN_MS)) {
      try {
        return await once();
      } catch (error) {
        if (!isUnsettled(error) || Date.now() >= until) throw error;
      }
    }
  });
}

function handleOf(client: Client, taskQueue: string) {
  return client.workflow.getHandle(sentinelId(taskQueue));
}

/** What the admissions of a worker share. */
interface SentinelAccess {
  client: Client;
  taskQueue: string;
  inTurn: InTurn;
  /** The running jobs, for the sentinel of this epoch. */
  running: (epoch: string) => Promise<Job[]>;
}

/**
 * One check for all waiting starts, which may take longer than one of their tries. No job is admitted in the meantime,
 * so a later result is as good as one from the time of the request.
 */
function oncePerEpoch(look: () => Promise<Job[]>): (epoch: string) => Promise<Job[]> {
  let latest: { epoch: string; jobs: Promise<Job[]> } | undefined;
  return (epoch) => {
    if (latest?.epoch !== epoch) {
      const begun = { epoch, jobs: look() };
      begun.jobs.catch(() => {
        if (latest === begun) latest = undefined;
      });
      latest = begun;
    }
    return latest.jobs;
  };
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
