import { bothStores } from '../helpers/both-stores';
import {
  AT,
  BATCH,
  claimOf,
  confirmed,
  first,
  firstBatch,
  items,
  plan,
  runOf,
  second,
  statusOf,
  third,
  useLedger,
} from '../helpers/ledger';

const HOUR = 3_600_000;
/** The two clocks are read one after the other: within eight minutes. */
const about = (moment: number): number => expect.closeTo(moment, -6) as number;

describe.each(bothStores())('the ledger, %s', (_, open) => {
  const stage = useLedger(open);
  const { claimed, itemsOf, newId, planned } = stage;
  const statesOf = async (operationId: string) => (await itemsOf(operationId)).map(({ state }) => state);

  it('reads back the plan, the confirmation, the results and the final status', async () => {
    const id = await planned();
    const claim = claimOf(id);
    const skipped = [{ index: 2, reason: 'not this one' }];
    expect(
      await stage.ledger.claim(claim, { items: [second, first], skipped, confirmed, deadline: 1_000 }),
    ).toBe(true);
    expect(
      await stage.ledger.record(claim, [
        { index: 0, state: 'succeeded' },
        { index: 1, state: 'failed', error: 'rate limited', retryable: true },
      ]),
    ).toBe(true);
    const status = statusOf(id, 'cancelled');
    await stage.ledger.close(id, runOf(id), status);
    await stage.ledger.close(id, runOf(id), status);

    const record = await stage.ledger.read(id);
    const finished_at = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    const salt = expect.stringMatching(/^[\da-f-]{36}$/) as string;
    const by = {
      salt,
      batch: 1,
      confirmed_by: 'ana',
      confirmed_at: AT,
      confirmed_via: 'update',
      confirmed_assurance: 'session',
      finished_at,
    };
    expect(record).toMatchObject({
      ...{ operation_id: id, domain: 'gmail', action: 'label', session_id: 'session-1', requested_by: 'ana' },
      ...{ batch_size: BATCH, noun: plan(id).noun, status },
      ...{ change_params: plan(id).change_params, metadata: plan(id).metadata },
    });
    expect(record?.items.slice(0, 4)).toEqual([
      { index: 0, id: 'm0', display_name: 'Message 0', state: 'succeeded', ...by },
      {
        ...{ index: 1, id: 'm1', display_name: 'Message 1', state: 'failed', ...by },
        ...{ error: 'rate limited', retryable: true },
      },
      { index: 2, id: 'm2', display_name: 'Message 2', state: 'skipped', error: 'not this one', ...by },
      { index: 3, id: 'm3', display_name: 'Message 3', state: 'planned', batch: 1, salt },
    ]);
    expect(record?.items[4]).toEqual({
      ...{ index: 4, id: 'm4', display_name: 'Message 4', state: 'planned', batch: 1, salt },
    });
    expect(record?.items.map(({ index }) => index)).toEqual(items.map(({ index }) => index));
    expect(Date.parse(record?.updated_at ?? '')).toBeGreaterThanOrEqual(Date.parse(record?.created_at ?? ''));
  });

  it('keeps items that a batch has touched if a plan is recorded again, and follows the new plan elsewhere', async () => {
    const id = await planned();
    await claimed(claimOf(id));
    await stage.ledger.record(claimOf(id), [{ index: 0, state: 'succeeded' }]);
    const before = await itemsOf(id);
    const again = items.slice(0, -1).map((item) => ({ ...item, display_name: 'renamed' }));
    await stage.ledger.recordPlan(plan(id), again);
    const after = await itemsOf(id);
    expect(after.slice(0, BATCH)).toEqual(before.slice(0, BATCH));
    // Two tries of a plan that overlap give their questions the same seals.
    expect(after.map(({ salt }) => salt)).toEqual(before.slice(0, -1).map(({ salt }) => salt));
    expect(after.slice(BATCH).every((item) => item.display_name === 'renamed')).toBe(true);
    expect(after).toHaveLength(items.length - 1);
  });

  it.each([1, 2])('refuses a claim of epoch %d after one of epoch 2, and writes nothing', async (late) => {
    const id = await planned();
    expect(await claimed(claimOf(id, 2), [first])).toBe(true);
    expect(await claimed(claimOf(id, late), [second])).toBe(false);
    expect((await statesOf(id)).slice(0, 2)).toEqual(['intended', 'planned']);
    expect(await stage.ledger.record(claimOf(id, 2), [{ index: 0, state: 'succeeded' }])).toBe(true);
  });

  it('counts nothing from an earlier use of the same id as the work of a new one', async () => {
    const operationId = await planned();
    const claim = claimOf(operationId, 2);
    await claimed(claim);
    await stage.ledger.record(
      claim,
      firstBatch.map(({ index }) => ({ index, state: 'succeeded' as const })),
    );
    await stage.ledger.recordPlan({ ...plan(operationId), run_id: 'another run' }, items);
    expect(new Set(await statesOf(operationId))).toEqual(new Set(['planned']));
    expect(await stage.ledger.intend(claim, [second], 1_000)).toBe(false);
    expect(await claimed(claimOf(operationId, 2))).toBe(true);
  });

  it('keeps the record of an earlier use of the same id if a later one ends before its plan', async () => {
    const operationId = await planned();
    await stage.ledger.close(operationId, runOf(operationId), statusOf(operationId, 'completed'));
    const before = await stage.ledger.read(operationId);
    await stage.ledger.close(operationId, 'another run', statusOf(operationId, 'rejected'));
    expect(await stage.ledger.read(operationId)).toEqual(before);
  });

  it('lets one of several claims of the same epoch win', async () => {
    const id = await planned();
    const won = await Promise.all(Array.from({ length: 6 }, () => claimed(claimOf(id))));
    expect(won.filter(Boolean)).toHaveLength(1);
  });

  it('accepts no more writes of a claim that was fenced off', async () => {
    const id = await planned();
    const old = claimOf(id);
    await claimed(old, [first, second], 5_000);
    await stage.ledger.record(old, [{ index: 0, state: 'failed', error: 'gone', retryable: false }]);
    expect(await stage.ledger.fence(claimOf(id, 2))).toEqual([
      { index: 0, state: 'failed', error: 'gone', retryable: false, deadline: about(5_000) },
      { index: 1, state: 'intended', deadline: about(5_000) },
      ...[2, 3, 4].map((index) => ({ index, state: 'planned' })),
    ]);
    const before = await stage.ledger.read(id);
    expect(await stage.ledger.record(old, [{ index: 1, state: 'succeeded' }])).toBe(false);
    expect(await stage.ledger.intend(old, [third], 9_000)).toBe(false);
    expect(await claimed(old, [third])).toBe(false);
    await expect(stage.ledger.settle(old, [{ index: 1, state: 'planned' }])).rejects.toThrow('later claim');
    expect(await stage.ledger.read(id)).toEqual(before);
  });

  it('returns the same fence again, and refuses one that comes after a later claim or at its epoch', async () => {
    const id = await planned();
    await claimed(claimOf(id, 1));
    await expect(stage.ledger.fence(claimOf(id, 1))).rejects.toThrow('later claim');
    const states = async () =>
      (await stage.ledger.fence(claimOf(id, 2))).map(({ index, state }) => [index, state]);
    expect(await states()).toEqual(await states());
    await claimed(claimOf(id, 3));
    await expect(stage.ledger.fence(claimOf(id, 2))).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('refuses a claim over an item that has an outcome, as a whole', async () => {
    const id = await planned();
    await claimed(claimOf(id), [first]);
    await stage.ledger.record(claimOf(id), [{ index: 0, state: 'succeeded' }]);
    const before = await stage.ledger.read(id);
    await expect(claimed(claimOf(id, 2), [first, second])).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining('m0') as string,
    });
    expect(await stage.ledger.read(id)).toEqual(before);
    expect(await claimed(claimOf(id, 2), [second])).toBe(true);
  });

  it('refuses a claim that names an item twice', async () => {
    const id = await planned();
    await expect(claimed(claimOf(id), [first, first])).rejects.toMatchObject({ code: 'INTERNAL' });
    expect((await statesOf(id))[0]).toBe('planned');
  });

  it('claims again items that an earlier claim only intended or skipped', async () => {
    const id = await planned();
    const skipped = [{ index: 1, reason: 'later' }];
    await stage.ledger.claim(claimOf(id), { items: [first], skipped, confirmed, deadline: 1 });
    expect(await claimed(claimOf(id, 2), [first, second])).toBe(true);
    expect((await statesOf(id)).slice(0, 2)).toEqual(['intended', 'intended']);
    const again = { items: [], skipped: [{ index: 0, reason: 'too late' }], confirmed, deadline: 1 };
    await expect(stage.ledger.claim(claimOf(id, 3), again)).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('gives another slice the confirmation of its claim and its own deadline', async () => {
    const id = await planned();
    await claimed(claimOf(id), [first], HOUR);
    expect(await stage.ledger.intend(claimOf(id), [second], 2 * HOUR)).toBe(true);
    const [, item] = await itemsOf(id);
    expect(item).toMatchObject({ state: 'intended', confirmed_by: 'ana', confirmed_at: AT });
    const [, known] = await stage.ledger.fence(claimOf(id, 2));
    expect(known?.deadline).toEqual(about(2 * HOUR));
  });

  it('records under the fence the exclusions of a batch that died before its claim', async () => {
    const id = await planned();
    const left = [{ index: 0, reason: 'keep it' }];
    for (let time = 0; time < 2; time += 1)
      expect((await stage.ledger.fence(claimOf(id), left))[0]).toMatchObject({
        ...{ index: 0, state: 'skipped', error: 'keep it' },
      });
    expect((await itemsOf(id)).slice(0, 2)).toMatchObject([{ state: 'skipped' }, { state: 'planned' }]);
  });

  it('refuses a result that has no intent', async () => {
    const id = await planned();
    await claimed(claimOf(id), [first]);
    const results = [{ index: BATCH, state: 'succeeded' as const }];
    await expect(stage.ledger.record(claimOf(id), results)).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('settles under the fence: undoes an intent, writes what was found, keeps what was recorded', async () => {
    const id = await planned();
    await claimed(claimOf(id), [first, second, third]);
    await stage.ledger.record(claimOf(id), [{ index: 2, state: 'succeeded' }]);
    const fence = claimOf(id, 2);
    await stage.ledger.fence(fence);
    for (let time = 0; time < 2; time += 1) {
      await stage.ledger.settle(fence, [
        { index: 0, state: 'planned' },
        { index: 1, state: 'in_doubt', error: 'nobody can say' },
        { index: 2, state: 'failed', error: 'never written' },
      ]);
      expect((await stage.ledger.fence(fence)).slice(0, 3)).toEqual([
        { index: 0, state: 'planned' },
        { index: 1, state: 'in_doubt', error: 'nobody can say', deadline: about(1_000) },
        { index: 2, state: 'succeeded', deadline: about(1_000) },
      ]);
    }
    expect((await itemsOf(id))[0]).not.toHaveProperty('finished_at');
    expect(await claimed(claimOf(id, 3), [first])).toBe(true);
  });

  it('keeps a person’s resolution of an item in doubt, and of no other item', async () => {
    const id = await planned();
    await claimed(claimOf(id), [first, second]);
    await stage.ledger.record(claimOf(id), [
      { index: 0, state: 'in_doubt', error: 'no answer' },
      { index: 1, state: 'succeeded' },
    ]);
    const said = { operation_id: id, outcome: 'failed' as const, reason: 'I looked', by: 'ana', at: AT };
    for (const index of [0, 1, 0]) await stage.ledger.resolve({ ...said, index });
    expect((await itemsOf(id)).slice(0, 2)).toMatchObject([
      { state: 'failed', error: 'I looked', retryable: true, finished_at: AT },
      { state: 'succeeded' },
    ]);
  });

  it('claims nothing of a plan that it never received, and keeps the end of its operation', async () => {
    const id = newId();
    expect(await stage.ledger.planned(id, [{ from: 0, to: BATCH }])).toBeNull();
    await expect(claimed(claimOf(id, 2), [first])).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining('number 1') as string,
    });
    expect(await stage.ledger.read(id)).toBeNull();
    await stage.ledger.close(id, runOf(id), statusOf(id, 'completed'));
    expect(await stage.ledger.read(id)).toMatchObject({ created_at: AT, items: [] });
  });

  it('returns parts of a plan in order, with its change and the reasons of its outcomes', async () => {
    const id = await planned();
    await stage.ledger.fence(claimOf(id), [{ index: 1, reason: 'keep it' }]);
    const parts = [
      { from: 0, to: 2 },
      { from: 6, to: 8 },
    ];
    const { context, change } = plan(id);
    const salts = (await itemsOf(id)).map(({ salt }) => salt);
    const salted = (index: number) => ({ ...items[index], salt: salts[index] });
    expect(await stage.ledger.planned(id, parts)).toEqual({
      ...{ context, change },
      items: [salted(0), { ...salted(1), error: 'keep it' }, salted(6), salted(7)],
    });
  });

  it('gives each item a salt of its own, and a new one if the id of its operation is used again', async () => {
    const id = newId();
    const salts = await stage.ledger.recordPlan(plan(id), items);
    const others = items.map((item) => ({ ...item, id: `other-${item.id}` }));
    const later = await stage.ledger.recordPlan({ ...plan(id), offset: items.length }, others);
    const again = await stage.ledger.recordPlan({ ...plan(id), run_id: 'another run' }, items);
    expect((await itemsOf(id)).map(({ salt }) => salt)).toEqual(again);
    expect(new Set([...salts, ...later, ...again]).size).toBe(3 * items.length);
  });

  it('refuses a later part of a plan with an item of an earlier part, and writes nothing of it', async () => {
    const id = await planned();
    const before = await itemsOf(id);
    const later = { ...plan(id), offset: items.length };
    const again = { ...first, preview: { named: ['M-0'] } };
    const other = { ...second, id: 'other' };
    await expect(stage.ledger.recordPlan(later, [other, again])).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: 'The list names one item more than once: “m0”, “M-0”.',
    });
    expect(await itemsOf(id)).toEqual(before);
    // Another try of a part has the same items.
    for (let time = 0; time < 2; time += 1) await stage.ledger.recordPlan(later, [other]);
    expect(await itemsOf(id)).toHaveLength(items.length + 1);
  });

  it('follows another try of a plan that prepared another change', async () => {
    const id = await planned();
    const other = { ...plan(id), change: { ...plan(id).change, summary: 'Add the label “Now”.' } };
    await stage.ledger.recordPlan(other, items);
    expect(await stage.ledger.planned(id, [])).toMatchObject({ change: other.change, items: [] });
  });

  it('keeps the operation if a name contains characters that Postgres cannot store', async () => {
    const id = newId();
    const display_name = `cut \ud83d and \0 and \\u0000`;
    await stage.ledger.recordPlan(plan(id), [{ id: 'a', display_name, raw_data: { etag: '7' } }]);
    expect((await itemsOf(id))[0]?.display_name).toBe('cut \ufffd and \ufffd and \\u0000');
    expect((await itemsOf(id))[0]?.raw_data).toEqual({ etag: '7' });
  });
});
