import { rm } from 'node:fs/promises';
import { runFaults, type RunOptions } from '../../scripts/faults/run';
import { loadConfig } from '../../src/host/config';

const TRIES = 4;

/** Proves that `npm run faults` can fail. The run in faults.test.ts must not. */
const run = (over: Partial<RunOptions>) => {
  const { env, cacheDir } = loadConfig();
  const common = {
    database: 'postgres',
    workers: 2,
    concurrency: 4,
    strikes: 1,
    say: () => undefined,
  } as const;
  return runFaults({ ...common, env, cacheDir, faults: 0, operations: 1, seed: 13, ...over });
};

it('finds a target that executes everything twice, and a confirmation that was not recorded', async () => {
  const spoil = ['twice', 'unrecorded'] as const;
  const { findings, folder = '' } = await run({ database: 'embedded', workers: 1, concurrency: 1, spoil });
  expect(findings.twice).toContainEqual(
    expect.stringMatching(/: applied 2 times, and never named in doubt$/),
  );
  expect(findings.unconfirmed).toContainEqual(expect.stringMatching(/who sent none$/));
  expect(findings.lost).toContainEqual(
    expect.stringMatching(/: applied, and confirmed by \S+(, \S+)? on record$/),
  );
  await rm(folder, { recursive: true });
});

it('finds a worker that continues a batch that another worker has, because its ledger does not stop it', async () => {
  const overtaken = { faults: 4, kinds: ['worker overtaken'] } as const;
  // The SDK ends a batch by its own clock, 5 s after a heartbeat was due. On a busy machine the next attempt may come
  // later, and nobody is overtaken.
  const found: string[] = [];
  for (let seed = 13; found.length === 0 && seed < 13 + TRIES; seed++) {
    const { findings, folder = '' } = await run({ ...overtaken, seed, spoil: ['unfenced'] });
    found.push(...findings.unconfirmed);
    await rm(folder, { recursive: true, force: true });
  }
  expect(found).toContainEqual(expect.stringMatching(/: touched twice on \S+ confirmation$/));
  const fenced = await run({ ...overtaken, faults: 2 });
  expect(Object.values(fenced.findings).flat()).toEqual([]);
});
