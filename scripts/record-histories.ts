import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import globalSetup from '../test/helpers/global-setup';
import globalTeardown from '../test/helpers/global-teardown';
import { CHAINED, SINGLE } from '../test/replay/paths';
import { historiesOf, openStage, printed } from '../test/replay/stage';

const root = resolve(__dirname, '..');
const directory = join(root, 'test/replay/histories');

/** Drives every path on a server of its own, and only then writes the histories anew, one file a run. */
async function main(): Promise<void> {
  await globalSetup();
  try {
    const files = [...(await record(SINGLE, 25)), ...(await record(CHAINED, 1))];
    await rm(directory, { recursive: true, force: true });
    await mkdir(directory, { recursive: true });
    for (const { name, text } of files) await writeFile(join(directory, name), text);
    console.log(`${files.length} histories written`);
  } finally {
    await globalTeardown();
  }
}

async function record(
  paths: typeof SINGLE,
  batchesPerRun: number,
): Promise<{ name: string; text: string }[]> {
  const stage = await openStage(batchesPerRun);
  const files: { name: string; text: string }[] = [];
  try {
    for (const [name, drive] of Object.entries(paths)) {
      console.log(name);
      const scene = stage.scene(name);
      await drive(scene);
      const histories = await historiesOf(stage.client, scene.id);
      for (const [at, history] of histories.entries()) {
        const run = histories.length === 1 ? '' : `-${at + 1}`;
        files.push({ name: `${name}${run}.json`, text: printed(history, root) });
      }
    }
    return files;
  } finally {
    await stage.close();
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
