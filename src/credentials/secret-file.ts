import { chmod, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BatchgateError } from '../contract/errors';
import { replaceFile, whenMissing } from '../files';
import { makeFolder } from '../folder';
import { withLock } from '../lock';

/** A secret that only its owner may read, shared by the processes of one data folder. */
export interface SecretFile {
  readonly path: string;
  /**
   * Undefined when there is none.
   * @throws BatchgateError `CREDENTIALS_INVALID` when others may read it too.
   */
  read(): Promise<string | undefined>;
  /** As it is, whoever may read it: for throwing it away. */
  readAnyway(): Promise<string | undefined>;
  /** Runs `work` while no other process does so with this file. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Replaces it whole; a crash leaves the old one or the new one. Only within `exclusively`. */
  write(content: string): Promise<void>;
  remove(): Promise<void>;
}

export function secretFile(path: string): SecretFile {
  return {
    path,
    read: () => readPrivate(path),
    readAnyway: () => readFile(path, 'utf8').catch(whenMissing),
    async exclusively(work) {
      await preparedFolder(dirname(path));
      return withLock(`${path}.lock`, stuck(`${path}.lock`), work);
    },
    write: (content) => replaceFile(path, content),
    remove: () => rm(path, { force: true }),
  };
}

async function readPrivate(path: string): Promise<string | undefined> {
  const file = await open(path, 'r').catch(whenMissing);
  if (file === undefined) return undefined;
  try {
    const { mode } = await file.stat();
    // Windows has no such bits.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) throw readableByOthers(path, mode);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

async function preparedFolder(path: string): Promise<void> {
  await makeFolder(dirname(path));
  await makeFolder(path, 0o700);
  await chmod(path, 0o700);
}

const readableByOthers = (path: string, mode: number) =>
  new BatchgateError(
    'CREDENTIALS_INVALID',
    `Others than its owner may read ${path} (mode ${(mode & 0o777).toString(8)}), so it is not used.`,
    `Run \`chmod 600 ${path}\`. If somebody may have read it, forget the login and log in again.`,
  );

const stuck = (lock: string) =>
  new BatchgateError(
    'CREDENTIALS_INVALID',
    `Another process is changing the stored login and does not finish; it holds ${lock}.`,
    'End that process, and try again.',
  );
