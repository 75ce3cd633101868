import type { BatchCall, BulkAdapter } from '../../../src/contract/adapter';
import { BatchgateError } from '../../../src/contract/errors';
import type { BulkItem, BulkResult, PreparedBulkContext } from '../../../src/contract/items';
import { TemplateError } from '../../../src/core/shared/template';
import type { Secrets } from '../../../src/host/secrets';
import { mapConcurrently, parseAction } from '../shared/actions';
import type { Allowance } from '../shared/allowance';
import { failureOf, gatewayHasNone, ProviderFailure, providerText } from '../shared/failure';
import { failedResult, reported } from '../shared/results';
import { checkHost, readAddress } from './address';
import { headersOf, readSecrets } from './headers';
import { describeRequest } from './describe';
import { HTTP_ACTIONS, isSafe, isSuccess, requestOf, type RequestChange } from './parameters';
import { lookupFor } from './reach';
import { idempotencyKey, previewRequest, rendered, valuesOf } from './render';
import { createConnections, sendOnce, type Connections, type OneRequest } from './send';

interface HttpOptions {
  readonly allowed_hosts: readonly string[];
  /** The limit for all requests of this worker, by operations and by the tool `http_request`. */
  readonly allowance: Allowance;
  readonly secrets: Secrets;
  /** Concurrent requests. */
  readonly concurrency: number;
}

/**
 * One HTTP request for each item, to the hosts that the operator allows. A write without an answer is in doubt: there is
 * no general way to read it back, so a person decides whether to send it again.
 */
export function createHttpAdapter(options: HttpOptions): BulkAdapter {
  const { allowed_hosts, allowance, secrets, concurrency } = options;
  const connections = createConnections();
  return {
    toolName: 'http',
    actions: HTTP_ACTIONS,
    sliceSize: concurrency,
    describeChange: describeRequest,
    previewItem: previewRequest,

    async prepare(request) {
      if (request.action === 'request' && !request.explicit_items) throw itemsWanted();
      const { change } = parseAction('http', HTTP_ACTIONS, request);
      const context = { tool_name: 'http', action: request.action, query_params: {}, action_params: change };
      const { undo, ...asked } = requestOf(context);
      for (const { url, headers } of [asked, ...(undo ? [undo] : [])]) {
        const { origin } = readAddress(url);
        checkHost(origin, allowed_hosts);
        await readSecrets(headers, { secrets, origin, allowed_hosts });
      }
      return context;
    },

    getTotalCount: () => Promise.reject(itemsWanted()),
    getNextBatch: () => Promise.reject(itemsWanted()),

    async executeBatch(items, context, call) {
      const change = requestOf(context);
      const address = readAddress(change.url);
      checkHost(address.origin, allowed_hosts);
      const found = await readSecrets(change.headers, { secrets, origin: address.origin, allowed_hosts });
      const sending = { context, change, connections, allowance, allowed_hosts, secrets: found, call };
      return mapConcurrently(items, concurrency, async (item) =>
        reported(call, await sendFor(item, sending)),
      );
    },

    // GET and HEAD change nothing. The outcome of other methods is unknown.
    reconcile: (_item, context) =>
      Promise.resolve(isSafe(requestOf(context).method) ? 'not_applied' : 'unknown'),
  };
}

interface Sending {
  readonly context: PreparedBulkContext;
  readonly change: RequestChange;
  readonly connections: Connections;
  readonly allowance: Allowance;
  readonly allowed_hosts: readonly string[];
  /** By name. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly call: BatchCall;
}

async function sendFor(item: BulkItem, sending: Sending): Promise<BulkResult> {
  const { change, connections, allowance, allowed_hosts, call } = sending;
  try {
    const request = requestFor(item, sending);
    const lookup = lookupFor(request.url, allowed_hosts);
    const answer = await sendOnce({ ...request, lookup }, connections, allowance, call);
    if (isSuccess(change, answer.status)) return { item_id: item.id, success: true };
    throw refusal(request, answer, [...sending.secrets.values()]);
  } catch (error) {
    return resultOf(item.id, change.method, asFailure(error));
  }
}

function asFailure(error: unknown): ProviderFailure {
  // Nothing was sent, and a retry would fail in the same way.
  return error instanceof TemplateError ? new ProviderFailure('refused', error.message) : failureOf(error);
}

function resultOf(item_id: string, method: string, failure: ProviderFailure): BulkResult {
  const unknown = failure.kind === 'no_answer' || failure.kind === 'malformed';
  if (!unknown || !isSafe(method)) return failedResult(item_id, failure, failure.message);
  return { item_id, success: false, error: failure.message, retryable: true };
}

function requestFor(item: BulkItem, { context, change, secrets, call }: Sending): OneRequest {
  const { method, idempotency_header } = change;
  const request = rendered(change, valuesOf(item, context));
  const headers = headersOf(change, secrets);
  if (idempotency_header !== undefined) headers.set(idempotency_header, idempotencyKey(call, item));
  return { method, headers, ...request };
}

/** 425: RFC 8470, section 5.2. Other temporary statuses are in provider/failure.ts. */
const TOO_EARLY = 425;

export function refusal(
  { method, url }: Pick<OneRequest, 'method' | 'url'>,
  { status, text }: { status: number; text: string },
  secrets: readonly string[],
): ProviderFailure {
  const told = providerText(text, secrets);
  const answered = `${method} ${url.host} answered ${status}${told === '' ? '' : `: ${told}`}`;
  if (gatewayHasNone(status)) return new ProviderFailure('no_answer', answered, { status });
  return new ProviderFailure('refused', answered, {
    status,
    ...(status === TOO_EARLY && { retryable: true }),
  });
}

function itemsWanted(): BatchgateError {
  return new BatchgateError(
    'INVALID_INPUT',
    'The http adapter sends one request for each item that you name; it cannot search for items.',
    'Send items: on the command line by --items FILE.csv or FILE.jsonl. Nothing was read or sent.',
  );
}
