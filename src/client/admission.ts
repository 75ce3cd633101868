import type { Client } from '@temporalio/client';
import type { ErrorBody } from '../contract/errors';
import { QUERIES, UPDATES } from '../contract/messages';
import {
  ADMISSION_TRY_MS,
  SentinelUnsettled,
  type AdmitAnswer,
  type AdmitRequest,
  type Applicant,
  type Job,
} from '../contract/sentinel';
import { refusalOf } from '../core/sentinel/admission';
import { rowOf } from '../core/sentinel/rows';
import type { InTurn } from '../core/shared/promises';
import { isMissing, isUnknownQuery } from './failures';
import { ask } from './messages';
import { describeJobs } from './running-jobs';
import { updateSentinel } from './sentinel-calls';

/** The parts that the admissions of a worker share. */
export interface SentinelAccess {
  client: Client;
  taskQueue: string;
  inTurn: InTurn;
  /** The running jobs, for the sentinel of this epoch. */
  running: (epoch: string) => Promise<Job[]>;
}

/**
 * Shares one check between all waiting starts, because it may take longer than one of their tries. No job is admitted
 * in the meantime, so a later result is still valid.
 */
export function oncePerEpoch(look: () => Promise<Job[]>): (epoch: string) => Promise<Job[]> {
  let latest: { epoch: string; jobs: Promise<Job[]> } | undefined;
  return (epoch) => {
    if (latest?.epoch !== epoch) {
      const check = { epoch, jobs: look() };
      check.jobs.catch(() => {
        if (latest === check) latest = undefined;
      });
      latest = check;
    }
    return latest.jobs;
  };
}

/**
 * Requests a slot. If the slots are taken, it checks whether their holders are still running and reports the ended
 * ones. That takes one round trip if a slot is free, and two more otherwise.
 */
export async function admit(
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
    const jobs = await running(answer.epoch);
    answer = await askFor({ seen: { epoch: answer.epoch, jobs: jobs.map(rowOf) } });
  }
  // Other jobs may take the freed slots, so several checks may be necessary.
  for (;;) {
    if (answer.admitted) return undefined;
    if (answer.because === 'unsettled') throw new SentinelUnsettled(answer.wait_ms);
    const { because, holders, ...counts } = answer;
    const described = await describeJobs(client, holders);
    const ended = holders.filter((_, at) => described[at] === undefined);
    if (ended.length === 0) {
      const live = holders.map((holder, at) => ({ ...holder, state: described[at]?.state ?? 'unknown' }));
      return refusalOf(because, live, job, { limit, ...counts });
    }
    const keys = ended.map(({ job_id, run_id }) => ({ job_id, run_id }));
    answer = await askFor({ ended: keys });
  }
}

/** Asks the parent whether it started the job. An operation's own claim does not let it share a slot. */
async function forgedParent(client: Client, { job_id, parent }: Applicant): Promise<ErrorBody | undefined> {
  if (parent === undefined) return undefined;
  const started = await ask(client, parent.job_id, async (handle) => {
    try {
      return await handle.query<boolean, [object]>(QUERIES.started, { operation_id: job_id });
    } catch (error) {
      // Jobs of other kinds start no jobs.
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
