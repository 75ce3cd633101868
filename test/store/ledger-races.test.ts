import fc from 'fast-check';
import type { Claim } from '../../src/contract/ledger';
import type { Store } from '../../src/postgres/store/open';
import { bothStores } from '../helpers/both-stores';
import { claimOf, confirmed, first, firstBatch, items, plan, second, third } from '../helpers/ledger';

describe.each(bothStores())('the ledger, %s', (_, open) => {
  let store: Store;
  let count = 0;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  const claimed = (claim: Claim, slice = firstBatch, deadline = 1_000) =>
    store.ledger
      .claim(claim, { items: slice, skipped: [], confirmed, deadline })
      .then((items) => items !== null);
  const newId = () => `op-${(count += 1)}`;
  const planned = async () => {
    const operationId = newId();
    await store.ledger.recordPlan(plan(operationId), items);
    return operationId;
  };
  const itemsOf = async (operationId: string) => (await store.ledger.read(operationId))?.items ?? [];

  it('lets no result of an older claim be written after a newer claim or fence', async () => {
    const steps = fc.array(fc.constantFrom('record', 'intend'), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), steps, fc.boolean(), async (scheduler, oldSteps, byFence) => {
        const id = await planned();
        const old = claimOf(id);
        await claimed(old, [first]);
        const acknowledged: number[] = [];
        let over = false;
        const older = async () => {
          for (const [step, name] of oldSteps.entries()) {
            await scheduler.schedule(Promise.resolve());
            const late = over;
            const ok =
              name === 'record'
                ? await store.ledger.record(old, [{ index: 0, state: 'failed', error: `step ${step}` }])
                : await store.ledger.intend(old, [{ ...second, display_name: `step ${step}` }], step);
            expect(late && ok).toBe(false);
            if (ok) acknowledged.push(step);
          }
        };
        const newer = async () => {
          await scheduler.schedule(Promise.resolve());
          const claim = claimOf(id, 2);
          await (byFence ? store.ledger.fence(claim) : claimed(claim, [third]));
          over = true;
          return itemsOf(id);
        };
        const [, after] = await scheduler.waitFor(Promise.all([older(), newer()]));
        expect(await itemsOf(id)).toEqual(after);
        const last = (name: string) => acknowledged.filter((step) => oldSteps[step] === name).at(-1);
        const recorded = last('record');
        const intended = last('intend');
        expect(after[0]?.error).toBe(recorded === undefined ? undefined : `step ${recorded}`);
        expect(after[1]?.display_name).toBe(intended === undefined ? 'Message 1' : `step ${intended}`);
      }),
      { numRuns: 50 },
    );
  });
});
