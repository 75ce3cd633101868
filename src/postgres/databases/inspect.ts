import type { ConfigFile } from '../../host/config-file';
import { inspectFolder, type FolderFacts } from '../guard';
import { inspectServer } from '../pool';
import { connectFailure } from './failure';
import { locationOf } from './open';

export type DatabaseFacts =
  ({ kind: 'embedded'; folder: string } & FolderFacts) | { kind: 'postgres'; host: string; version: string };

/**
 * Facts about a database of the configuration: an embedded one is not opened, a server is asked for its version.
 * @throws BatchgateError when it cannot be reached; Error of the file system.
 */
export async function inspectDatabase(
  name: string,
  { databases, folder }: Pick<ConfigFile, 'databases' | 'folder'>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<DatabaseFacts> {
  const place = await locationOf(name, databases[name]?.url ?? '', folder, env);
  if (place.kind === 'embedded')
    return { kind: 'embedded', folder: place.folder, ...(await inspectFolder(place.folder)) };
  const { url, host, secrets } = place;
  try {
    return await inspectServer(url, (_client, version) =>
      Promise.resolve({ kind: 'postgres' as const, host, version }),
    );
  } catch (error) {
    throw connectFailure(name, error, secrets);
  }
}
