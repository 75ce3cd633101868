import {
  COOLDOWN_MS,
  SETTLE_MS,
  type AdmitAnswer,
  type AdmitRequest,
  type Applicant,
  type Cooldown,
  type Job,
  type JobKey,
  type SentinelOverview,
  type TouchAnswer,
  type TouchRequest,
} from '../contract/sentinel';
import { iso } from './view';

/** All that the sentinel knows: JSON, handed over by continue-as-new. Times are milliseconds. */
export interface SentinelState {
  /** The first run of this sentinel's chain: reports on what runs are for one epoch only. */
  epoch: string;
  /** Until then nobody's report on what runs is complete; undefined once such a report was taken. */
  unsettled_until?: number;
  /** Oldest first. */
  holders: Job[];
  last_activity_at: number;
  by?: string;
  /** The job that each of the latest messages was about, empty for none; by session and message id. */
  heard?: Record<string, string>;
}

const REMEMBERED = 300;

/** A sentinel that knows nothing yet. `settle_ms`: 0 where there cannot have been another one before. */
export function beginSentinel(epoch: string, now: number, settle_ms: number = SETTLE_MS): SentinelState {
  return { epoch, unsettled_until: now + settle_ms, holders: [], last_activity_at: now };
}

/** Decides on a request for a place. The same job again gets the same answer for as long as it holds its place. */
export function admit(
  before: SentinelState,
  { job, limit, ended = [], seen }: AdmitRequest,
  now: number,
): { state: SentinelState; answer: AdmitAnswer } {
  const known = seen && seen.epoch === before.epoch ? settledBy(before, seen.jobs, now) : before;
  const state = ended.reduce(withoutHolder, known);
  if (state.unsettled_until !== undefined) {
    const wait_ms = Math.max(0, state.unsettled_until - now);
    return { state, answer: { admitted: false, because: 'unsettled', epoch: state.epoch, wait_ms } };
  }
  if (state.holders.some((holder) => isSame(holder, job))) return { state, answer: { admitted: true } };
  const others = state.holders;
  const lender = lenderOf(others, job);
  // Of two runs of one workflow id one is over, and whoever asks looks which: a late try may be of the older one.
  const contested = others.filter(
    (holder) =>
      holder.job_id === job.job_id ||
      (holder !== lender && holder.session_id !== undefined && holder.session_id === job.session_id),
  );
  if (contested.length > 0) {
    return { state, answer: { admitted: false, because: 'session', holders: contested } };
  }
  const holders = [...others, { ...applicantOf(job, lender), admitted_at: iso(now) }];
  if (slotsTaken(holders) > limit)
    return { state, answer: { admitted: false, because: 'limit', holders: others } };
  return { state: active({ ...state, holders }, now, state.by), answer: { admitted: true } };
}

/** Gives a place back. Whoever holds none changes nothing. */
export function release(state: SentinelState, key: JobKey, now: number): SentinelState {
  const left = withoutHolder(state, key);
  return left.holders.length === state.holders.length ? state : active(left, now, state.by);
}

/** Somebody is here: hygiene stays away from now on for the whole cooldown. */
export function touch(
  before: SentinelState,
  { by, session_id, message_id }: TouchRequest,
  now: number,
): { state: SentinelState; answer: TouchAnswer } {
  const here = active(before, now, by);
  const job = session_id === undefined ? undefined : spokenOf(here.holders, session_id);
  const settled = here.unsettled_until === undefined;
  const answer = { ...cooldownOf(here, now), settled, ...(job && { job }) };
  if (session_id === undefined || message_id === undefined || !settled) return { state: here, answer };
  const key = `${session_id}\n${message_id}`;
  const heard = here.heard?.[key];
  if (heard !== undefined) return { state: here, answer: { ...answer, heard_of: heard } };
  return { state: { ...here, heard: remembering(here.heard, key, job?.job_id ?? '') }, answer };
}

/** What a message was about when it came first, for as many messages as there is room for; the oldest give way. */
function remembering(
  heard: Readonly<Record<string, string>> = {},
  key: string,
  jobId: string,
): Record<string, string> {
  const kept = Object.entries(heard).slice(-(REMEMBERED - 1));
  return { ...Object.fromEntries(kept), [key]: jobId };
}

export function cooldownOf(state: SentinelState, now: number): Cooldown {
  const until = pausedUntil(state);
  return {
    active: now < until,
    cron_pause_until: iso(until),
    last_activity_at: iso(state.last_activity_at),
    ...(state.by !== undefined && { by: state.by }),
  };
}

export function overviewOf(state: SentinelState, now: number): SentinelOverview {
  const settled = state.unsettled_until === undefined;
  return { settled, cooldown: cooldownOf(state, now), jobs: state.holders };
}

/** Until when hygiene is kept away, in milliseconds. */
export function pausedUntil({ last_activity_at }: SentinelState): number {
  return last_activity_at + COOLDOWN_MS;
}

/** Takes a report on what runs. It is complete only when it was made after everything unsettled had settled. */
function settledBy(state: SentinelState, jobs: readonly Job[], now: number): SentinelState {
  if (state.unsettled_until === undefined || now < state.unsettled_until) return state;
  const { unsettled_until: _, ...rest } = state;
  return { ...rest, holders: inOrder(jobs) };
}

const inOrder = (jobs: readonly Job[]): Job[] =>
  [...jobs].sort((a, b) => a.admitted_at.localeCompare(b.admitted_at));

function active(state: SentinelState, now: number, by?: string): SentinelState {
  const { by: _, ...rest } = state;
  return { ...rest, last_activity_at: now, ...(by !== undefined && { by }) };
}

function withoutHolder(state: SentinelState, key: JobKey): SentinelState {
  return { ...state, holders: state.holders.filter((holder) => !isSame(holder, key)) };
}

function applicantOf({ job_id, run_id, kind, session_id }: Applicant, lender: Job | undefined): Applicant {
  const parent = lender && { job_id: lender.job_id, run_id: lender.run_id };
  return { job_id, run_id, kind, ...(session_id !== undefined && { session_id }), ...(parent && { parent }) };
}

/** The live job of the same session, or of none like it, that started this one. */
function lenderOf(holders: readonly Job[], { parent, session_id }: Applicant): Job | undefined {
  return parent && holders.find((holder) => isSame(holder, parent) && holder.session_id === session_id);
}

/** A job and one job that it started share a slot for as long as both live. */
function slotsTaken(holders: readonly Job[]): number {
  const lending = holders.filter((holder) => holders.some(({ parent }) => parent && isSame(parent, holder)));
  return holders.length - lending.length;
}

/** The job of a session that a message there is about: the one that was started last asks the open question. */
export const spokenOf = (holders: readonly Job[], sessionId: string): Job | undefined =>
  inOrder(holders).findLast(({ session_id }) => session_id === sessionId);

const isSame = (a: JobKey, b: JobKey) => a.job_id === b.job_id && a.run_id === b.run_id;
