import { randomBytes } from 'node:crypto';
import { Client as McpClient, InMemoryTransport, type ClientOptions } from '@modelcontextprotocol/client';
import { describeAdapter } from '../../src/core/bulk/registry';
import type { BulkAdapter } from '../../src/contract/adapter';
import type { Caller } from '../../src/mcp/caller';
import type { McpContext } from '../../src/mcp/context';
import { createSeal } from '../../src/mcp/confirmation/seal';
import { createShownGates } from '../../src/client/shown-gates';
import { serveMcp } from '../../src/mcp/stdio';
import type { Harness } from './harness';

/** The context of the tools, over a harness. Waits are short for hosts without progress messages. */
export function mcpContext(
  { client, taskQueue }: Pick<Harness, 'client' | 'taskQueue'>,
  adapters: BulkAdapter[],
  more: Partial<McpContext> = {},
): McpContext {
  return {
    connect: () => Promise.resolve(client),
    taskQueue,
    origin: () => Promise.resolve('http://127.0.0.1:8787'),
    describeAdapters: () => Promise.resolve(adapters.map(describeAdapter)),
    confirm: 'link',
    seal: createSeal(randomBytes(32)),
    shown: createShownGates(),
    waits: { silent: 20, told: 60_000, started: 60_000, progress: 50, suggestions: 30_000 },
    ...more,
  };
}

export const agent = (id: string): Caller => ({
  id,
  name: `agent ${id}`,
  sessions: `mcp.${id}.`,
  conversation: 'first',
});

export interface Connected {
  client: McpClient;
  /** Calls a tool once; a host without `onprogress` gets no progress. */
  call: (name: string, args: Record<string, unknown>, options?: object) => Promise<Called>;
  close: () => Promise<void>;
}

interface Called {
  isError: boolean;
  /** The sentence, and the line of data. */
  texts: string[];
  data: any;
}

/** The official client, connected to one of our servers in this process. */
export async function connectAgent(
  context: McpContext,
  caller: Caller,
  options: ClientOptions = { versionNegotiation: { mode: 'auto' } },
  prepare: (client: McpClient) => void = () => undefined,
): Promise<Connected> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const serving = serveMcp(context, caller, far, () => undefined);
  const client = new McpClient({ name: 'test agent', version: '1.0.0' }, options);
  prepare(client);
  await client.connect(near);
  return connected(client, () => serving.stop());
}

export function connected(
  client: McpClient,
  close: () => Promise<void> = () => Promise.resolve(),
): Connected {
  return {
    client,
    async call(name, args, options) {
      const result = await client.callTool({ name, arguments: args }, options);
      return calledOf(result);
    },
    async close() {
      await client.close();
      await close();
    },
  };
}

function calledOf(result: { isError?: unknown; content?: unknown; structuredContent?: unknown }): Called {
  return {
    isError: result.isError === true,
    texts: (result.content as { text: string }[]).map(({ text }) => text),
    data: result.structuredContent,
  };
}
