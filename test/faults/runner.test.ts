import { rm } from 'node:fs/promises';
import { runFaults, type RunOptions } from '../../scripts/faults/run';
import { loadConfig } from '../../src/host/config';

/** The proof that `npm run faults` can fail; test/long holds the run that must not. */
const run = (over: Partial<RunOptions>) => {
  const { env, cacheDir } = loadConfig();
  const common = { database: 'postgres', workers: 2, concurrency: 4, say: () => undefined } as const;
  return runFaults({ ...common, env, cacheDir, faults: 0, operations: 1, seed: 13, ...over });
};

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
