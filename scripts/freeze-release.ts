import { writeFile } from 'node:fs/promises';
import { version } from '../package.json';
import { fileOfRelease, toRelease } from '../test/helpers/releases';

/** Writes the digests that this version fixes (test/replay/released). A version is frozen once. */
async function main(): Promise<void> {
  const release = await toRelease();
  await writeFile(fileOfRelease(version), `${JSON.stringify(release, null, 2)}\n`, { flag: 'wx' });
  const [histories, migrations] = Object.values(release).map((digests) => Object.keys(digests).length);
  console.log(`${version} has ${histories} histories and ${migrations} migrations`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
