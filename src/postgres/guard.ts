import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BatchgateError } from '../contract/errors';
import { findHolder, tryHold, type Held } from '../host/lock';

/** Texts for errors about one embedded database. */
export interface FolderUse {
  /** A noun phrase for the database, such as "the embedded store". */
  readonly what: string;
  /** The next step if several processes need it. */
  readonly share: string;
  /** The next step if its folder cannot be locked. */
  readonly move: string;
  /** The next step if the database in the folder cannot be opened. */
  readonly mend: string;
}

const lockOf = (folder: string) => join(folder, 'lock');

/**
 * Holds a folder for this process, until `release` or until the process ends.
 * @throws BatchgateError `NOT_CONFIGURED` when another process holds it, or when the folder cannot be locked.
 */
export async function holdFolder(folder: string, { what, share, move }: FolderUse): Promise<Held> {
  let lock: Held | undefined;
  try {
    lock = await tryHold(lockOf(folder));
  } catch (error) {
    throw new BatchgateError(
      'NOT_CONFIGURED',
      `Cannot lock the folder of ${what}: ${(error as Error).message}`,
      move,
    );
  }
  if (lock !== undefined) return lock;
  const pid = await holderPid(folder);
  throw new BatchgateError(
    'NOT_CONFIGURED',
    `Another process (pid ${pid ?? 'unknown'}) holds ${what}.`,
    `Only one process can use an embedded database. Stop the other one, or ${share}`,
    { pid },
  );
}

/** Returns the id of the process that holds the folder. Read-only. */
async function holderPid(folder: string): Promise<number | undefined> {
  const holder = await findHolder(lockOf(folder));
  holder?.leave();
  return holder?.pid;
}

/** State of an embedded database, read without opening it. */
export interface FolderFacts {
  exists: boolean;
  /** The process that holds it. */
  holder?: number;
}

/** @throws the file system's error if this user cannot use the folder. */
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
