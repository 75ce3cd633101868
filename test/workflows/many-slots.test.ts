import { randomUUID } from 'node:crypto';
import {
  MAX_SLOTS,
  NAMED_HOLDERS,
  sentinelId,
  type AdmitAnswer,
  type Applicant,
  type SentinelOverview,
} from '../../src/contract/sentinel';
import { rowOf as packed } from '../../src/core/sentinel/rows';
import { startHarness, type Harness } from '../helpers/harness';

/** Ten thousand live jobs on one task queue, in one sentinel that continues as new. */
let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ adapters: [], settings: { max_active_jobs: MAX_SLOTS } });
});
afterAll(() => harness.close());

const SINCE = Date.UTC(2026, 10, 28);
/** Longer than a run of the sentinel. */
const TOUCHES = 200;

const applicant = (): Applicant => ({
  ...{ job_id: `bulk-${randomUUID()}`, run_id: randomUUID(), kind: 'bulk_operation' },
  session_id: `session-${randomUUID()}`,
});
const rowOf = (job: Applicant) => packed({ ...job, admitted_at: new Date(SINCE).toISOString() });

it('admits the ten-thousandth job, refuses the next one, and still holds all after it has continued as new', async () => {
  const { client, taskQueue } = harness;
  const workflowId = sentinelId(taskQueue);
  const { firstExecutionRunId: epoch } = await client.workflow.start('sentinel', {
    ...{ workflowId, taskQueue, args: [{ settle_ms: 1 }] },
  });
  const sentinel = client.workflow.getHandle(workflowId);
  const admit = (job: Applicant, seen?: object) =>
    sentinel.executeUpdate<AdmitAnswer, [object]>('admit', { args: [{ job, limit: MAX_SLOTS, seen }] });
  const running = Array.from({ length: MAX_SLOTS - 1 }, applicant);
  const last = applicant();
  expect(await admit(last, { epoch, jobs: running.map(rowOf) })).toEqual({ admitted: true });
  const refused = await admit(applicant());
  expect(refused).toMatchObject({ admitted: false, because: 'limit', limit: MAX_SLOTS, active: MAX_SLOTS });
  expect('holders' in refused && refused.holders).toHaveLength(NAMED_HOLDERS);
  for (let sent = 0; sent < TOUCHES; sent++) await sentinel.executeUpdate('touch', { args: [{ by: 'ana' }] });
  expect((await sentinel.describe()).runId).not.toBe(epoch);
  const { jobs } = await sentinel.query<SentinelOverview>('overview');
  expect(jobs.slice(0, -1)).toEqual(running.map(rowOf));
  expect(jobs.at(-1)?.slice(0, 2)).toEqual([last.job_id, last.run_id]);
  expect(await admit(last)).toEqual({ admitted: true });
  expect(await admit({ ...applicant(), session_id: running[5_000]?.session_id })).toMatchObject({
    because: 'session',
    holders: [running[5_000]],
  });
  await sentinel.terminate();
});
