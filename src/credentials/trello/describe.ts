import type { Config } from '../../config';
import { BatchgateError } from '../../contract/errors';
import { findTrelloCredentials, LOG_IN_TO_TRELLO, type FoundCredentials } from './access';
import { trelloLoginStore } from './store';

interface TrelloDescription {
  source: FoundCredentials['source'] | 'none' | 'unusable';
  /** Which credentials are in use, or what is wrong with them. Holds no secret. */
  detail: string;
  /** What to do about it. */
  remedy?: string;
}

/** Says which credentials for Trello are in use, and what is wrong with them. Asks nothing of Trello. */
export async function describeTrelloCredentials(config: Config): Promise<TrelloDescription> {
  try {
    const found = await findTrelloCredentials(config);
    if (found === undefined)
      return { source: 'none', detail: 'no Trello account is configured', remedy: LOG_IN_TO_TRELLO };
    const { source, username } = found;
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
