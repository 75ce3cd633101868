import {
  COOLDOWN_MS,
  NAMED_HOLDERS,
  SETTLE_MS,
  type AdmitAnswer,
  type AdmitRequest,
  type Applicant,
  type Cooldown,
  type Job,
  type JobKey,
  type JobRow,
  type SentinelOverview,
  type Note,
  type NoteRequest,
  type TouchAnswer,
  type TouchRequest,
} from '../../contract/sentinel';
import { fittingLast } from '../shared/bounds';
import { iso } from '../bulk/view';
import { jobOf, rowOf, sizeOf } from './rows';

/** The whole state of the sentinel. Times are milliseconds. */
export interface SentinelState {
  /** The first run of this sentinel's chain. A report on running jobs is valid for one epoch only. */
  epoch: string;
  /** Notes before this time are lost: this sentinel replaced another one, or had no room for them. */
  remembers_since?: number;
  /** Until then no report on running jobs is complete; undefined once a complete report was accepted. */
  unsettled_until?: number;
  /** The maximum number of active jobs, from a worker's settings at `limit_read_at`. */
  limit?: number;
  limit_read_at?: number;
  /** Oldest first. */
  holders: Job[];
  last_activity_at: number;
  by?: string;
  /** The latest messages, by session and message id. */
  heard?: Record<string, Heard>;
  /** The latest note of each session that has a live job. */
  notes?: Record<string, Note>;
}

/** The state as continue-as-new carries it: JSON, with packed jobs. */
export type CarriedState = Omit<SentinelState, 'holders'> & { holders: (JobRow | Job)[] };

export const carriedFrom = ({ holders, ...state }: SentinelState): CarriedState => ({
  ...state,
  holders: holders.map(rowOf),
});

export const stateFrom = ({ holders, ...state }: CarriedState): SentinelState => ({
  ...state,
  holders: holders.map(jobOf),
});

interface Heard {
  /** The job that the message was about, empty for none. */
  job: string;
  /** The session's note when the message came. */
  before?: Note;
  /** The answer to the message, if it decided nothing. */
  note?: Note;
}

const REMEMBERED = 300;
/** Continue-as-new carries the state in one payload: jobs, messages and notes stay below 2 MB together. */
const MAX_HOLDERS_BYTES = 1_900_000;
const MAX_HEARD_BYTES = 50_000;
const MAX_NOTES_BYTES = 50_000;

/** The state of a new sentinel. `settle_ms`: 0 if there cannot have been another one before. */
export function beginSentinel(epoch: string, now: number, settle_ms: number = SETTLE_MS): SentinelState {
  const state = { epoch, unsettled_until: now + settle_ms, holders: [], last_activity_at: now };
  return settle_ms === 0 ? state : { ...state, remembers_since: now };
}

/** The time for which a limit is trusted before a claim of a higher one is checked. Milliseconds. */
const LIMIT_HOLDS_MS = 60_000;

/** Whether a claim exceeds the sentinel's own limit, and it is time to read that again from a worker's settings. */
export function doubtsLimit(
  { limit, limit_read_at = 0 }: SentinelState,
  claimed: number,
  now: number,
): boolean {
  return limit === undefined || (claimed > limit && now - limit_read_at >= LIMIT_HOLDS_MS);
}

export function withLimit(state: SentinelState, limit: number, now: number): SentinelState {
  return { ...state, limit, limit_read_at: now };
}

