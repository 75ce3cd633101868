import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '../../src/postgres/store/open';
import { seedStore } from './embedded';
import { sharedPostgres } from './postgres';

/** Both kinds of store, for `describe.each`, with the folder of the file's embedded one. */
export function bothStores(): [kind: string, open: () => Promise<Store>][] {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'batchgate-'));
    await seedStore(folder);
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });
  return [
    ['embedded', () => openStore({ dataDir: folder })],
    [
      'PostgreSQL',
      async () => openStore({ dataDir: folder, databaseUrl: await sharedPostgres().newDatabase() }),
    ],
  ];
}
