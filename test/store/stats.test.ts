import { bothStores } from '../helpers/both-stores';
import {
  BATCH,
  claimOf,
  confirmed,
  first,
  firstBatch,
  items,
  plan,
  second,
  runOf,
  statusOf,
  useLedger,
} from '../helpers/ledger';

const ASKED = Date.parse('2026-11-21T11:00:00.000Z');
const after = (seconds: number) => new Date(ASKED + seconds * 1_000).toISOString();
const question = { attempt: 1, asked_at: after(0) };

describe.each(bothStores())('the questions in the ledger, %s', (_, open) => {
  const stage = useLedger(open);
  const named = (operation_id: string, action: string, more: object = {}) => ({
    ...plan(operation_id),
    context: { ...plan(operation_id).context, action },
    ...more,
  });
  const planned = async (action: string, more: object = {}, id = stage.newId()) => {
    await stage.ledger.recordPlan(named(id, action, more), items);
    return id;
  };
  /** Confirms a batch that many seconds after its question. */
  const run = (id: string, seconds: number, batch = 1) => {
    const from = (batch - 1) * BATCH;
    const decided = {
      ...confirmed,
      at: after(seconds),
      question: { ...question, digest: 'd', door: 'page' as const },
    };
    const batchItems = items.slice(from, from + BATCH);
    return stage.ledger.claim(claimOf(id, 1, batch), {
      items: batchItems,
      skipped: [],
      confirmed: decided,
      deadline: 1,
    });
  };

  it('are kept with the claim of their batch and with the end, each once', async () => {
    const id = await planned('kept');
    const shown_at = after(5);
    const confirmation = { ...confirmed, at: after(20) };
    const answer = { ...question, digest: 'd1', shown_at, door: 'page' as const, note: 'go' };
    await stage.ledger.claim(claimOf(id), {
      ...{ items: firstBatch, skipped: [], deadline: 1 },
      confirmed: { ...confirmation, question: answer },
    });
    const accepted = {
      ...confirmation,
      decision: 'continue' as const,
      outcome: 'accepted',
      batch: 1,
      ...answer,
    };
    const [scheduled_for, signature] = [after(600), 'signature-1'];
    const edit = {
      ...{ ...accepted, decision: 'edit' as const, batch: 2, at: after(60), asked_at: after(30) },
      ...{ scheduled_for, signature },
    };
    const early = { ...edit, decision: 'leave_out' as const, at: after(30), asked_at: after(25) };
    await stage.ledger.recordDecisions(id, [early, { ...early, decision: 'approve', asked_at: after(26) }]);
    const withdrawn = { by: 'ben', at: after(95) };
    const later = { ...accepted, batch: 4, at: after(90), asked_at: after(80), scheduled_for, withdrawn };
    await stage.ledger.recordDecisions(id, [later]);
    const status = {
      ...statusOf(id, 'expired'),
      confirmations: [accepted, edit, { ...edit, outcome: 'FORBIDDEN', asked_at: after(40) }],
      unanswered: { batch: 3, attempt: 1, asked_at: after(70) },
    };
    await stage.ledger.close(id, runOf(id), status);
    await stage.ledger.close(id, runOf(id), status);
    const record = await stage.ledger.read(id);
    expect(record?.shows.questions).toBe(true);
    expect(record?.answers).toEqual([
      {
        ...answer,
        batch: 1,
        decision: 'continue',
        at: after(20),
        by: 'ana',
        via: 'update',
        assurance: 'session',
      },
      expect.objectContaining({ batch: 2, decision: 'leave_out', at: after(30), asked_at: after(25) }),
      expect.objectContaining({ batch: 2, decision: 'edit', at: after(60), asked_at: after(30) }),
      expect.objectContaining({ batch: 4, by: 'ana', withdrawn: { ...withdrawn, scheduled_for } }),
    ]);
    expect(
      await stage.db.selectFrom('questions').select('batch').where('operation_id', '=', id).execute(),
    ).toHaveLength(5);
    const reused = { ...named(id, 'kept'), run_id: 'another' };
    await stage.ledger.recordPlan(reused, items);
    expect((await stage.ledger.read(id))?.answers).toEqual([]);
  });

  it('and the operations are counted by domain and action', async () => {
    const a = await planned('counted');
    for (const [batch, seconds] of [10, 20, 90].entries()) await run(a, seconds, batch + 1);
    await stage.ledger.record(claimOf(a), [
      ...firstBatch.slice(0, 3).map(({ index }) => ({ index, state: 'succeeded' as const })),
      { index: 3, state: 'failed', error: 'no', retryable: false },
      { index: 4, state: 'skipped', error: 'It changed.' },
    ]);
    await stage.ledger.close(a, runOf(a), statusOf(a, 'completed'));
    const b = await planned('counted', { session_id: 'team-2' });
    const decided = { ...confirmed, at: after(40), question: { ...question, shown_at: after(30) } };
    const skipped = [{ index: 2, reason: 'mine' }];
    await stage.ledger.claim(claimOf(b), {
      items: [first, second],
      skipped,
      confirmed: decided,
      deadline: 1,
    });
    await stage.ledger.record(claimOf(b), [
      { index: 0, state: 'in_doubt', error: 'lost' },
      { index: 1, state: 'succeeded' },
    ]);
    const undo = await planned('counted', { undoes: a });
    await stage.ledger.claim(claimOf(undo), { items: [first], skipped: [], confirmed, deadline: 1 });
    await stage.ledger.record(claimOf(undo), [{ index: 0, state: 'succeeded' }]);
    await planned('counted', {}, `preview-${stage.newId()}`);
    // Refused before its plan: its names are only what somebody typed.
    await stage.ledger.close('bulk-refused', runOf('bulk-refused'), {
      ...statusOf('bulk-refused', 'rejected'),
      action: 'counted',
    });

    const [row, ...others] = await stage.ledger.stats({ domain: 'gmail', action: 'counted' });
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      ...{ domain: 'gmail', action: 'counted', operations: 2, live: 1, completed: 1, undos: 1, rejected: 0 },
      ...{ questions: 4, answered: 4, read: 1, median_seconds_read: 10 },
      ...{ median_seconds_to_decide: 30, items: 30, succeeded: 4, failed: 1, left_out: 1, skipped: 1 },
      ...{ in_doubt: 11, undone: 1, share_failed: 1 / 30, share_undone: 1 / 30, share_left_out: 1 / 30 },
    });
    expect(row?.p90_seconds_to_decide).toBeCloseTo(75);
    const counts = async (filter: object) =>
      (await stage.ledger.stats({ action: 'counted', ...filter })).map(({ operations }) => operations);
    expect(await counts({ session_prefix: 'team-' })).toEqual([1]);
    expect(await counts({ session_prefix: 'team_' })).toEqual([]);
    expect(await counts({ since: '2026-01-01T00:00:00Z' })).toEqual([2]);
    expect(await counts({ until: '2026-01-01T00:00:00Z' })).toEqual([]);
    expect(await counts({ domain: 'trello' })).toEqual([]);
  });
});
