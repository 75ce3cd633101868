import type { HygieneSurvey } from '../../src/contract/hygiene';
import { decideHygiene, hygieneReport } from '../../src/core/sentinel/hygiene';

const NOW = Date.parse('2026-11-21T12:00:00.000Z');
const ago = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString();

const job = (job_id: string, session_id: string) => ({ job_id, session_id });

/** A session idle for longer than the threshold and one idle for exactly that long, on a quiet system. */
const idle = { session_id: 'idle', last_activity_at: ago(3_601) };
const active = { session_id: 'active', last_activity_at: ago(3_600) };
const quiet: HygieneSurvey = {
  observed: { paused_until: ago(0), jobs: [] },
  sessions: [idle, active],
  sessions_total: 2,
  idle_threshold_seconds: 3_600,
  ledger_retention_days: 30,
};
const decided = (changes: Partial<HygieneSurvey>) => decideHygiene({ ...quiet, ...changes }, NOW);

it('expires a session that was idle for longer than the threshold, and reports when the other was active', () => {
  expect(decided({})).toEqual({
    ran: true,
    expire: ['idle'],
    skipped: [{ ...active, reason: 'active' }],
    not_looked_at: 0,
  });
});

it('expires none until the cooldown has ended, to the millisecond, and reports when that is', () => {
  const until = ago(-0.001);
  expect(decided({ observed: { paused_until: until, jobs: [] } })).toEqual({
    ran: false,
    paused_until: until,
    expire: [],
    skipped: [
      { session_id: 'idle', reason: 'cooldown', until },
      { ...active, reason: 'active' },
    ],
    not_looked_at: 0,
  });
});

it('needs no cooldown if there never was any activity', () => {
  expect(decided({ observed: { jobs: [] } })).toMatchObject({ ran: true, expire: ['idle'] });
});

it('keeps a session with a live job unchanged, however long it was idle, with a scratchpad or without', () => {
  const jobs = [job('waiting', 'idle'), job('lone', 'without')];
  const { expire, skipped } = decided({ observed: { jobs } });
  expect(expire).toEqual([]);
  expect(skipped).toEqual([
    { session_id: 'idle', reason: 'live_job', job_id: 'waiting' },
    { session_id: 'without', reason: 'live_job', job_id: 'lone' },
    { ...active, reason: 'active' },
  ]);
});

it('drops nothing while the sentinel does not know the running jobs', () => {
  expect(decided({ observed: { paused_until: ago(0) } })).toMatchObject({
    ran: false,
    expire: [],
    skipped: [
      { session_id: 'idle', reason: 'sentinel_unsettled' },
      { session_id: 'active', reason: 'active' },
    ],
  });
});

it('names a hundred of each kind, and counts them all', () => {
  const many = (count: number, name: string, last_activity_at: string) =>
    Array.from({ length: count }, (_, at) => ({ session_id: `${name}-${at}`, last_activity_at }));
  const sessions = [...many(150, 'idle', ago(7_200)), ...many(130, 'active', ago(0))];
  const decision = decided({ sessions, sessions_total: 300 });
  const [woken, ...expired] = decision.expire;
  const kept = [{ session_id: woken ?? '', last_activity_at: ago(0) }];
  const report = hygieneReport(decision, { expired, kept, scratchpad: 450, operations: 7, markers: 9 });
  expect(report).toMatchObject({
    ran: true,
    expired_count: 149,
    dropped: { scratchpad: 450, operations: 7, markers: 9 },
    skipped_count: 131,
    not_looked_at: 20,
  });
  expect([report.expired.length, report.skipped.length]).toEqual([100, 100]);
});

it('reports a session that became active before it was dropped', () => {
  const kept = [{ session_id: 'idle', last_activity_at: ago(0) }];
  const report = hygieneReport(decided({}), { expired: [], kept, scratchpad: 0, operations: 0, markers: 0 });
  expect(report).toMatchObject({ expired: [], expired_count: 0 });
  expect(report.skipped).toContainEqual({ session_id: 'idle', reason: 'active', last_activity_at: ago(0) });
});
