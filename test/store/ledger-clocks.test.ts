import { bothStores } from '../helpers/both-stores';
import { claimOf, first, useLedger } from '../helpers/ledger';

const HOUR = 3_600_000;

// The embedded store reads the clock of the process.
describe.each(bothStores().filter(([kind]) => kind === 'PostgreSQL'))('the ledger, %s', (_, open) => {
  const stage = useLedger(open);

  it('gives a worker whose clock is ahead as long to wait for a request as any other', async () => {
    const id = await stage.planned();
    const now = Date.now();
    await stage.claimed(claimOf(id), [first], now + HOUR);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now + 5 * HOUR);
    try {
      const [known] = await stage.ledger.fence(claimOf(id, 2));
      // The clocks are read one after the other: within eight minutes.
      expect(known?.deadline).toBeCloseTo(now + 6 * HOUR, -6);
    } finally {
      clock.mockRestore();
    }
  });
});
