import { hoursFrom } from '../../scripts/faults/hours';
import { runFaults } from '../../scripts/faults/run';
import { findingsOf, tableOf } from '../../scripts/faults/table';
import { loadConfig } from '../../src/host/config';

jest.setTimeout(1_800_000);

it('keeps every promise while workers, server and database are killed and suspended, and the network fails', async () => {
  const { env, cacheDir } = loadConfig();
  const result = await runFaults({
    ...{ database: 'postgres', workers: 2, concurrency: 6, strikes: 2, seed: 13, env, cacheDir },
    ...{ hours: hoursFrom(Date.now()), faults: 80, seconds: 90, operations: 20, say: () => undefined },
  });
  expect(findingsOf(result)).toEqual([]);
  expect(result.operations).toBeGreaterThanOrEqual(20);
  expect(result.touches).toBeGreaterThan(0);
  expect(Object.keys(result.faults)).toHaveLength(8);
  expect(tableOf(result)).toContain('| **touches without a confirmation** | **0** |');
});
