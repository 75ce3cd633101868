import { fuzzModel, withResources, type Trial } from '../../scripts/fuzz/model-share';
import { startServerShare } from '../../scripts/fuzz/server-share';
import { testServer } from '../helpers/harness';
import { inLongRun } from '../helpers/long-run';
import { sharedPostgres } from '../helpers/postgres';

jest.setTimeout(300_000);

it('runs generated macros to a documented end, and some of them through a worker with little memory', async () => {
  const { address, bundlePath } = testServer();
  await withResources(async (resourcesDir) => {
    const newDatabase = () => sharedPostgres().newDatabase();
    const share = await startServerShare({ address, bundlePath, resourcesDir, newDatabase, memoryMb: 512 });
    try {
      let valid = 0;
      const begin = async (trial: Trial) => {
        if (trial.mistakes.length === 0 && valid++ % 5 === 0) await share.begin(trial);
      };
      expect(
        await fuzzModel({ runs: inLongRun(100, 40), seed: 20261122, resourcesDir }, begin),
      ).toBeUndefined();
      expect((await share.finish()).wrong).toEqual([]);
    } finally {
      await share.close();
    }
  });
});
