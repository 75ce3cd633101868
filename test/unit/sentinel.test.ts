import fc from '../helpers/properties';
import {
  COOLDOWN_MS,
  SETTLE_MS,
  type AdmitRequest,
  type Applicant,
  type Job,
  type Note,
  type NoteRequest,
} from '../../src/contract/sentinel';
import { bytesOf } from '../../src/core/shared/bounds';
import { rowOf } from '../../src/core/sentinel/rows';
import {
  admit,
  beginSentinel,
  carriedFrom,
  cooldownOf,
  note as keep,
  release,
  touch,
  type SentinelState,
} from '../../src/core/sentinel/state';

const NOW = Date.UTC(2026, 0, 1);
const LIMIT = 3;
/** Temporal's limit for a payload. */
const MAX_TEMPORAL_BYTES = 2 * 1024 ** 2;

const job = (at: number, session_id?: string, run = 1): Applicant => ({
  job_id: `job-${at}`,
  run_id: `run-${run}`,
  kind: 'bulk_operation',
  ...(session_id !== undefined && { session_id }),
});
const holding = (of: Applicant, at = NOW): Job => ({ ...of, admitted_at: new Date(at).toISOString() });
const settled = (jobs: Job[] = []): SentinelState => {
  const begun = beginSentinel('epoch', NOW, 0);
  return admit(begun, { job: job(0), limit: 1, seen: { epoch: 'epoch', jobs: jobs.map(rowOf) } }, NOW).state;
};
const note = (state: SentinelState, request: NoteRequest) => keep(state, request, NOW);
const empty = () => release(settled(), job(0), NOW);
const ask = (state: SentinelState, of: Applicant, more: Partial<AdmitRequest> = {}, now = NOW) =>
  admit(state, { job: of, limit: LIMIT, ...more }, now);

describe('while it does not know the running jobs', () => {
  it('admits no job, and reports how long old answers may still arrive', () => {
    const begun = beginSentinel('epoch', NOW);
    const { answer } = ask(begun, job(1), {}, NOW + 1_000);
    expect(answer).toEqual({
      admitted: false,
      because: 'unsettled',
      epoch: 'epoch',
      wait_ms: SETTLE_MS - 1_000,
    });
  });

  it('accepts no report that was made too early, or for another sentinel', () => {
    const begun = beginSentinel('epoch', NOW);
    const seen = { epoch: 'epoch', jobs: [] };
    expect(ask(begun, job(1), { seen }, NOW + SETTLE_MS - 1).answer).toMatchObject({ because: 'unsettled' });
    const foreign = { ...seen, epoch: 'another' };
    expect(ask(begun, job(1), { seen: foreign }, NOW + SETTLE_MS).answer).toMatchObject({
      because: 'unsettled',
    });
    expect(ask(begun, job(1), { seen }, NOW + SETTLE_MS).answer).toEqual({ admitted: true });
  });

  it('counts all running jobs, even above the limit, and ignores a second report', () => {
    const running = [1, 2, 3, 4].map((at) => holding(job(at), NOW - at));
    const state = settled(running);
    expect(state.holders.map(({ job_id }) => job_id)).toEqual(['job-4', 'job-3', 'job-2', 'job-1']);
    const later = ask(state, job(9), { seen: { epoch: 'epoch', jobs: [] } });
    expect(later.answer).toMatchObject({ because: 'limit', holders: running.reverse() });
  });
});

it('refuses with the holders of the slots', () => {
  const state = [job(1, 's'), job(2), job(3)].reduce((before, of) => ask(before, of).state, empty());
  expect(ask(state, job(4, 's')).answer).toMatchObject({ because: 'session', holders: [job(1, 's')] });
  expect(ask(state, job(4)).answer).toMatchObject({
    because: 'limit',
    holders: [job(1, 's'), job(2), job(3)],
  });
  const freed = ask(state, job(4, 's'), { ended: [job(1, 's')] });
  expect(freed.answer).toEqual({ admitted: true });
});

