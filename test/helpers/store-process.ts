import { openStore } from '../../src/postgres/store/open';
import { BATCH, plan, plannedItems } from './ledger';

/**
 * Uses the store like a worker, in a separate process. It opens the embedded store in the folder of its argument,
 * prints `open`, and runs batches. It prints the number of each when its results are acknowledged.
 */
async function main(dataDir: string): Promise<void> {
  const { ledger } = await openStore({ dataDir });
  console.log('open');
  const items = plannedItems(400 * BATCH);
  await ledger.recordPlan(plan('worker'), items);
  for (let batch = 1; batch <= 400; batch += 1) {
    const claim = { operation_id: 'worker', batch, epoch: 1 };
    const slice = items.slice((batch - 1) * BATCH, batch * BATCH);
    const confirmed = { via: 'update', assurance: 'asserted', at: '2026-11-21T12:00:00.000Z' } as const;
    await ledger.claim(claim, { items: slice, skipped: [], confirmed, deadline: 1 });
    await ledger.record(
      claim,
      slice.map(({ index }) => ({ index, state: 'succeeded' })),
    );
    console.log(batch);
  }
  setInterval(() => undefined, 60_000);
}

main(process.argv[2] ?? '').catch((error: unknown) => {
  console.error(JSON.stringify(error));
  process.exit(1);
});
