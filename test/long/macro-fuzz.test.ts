import { fuzzModel, withResources, type Trial } from '../../scripts/fuzz/model-share';
import { startServerShare } from '../../scripts/fuzz/server-share';
import { testServer } from '../helpers/harness';
import { sharedPostgres } from '../helpers/postgres';

jest.setTimeout(1_800_000);

const RUNS = 10_000;
const SEED = 20261123;
/** How many of the valid macros run through a worker and a server. */
const THROUGH_SERVER = 150;

it(`brings ${RUNS} generated macros to a documented end, ${THROUGH_SERVER} of them through a worker with little memory`, async () => {
  const { address, bundlePath } = testServer();
  await withResources(async (resourcesDir) => {
    const newDatabase = () => sharedPostgres().newDatabase();
    const share = await startServerShare({ address, bundlePath, resourcesDir, newDatabase, memoryMb: 512 });
    try {
      let seen = 0;
      let begun = 0;
      const begin = async (trial: Trial) => {
        // Spreads them evenly over the run, whatever share of the macros is valid.
        const due = begun < (THROUGH_SERVER * ++seen) / RUNS;
        if (!due || trial.mistakes.length > 0) return;
        begun++;
        await share.begin(trial);
      };
      expect(await fuzzModel({ runs: RUNS, seed: SEED, resourcesDir }, begin)).toBeUndefined();
      const { runs, wrong } = await share.finish();
      expect(wrong).toEqual([]);
      expect([seen, runs]).toEqual([RUNS, THROUGH_SERVER]);
    } finally {
      await share.close();
    }
  });
});