/** Decides on a request for a slot. The same job gets the same answer for as long as it holds its slot. */
export function admit(
  before: SentinelState,
  { job, limit: claimed, ended = [], seen }: AdmitRequest,
  now: number,
): { state: SentinelState; answer: AdmitAnswer } {
  // A requester may claim any limit; the claim can only lower the sentinel's own.
  const limit = Math.min(claimed, before.limit ?? claimed);
  const current = seen && seen.epoch === before.epoch ? settledBy(before, seen.jobs.map(jobOf), now) : before;
  const state = ended.reduce(withoutHolder, current);
  if (state.unsettled_until !== undefined) {
    const wait_ms = Math.max(0, state.unsettled_until - now);
    return { state, answer: { admitted: false, because: 'unsettled', epoch: state.epoch, wait_ms } };
  }
  if (state.holders.some((holder) => isSame(holder, job))) return { state, answer: { admitted: true } };
  const others = state.holders;
  const lender = lenderOf(others, job);
  // One of two runs with the same workflow id has ended, and the caller checks which: a late try may belong to the
  // older one.
  const contested = others.filter(
    (holder) =>
      holder.job_id === job.job_id ||
      (holder !== lender &&
        isAssistant(holder) === isAssistant(job) &&
        sharesSession(holder, job) &&
        !counts(holder, job, lender)),
  );
  if (contested.length > 0) {
    return { state, answer: { admitted: false, because: 'session', holders: contested } };
  }
  const holders = [...others, { ...applicantOf(job, lender), admitted_at: iso(now) }];
  const isFull = sizeOf(holders) > MAX_HOLDERS_BYTES;
  if (!isFull && slotsTaken(holders) <= limit)
    return { state: active({ ...state, holders }, now, state.by), answer: { admitted: true } };
  const taken = slotsTaken(others);
  const numbers = { limit: isFull ? Math.min(limit, taken) : limit, active: taken, jobs: others.length };
  const named = others.slice(0, NAMED_HOLDERS);
  return { state, answer: { admitted: false, because: 'limit', holders: named, ...numbers } };
}

/** Releases a slot. Releasing one that is not held changes nothing. */
export function release(state: SentinelState, key: JobKey, now: number): SentinelState {
  const remaining = withoutHolder(state, key);
  return remaining.holders.length === state.holders.length ? state : active(remaining, now, state.by);
}

/** Records activity: hygiene does not run for the whole cooldown. */
export function touch(
  before: SentinelState,
  { by, session_id, message_id }: TouchRequest,
  now: number,
): { state: SentinelState; answer: TouchAnswer } {
  const here = active(before, now, by);
  const job = session_id === undefined ? undefined : spokenOf(here.holders, session_id);
  const settled = here.unsettled_until === undefined;
  const latest = session_id === undefined ? undefined : here.notes?.[keyOf(session_id)];
  const answer = {
    ...cooldownOf(here, now),
    settled,
    ...(job && { job }),
    ...(latest && { note: latest }),
    ...(here.remembers_since !== undefined && { remembers_since: iso(here.remembers_since) }),
  };
  if (session_id === undefined || message_id === undefined || !settled) return { state: here, answer };
  const key = keyOf(session_id, message_id);
  const first = here.heard?.[key];
  if (first === undefined) {
    const entry: Heard = { job: job?.job_id ?? '', ...(latest && { before: latest }) };
    return { state: { ...here, heard: remembering(here.heard, key, entry) }, answer };
  }
  const { note: _, ...rest } = answer;
  const then = { ...(first.before && { note: first.before }), ...(first.note && { answered: first.note }) };
  return { state: here, answer: { ...rest, heard_of: first.job, ...then } };
}

/** Stores the answer to a message. A message that already has a note keeps it, and so does its session. */
export function note(
  state: SentinelState,
  { session_id, message_id, keeps_limits, ...said }: NoteRequest,
  now: number,
): SentinelState {
  const earlier = message_id === undefined ? undefined : state.heard?.[keyOf(session_id, message_id)];
  if (earlier?.note) return state;
  const session = keyOf(session_id);
  const { [session]: before, ...others } = state.notes ?? {};
  const latest = keeps_limits && before ? withLimits(said, before) : said;
  // No message asks about a job that has ended.
  const live = new Set(state.holders.map(({ job_id }) => job_id));
  const lives = ({ operation_id }: Note) => state.unsettled_until !== undefined || live.has(operation_id);
  const all = Object.entries({ ...others, [session]: latest }).filter(([, stored]) => lives(stored));
  const notes = fittingLast(all.slice(-REMEMBERED), MAX_NOTES_BYTES);
  const key = keyOf(session_id, message_id);
  return {
    ...state,
    notes: Object.fromEntries(notes),
    ...(notes.length < all.length && { remembers_since: now }),
    ...(earlier && { heard: remembering(state.heard, key, { ...earlier, note: latest }) }),
  };
}