describe('a job that another live job started', () => {
  const parent = (at: number, session?: string): Applicant => ({ ...job(at, session), kind: 'macro' });
  const child = (at: number, of: Applicant, session = of.session_id): Applicant => ({
    ...job(at, session),
    parent: { job_id: of.job_id, run_id: of.run_id },
  });
  const full = () => [1, 2, 3].reduce((before, at) => ask(before, parent(at, `s${at}`)).state, empty());

  it('shares the slot and the session of its parent, even if every slot is taken', () => {
    const { state, answer } = ask(full(), child(4, parent(1, 's1')));
    expect(answer).toEqual({ admitted: true });
    expect(ask(state, job(5)).answer).toMatchObject({ because: 'limit' });
    expect(touch(state, { session_id: 's1' }, NOW).answer).toMatchObject({ job: { job_id: 'job-4' } });
  });

  it('keeps the slot if its parent ends first, and then shares it with no other job', () => {
    const { state } = ask(full(), child(4, parent(1, 's1')));
    const orphaned = release(state, parent(1, 's1'), NOW);
    expect(ask(orphaned, job(5)).answer).toMatchObject({ because: 'limit' });
    expect(ask(orphaned, job(6, 's1'), { limit: 9 }).answer).toMatchObject({ because: 'session' });
    expect(ask(release(orphaned, child(4, parent(1)), NOW), job(5)).answer).toEqual({ admitted: true });
  });

  it('cannot share with a second child, a parent without a slot, another run of it, or another session', () => {
    const { state } = ask(full(), child(4, parent(1, 's1')));
    expect(ask(state, child(5, parent(1, 's1'))).answer).toMatchObject({
      because: 'session',
      holders: [{ job_id: 'job-4' }],
    });
    const limited = { because: 'limit' };
    expect(ask(full(), child(5, parent(9, 's9'))).answer).toMatchObject(limited);
    expect(ask(full(), child(5, parent(1, 's1'), 'elsewhere')).answer).toMatchObject(limited);
    const otherRun = { ...job(1, 's1', 2), kind: 'macro' as const };
    expect(ask(full(), child(5, otherRun)).answer).toMatchObject({ because: 'session' });
  });

  it('is counted in the same way by a new sentinel', () => {
    const { state } = ask(full(), child(4, parent(1, 's1')));
    const anew = settled([...state.holders].reverse());
    expect(ask(anew, job(5)).answer).toMatchObject({ because: 'limit' });
    expect(ask(release(anew, parent(2, 's2'), NOW), job(5)).answer).toEqual({ admitted: true });
  });

  it("has its own slot if a sibling shares the parent's and no session forbids it", () => {
    const began = ask(empty(), parent(1)).state;
    const two = [4, 5].reduce((before, at) => ask(before, child(at, parent(1))).state, began);
    expect(two.holders).toHaveLength(3);
    expect(ask(two, job(6)).answer).toEqual({ admitted: true });
    expect(ask(ask(two, job(6)).state, job(7)).answer).toMatchObject({ because: 'limit' });
  });
});

it('holds the slot of a run, whichever other run of its id asks, until one is reported as ended', () => {
  const [old, young] = [job(1, 's', 1), job(1, 's', 2)];
  for (const [holder, other] of [
    [old, young],
    [young, old],
  ] as const) {
    const { state } = ask(empty(), holder);
    const asked = ask(state, other);
    expect(asked.answer).toMatchObject({ because: 'session', holders: [holder] });
    expect(asked.state.holders).toMatchObject([holder]);
    const { answer, state: after } = ask(state, other, { ended: [holder] });
    expect(answer).toEqual({ admitted: true });
    expect(release(after, holder, NOW).holders).toMatchObject([other]);
  }
});

