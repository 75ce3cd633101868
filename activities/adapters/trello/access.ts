import type { Config } from '../../../src/host/config';
import { BatchgateError } from '../../../src/contract/errors';
import { openLoginStore, type LoginStore } from '../shared/login-store';
import {
  storedTrelloLoginSchema,
  trelloCredentialsSchema,
  type StoredTrelloLogin,
  type TrelloCredentials,
} from './protocol';

export const trelloLoginStore = (dataDir: string): LoginStore<StoredTrelloLogin> =>
  openLoginStore(dataDir, 'trello', storedTrelloLoginSchema);

/** Credentials, their source, and the user if the source is a login. */
interface FoundCredentials {
  readonly credentials: TrelloCredentials;
  readonly source: 'variables' | 'login';
  readonly username?: string;
}

/** Reads key and token at each call, so that a new login takes effect with the next call. */
export function trelloAccess(config: Config): () => Promise<TrelloCredentials> {
  return async () => {
    const inUse = await findTrelloCredentials(config);
    if (inUse !== undefined) return inUse.credentials;
    throw new BatchgateError('NOT_CONFIGURED', 'No Trello account is configured.', LOG_IN_TO_TRELLO);
  };
}

/**
 * Returns the credentials in use, in this order: the variables, the stored login, none.
 * @throws BatchgateError `NOT_CONFIGURED` for a token without its key, `CREDENTIALS_INVALID` for malformed values.
 */
async function findTrelloCredentials(config: Config): Promise<FoundCredentials | undefined> {
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
      'BATCHGATE_TRELLO_TOKEN is set, but BATCHGATE_TRELLO_KEY is not.',
      'Set BATCHGATE_TRELLO_KEY to the API key that the token was made with.',
    );
  }
  const credentials = trelloCredentialsSchema.safeParse({ key: trelloKey, token: trelloToken });
  if (credentials.success) return { credentials: credentials.data, source: 'variables' };
  throw new BatchgateError(
    'CREDENTIALS_INVALID',
    'BATCHGATE_TRELLO_KEY or BATCHGATE_TRELLO_TOKEN contains characters that keys and tokens do not have.',
    'Copy both again, without quotes and spaces.',
  );
}

const LOG_IN_TO_TRELLO =
  'Run `npx batchgate login trello`, or set BATCHGATE_TRELLO_KEY and BATCHGATE_TRELLO_TOKEN (docs/trello.md).';

interface TrelloDescription {
  source: FoundCredentials['source'] | 'none' | 'unusable';
  /** The credentials in use, or the problem with them, without secrets. */
  detail: string;
  /** The next step for the user. */
  remedy?: string;
}

/** Describes the credentials in use for Trello, and their problems, without a request to Trello. */
export async function describeTrelloCredentials(config: Config): Promise<TrelloDescription> {
  try {
    const inUse = await findTrelloCredentials(config);
    if (inUse === undefined)
      return { source: 'none', detail: 'no Trello account is configured', remedy: LOG_IN_TO_TRELLO };
    const { source, username } = inUse;
    const detail =
      source === 'variables'
        ? 'key and token of BATCHGATE_TRELLO_KEY and BATCHGATE_TRELLO_TOKEN'
        : `the login of ${username} in ${trelloLoginStore(config.dataDir).path}`;
    return { source, detail };
  } catch (error) {
    if (!(error instanceof BatchgateError)) throw error;
    return { source: 'unusable', detail: error.message, remedy: error.hint };
  }
}
