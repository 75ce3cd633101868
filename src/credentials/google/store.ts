import { join } from 'node:path';
import { BatchgateError } from '../../contract/errors';
import { secretFile, type SecretFile } from '../secret-file';
import { storedLoginSchema, type StoredLogin } from './protocol';

/** The login that a data folder keeps. */
export interface LoginStore {
  readonly path: string;
  /** @throws BatchgateError `CREDENTIALS_INVALID` when the file cannot be used. */
  read(): Promise<StoredLogin | undefined>;
  readAnyway: SecretFile['readAnyway'];
  exclusively: SecretFile['exclusively'];
  write(login: StoredLogin): Promise<void>;
  remove: SecretFile['remove'];
}

export function loginStore(dataDir: string): LoginStore {
  const file = secretFile(join(dataDir, 'credentials', 'google.json'));
  return {
    ...file,
    async read() {
      const content = await file.read();
      if (content === undefined) return undefined;
      const login = parseLogin(content);
      if (login !== undefined) return login;
      throw new BatchgateError(
        'CREDENTIALS_INVALID',
        `The stored login in ${file.path} cannot be read.`,
        'Log in again with `batchgate login google`.',
      );
    },
    write: (login) => file.write(`${JSON.stringify(login, null, 2)}\n`),
  };
}

export function parseLogin(content: string): StoredLogin | undefined {
  try {
    return storedLoginSchema.parse(JSON.parse(content));
  } catch {
    return undefined;
  }
}
