import { z } from 'zod';
import { CALENDAR_QUOTA, createCalendarAdapter } from '../../activities/adapters/calendar';
import { createCaldavAdapter } from '../../activities/adapters/caldav';
import { createGmailAdapter, GMAIL_QUOTA } from '../../activities/adapters/gmail';
import type { GoogleOptions } from '../../activities/adapters/google/transport';
import { createHttpAdapter } from '../../activities/adapters/http';
import { createImapAdapter } from '../../activities/adapters/imap';
import {
  createAllowance,
  perSecond,
  unlimited,
  type Allowance,
} from '../../activities/adapters/shared/allowance';
import { serverAccount } from '../../activities/adapters/shared/server-account';
import { createSqlAdapter } from '../../activities/adapters/sql';
import { createTrelloAdapter, TRELLO_LIMIT } from '../../activities/adapters/trello';
import type { Config } from '../host/config';
import { createRegistry, type AdapterRegistry } from '../core/bulk/registry';
import { refuseUnknownDomains } from '../core/bulk/windows';
import type { GoogleService } from '../../activities/adapters/google/services';
import { googleAccess } from '../../activities/adapters/google/access';
import { trelloAccess } from '../../activities/adapters/trello/access';
import { TRELLO_BASE_URL } from '../../activities/adapters/trello/protocol';
import { createDatabases, type Databases } from '../postgres/databases';
import { createSecrets } from '../host/secrets';
import type { BulkAdapter } from '../contract/adapter';
import type { AllowanceLimit, SharedBuckets } from '../contract/allowance';
import { functionShape, loadOwn } from './own-modules';

/** Adapters with their open resources. */
export interface OpenAdapters extends AdapterRegistry {
  databases: Databases;
  /** The http adapter's rate allowance, shared with everything else that sends requests. */
  httpAllowance: Allowance;
  /** Closes the resources. Call it after the last use. */
  close(): Promise<void>;
}

/**
 * Creates every adapter from the configuration. Nothing is connected before its first use.
 * @throws BatchgateError `NOT_CONFIGURED` if two have the same name, or one of the user's own cannot be loaded.
 * `mailboxUrl`: the local mailbox and calendar, for the services of Google that have no other place. `buckets` are
 * those of the store, so that all of its workers together keep within the limit of a tool.
 */
export async function createAdapters(
  config: Config,
  mailboxUrl?: string,
  buckets?: SharedBuckets,
): Promise<OpenAdapters> {
  const allowanceOf = (tool: string, limit: AllowanceLimit) => createAllowance(limit, buckets?.(tool, limit));
  const google = (service: GoogleService, baseUrl: string | undefined): GoogleOptions =>
    mailboxUrl === undefined || baseUrl !== undefined
      ? {
          rootUrl: baseUrl,
          accessToken: googleAccess(config, service),
          allowance: allowanceOf(service, service === 'gmail' ? GMAIL_QUOTA : CALENDAR_QUOTA),
        }
      : {
          rootUrl: mailboxUrl,
          // Its port changes with each start.
          place: 'the local mailbox',
          accessToken: () => Promise.resolve('local-mailbox'),
          allowance: unlimited,
        };
  const concurrency = config.settings.item_concurrency;
  const databases = createDatabases(config.file, config.env);
  const secrets = createSecrets(config.file, config.env);
  const { allowed_hosts, requests_per_second } = config.file.http;
  const httpAllowance =
    requests_per_second === undefined ? unlimited : allowanceOf('http', perSecond(requests_per_second));
  const imap = createImapAdapter({ account: () => serverAccount(config, 'imap') });
  const registry = createRegistry([
    createGmailAdapter(google('gmail', config.gmailBaseUrl)),
    createCalendarAdapter({ ...google('calendar', config.calendarBaseUrl), concurrency }),
    createTrelloAdapter({
      baseUrl: config.trelloBaseUrl ?? TRELLO_BASE_URL,
      credentials: trelloAccess(config),
      allowance: allowanceOf('trello', TRELLO_LIMIT),
      concurrency,
    }),
    createSqlAdapter({ databases, concurrency }),
    createHttpAdapter({ allowed_hosts, allowance: httpAllowance, secrets, concurrency }),
    imap,
    createCaldavAdapter({ account: () => serverAccount(config, 'caldav'), concurrency }),
    ...(await loadOwnAdapters(config)),
  ]);
  refuseUnknownDomains(config.file.windows, registry);
  const close = () => {
    imap.close();
    return databases.close();
  };
  return { ...registry, databases, httpAllowance, close };
}

const adapterShape = z.looseObject({
  toolName: z.string().min(1),
  actions: z.record(
    z.string(),
    z.looseObject({
      description: z.string(),
      query: z.instanceof(z.ZodObject),
      change: z.instanceof(z.ZodObject),
    }),
  ),
  prepare: functionShape,
  getTotalCount: functionShape,
  getNextBatch: functionShape,
  executeBatch: functionShape,
});

/**
 * The adapters of the modules that the configuration names, each of which exports them as `adapters`.
 * @throws BatchgateError `NOT_CONFIGURED` naming the module and what is wrong with it.
 */
function loadOwnAdapters({ file }: Config): Promise<BulkAdapter[]> {
  const page = 'docs/write-an-adapter.md';
  return loadOwn(file, file.adapters, { name: 'adapters', shape: adapterShape, page });
}
