import {
  OPERATIONS_PER_RUN,
  SESSIONS_PER_RUN,
  type HygieneActivities,
  type ObservedSessions,
} from '../../src/contract/hygiene';
import type { Observed } from '../../src/contract/sentinel';
import { decideHygiene, idleSinceOf, staleBefore } from '../../src/core/sentinel/hygiene';
import type { ActivityDependencies } from '../shared/dependencies';
import { readProfile } from '../shared/profiles';

/** Collects the facts for hygiene's decisions. It does not count as activity. */
export async function survey(dependencies: ActivityDependencies): ReturnType<HygieneActivities['survey']> {
  const { hygiene, sentinel, settings } = dependencies;
  const observed = ofSessions(await sentinel.observe());
  const { sessions, total } = await hygiene.sessions(SESSIONS_PER_RUN);
  const { op_idle_threshold_seconds: idle_threshold_seconds } = await readProfile(dependencies);
  const { ledger_retention_days } = settings;
  return { observed, sessions, sessions_total: total, idle_threshold_seconds, ledger_retention_days };
}

const ofSessions = ({ jobs, ...observed }: Observed): ObservedSessions => ({
  ...observed,
  ...(jobs && {
    jobs: jobs.flatMap(({ job_id, session_id }) => (session_id === undefined ? [] : { job_id, session_id })),
  }),
});

/** Observes the sentinel again, and drops the data that this second observation allows to delete. */
export async function sweep(
  dependencies: ActivityDependencies,
  { survey: before, now }: Parameters<HygieneActivities['sweep']>[0],
): ReturnType<HygieneActivities['sweep']> {
  const { hygiene, markers, sentinel, log } = dependencies;
  const written_before = staleBefore(before, now);
  const { jobs: running = [] } = await sentinel.observe();
  const except = running.map(({ job_id }) => job_id);
  const stale = await hygiene.staleOperations(written_before, except, OPERATIONS_PER_RUN);
  const markedJobs = (await markers?.staleJobs(written_before, except, OPERATIONS_PER_RUN)) ?? [];
  // An operation without recent writes may still wait for a confirmation, or may have ended yesterday.
  const endedIds = await sentinel.endedBefore([...new Set([...stale, ...markedJobs])], written_before);
  const seen = await sentinel.observe();
  const observed = ofSessions(seen);
  const { ran, expire } = decideHygiene({ ...before, observed }, now);
  if (!ran) return { observed };
  const live = new Set(seen.jobs?.map(({ job_id }) => job_id));
  const droppable = new Set(endedIds.filter((id) => !live.has(id)));
  const dropped = {
    ...(await hygiene.drop({
      sessions: expire,
      idle_since: idleSinceOf(before, now),
      operations: stale.filter((id) => droppable.has(id)),
      written_before,
    })),
    markers:
      (await markers?.drop(
        markedJobs.filter((id) => droppable.has(id)),
        written_before,
      )) ?? 0,
  };
  await forgetPeople(dependencies, written_before, now);
  const { expired, scratchpad, operations, markers: markerCount } = dropped;
  if (expired.length + operations + markerCount > 0) {
    log.info(
      { sessions: expired.length, scratchpad, operations, markers: markerCount },
      'dropped what was idle or stale',
    );
  }
  return { observed, dropped };
}

const DAY_MS = 86_400_000;

/** Deletes expired personal data from the audit record. The hashes stay. */
async function forgetPeople(
  { audit, auditRetention = {} }: ActivityDependencies,
  written_before: string,
  now: number,
): Promise<void> {
  const { retention_days = {}, administration_days } = auditRetention;
  const daysAgo = (days: number) => new Date(now - days * DAY_MS).toISOString();
  await audit?.forget({ except: Object.keys(retention_days), before: written_before });
  for (const [domain, days] of Object.entries(retention_days))
    await audit?.forget({ domain, except: [], before: daysAgo(days) });
  if (administration_days !== undefined) await audit?.forgetAdministration(daysAgo(administration_days));
}
