import {
  NAMED_IN_REPORT,
  type Dropped,
  type HygieneReport,
  type HygieneSkip,
  type HygieneSurvey,
} from '../../contract/hygiene';
import { iso } from '../bulk/view';

const DAY_MS = 86_400_000;

/** The decision about each session, and its reason. */
export interface HygieneDecision {
  /** Whether hygiene ran: only then may anything be dropped. */
  ran: boolean;
  paused_until?: string;
  expire: string[];
  skipped: HygieneSkip[];
  not_looked_at: number;
}

/** Decides what to drop at `now`, in milliseconds. A session with a live job stays, however long that job waits. */
export function decideHygiene(survey: HygieneSurvey, now: number): HygieneDecision {
  const { observed, sessions, sessions_total } = survey;
  const { jobs, paused_until } = observed;
  const paused = paused_until !== undefined && now < Date.parse(paused_until);
  const liveSkips = new Map<string, HygieneSkip>();
  for (const { session_id, job_id } of jobs ?? [])
    liveSkips.set(session_id, { session_id, reason: 'live_job', job_id });
  const pauseSkip = (session_id: string): HygieneSkip | undefined => {
    if (paused) return { session_id, reason: 'cooldown', until: paused_until };
    return jobs === undefined ? { session_id, reason: 'sentinel_unsettled' } : undefined;
  };
  const idleSince = idleSinceOf(survey, now);
  const expire: string[] = [];
  const skipped = [...liveSkips.values()];
  for (const session of sessions) {
    if (liveSkips.has(session.session_id)) continue;
    const active = session.last_activity_at >= idleSince;
    const skip: HygieneSkip | undefined = active
      ? { ...session, reason: 'active' }
      : pauseSkip(session.session_id);
    if (skip) skipped.push(skip);
    else expire.push(session.session_id);
  }
  return {
    ran: !paused && jobs !== undefined,
    ...(paused && { paused_until }),
    expire,
    skipped,
    not_looked_at: Math.max(0, sessions_total - sessions.length),
  };
}

/** A session without writes since then is idle. */
export function idleSinceOf({ idle_threshold_seconds }: HygieneSurvey, now: number): string {
  return iso(now - idle_threshold_seconds * 1_000);
}

/** An operation without writes since then is stale; operations that ended since then are kept. */
export function staleBefore({ ledger_retention_days }: HygieneSurvey, now: number): string {
  return iso(now - ledger_retention_days * DAY_MS);
}

/** The report of a run. */
export function hygieneReport(decision: HygieneDecision, dropped?: Dropped): HygieneReport {
  const { ran, paused_until, not_looked_at } = decision;
  const activeSkips = (dropped?.kept ?? []).map((session): HygieneSkip => ({ ...session, reason: 'active' }));
  const expired = dropped?.expired ?? [];
  const skipped = [...decision.skipped, ...activeSkips];
  return {
    ran,
    ...(paused_until !== undefined && { paused_until }),
    expired: expired.slice(0, NAMED_IN_REPORT),
    expired_count: expired.length,
    dropped: {
      scratchpad: dropped?.scratchpad ?? 0,
      operations: dropped?.operations ?? 0,
      markers: dropped?.markers ?? 0,
    },
    skipped: skipped.slice(0, NAMED_IN_REPORT),
    skipped_count: skipped.length,
    ...(not_looked_at > 0 && { not_looked_at }),
  };
}
