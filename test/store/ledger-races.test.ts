import fc from '../helpers/properties';
import { bothStores } from '../helpers/both-stores';
import { claimOf, first, second, third, useLedger } from '../helpers/ledger';

const HOUR = 3_600_000;

describe.each(bothStores())('the ledger, %s', (_, open) => {
  const stage = useLedger(open);
  const { claimed, planned } = stage;
  const rowsOf = (id: string) =>
    stage.db
      .selectFrom('items')
      .select(['state', 'error', 'deadline'])
      .where('operation_id', '=', id)
      .orderBy('index')
      .execute();

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
                ? await stage.ledger.record(old, [{ index: 0, state: 'failed', error: `step ${step}` }])
                : await stage.ledger.intend(old, [second], Date.now() + (step + 1) * HOUR);
            expect(late && ok).toBe(false);
            if (ok) acknowledged.push(step);
          }
        };
        const newer = async () => {
          await scheduler.schedule(Promise.resolve());
          const claim = claimOf(id, 2);
          await (byFence ? stage.ledger.fence(claim) : claimed(claim, [third]));
          over = true;
          return rowsOf(id);
        };
        const [, after] = await scheduler.waitFor(Promise.all([older(), newer()]));
        expect(await rowsOf(id)).toEqual(after);
        const last = (name: string) => acknowledged.filter((step) => oldSteps[step] === name).at(-1);
        const recorded = last('record');
        const intended = last('intend');
        expect(after[0]?.error).toBe(recorded === undefined ? null : `step ${recorded}`);
        const deadline = after[1]?.deadline ?? null;
        const hours = deadline === null ? 0 : Math.round((Number(deadline) - Date.now()) / HOUR);
        expect(hours).toBe(intended === undefined ? 0 : intended + 1);
      }),
      { numRuns: 50 },
    );
  });
});
