import { rm } from 'node:fs/promises';
import { runFaults, type RunOptions } from '../../scripts/faults/run';
import { findingsOf, tableOf } from '../../scripts/faults/table';
import { loadConfig } from '../../src/config';

/** The short form of `npm run faults`, and the proof that it can fail. */
const run = (over: Partial<RunOptions>) => {
  const { env, cacheDir } = loadConfig();
  const common = { database: 'postgres', workers: 2, concurrency: 4, say: () => undefined } as const;
  return runFaults({ ...common, env, cacheDir, faults: 0, operations: 1, seed: 13, ...over });
};

it('keeps every promise while workers, server and database are killed and suspended, and the network fails', async () => {
  const result = await run({ faults: 8, operations: 6 });
  expect(findingsOf(result)).toEqual([]);
  expect(result.operations).toBeGreaterThanOrEqual(6);
  expect(result.touches).toBeGreaterThan(0);
  expect(Object.keys(result.faults)).toHaveLength(8);
  expect(tableOf(result)).toContain('| **touches without a confirmation** | **0** |');
}, 600_000);

it('finds workers that go on after they were given up, because their ledger takes what they write', async () => {
  const faults = { faults: 3, operations: 3, seed: 17, kinds: ['worker overtaken'] } as const;
  const { findings, folder = '' } = await run({ ...faults, spoil: ['unfenced'] });
  expect(findings.twice).toContainEqual(
    expect.stringMatching(/: applied 2 times, and never named in doubt$/),
  );
  await rm(folder, { recursive: true });
}, 240_000);

it('finds a target that does everything twice, and a confirmation that was not written down', async () => {
  const spoil = ['twice', 'unrecorded'] as const;
  const { findings, folder = '' } = await run({ database: 'embedded', workers: 1, concurrency: 1, spoil });
  expect(findings.twice).toContainEqual(
    expect.stringMatching(/: applied 2 times, and never named in doubt$/),
  );
  expect(findings.unconfirmed).toContainEqual(expect.stringMatching(/who sent none$/));
  expect(findings.lost).toContainEqual(expect.stringMatching(/: applied, and confirmed by \S+ on record$/));
  await rm(folder, { recursive: true });
}, 120_000);
