import type { ErrorBody } from '../../contract/errors';
import type { Applicant, Job } from '../../contract/sentinel';
import { needsConfirmation } from '../bulk/transitions';
import { plural } from '../shared/quantities';

/** A holder with its current state. */
export type LiveJob = Job & { state: string };

const NAMED = 10;

/**
 * The error when no slot is free (specification S1 and S2). It names only the holders of the applicant's own session,
 * or no holders without a session: the slots are shared by people who may not see each other's work. `holders`: oldest
 * first, not empty; `jobs`: the number of all, of which these are the oldest; `active`: the number of slots they take.
 */
export function refusalOf(
  because: 'limit' | 'session',
  holders: readonly LiveJob[],
  job: Applicant,
  { limit, jobs = holders.length, active = jobs }: { limit: number; jobs?: number; active?: number },
): ErrorBody {
  const own = holders.filter(({ session_id }) => session_id === job.session_id);
  const rows = own.slice(0, NAMED).map(({ job_id, kind, session_id, state, admitted_at }) => ({
    job_id,
    kind,
    ...(session_id !== undefined && { session_id }),
    state,
    admitted_at,
  }));
  const [oldest] = rows;
  const who = oldest
    ? `${oldest.job_id} (${doing(oldest.state)}, since ${oldest.admitted_at})`
    : 'another one';
  const waiting = holders.filter(({ state }) => waits(state)).length;
  if (because === 'session') {
    return {
      code: 'SESSION_LOCKED',
      message: `The session ${job.session_id ?? ''} has a live job already: ${who}.`,
      hint: `Finish that one first, or end it: \`${endingOf(oldest)}\`.`,
      details: { holders: rows },
    };
  }
  const them = jobs > holders.length ? `the oldest ${holders.length}` : 'them';
  const taken =
    jobs === active
      ? `${active} jobs are active, and at most ${limit} may be`
      : `${jobs} jobs share ${plural(active, 'slot')}, and at most ${limit} may be taken`;
  return {
    code: 'JOB_LIMIT_REACHED',
    message: `${taken}; ${waiting} of ${them} wait for an answer.${oldest ? ` The oldest is ${who}.` : ''}`,
    hint: `A job that waits for an answer keeps its slot. Answer or cancel one of the jobs, then start again: \`${endingOf(oldest)}\`.`,
    details: { limit, active, jobs, waiting, holders: rows },
  };
}

/** The command that ends a job of any kind. */
const endingOf = (job: Pick<Job, 'job_id'> | undefined): string =>
  `npx batchgate cancel ${job?.job_id ?? 'ID'}`;

const waits = (state: string): boolean => state === 'awaiting_answer' || needsConfirmation(state);

const doing = (state: string): string => (waits(state) ? 'waits for an answer' : state.replaceAll('_', ' '));
