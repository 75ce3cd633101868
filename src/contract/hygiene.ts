import { TASK_QUEUE } from './messages';
import type { Job, Observed } from './sentinel';

/** The interval between runs of hygiene. Milliseconds. */
export const HYGIENE_INTERVAL_MS = 900_000;

/** The number of sessions that one run checks, those idle longest first. The next run checks the others. */
export const SESSIONS_PER_RUN = 2_000;

/** The maximum number of operations whose rows one run drops. */
export const OPERATIONS_PER_RUN = 500;

/** The maximum number of each kind that a report names. Its counts include all. */
export const NAMED_IN_REPORT = 100;

/** One schedule for all workers of a task queue. */
export function hygieneScheduleId(taskQueue: string): string {
  return taskQueue === TASK_QUEUE ? 'batchgate-hygiene' : `batchgate-hygiene-${taskQueue}`;
}

/** A session with a scratchpad. `last_activity_at` is the time of its last write, including those of its operations. */
export interface SessionActivity {
  session_id: string;
  last_activity_at: string;
}

/** The data to drop. All times are ISO 8601. */
export interface Drop {
  sessions: string[];
  /** A session with a write after this time keeps its scratchpad. */
  idle_since: string;
  operations: string[];
  /** An operation with a write after this time keeps its rows. */
  written_before: string;
}

export interface Dropped {
  /** Sessions whose scratchpad was dropped. */
  expired: string[];
  /** Sessions that became active before they were dropped. */
  kept: SessionActivity[];
  /** The number of scratchpad entries. */
  scratchpad: number;
  /** The number of operations, each with its batches and items. */
  operations: number;
  /** The number of commit markers in the users' databases. */
  markers: number;
}

/** The part of the store that hygiene uses. */
export interface HygieneStore {
  /** Lists the sessions with a scratchpad, those idle longest first. */
  sessions(limit: number): Promise<{ sessions: SessionActivity[]; total: number }>;
  /** Lists operations without a write since `before`, except those in `except`. */
  staleOperations(before: string, except: readonly string[], limit: number): Promise<string[]>;
  /** Drops in one transaction the sessions and operations that are still idle. */
  drop(what: Drop): Promise<Omit<Dropped, 'markers'>>;
}

/** The commit markers in the databases of the configuration. */
export interface MarkerStore {
  /** Lists jobs without a marker since `before`, except those in `except`. */
  staleJobs(before: string, except: readonly string[], limit: number): Promise<string[]>;
  /** Deletes the markers of these jobs that are older than `before`, and returns their number. */
  drop(jobs: readonly string[], before: string): Promise<number>;
}

/** The part of an observation that decisions need: the live jobs of sessions. It goes through a history. */
export interface ObservedSessions extends Pick<Observed, 'paused_until'> {
  jobs?: Required<Pick<Job, 'job_id' | 'session_id'>>[];
}

/** The facts on which a run of hygiene decides. */
export interface HygieneSurvey {
  observed: ObservedSessions;
  sessions: SessionActivity[];
  /** The number of all sessions with a scratchpad; one run may not check all of them. */
  sessions_total: number;
  idle_threshold_seconds: number;
  ledger_retention_days: number;
}

interface SweepInput {
  survey: HygieneSurvey;
  /** The workflow's time, in milliseconds. */
  now: number;
}

/** `dropped` is absent if the second check of the sentinel allowed no drop. */
interface Swept {
  observed: ObservedSessions;
  dropped?: Dropped;
}

export interface HygieneActivities {
  survey(): Promise<HygieneSurvey>;
  sweep(input: SweepInput): Promise<Swept>;
}

/** The reason why a session was kept. */
export type HygieneSkip = { session_id: string } & (
  | { reason: 'live_job'; job_id: string }
  | { reason: 'active'; last_activity_at: string }
  | { reason: 'cooldown'; until: string }
  | { reason: 'sentinel_unsettled' }
);

/** The result of a run of hygiene. */
export interface HygieneReport {
  /** False if nothing was dropped, because of recent activity or because the running jobs are not known. */
  ran: boolean;
  paused_until?: string;
  /** Sessions whose scratchpad was dropped: the first 100, and the number of all. */
  expired: string[];
  expired_count: number;
  /** The numbers of dropped scratchpad entries, operations with their rows, and commit markers. */
  dropped: { scratchpad: number; operations: number; markers: number };
  /** Sessions that were kept: the first 100, and the number of all. */
  skipped: HygieneSkip[];
  skipped_count: number;
  /** The number of sessions that this run did not check. A later run does. */
  not_looked_at?: number;
}
