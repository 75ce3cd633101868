import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import globalSetup from '../test/helpers/global-setup';
import globalTeardown from '../test/helpers/global-teardown';
import { CHAINED, SINGLE } from '../test/replay/paths';
import { historiesOf, openStage, printed } from '../test/replay/stage';

const root = resolve(__dirname, '..');
const directory = join(root, 'test/replay/histories');

/** Drives every path on a server of its own and writes the histories anew, one file a run. */
async function main(): Promise<void> {
  await globalSetup();
  try {
    await rm(directory, { recursive: true, force: true });
    await mkdir(directory, { recursive: true });
    await record(SINGLE, 25);
    await record(CHAINED, 1);
  } finally {
    await globalTeardown();
  }
}

async function record(paths: typeof SINGLE, batchesPerRun: number): Promise<void> {
  const stage = await openStage(batchesPerRun);
  try {
    for (const [name, drive] of Object.entries(paths)) {
      const scene = stage.scene(name);
      await drive(scene);
      const histories = await historiesOf(scene);
      for (const [at, history] of histories.entries()) {
        const file = histories.length === 1 ? `${name}.json` : `${name}-${at + 1}.json`;
        await writeFile(join(directory, file), printed(history, root));
      }
      console.log(`${name}: ${histories.length} run(s)`);
    }
  } finally {
    await stage.close();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
