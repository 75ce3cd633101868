import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openFolder } from '../../src/postgres/embedded';

const run = promisify(execFile);
const MODULES = join(__dirname, '../../node_modules');
const MANIFEST = readFileSync(join(MODULES, '@electric-sql/pglite/package.json'), 'utf8');
const CACHE = join(MODULES, '.cache');
const PREPARED = join(CACHE, `pglite-${(JSON.parse(MANIFEST) as { version: string }).version}`);

/** Creates the empty database that tests copy: PGlite takes ten times longer to create one than to open one. */
export async function prepareEmbedded(): Promise<void> {
  if (await isThere(PREPARED)) return;
  await mkdir(CACHE, { recursive: true });
  const draft = await mkdtemp(`${PREPARED}.`);
  const words = { what: 'the prepared database', share: '', move: '', mend: '' };
  await (await openFolder(draft, words)).end();
  await rename(join(draft, 'data'), PREPARED).catch(async (error: unknown) => {
    if (!(await isThere(PREPARED))) throw error;
  });
  await rm(draft, { recursive: true, force: true });
}

/** Copies an empty embedded database into `folder`, where the program looks for one before it creates its own. */
export async function seedEmbedded(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Copying its thousand files takes Node half a second of CPU.
  await run('cp', ['-R', PREPARED, join(folder, 'data')]);
}

/** Copies an empty embedded database into a data folder, as its store. */
export const seedStore = (dataDir: string): Promise<void> => seedEmbedded(join(dataDir, 'store'));

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
