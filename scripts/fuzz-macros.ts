import { parseArgs } from 'node:util';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loadConfig } from '../src/host/config';
import { startPostgres } from '../test/helpers/postgres';
import { startTemporal } from './faults/parts';
import { fuzzModel, withResources, type Trial } from './fuzz/model-share';
import { startServerShare } from './fuzz/server-share';

const HELP = `npm run fuzz:macros -- [options]
  --runs N      how many generated macros (default 500)
  --seed N      the macros of this seed again (default: a new one)
  --server N    each Nth goes through a real worker and server, too (default 10; 0: none)
  --memory MB   what the worker may take for objects (default 512)`;

const BUNDLE = resolve(__dirname, '../dist/workflow-bundle.js');

/** Runs generated macros, valid and invalid ones, and fails if any run breaks a rule. */
async function main(): Promise<void> {
  const option = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      runs: option,
      seed: option,
      server: option,
      memory: option,
      help: { type: 'boolean' },
    },
  });
  if (values.help) return console.log(HELP);
  const runs = Number(values.runs ?? 500);
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const each = Number(values.server ?? 10);
  console.log(`seed ${seed}, ${runs} macros`);
  const tally = createTally(runs);
  const wrong = await withResources((resourcesDir) =>
    withServer(each, { resourcesDir, memoryMb: Number(values.memory ?? 512) }, async (begin, finish) => {
      const failure = await fuzzModel({ runs, seed, resourcesDir }, async (trial) => {
        tally.count(trial);
        if (each > 0 && tally.seen() % each === 0) await begin(trial);
      });
      const { runs: through, wrong: others } = await finish();
      tally.print(through);
      return [...(failure === undefined ? [] : [failure]), ...others];
    }),
  );
  for (const line of wrong) console.error(line);
  if (wrong.length === 0) return console.log('Nothing is wrong.');
  console.error(`To repeat it: npm run fuzz:macros -- --runs ${runs} --seed ${seed}`);
  process.exitCode = 1;
}

type Share = Awaited<ReturnType<typeof startServerShare>>;

async function withServer<T>(
  each: number,
  options: { resourcesDir: string; memoryMb: number },
  work: (begin: Share['begin'], finish: Share['finish']) => Promise<T>,
): Promise<T> {
  if (each === 0)
    return work(
      () => Promise.resolve(),
      () => Promise.resolve({ runs: 0, wrong: [] }),
    );
  const folder = await mkdtemp(join(tmpdir(), 'batchgate-fuzz-server-'));
  const server = await startTemporal(folder, loadConfig().cacheDir);
  const postgres = await startPostgres();
  const { address } = server;
  const newDatabase = () => postgres.newDatabase();
  const share = await startServerShare({ ...options, address, newDatabase, bundlePath: BUNDLE });
  try {
    return await work(
      (...trial) => share.begin(...trial),
      () => share.finish(),
    );
  } finally {
    await share.close();
    // Nothing else keeps this process alive until the server has ended.
    await server.close();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function createTally(total: number) {
  const ends = new Map<string, number>();
  const seen = { runs: 0, steps: 0, calls: 0, breaths: 0, longest_ms: 0 };
  const began = Date.now();
  return {
    seen: () => seen.runs,
    count({ run }: Trial) {
      seen.runs++;
      seen.steps += run.steps;
      seen.calls += run.calls;
      seen.breaths += run.breaths;
      seen.longest_ms = Math.max(seen.longest_ms, run.longest_ms);
      ends.set(run.state, (ends.get(run.state) ?? 0) + 1);
      if (seen.runs % 1_000 === 0)
        console.log(`${seen.runs} of ${total}, ${Math.round((Date.now() - began) / 1_000)} s`);
    },
    print(through: number) {
      const states = [...ends].map(([state, count]) => `${count} ${state}`).join(', ');
      console.log(`${seen.runs} macros in ${Math.round((Date.now() - began) / 1_000)} s: ${states}`);
      console.log(`${seen.steps} steps, ${seen.calls} calls, ${seen.breaths} tasks handed back`);
      console.log(`the longest task took ${Math.round(seen.longest_ms)} ms of the processor`);
      console.log(`${through} of them through a real worker and server`);
    },
  };
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