it('knows the job of a message from its first delivery, even if that job has ended and another one waits', () => {
  const say = (state: SentinelState, message_id: string) =>
    touch(state, { session_id: 's', message_id }, NOW);
  const first = say(ask(empty(), job(1, 's')).state, 'm1');
  expect(first.answer).not.toHaveProperty('heard_of');
  const later = ask(release(first.state, job(1, 's'), NOW), job(2, 's')).state;
  expect(say(later, 'm1').answer).toMatchObject({ heard_of: 'job-1', job: { job_id: 'job-2' } });
  expect(say(later, 'm2').answer).not.toHaveProperty('heard_of');
  const nobody = say(empty(), 'm3').state;
  expect(say(ask(nobody, job(3, 's')).state, 'm3').answer).toMatchObject({ heard_of: '' });
  const many = Array.from({ length: 400 }, (_, at) => `n${at}`).reduce(
    (state, id) => say(state, id).state,
    later,
  );
  expect(Object.keys(many.heard ?? {})).toHaveLength(300);
  expect(say(many, 'n399').answer).toHaveProperty('heard_of');
  expect(say(many, 'm1').answer).not.toHaveProperty('heard_of');
});

describe('the answer to a message', () => {
  const said = (of: Note['said'], message_id?: string): NoteRequest => ({
    ...{ session_id: 's', operation_id: 'job-1', digest: 'd', said: of },
    ...(message_id !== undefined && { message_id }),
  });
  const kept = (of: Note['said']) => ({ operation_id: 'job-1', digest: 'd', said: of });
  const hear = (state: SentinelState, message_id?: string) =>
    touch(state, { session_id: 's', ...(message_id !== undefined && { message_id }) }, NOW);
  const begun = () => ask(empty(), job(1, 's')).state;

  it('is known to the next messages of its session, until the question is shown again', () => {
    const first = note(hear(begun(), 'm1').state, said('apart', 'm1'));
    expect(hear(first, 'm2').answer).toMatchObject({ note: kept('apart') });
    expect(hear(first).answer).toMatchObject({ note: kept('apart') });
    expect(touch(first, { session_id: 'other' }, NOW).answer).not.toHaveProperty('note');
    expect(hear(note(first, said('shown'))).answer).toMatchObject({ note: kept('shown') });
  });

  it('stays the same for a message that is delivered again', () => {
    const first = note(hear(begun(), 'm1').state, said('apart', 'm1'));
    const second = note(hear(first, 'm2').state, said('asked', 'm2'));
    expect(hear(second, 'm1').answer).toMatchObject({ answered: kept('apart') });
    expect(hear(second, 'm1').answer).not.toHaveProperty('note');
    expect(hear(second, 'm2').answer).toMatchObject({ note: kept('apart'), answered: kept('asked') });
    expect(note(second, said('waits', 'm1'))).toBe(second);
    expect(hear(second).answer).toMatchObject({ note: kept('asked') });
  });

  it('is kept only for live jobs, and never lost while its job lives', () => {
    const other = { ...said('asked'), session_id: 't', operation_id: 'job-2' };
    const both = note(note(ask(begun(), job(2, 't')).state, said('apart')), other);
    const many = Array.from({ length: 400 }, (_, at) => ({
      ...other,
      session_id: `u${at}`,
      operation_id: 'gone',
    }));
    const after = many.reduce(note, both);
    expect(hear(after).answer).toMatchObject({ note: kept('apart') });
    expect(Object.keys(after.notes ?? {})).toHaveLength(2);
    const left = note(release(after, job(1, 's'), NOW), other);
    expect(Object.keys(left.notes ?? {})).toHaveLength(1);
    expect(JSON.parse(JSON.stringify(left))).toEqual(left);
  });

  it('is limited in bytes together with the rest of the state, which records from when on it is complete', () => {
    const long = (what: string) => what.padEnd(150, '件');
    const jobs = Array.from({ length: 9_000 }, (_, at) =>
      holding({ ...job(at), job_id: long(`${at}`), session_id: long(`s${at}`) }),
    );
    const seen = { epoch: 'epoch', jobs: jobs.map(rowOf) };
    const first = admit(beginSentinel('epoch', NOW, 0), { job: job(0), limit: 1_000, seen }, NOW).state;
    const { holders } = first;
    expect(holders.length).toBeGreaterThan(1_000);
    expect(hear(first).answer).not.toHaveProperty('remembers_since');
    const full = holders.slice(0, 400).reduce((state, { job_id: operation_id, session_id = '' }, at) => {
      const message = { session_id, message_id: long(`m${at}`) };
      const exclude = Array.from({ length: 1_000 }, (_, place) => place);
      const one = { ...message, operation_id, digest: 'd'.repeat(128), said: 'asked' as const, exclude };
      return keep(touch(state, message, NOW).state, one, NOW + at);
    }, first);
    expect(bytesOf(carriedFrom(full))).toBeLessThan(MAX_TEMPORAL_BYTES);
    expect(bytesOf(full.notes)).toBeGreaterThan(40_000);
    expect(hear(full).answer.remembers_since).toBe(new Date(NOW + 399).toISOString());
  });

  it('is lost when another sentinel replaces the first', () => {
    expect(hear(beginSentinel('epoch', NOW)).answer.remembers_since).toBe(new Date(NOW).toISOString());
  });

  it('is absent for a session with the name of an object property', () => {
    expect(touch(begun(), { session_id: '__proto__' }, NOW).answer).not.toHaveProperty('note');
  });
});

