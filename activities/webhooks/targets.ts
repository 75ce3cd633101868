import { isIP } from 'node:net';
import type * as StandardWebhooks from 'standardwebhooks';
import { BatchgateError } from '../../src/contract/errors';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../src/contract/webhooks';
import { isEncryptedOrLocal, type ConfigFile, type WebhookConfig } from '../../src/host/config-file';
import { optional } from '../../src/host/optional';
import { readSource } from '../../src/host/secrets';
import { ProviderFailure } from '../adapters/shared/failure';
import { unlimited } from '../adapters/shared/allowance';
import { isPrivate, publicLookup } from '../adapters/http/reach';
import { createConnections, sendOnce, type OneAnswer } from '../adapters/http/send';

/** A receiver of webhooks. Its address and its secret never leave this object. */
export interface WebhookTarget {
  name: string;
  events: readonly WebhookEvent[];
  /** The reason why deliveries stopped: the receiver answered 410 and has accepted nothing since. */
  stopped?: string;
  /** Sends one signed request. @throws ProviderFailure or NotDelivered, whose message names only the address's host. */
  post(id: string, body: string, signal: AbortSignal): Promise<void>;
}

/** A failed delivery. `then`: try again, give up, or stop because the receiver wants no more messages. */
export class NotDelivered extends Error {
  constructor(
    message: string,
    readonly then: 'again' | 'given_up' | 'stop',
    /** The delay before the next try, as requested by the receiver. Milliseconds. */
    readonly afterMs?: number,
  ) {
    super(message);
  }
}

/** The time limit for the answer of a receiver. Milliseconds. */
const ANSWER_MS = 15_000;

/**
 * Creates the configured targets.
 * @throws BatchgateError `NOT_CONFIGURED` for a missing or malformed secret, or an unusable address.
 */
export async function createTargets(
  { webhooks, folder }: Pick<ConfigFile, 'webhooks' | 'folder'>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<WebhookTarget[]> {
  return Promise.all(webhooks.map((webhook) => createTarget(webhook, folder, env)));
}

async function createTarget(
  webhook: WebhookConfig,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<WebhookTarget> {
  const { name, allow_private, events = WEBHOOK_EVENTS } = webhook;
  const readText = (source: Parameters<typeof readSource>[0], what: string) =>
    readSource(source, `The ${what} of the webhook '${name}'`, folder, env);
  const address = typeof webhook.url === 'string' ? webhook.url : await readText(webhook.url, 'url');
  const url = usable(address, name);
  const sources = Array.isArray(webhook.secret) ? webhook.secret : [webhook.secret];
  const signers = await Promise.all(
    sources.map(async (source) => signerOf(await readText(source, 'secret'), name)),
  );
  const connections = createConnections();
  return {
    name,
    events,
    async post(id, body, signal) {
      if (!allow_private) refusePrivate(url);
      const at = new Date();
      const headers = new Headers({
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': signers.map((signer) => signer.sign(id, at, body)).join(' '),
      });
      const lookup = allow_private ? undefined : publicLookup(() => privateTarget(url));
      const request = { method: 'POST', url, headers, body, ...(lookup && { lookup }) };
      const limits = { deadline: Date.now() + ANSWER_MS, signal };
      const answer = await sendOnce(request, connections, unlimited, limits);
      if (answer.status < 200 || answer.status >= 300) throw notDelivered(url.host, answer);
    },
  };
}

/** Temporary statuses below 500: RFC 9110, section 15.5; RFC 8470, section 5.2; RFC 6585, section 4. */
const PASSING = new Set([408, 409, 423, 425, 429]);
const LIMITED = new Set([429, 503]);
const GONE = 410;

function notDelivered(host: string, { status, retryAfter }: OneAnswer): NotDelivered {
  const redirected = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  const outcome = `${host} answered ${status}${redirected}`;
  if (status === GONE)
    return new NotDelivered(
      `${outcome}: it wants no more messages. \`npx batchgate webhooks retry\` sends them again`,
      'stop',
    );
  if (status >= 400 && status < 500 && !PASSING.has(status)) return new NotDelivered(outcome, 'given_up');
  return new NotDelivered(outcome, 'again', LIMITED.has(status) ? waitOf(retryAfter) : undefined);
}

/** The maximum delay that a receiver can request. Milliseconds. */
const LONGEST_WAIT_MS = 86_400_000;

/** `Retry-After`, in seconds or as a date: RFC 9110, section 10.2.3. */
function waitOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const wait = /^\d+$/.test(text.trim()) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.min(LONGEST_WAIT_MS, Math.max(0, wait));
}

/** Parses an address. The error does not quote it. */
function usable(address: string, name: string): URL {
  if (URL.canParse(address) && /^https?:/i.test(address) && isEncryptedOrLocal(address))
    return new URL(address);
  throw new BatchgateError(
    'NOT_CONFIGURED',
    `The url of the webhook '${name}' in batchgate.config.json is not an https address.`,
    'Use https, or http on this machine, and start the worker again.',
  );
}

function signerOf(secret: string, name: string): StandardWebhooks.Webhook {
  const { Webhook: Signer } = optional<typeof StandardWebhooks>('standardwebhooks');
  try {
    if (/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)) return new Signer(secret);
  } catch {
    // Its error may quote the secret.
  }
  throw new BatchgateError(
    'NOT_CONFIGURED',
    `The secret of the webhook '${name}' in batchgate.config.json is not one of Standard Webhooks.`,
    'Make one with `echo "whsec_$(openssl rand -base64 32)"`, give it to the receiver too, and start the worker again.',
  );
}

/** Checks an IP address, for which the connection makes no look-up. */
function refusePrivate(url: URL): void {
  const bare = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(bare) !== 0 && isPrivate(bare)) throw privateTarget(url);
}

const privateTarget = ({ host }: URL) =>
  new ProviderFailure(
    'refused',
    `${host} leads to a private address; if it may, set "allow_private" of this webhook to true`,
  );
