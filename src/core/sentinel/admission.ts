import type { ErrorBody } from '../../contract/errors';
import type { Applicant, Job } from '../../contract/sentinel';
import { needsConfirmation } from '../bulk/transitions';

/** A holder with its current state. */
export type LiveJob = Job & { state: string };

const NAMED = 10;

/**
 * The error when no slot is free (specification S1 and S2). It names only the holders of the applicant's own session,
 * or no holders without a session: the slots are shared by people who may not see each other's work. `holders`: oldest
 * first, not empty. `active`: the number of all holders, of which these are the oldest.
 */
export function refusalOf(
  because: 'limit' | 'session',
  holders: readonly LiveJob[],
  job: Applicant,
  { limit, active = holders.length }: { limit: number; active?: number | undefined },
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
  const them = active > holders.length ? `the oldest ${holders.length}` : 'them';
  return {
    code: 'JOB_LIMIT_REACHED',
    message: `${active} jobs are active, and at most ${limit} may be; ${waiting} of ${them} wait for an answer.${oldest ? ` The oldest is ${who}.` : ''}`,
    hint: `A job that waits for an answer keeps its slot. Answer or cancel one of the jobs, then start again: \`${endingOf(oldest)}\`.`,
    details: { limit, active, waiting, holders: rows },
  };
}

/** The command that ends a job of any kind. */
const endingOf = (job: Pick<Job, 'job_id'> | undefined): string =>
  `npx batchgate cancel ${job?.job_id ?? 'ID'}`;

const waits = (state: string): boolean => state === 'awaiting_answer' || needsConfirmation(state);

const doing = (state: string): string => (waits(state) ? 'waits for an answer' : state.replaceAll('_', ' '));
