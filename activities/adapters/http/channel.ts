import type { BatchCall, CallLimits } from '../../../src/contract/adapter';
import type { Secrets } from '../../../src/host/secrets';
import type { Values } from '../../../src/core/shared/template';
import type { Allowance } from '../shared/allowance';
import { checkHost, readAddress } from './address';
import { headersOf, readSecrets } from './headers';
import type { Declared } from './parameters';
import { lookupFor } from './reach';
import { idempotencyKey, rendered } from './render';
import { sendOnce, type Connections, type OneAnswer, type OneRequest } from './send';

export interface HttpOptions {
  readonly allowed_hosts: readonly string[];
  /** The limit for all requests of this worker, by operations and by the tool `http_request`. */
  readonly allowance: Allowance;
  readonly secrets: Secrets;
  /** Concurrent requests. */
  readonly concurrency: number;
}

export interface HttpContext extends HttpOptions {
  readonly connections: Connections;
}

type Request = Pick<Declared, 'method' | 'url'> &
  Partial<Declared> & { readonly idempotency_header?: string };

interface Sent {
  readonly request: Pick<OneRequest, 'method' | 'url'>;
  readonly answer: OneAnswer;
}

/** Sends a declared request for one item after another. */
export interface Channel {
  /** The values that must not appear in any text. */
  readonly secrets: readonly string[];
  /**
   * `literal`: a body without placeholders, sent in place of the declared one.
   * @throws TemplateError, ProviderFailure
   */
  send(item: { id: string; values: Values; literal?: string }, extent?: 'beginning' | 'whole'): Promise<Sent>;
}

/** @throws BatchgateError if its host is not allowed, or a secret is missing or not for that host. */
export async function openChannel(
  http: HttpContext,
  request: Request,
  call: CallLimits & Partial<BatchCall>,
): Promise<Channel> {
  const { allowed_hosts, secrets, connections, allowance } = http;
  const { method, url, body, headers, idempotency_header } = request;
  const { origin } = readAddress(url);
  checkHost(origin, allowed_hosts);
  const secretValues = await readSecrets(headers, { secrets, origin, allowed_hosts });
  return {
    secrets: [...secretValues.values()],
    async send({ id, values, literal }, extent) {
      const filled = rendered({ url, ...(body !== undefined && literal === undefined && { body }) }, values);
      const requestHeaders = headersOf({ headers, body }, secretValues);
      if (idempotency_header !== undefined)
        requestHeaders.set(idempotency_header, idempotencyKey(call.operation_id ?? '', id));
      const complete = {
        method,
        headers: requestHeaders,
        ...filled,
        ...(literal !== undefined && { body: literal }),
      };
      const lookup = lookupFor(filled.url, allowed_hosts);
      const answer = await sendOnce({ ...complete, lookup }, connections, allowance, call, extent);
      return { request: complete, answer };
    },
  };
}
