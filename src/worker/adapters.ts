import { createCalendarAdapter } from '../../activities/adapters/calendar';
import { createGmailAdapter } from '../../activities/adapters/gmail';
import type { GoogleOptions } from '../../activities/adapters/google/transport';
import { createHttpAdapter } from '../../activities/adapters/http';
import { perSecond, unlimited, type Allowance } from '../provider/allowance';
import { createSqlAdapter } from '../../activities/adapters/sql';
import { createTrelloAdapter } from '../../activities/adapters/trello';
import type { Config } from '../config';
import { createRegistry, type AdapterRegistry } from '../core/registry';
import type { GoogleService } from '../credentials';
import { googleAccess } from '../credentials/google/access';
import { trelloAccess } from '../credentials/trello/access';
import { TRELLO_BASE_URL } from '../credentials/trello/protocol';
import { createDatabases, type Databases } from '../databases';
import { createSecrets } from '../secrets';
import { loadOwnAdapters } from './own-adapters';

/** Adapters with what they hold open. */
export interface OpenAdapters extends AdapterRegistry {
  databases: Databases;
  /** What the adapter http may send, for whoever else sends requests. */
  httpAllowance: Allowance;
  /** Once nothing of them is in use any more. */
  close(): Promise<void>;
}

/**
 * Every adapter there is, over what the configuration says; nothing is connected before its first use.
 * @throws BatchgateError `NOT_CONFIGURED` when two have the same name, or one of the user's own cannot be loaded.
 * `mailboxUrl`: the local mailbox and calendar, for the services of Google that have no other place.
 */
export async function createAdapters(config: Config, mailboxUrl?: string): Promise<OpenAdapters> {
  const google = (service: GoogleService, baseUrl: string | undefined): GoogleOptions =>
    mailboxUrl === undefined || baseUrl !== undefined
      ? { rootUrl: baseUrl, accessToken: googleAccess(config, service) }
      : { rootUrl: mailboxUrl, accessToken: () => Promise.resolve('local-mailbox'), allowance: unlimited };
  const concurrency = config.settings.item_concurrency;
  const databases = createDatabases(config.file, config.env);
  const secrets = createSecrets(config.file, config.env);
  const { allowed_hosts, requests_per_second } = config.file.http;
  const httpAllowance = perSecond(requests_per_second);
  const registry = createRegistry([
    createGmailAdapter(google('gmail', config.gmailBaseUrl)),
    createCalendarAdapter({ ...google('calendar', config.calendarBaseUrl), concurrency }),
    createTrelloAdapter({
      baseUrl: config.trelloBaseUrl ?? TRELLO_BASE_URL,
      credentials: trelloAccess(config),
      concurrency,
    }),
    createSqlAdapter({ databases, concurrency }),
    createHttpAdapter({ allowed_hosts, allowance: httpAllowance, secrets, concurrency }),
    ...(await loadOwnAdapters(config)),
  ]);
  return { ...registry, databases, httpAllowance, close: () => databases.close() };
}
