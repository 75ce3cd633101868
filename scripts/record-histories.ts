import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import globalSetup from '../test/helpers/global-setup';
import globalTeardown from '../test/helpers/global-teardown';
import { releases } from '../test/helpers/releases';
import { filesOf, RECORDINGS } from '../test/replay/recordings';
import { historiesOf, openStage, printed } from '../test/replay/stage';

const root = resolve(__dirname, '..');
const directory = join(root, 'test/replay/histories');

/**
 * Runs every path that no release contains, and writes its histories, one file per run. Arguments select only the
 * paths whose names begin with one of them.
 */
async function main(words: string[]): Promise<void> {
  const released = new Set(
    Object.values(await releases()).flatMap(({ histories }) => Object.keys(histories)),
  );
  const isWanted = (path: string, runs: number) =>
    (words.length === 0 || words.some((word) => path.startsWith(word))) &&
    !filesOf(path, runs).some((file) => released.has(file));
  await globalSetup();
  try {
    const files: RecordedFile[] = [];
    for (const recording of RECORDINGS) files.push(...(await record(recording, isWanted)));
    if (files.length === 0)
      throw new Error('a release has every path of that name. What is new needs a path of its own.');
    for (const { name, text } of files) await writeFile(join(directory, name), text);
    console.log(`${files.length} histories written`);
  } finally {
    await globalTeardown();
  }
}

interface RecordedFile {
  name: string;
  text: string;
}

async function record(
  { stage: options, runs, paths }: (typeof RECORDINGS)[number],
  isWanted: (path: string, runs: number) => boolean,
): Promise<RecordedFile[]> {
  const chosen = Object.entries(paths).filter(([name]) => isWanted(name, runs));
  if (chosen.length === 0) return [];
  const stage = await openStage(options);
  const files: RecordedFile[] = [];
  try {
    for (const [path, drive] of chosen) {
      console.log(path);
      const scene = stage.scene(path);
      await drive(scene);
      const histories = await historiesOf(stage.client, scene.id);
      if (histories.length !== runs) throw new Error(`${path} took ${histories.length} runs, not ${runs}`);
      const names = filesOf(path, runs);
      files.push(
        ...histories.map((history, at) => ({ name: names[at] ?? '', text: printed(history, root) })),
      );
    }
    return files;
  } finally {
    await stage.close();
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