it('delays hygiene for the whole cooldown after any activity, and no longer', () => {
  const minute = 60_000;
  const happenings: ((state: SentinelState, now: number) => SentinelState)[] = [
    (state, now) => touch(state, { by: 'ana' }, now).state,
    (state, now) => ask(state, job(1), {}, now).state,
    (state, now) => release(ask(state, job(1), {}, NOW).state, job(1), now),
  ];
  for (const happen of happenings) {
    const then = NOW + 60 * minute;
    expect(cooldownOf(empty(), then).active).toBe(false);
    expect(release(empty(), job(1), then)).toEqual(empty());
    const state = happen(empty(), then);
    expect(cooldownOf(state, then + COOLDOWN_MS - 1).active).toBe(true);
    expect(cooldownOf(state, then + COOLDOWN_MS).active).toBe(false);
    expect(cooldownOf(state, then)).toMatchObject({
      cron_pause_until: new Date(then + 15 * minute).toISOString(),
      last_activity_at: new Date(then).toISOString(),
    });
  }
  expect(touch(empty(), { by: 'ana' }, NOW).answer).toMatchObject({ by: 'ana', settled: true });
});

/** A request, a release, or a request that reports an ended job. */
const act = fc.oneof(
  fc.record({
    ask: fc.nat(8),
    session: fc.option(fc.nat(3), { nil: undefined }),
    run: fc.integer({ min: 1, max: 2 }),
  }),
  fc.record({ free: fc.nat(8), run: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ end: fc.nat(8), ask: fc.nat(8) }),
);

it('never holds more than the limit or two per session, and answers the same job in the same way', () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      let state = empty();
      for (const [at, one] of acts.entries()) {
        const now = NOW + at;
        if ('free' in one) {
          const key = job(one.free, undefined, one.run);
          state = release(state, key, now);
          expect(
            state.holders.some(({ job_id, run_id }) => job_id === key.job_id && run_id === key.run_id),
          ).toBe(false);
        } else {
          const session = 'session' in one && one.session !== undefined ? `s${one.session}` : undefined;
          const of = job(one.ask, session, 'run' in one ? one.run : 1);
          const ended = 'end' in one ? [job(one.end)] : [];
          const { state: after, answer } = ask(state, of, { ended }, now);
          for (const holder of state.holders) {
            const gone = ended.some(
              ({ job_id, run_id }) => holder.job_id === job_id && holder.run_id === run_id,
            );
            if (!gone) expect(after.holders).toContainEqual(holder);
          }
          const holds = (it: SentinelState) =>
            it.holders.some(({ job_id, run_id }) => job_id === of.job_id && run_id === of.run_id);
          expect(holds(after)).toBe(answer.admitted);
          expect(ask(after, of, {}, now).answer).toEqual(answer);
          if (!answer.admitted && answer.because !== 'unsettled') expect(answer.holders).not.toHaveLength(0);
          state = after;
        }
        const sessions = state.holders.flatMap(({ session_id }) => session_id ?? []);
        expect(new Set(sessions).size).toBe(sessions.length);
        expect(new Set(state.holders.map(({ job_id }) => job_id)).size).toBe(state.holders.length);
        expect(state.holders.length).toBeLessThanOrEqual(LIMIT);
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
      }
    }),
  );
});
