import { createCalendarAdapter } from '../activities/adapters/calendar';
import { createCaldavAdapter } from '../activities/adapters/caldav';
import { createGmailAdapter } from '../activities/adapters/gmail';
import { createHttpAdapter } from '../activities/adapters/http';
import { createImapAdapter } from '../activities/adapters/imap';
import { createAllowance, perSecond, unlimited } from '../activities/adapters/shared/allowance';
import { createTrelloAdapter } from '../activities/adapters/trello';
import { TRELLO_BASE_URL } from '../activities/adapters/trello/protocol';
import type { BulkAdapter } from './contract/adapter';
import { DEFAULT_SETTINGS } from './contract/settings';
import { createSecrets } from './host/secrets';

const concurrency = DEFAULT_SETTINGS.item_concurrency;

/**
 * The adapters of this package, for `startWorker`. Each respects the rate limits that its provider publishes. To add
 * `sql`, set the option `databases` of `startWorker`.
 *
 * @example
 * const gmail = builtIn.gmail({ accessToken: () => tokens.fresh() });
 * await startWorker({ connection, adapters: [gmail] });
 */
export const builtIn = {
  /** Gmail. `accessToken` is called before every request; `refused` is the token that Google answered with 401. */
  gmail: (options: {
    readonly accessToken: (refused?: string) => Promise<string>;
    /** The address of another server with the same API. */
    readonly rootUrl?: string;
  }): BulkAdapter => createGmailAdapter(options),

  /** Google Calendar, with the same options. */
  calendar: (options: {
    readonly accessToken: (refused?: string) => Promise<string>;
    readonly rootUrl?: string;
  }): BulkAdapter => createCalendarAdapter({ concurrency, ...options }),

  /** Trello. `credentials` is called at the start of every adapter call. */
  trello: ({
    credentials,
    baseUrl = TRELLO_BASE_URL,
  }: {
    readonly credentials: () => Promise<{ readonly key: string; readonly token: string }>;
    /** The address of another server with the same API. */
    readonly baseUrl?: string;
  }): BulkAdapter => createTrelloAdapter({ baseUrl, credentials, concurrency }),

  /** A mail server. `account` is called before every connection; `close` ends the connections. */
  imap: (options: {
    readonly account: () => {
      /** `imaps://HOST[:PORT]`, or `imap://` for STARTTLS. */
      readonly url: string;
      readonly user: string;
      readonly secret: { readonly pass: string } | { readonly accessToken: string };
    };
  }): BulkAdapter & { close(): void } => createImapAdapter(options),

  /** A CalDAV server. `account` is called at the start of every adapter call. */
  caldav: (options: {
    readonly account: () => {
      /** `https://HOST[/PATH]`. */
      readonly url: string;
      readonly user: string;
      readonly secret: { readonly pass: string } | { readonly accessToken: string };
    };
  }): BulkAdapter => createCaldavAdapter({ concurrency, ...options }),

  /** Requests to the HTTP APIs of these hosts. `secrets` are keyed by name. Operations contain only the names. */
  http: ({
    allowed_hosts,
    secrets = {},
    requests_per_second,
  }: {
    readonly allowed_hosts: readonly string[];
    readonly secrets?: Readonly<Record<string, string>>;
    /** Default: unlimited. */
    readonly requests_per_second?: number;
  }): BulkAdapter =>
    createHttpAdapter({
      ...{ allowed_hosts, concurrency },
      allowance:
        requests_per_second === undefined ? unlimited : createAllowance(perSecond(requests_per_second)),
      secrets: createSecrets({ secrets: sourcesOf(secrets, allowed_hosts), folder: '/' }, secrets),
    }),
};

/** Maps each secret to a variable of the same name, in an environment that has only these. */
const sourcesOf = (secrets: Readonly<Record<string, string>>, hosts: readonly string[]) =>
  Object.fromEntries(Object.keys(secrets).map((name) => [name, { env: name, hosts: [...hosts] }]));