function withLimits(said: Note, { operation_id, digest, exclude, limited, not_before }: Note): Note {
  if (said.operation_id !== operation_id || said.digest !== digest) return said;
  return {
    ...said,
    ...(exclude && { exclude }),
    ...(limited && { limited }),
    ...(not_before !== undefined && { not_before }),
  };
}

/** The key of a message or a session. No id contains a line break, and no built-in property of objects does. */
function keyOf(sessionId: string, messageId = ''): string {
  return `${sessionId}\n${messageId}`;
}

/** Adds a message, and drops the oldest ones that no longer fit. */
function remembering(
  messages: Readonly<Record<string, Heard>> = {},
  key: string,
  first: Heard,
): Record<string, Heard> {
  const { [key]: _, ...others } = messages;
  const entries: (readonly [string, Heard])[] = Object.entries(others).slice(-(REMEMBERED - 1));
  entries.push([key, first]);
  return Object.fromEntries(fittingLast(entries, MAX_HEARD_BYTES));
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
  return { settled, cooldown: cooldownOf(state, now), jobs: state.holders.map(rowOf) };
}

/** The time until which hygiene is delayed, in milliseconds. */
export function pausedUntil({ last_activity_at }: SentinelState): number {
  return last_activity_at + COOLDOWN_MS;
}

/** Accepts a report on running jobs. It is complete only if it was made after everything unsettled had settled. */
function settledBy(state: SentinelState, jobs: readonly Job[], now: number): SentinelState {
  if (state.unsettled_until === undefined || now < state.unsettled_until) return state;
  const { unsettled_until: _, ...rest } = state;
  const holders = inOrder(jobs);
  // A larger report cannot be one of ours: no sentinel admits that many.
  while (sizeOf(holders) > MAX_HOLDERS_BYTES) holders.splice(Math.floor(holders.length / 2));
  return { ...rest, holders };
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

/** The live job that started this one, if both have the same session or none. */
function lenderOf(holders: readonly Job[], { parent, session_id }: Applicant): Job | undefined {
  return parent && holders.find((holder) => isSame(holder, parent) && holder.session_id === session_id);
}

/**
 * The number of slots that these jobs take. A job and one job that it started share a slot while both live. A task run
 * that a job started takes none beside that job or another one that it started.
 */
function slotsTaken(holders: readonly Job[]): number {
  if (holders.every(({ parent }) => parent === undefined)) return holders.length;
  const parts = holders.filter(isPart);
  const others = holders.filter((holder) => !isPart(holder));
  const parents = new Set(others.flatMap(parentOf));
  const families = new Set([...parents, ...others.map(textOf)]);
  const alone = new Set(parts.flatMap(parentOf).filter((parent) => !families.has(parent)));
  return others.filter((holder) => !parents.has(textOf(holder))).length + alone.size;
}

const isPart = ({ kind, parent }: Job) => kind === 'task_run' && parent !== undefined;
const parentOf = ({ parent }: Job) => (parent ? [textOf(parent)] : []);

/**
 * The job that a message in a session is about: the one that was started last asks the open question. A task run asks
 * no questions.
 */
export function spokenOf(holders: readonly Job[], sessionId: string): Job | undefined {
  const jobs = inOrder(holders.filter((job) => job.session_id === sessionId && !isAssistant(job)));
  return jobs.findLast(({ kind }) => kind !== 'task_run') ?? jobs.at(-1);
}

/** A task run that a job started beside another job only counts what that job does, so neither excludes the other. */
function counts(holder: Job, job: Applicant, lender: Job | undefined): boolean {
  const siblings = lender !== undefined && holder.parent !== undefined && isSame(holder.parent, lender);
  return siblings && (holder.kind === 'task_run' || job.kind === 'task_run');
}

/** A session's assistant and its jobs do not exclude each other. */
const isAssistant = ({ kind }: Pick<Applicant, 'kind'>) => kind === 'assistant';

const sharesSession = (a: Applicant, b: Applicant) =>
  a.session_id !== undefined && a.session_id === b.session_id;

const isSame = (a: JobKey, b: JobKey) => a.job_id === b.job_id && a.run_id === b.run_id;

/** No id contains a line break. */
const textOf = ({ job_id, run_id }: JobKey) => `${job_id}\n${run_id}`;
