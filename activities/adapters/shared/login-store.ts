import { chmod, open, readFile, rm } from 'node:fs/promises';
import { join, dirname } from 'node:path';
import type { z } from 'zod';
import { BatchgateError } from '../../../src/contract/errors';
import { replaceFile, whenMissing, makeFolder } from '../../../src/host/files';
import { withLock } from '../../../src/host/lock';
import { jsonIn } from './parsed';

/**
 * The login of one provider in a data folder: a file that only its owner may read, shared by the processes that use
 * the folder.
 */
export interface LoginStore<T> {
  readonly path: string;
  /** @throws BatchgateError `CREDENTIALS_INVALID` if other users may read the file or it cannot be parsed. */
  read(): Promise<T | undefined>;
  /** Reads the login without the check of permissions. Returns undefined if the file cannot be parsed. */
  readAnyway(): Promise<T | undefined>;
  /** Runs `work` under the lock of this login, which all processes share. */
  exclusively<R>(work: () => Promise<R>): Promise<R>;
  /** Replaces the login atomically. Call it only within `exclusively`. */
  write(login: T): Promise<void>;
  /**
   * Revokes the login and removes it. Returns true if the file contained one.
   * @throws BatchgateError `NOT_FOUND` when there is no file.
   */
  forget(revoke: (login: T) => Promise<void>): Promise<boolean>;
}

export function openLoginStore<S extends z.ZodType>(
  dataDir: string,
  provider: string,
  schema: S,
): LoginStore<z.output<S>> {
  const path = join(dataDir, 'credentials', `${provider}.json`);
  const readText = () => readFile(path, 'utf8').catch(whenMissing);
  const store: LoginStore<z.output<S>> = {
    path,
    async read() {
      const content = await readPrivate(path);
      if (content === undefined) return undefined;
      const login = schema.safeParse(jsonIn(content)).data;
      if (login !== undefined) return login;
      throw new BatchgateError(
        'CREDENTIALS_INVALID',
        `The stored login in ${path} cannot be read.`,
        `Log in again with \`batchgate login ${provider}\`.`,
      );
    },
    readAnyway: async () => schema.safeParse(jsonIn((await readText()) ?? '')).data,
    async exclusively(work) {
      await makeFolder(dirname(dirname(path)));
      await makeFolder(dirname(path), 0o700);
      await chmod(dirname(path), 0o700);
      return withLock(`${path}.lock`, stuck(`${path}.lock`), work);
    },
    write: (login) => replaceFile(path, `${JSON.stringify(login, null, 2)}\n`),
    async forget(revoke) {
      if ((await readText()) === undefined) {
        throw new BatchgateError('NOT_FOUND', `No login is stored in ${path}.`, 'There is nothing to do.');
      }
      return store.exclusively(async () => {
        const login = await store.readAnyway();
        if (login !== undefined) await revoke(login);
        await rm(path, { force: true });
        return login !== undefined;
      });
    },
  };
  return store;
}

async function readPrivate(path: string): Promise<string | undefined> {
  const file = await open(path, 'r').catch(whenMissing);
  if (file === undefined) return undefined;
  try {
    const { mode } = await file.stat();
    // Windows has no such permission bits.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) throw readableByOthers(path, mode);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

const readableByOthers = (path: string, mode: number) =>
  new BatchgateError(
    'CREDENTIALS_INVALID',
    `Users other than the owner may read ${path} (mode ${(mode & 0o777).toString(8)}), so it is not used.`,
    `Run \`chmod 600 ${path}\`. If another user may have read it, forget the login and log in again.`,
  );

const stuck = (lock: string) =>
  new BatchgateError(
    'CREDENTIALS_INVALID',
    `Another process is changing the stored login and does not finish; it holds ${lock}.`,
    'Stop that process, then try again.',
  );
