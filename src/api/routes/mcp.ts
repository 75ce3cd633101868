import { createHmac } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ConfirmMode } from '../../contract/access';
import type { AdapterDescription } from '../../contract/adapter';
import { createSeal } from '../../mcp/confirmation/seal';
import { createShownGates } from '../../client/shown-gates';
import { WAITS, type Waits } from '../../mcp/context';
import { createMcpOverHttp, remoteCaller, type McpOverHttp } from '../../mcp/http';
import { principalOf, type Api, type ApiContext } from '../context';

/** Options for serving agents. */
export interface McpOptions {
  confirm: ConfirmMode;
  describeAdapters: () => Promise<AdapterDescription[]>;
  waits?: Waits;
  onFailure: (error: unknown) => void;
}

export const MCP_PATH = '/mcp';
const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** MCP over streamable HTTP, for keys with the role agent and for tokens issued for this address. */
export function addMcpRoutes(
  api: Api,
  context: ApiContext,
  options: McpOptions & { origin: () => string; issuer: string | undefined },
): void {
  let serving: Promise<McpOverHttp> | undefined;
  api.route({
    method: ['GET', 'POST', 'DELETE'],
    url: MCP_PATH,
    // The protocol describes itself.
    schema: { hide: true },
    async handler(request, reply) {
      const mcp = await (serving ??= serve(context, options));
      return reply.send(
        await mcp.answer(remoteCaller(principalOf(request)), webRequest(request, reply), request.body),
      );
    },
  });
  api.addHook('onClose', async () => {
    await (await serving)?.close();
  });
  if (options.issuer !== undefined) addMetadata(api, options.origin, options.issuer);
}

async function serve(
  { client, taskQueue, access }: ApiContext,
  { confirm, describeAdapters, waits = WAITS, origin, onFailure }: McpOptions & { origin: () => string },
): Promise<McpOverHttp> {
  // All processes over this store use the same key, since any of them may receive the answer to a question.
  const { private_key } = await access.signingKey();
  const key = createHmac('sha256', private_key).update('state of MCP requests').digest();
  const context = {
    ...{ taskQueue, describeAdapters, confirm, waits },
    connect: () => Promise.resolve(client),
    origin: () => Promise.resolve(origin()),
    seal: createSeal(key),
    shown: createShownGates(),
  };
  return createMcpOverHttp(context, onFailure);
}

function webRequest({ method, url, headers, body }: FastifyRequest, { raw }: FastifyReply): Request {
  const controller = new AbortController();
  raw.once('close', () => controller.abort());
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((text): [string, string] => [name, text]),
  );
  return new Request(new URL(url, 'http://localhost'), {
    method,
    headers: pairs,
    signal: controller.signal,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** RFC 9728: the metadata that names the identity provider whose tokens this server accepts. */
function addMetadata(api: Api, origin: () => string, issuer: string): void {
  const schema = { hide: true };
  for (const url of [METADATA_PATH, `${METADATA_PATH}${MCP_PATH}`]) {
    api.get(url, { config: { open: true }, schema }, () => ({
      resource: `${origin()}${MCP_PATH}`,
      resource_name: 'batchgate',
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
    }));
  }
}

/** The challenge for a client without a token, with the address of the metadata. */
export const challengeFor = (url: string, origin: string): string =>
  url.split('?')[0] === MCP_PATH
    ? `Bearer resource_metadata="${origin}${METADATA_PATH}${MCP_PATH}"`
    : 'Bearer';
