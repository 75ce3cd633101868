import type { Config } from '../../config';
import { BatchgateError } from '../../contract/errors';
import { trelloCredentialsSchema, type TrelloCredentials } from './protocol';
import { trelloLoginStore } from './store';

/** Where credentials are from, and, of a login, whose they are. */
export interface FoundCredentials {
  readonly credentials: TrelloCredentials;
  readonly source: 'variables' | 'login';
  readonly username?: string;
}

/** Key and token as they are at each call, so that a login counts from the next call on. */
export function trelloAccess(config: Config): () => Promise<TrelloCredentials> {
  return async () => {
    const found = await findTrelloCredentials(config);
    if (found !== undefined) return found.credentials;
    throw new BatchgateError('NOT_CONFIGURED', 'No Trello account is configured.', LOG_IN_TO_TRELLO);
  };
}

/**
 * The one place of the order: the variables, the stored login, none.
 * @throws BatchgateError `NOT_CONFIGURED` for a token without its key, `CREDENTIALS_INVALID` for what is neither.
 */
export async function findTrelloCredentials(config: Config): Promise<FoundCredentials | undefined> {
  const { trelloKey, trelloToken } = config;
  if (trelloToken === undefined) {
    const login = await trelloLoginStore(config.dataDir).read();
    if (login === undefined) return undefined;
    const { key, token, username } = login;
    return { credentials: { key, token }, source: 'login', username };
  }
  if (trelloKey === undefined) {
    throw new BatchgateError(
      'NOT_CONFIGURED',
      'BATCHGATE_TRELLO_TOKEN is set, and BATCHGATE_TRELLO_KEY is not.',
      'Set BATCHGATE_TRELLO_KEY to the API key that the token was made with.',
    );
  }
  const credentials = trelloCredentialsSchema.safeParse({ key: trelloKey, token: trelloToken });
  if (credentials.success) return { credentials: credentials.data, source: 'variables' };
  throw new BatchgateError(
    'CREDENTIALS_INVALID',
    'BATCHGATE_TRELLO_KEY or BATCHGATE_TRELLO_TOKEN holds signs that no key and no token has.',
    'Copy both again, without quotes and blanks.',
  );
}

export const LOG_IN_TO_TRELLO =
  'Run `npx batchgate login trello`, or set BATCHGATE_TRELLO_KEY and BATCHGATE_TRELLO_TOKEN (docs/trello.md).';
