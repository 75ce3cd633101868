import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { holderPid } from './guard';

/** An embedded database, looked at from outside: nothing of it is opened. */
export interface FolderFacts {
  exists: boolean;
  /** The process that holds it. */
  holder?: number;
}

/** @throws Error of the file system when this user may not use it. */
export async function inspectFolder(folder: string): Promise<FolderFacts> {
  const place = join(folder, 'data');
  const exists = await stat(place).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
  if (!exists) return { exists };
  const holder = await holderPid(folder);
  await access(place, constants.R_OK | constants.W_OK | constants.X_OK);
  await access(join(place, 'PG_VERSION'), constants.R_OK);
  return holder === undefined ? { exists } : { exists, holder };
}
