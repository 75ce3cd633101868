import { randomUUID } from 'node:crypto';
import type { StagedPlan } from '../../src/contract/edits';
import { bothStores } from '../helpers/both-stores';
import { AT, claimOf, confirmed, firstBatch, items, plan, useLedger } from '../helpers/ledger';

describe.each(bothStores())('the editions of a plan in the ledger, %s', (_, open) => {
  const stage = useLedger(open);
  const changeOf = (edition: number) => ({ ...plan('').change, summary: `Edition ${edition}.` });
  const rest = items.slice(5);

  const staged = (operation_id: string, edition: number, token = `try-${edition}`): StagedPlan => ({
    ...{ operation_id, run_id: `run-of-${operation_id}`, edition, token },
    context: { ...plan('').context, action_params: { edition } },
    ...{ change: changeOf(edition), change_params: { label_name: `Edition ${edition}` } },
    items: rest.map((item) => ({ ...item, raw_data: { edition }, salt: randomUUID() })),
  });
  const asked = { summary: '', fields: [] };
  const adoption = (operation_id: string, edition: number, token = `try-${edition}`) => ({
    ...{ operation_id, run_id: `run-of-${operation_id}`, edition, token, attempt: edition },
    edit: {
      ...{ batch: 2, attempt: 1, digest: 'd', parameters: ['label_name'], before: asked, after: asked },
      ...{ via: 'update' as const, at: AT, assurance: 'asserted' as const },
    },
  });
  const adopt = async (id: string, edition: number, token?: string) => {
    await stage.ledger.stagePlan(staged(id, edition, token));
    await stage.ledger.adoptPlan(adoption(id, edition, token));
  };
  const claim = (id: string, edition: number, batch = 2) =>
    stage.ledger.claim(claimOf(id, 1, batch), {
      ...{
        items: batch === 1 ? firstBatch : rest.slice(0, 5),
        skipped: [],
        confirmed,
        deadline: 1_000,
        edition,
      },
    });

  it('keep the order of the members that a batch sends, as the first plan does', async () => {
    const members = { reason: 'late', by: { z: 1, a: 2 }, sig: 'x' };
    const order = JSON.stringify(members);
    const id = stage.newId();
    const context = { ...plan(id).context, action_params: members };
    const withData = items.map((item) => ({ ...item, raw_data: members }));
    await stage.ledger.recordPlan({ ...plan(id), context, change_params: members }, withData);
    const expectOrder = async () => {
      const planned = await stage.ledger.planned(id, [{ from: 5, to: 6 }]);
      const { change_params } = (await stage.ledger.read(id)) ?? {};
      const values = [planned?.context.action_params, planned?.items[0]?.raw_data, change_params];
      expect(values.map((value) => JSON.stringify(value))).toEqual([order, order, order]);
    };
    await expectOrder();
    for (const edition of [2, 3]) {
      await stage.ledger.stagePlan({
        ...{ ...staged(id, edition), context, change_params: members },
        items: withData.slice(5).map((item) => ({ ...item, salt: randomUUID() })),
      });
      await stage.ledger.adoptPlan(adoption(id, edition));
      await expectOrder();
    }
    const { editions } = await stage.ledger.editions(id);
    expect(editions.map((edition) => JSON.stringify(edition.context.action_params))).toEqual([
      ...Array<string>(3).fill(order),
    ]);
  });

  it('are beside the plan until they are adopted, and then keep what they replace', async () => {
    const id = await stage.planned();
    await stage.ledger.stagePlan(staged(id, 2, 'lost'));
    await stage.ledger.stagePlan(staged(id, 2));
    expect(await stage.ledger.read(id)).toMatchObject({ change: plan(id).change });
    expect(await stage.ledger.editions(id)).toEqual({ editions: [], attempt: 0 });
    await stage.ledger.adoptPlan(adoption(id, 2));
    // Its answer was lost.
    await stage.ledger.adoptPlan(adoption(id, 2));
    const record = await stage.ledger.read(id);
    expect(record).toMatchObject({ edition: 2, change: changeOf(2), edits: [{ batch: 2 }] });
    expect(record?.items.map(({ raw_data }) => raw_data?.['edition'])).toEqual([
      ...Array<undefined>(5).fill(undefined),
      ...Array<number>(10).fill(2),
    ]);
    const { editions, attempt } = await stage.ledger.editions(id);
    expect(editions.map(({ edition, change }) => [edition, change.summary])).toEqual([
      [1, plan(id).change?.summary],
      [2, 'Edition 2.'],
    ]);
    expect(attempt).toBe(2);
  });

  it('let no batch run under the one before, and an item that was touched is planned by none', async () => {
    const id = await stage.planned();
    expect(await claim(id, 1, 1)).toBe(true);
    await adopt(id, 2);
    expect(await claim(id, 1)).toBe(false);
    expect(await claim(id, 2)).toBe(true);
    await stage.ledger.stagePlan(staged(id, 3));
    await expect(stage.ledger.adoptPlan(adoption(id, 3))).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(await stage.ledger.read(id)).toMatchObject({ edition: 2, change: changeOf(2) });
  });

  it('follow each other, so that a worker that was given up puts none in force', async () => {
    const id = await stage.planned();
    await stage.ledger.stagePlan(staged(id, 2, 'slow'));
    await adopt(id, 2);
    for (const late of [adoption(id, 2, 'slow'), adoption(id, 4), adoption('another', 2)])
      await expect(stage.ledger.adoptPlan(late)).rejects.toMatchObject({ code: 'INTERNAL' });
    await stage.ledger.stagePlan(staged(id, 2, 'later'));
    await expect(stage.ledger.adoptPlan(adoption(id, 2, 'later'))).rejects.toMatchObject({
      code: 'INTERNAL',
    });
    await stage.ledger.stagePlan(staged(id, 4));
    await expect(stage.ledger.adoptPlan(adoption(id, 4))).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(await stage.ledger.read(id)).toMatchObject({ edition: 2, edits: [{}] });
    await adopt(id, 3);
    expect(await stage.ledger.read(id)).toMatchObject({ edition: 3, edits: [{}, {}] });
  });
});
