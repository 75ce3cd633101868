import { join } from 'node:path';
import type { z } from 'zod';
import { BatchgateError } from '../contract/errors';
import { secretFile, type SecretFile } from './secret-file';

/** The login at one provider that a data folder keeps. */
export interface LoginStore<T> extends Omit<SecretFile, 'read' | 'write'> {
  /** @throws BatchgateError `CREDENTIALS_INVALID` when the file cannot be used. */
  read(): Promise<T | undefined>;
  write(login: T): Promise<void>;
}

export function openLoginStore<S extends z.ZodType>(
  dataDir: string,
  provider: string,
  schema: S,
): LoginStore<z.output<S>> {
  const file = secretFile(join(dataDir, 'credentials', `${provider}.json`));
  return {
    ...file,
    async read() {
      const content = await file.read();
      if (content === undefined) return undefined;
      const login = parseStored(schema, content);
      if (login !== undefined) return login;
      throw new BatchgateError(
        'CREDENTIALS_INVALID',
        `The stored login in ${file.path} cannot be read.`,
        `Log in again with \`batchgate login ${provider}\`.`,
      );
    },
    write: (login) => file.write(`${JSON.stringify(login, null, 2)}\n`),
  };
}

/** Undefined where it is no stored login. */
export function parseStored<S extends z.ZodType>(schema: S, content: string): z.output<S> | undefined {
  try {
    return schema.parse(JSON.parse(content));
  } catch {
    return undefined;
  }
}
