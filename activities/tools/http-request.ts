import { z } from 'zod';
import { defineTool, type ToolDefinition } from '../../src/contract/tools';
import { readForeignJson } from '../../src/core/shared/json';
import { redact } from '../../src/core/shared/redact';
import type { Allowance } from '../adapters/shared/allowance';
import type { Secrets } from '../../src/host/secrets';
import { refusal } from '../adapters/http/answers';
import { checkHost, encoded, fillAddress, readAddress } from '../adapters/http/address';
import { headersOf, readSecrets } from '../adapters/http/headers';
import {
  headerName,
  headersSchema,
  isSafe,
  isSuccess,
  METHODS,
  statusSchema,
} from '../adapters/http/parameters';
import { lookupFor } from '../adapters/http/reach';
import { bounded } from '../adapters/http/render';
import { createConnections, sendOnce, type OneAnswer } from '../adapters/http/send';

interface HttpRequestOptions {
  readonly allowed_hosts: readonly string[];
  /** The http adapter's allowance, so that both together keep the operator's limit. */
  readonly allowance: Allowance;
  readonly secrets: Secrets;
}

const args = z
  .strictObject({
    method: z.enum(METHODS),
    url: z
      .string()
      .min(1)
      .max(2_000)
      .describe('https://HOST/PATH?QUERY, with a host that the operator allows'),
    headers: headersSchema
      .optional()
      .describe('Headers by name: a text, or { "secret": NAME } with an optional "prefix"'),
    body: z
      .json()
      .optional()
      .meta({ clamp: 'none' })
      .describe('The body: a text is sent unchanged, other values as JSON'),
    success_status: z.array(statusSchema).min(1).max(50).optional().describe('Default "200-299"'),
    idempotency_header: headerName.optional().describe('The header for the idempotency key of this call'),
  })
  .refine(({ method, body }) => body === undefined || !isSafe(method), 'a GET or HEAD has no body');

/** Sends one HTTP request under the http adapter's rules: allowed hosts, secrets by name, no redirects, no retry. */
export function createHttpRequestTool(options: HttpRequestOptions): ToolDefinition {
  const { allowed_hosts, allowance, secrets } = options;
  const connections = createConnections();
  return defineTool({
    ...{ name: 'http_request', category: 'http', args },
    ...{ read_only: false, idempotent: false, transactional: false },
    description:
      'Sends one HTTP request and returns status and body. A status that does not mean success is an error. The assistant may only read with it (GET, HEAD).',
    reads: ({ method }) => isSafe(method),
    output: z.object({ status: z.int(), content_type: z.string().optional(), body: z.json() }),
    async handler(input, { idempotency_key, deadline, signal }) {
      const address = readAddress(input.url);
      checkHost(address.origin, allowed_hosts);
      const url = fillAddress(address, {});
      const secretHeaders = await readSecrets(input.headers, {
        secrets,
        origin: address.origin,
        allowed_hosts,
      });
      const headers = headersOf(input, secretHeaders);
      if (input.idempotency_header !== undefined) {
        headers.set(input.idempotency_header, bounded(encoded(idempotency_key, 'key')));
      }
      const { method, body } = input;
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const request = { method, url, headers, body: text, lookup: lookupFor(url, allowed_hosts) };
      const answer = await sendOnce(request, connections, allowance, { deadline, signal }, 'whole');
      const secretValues = [...secretHeaders.values()];
      if (!isSuccess(input, answer.status)) throw refusal({ method, url }, answer, secretValues);
      return resultOf(answer, secretValues);
    },
  });
}

function resultOf({ status, contentType: content_type, text }: OneAnswer, secrets: readonly string[]) {
  const redacted = redact(text, secrets);
  return {
    status,
    ...(content_type !== undefined && { content_type }),
    body: readBody(redacted, content_type),
  };
}

/** Returns the body as JSON; as text if it is not valid JSON, or contains a number that would change. */
function readBody(text: string, contentType = ''): unknown {
  if (!/[/+]json\b/i.test(contentType)) return text;
  try {
    return readForeignJson(text);
  } catch {
    return text;
  }
}
