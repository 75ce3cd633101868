import {
  MAX_SLOTS,
  NAMED_HOLDERS,
  type AdmitRequest,
  type Applicant,
  type Job,
} from '../../src/contract/sentinel';
import { rowOf } from '../../src/core/sentinel/rows';
import { refusalOf } from '../../src/core/sentinel/admission';
import {
  admit,
  beginSentinel,
  carriedFrom,
  overviewOf,
  release,
  stateFrom,
} from '../../src/core/sentinel/state';
import { bytesOf } from '../../src/core/shared/bounds';

/** The number of jobs for which the state of the sentinel has room. */
const NOW = Date.UTC(2026, 0, 1);
/** Temporal's limit for a payload. */
const MAX_TEMPORAL_BYTES = 2 * 1024 ** 2;

const holding = (of: Applicant, at = NOW): Job => ({ ...of, admitted_at: new Date(at).toISOString() });
/** The answer of a sentinel that holds these jobs. */
const ask = (jobs: readonly Job[], job: Applicant, more: Partial<AdmitRequest> = {}, now = NOW) => {
  const seen = { epoch: 'epoch', jobs: jobs.map(rowOf) };
  return admit(beginSentinel('epoch', NOW, 0), { job, limit: MAX_SLOTS, seen, ...more }, now);
};

it('reports the number of slots, if the ids are too long for the limit in the settings', () => {
  const long = (at: number): Applicant => ({
    ...{ job_id: `${'x'.repeat(900)}-${at}`, run_id: 'run', kind: 'bulk_operation' },
  });
  let last = ask(
    Array.from({ length: 1_900 }, (_, at) => holding(long(at))),
    long(1_900),
  );
  for (let at = 1_901; last.answer.admitted; at++)
    last = admit(last.state, { job: long(at), limit: MAX_SLOTS }, NOW);
  const held = last.state.holders.length;
  expect(Math.floor(held / 100)).toBe(19);
  expect(last.answer).toMatchObject({ because: 'limit', limit: held });
});

it('has room for ten thousand jobs of usual names, and names the oldest hundred of them in a refusal', () => {
  const jobs = Array.from({ length: MAX_SLOTS }, (_, at) => holding(usual(at), NOW + at));
  const last = usual(MAX_SLOTS - 1);
  const { state, answer } = ask(jobs.slice(0, -1), last, {}, NOW + MAX_SLOTS - 1);
  expect(answer).toEqual({ admitted: true });
  expect(state.holders).toEqual(jobs);
  const again = (job: Applicant) => admit(state, { job, limit: MAX_SLOTS }, NOW).answer;
  expect(again(usual(MAX_SLOTS))).toEqual({
    ...{ admitted: false, because: 'limit', limit: MAX_SLOTS, active: MAX_SLOTS, jobs: MAX_SLOTS },
    holders: jobs.slice(0, NAMED_HOLDERS),
  });
  expect(again(usual(5_000))).toEqual({ admitted: true });
  expect(again({ ...usual(MAX_SLOTS), session_id: jobs[5_000]?.session_id })).toMatchObject({
    because: 'session',
    holders: [jobs[5_000]],
  });
  const carried = carriedFrom(state);
  for (const payload of [carried, overviewOf(state, NOW)])
    expect(bytesOf(payload)).toBeLessThan(MAX_TEMPORAL_BYTES);
  expect(stateFrom(JSON.parse(JSON.stringify(carried)) as typeof carried)).toEqual(state);
});

const usual = (at: number): Applicant => ({
  ...{ job_id: `bulk-${uuid(at)}`, run_id: uuid(at), kind: 'bulk_operation' },
  session_id: `session of person ${at}`,
});
const uuid = (at: number) => `0190b0b0-0000-7000-8000-${String(at).padStart(12, '0')}`;

/** A macro, an operation and two task runs that it started, all in one session. */
const macro: Applicant = { job_id: 'macro', run_id: 'run', kind: 'macro', session_id: 'S' };
const parts = (['bulk_operation', 'task_run', 'task_run'] as const).map((kind, at): Applicant => ({
  ...{ job_id: `part-${at}`, run_id: 'run', kind, session_id: 'S' },
  parent: { job_id: 'macro', run_id: 'run' },
}));

it.each([
  ['first', parts],
  ['last', [...parts].reverse()],
])(
  'gives a macro, its operation and its task runs one slot until all have ended, the operation %s',
  (_, order) => {
    const alone = { limit: 1 };
    let { state } = ask([], macro, alone);
    for (const job of order) {
      const { answer, state: after } = admit(state, { job, ...alone }, NOW);
      expect(answer).toEqual({ admitted: true });
      state = after;
    }
    for (const ended of [macro, ...order]) {
      const jobs = state.holders.length;
      const { answer } = admit(state, { job: usual(1), ...alone }, NOW);
      expect(answer).toMatchObject({ because: 'limit', limit: 1, active: 1, jobs });
      state = release(state, ended, NOW);
    }
    expect(admit(state, { job: usual(1), ...alone }, NOW).answer).toEqual({ admitted: true });
  },
);

it('says in a refusal how many jobs share how many slots', () => {
  const live = [macro, ...parts].map((job) => ({ ...holding(job), state: 'awaiting_confirmation' }));
  const { answer } = ask(live, usual(1), { limit: 1 });
  expect(refusalOf('limit', live, usual(1), { limit: 1, ...answer })).toMatchObject({
    message: '4 jobs share 1 slot, and at most 1 may be taken; 4 of them wait for an answer.',
    details: { limit: 1, active: 1, jobs: 4, waiting: 4, holders: [] },
  });
});
