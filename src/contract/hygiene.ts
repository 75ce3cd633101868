import { TASK_QUEUE } from './messages';
import type { Observed } from './sentinel';

/** How often hygiene runs. Milliseconds. */
export const HYGIENE_INTERVAL_MS = 900_000;

/** Sessions that one run looks at, those idle for longest first; the next run takes the others. */
export const SESSIONS_PER_RUN = 2_000;

/** Operations whose rows one run drops at most. */
export const OPERATIONS_PER_RUN = 500;

/** How many of each kind a report names; its counts are of all. */
export const NAMED_IN_REPORT = 100;

/** One schedule for all workers of a task queue. */
export function hygieneScheduleId(taskQueue: string): string {
  return taskQueue === TASK_QUEUE ? 'batchgate-hygiene' : `batchgate-hygiene-${taskQueue}`;
}

/** A session that keeps a scratchpad. `last_activity_at`: when anything of it was last written, operations too. */
export interface SessionActivity {
  session_id: string;
  last_activity_at: string;
}

/** What to remove. All times are ISO 8601. */
export interface Drop {
  sessions: string[];
  /** A session of which something was written since keeps its scratchpad. */
  idle_since: string;
  operations: string[];
  /** An operation of which something was written since keeps its rows. */
  written_before: string;
}

export interface Dropped {
  /** Sessions whose scratchpad is gone. */
  expired: string[];
  /** Sessions that were to go, and turned out to be active. */
  kept: SessionActivity[];
  /** Entries of scratchpads. */
  scratchpad: number;
  /** Operations, each with its batches and items. */
  operations: number;
  /** Commit markers in the users' databases. */
  markers: number;
}

/** The store as hygiene sees it. */
export interface HygieneStore {
  /** The sessions that keep a scratchpad, those idle for longest first. */
  sessions(limit: number): Promise<{ sessions: SessionActivity[]; total: number }>;
  /** Operations of which nothing was written since `before`, but for those of `except`. */
  staleOperations(before: string, except: readonly string[], limit: number): Promise<string[]>;
  /** Drops in one transaction what is still as idle and as old as it is said to be. */
  drop(what: Drop): Promise<Omit<Dropped, 'markers'>>;
}

/** The commit markers in the databases of the configuration. */
export interface MarkerStore {
  /** Jobs that have left no marker since `before`, but for those of `except`. */
  staleJobs(before: string, except: readonly string[], limit: number): Promise<string[]>;
  /** Deletes the markers of these jobs that are older than that; returns how many. */
  drop(jobs: readonly string[], before: string): Promise<number>;
}

/** What a run of hygiene decides by. */
export interface HygieneSurvey {
  observed: Observed;
  sessions: SessionActivity[];
  /** There may be more of them than one run looks at. */
  sessions_total: number;
  idle_threshold_seconds: number;
  ledger_retention_days: number;
}

interface SweepInput {
  survey: HygieneSurvey;
  /** The workflow's time, in milliseconds. */
  now: number;
}

/** `dropped`: absent where the second look at the sentinel said that nothing may be. */
interface Swept {
  observed: Observed;
  dropped?: Dropped;
}

export interface HygieneActivities {
  survey(): Promise<HygieneSurvey>;
  sweep(input: SweepInput): Promise<Swept>;
}

/** Why a session was left as it is. */
export type HygieneSkip = { session_id: string } & (
  | { reason: 'live_job'; job_id: string }
  | { reason: 'active'; last_activity_at: string }
  | { reason: 'cooldown'; until: string }
  | { reason: 'sentinel_unsettled' }
);

/** The result of a run of hygiene. */
export interface HygieneReport {
  /** False: nothing was dropped, because there was recent activity, or because it is not known what runs. */
  ran: boolean;
  paused_until?: string;
  /** Sessions whose scratchpad was dropped: the first 100, and how many in all. */
  expired: string[];
  expired_count: number;
  /** Entries of scratchpads, operations with their batches and items, and commit markers. */
  dropped: { scratchpad: number; operations: number; markers: number };
  /** Sessions that were left as they are: the first 100, and how many in all. */
  skipped: HygieneSkip[];
  skipped_count: number;
  /** Sessions that no run of this size looks at; a later one does. */
  not_looked_at?: number;
}
