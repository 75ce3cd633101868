import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { parse as parseToml } from 'smol-toml';
import { z } from 'zod';
import { beginBatch } from '../../src/client';
import { TOOLS } from '../../src/mcp/tools';
import { createFakeAdapter } from '../../src/testing/fake-adapter';
import { gateway, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { agent, connectAgent, mcpContext } from '../helpers/mcp';
import { blocksOf, root } from './markdown';

/** Tests docs/mcp.md: reads each host's configuration in the format of that host, and replays the dialogue. */
const PAGE = 'docs/mcp.md';
const letters = Array.from({ length: 8 }, (_, at) => ({
  id: `l-${at + 1}`,
  display_name: `Letter ${at + 1}`,
}));
let full = true;
const adapter = createFakeAdapter({
  toolName: 'letters',
  itemNoun: { one: 'letter', many: 'letters' },
  items: () => letters,
  apply: ({ id }) => {
    const failed = { item_id: id, success: false, error: 'the archive is full', retryable: true };
    return Promise.resolve(id === 'l-3' && full ? failed : undefined);
  },
});

let harness: Harness;
let http: HttpApi;
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'batchgate-agents-'));
  harness = await startHarness({ adapters: [adapter] });
  http = await startHttpApi(harness);
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
  await rm(home, { recursive: true, force: true });
});

describe('the configuration of each host', () => {
  const texts = z.record(z.string(), z.string());
  const launch = { command: z.string(), args: z.array(z.string()), env: texts };
  const server = <T extends z.ZodRawShape>(shape: T) => z.strictObject({ batchgate: z.strictObject(shape) });
  /** The parts of the hosts' published formats that the page uses. */
  const FORMATS = {
    // modelcontextprotocol.io/docs/develop/connect-local-servers, code.claude.com/docs/en/mcp, cursor.com/docs/mcp,
    // geminicli.com/docs/tools/mcp-server
    'Claude Desktop, Claude Code, Cursor, Gemini CLI': z.strictObject({ mcpServers: server(launch) }),
    // code.visualstudio.com/docs/copilot/reference/mcp-configuration
    'VS Code': z.strictObject({ servers: server({ type: z.literal('stdio'), ...launch }) }),
    // zed.dev/docs/ai/mcp
    Zed: z.strictObject({ context_servers: server({ source: z.literal('custom'), ...launch }) }),
    // developers.openai.com/codex/mcp
    Codex: z.strictObject({ mcp_servers: server(launch) }),
    'Claude Code over HTTP': z.strictObject({
      mcpServers: server({ type: z.literal('http'), url: z.url(), headers: texts }),
    }),
    'Cursor over HTTP': z.strictObject({ mcpServers: server({ url: z.url(), headers: texts }) }),
    'VS Code over HTTP': z.strictObject({
      inputs: z.tuple([
        z.strictObject({
          ...{ type: z.literal('promptString'), id: z.string() },
          ...{ description: z.string(), password: z.boolean() },
        }),
      ]),
      servers: server({ type: z.literal('http'), url: z.url(), headers: texts }),
    }),
    'Codex over HTTP': z.strictObject({
      mcp_servers: server({ url: z.url(), bearer_token_env_var: z.literal('BATCHGATE_KEY') }),
    }),
  };
  const blocks = blocksOf(PAGE).filter(({ language }) => ['json', 'toml'].includes(language));
  const cases = Object.entries(FORMATS).map(([host, format], at) => ({ host, format, block: blocks[at] }));

  /** The only server in a configuration. */
  const configured = ({ format, block }: (typeof cases)[number]): Record<string, unknown> => {
    const { language, body = '' } = block ?? {};
    const read: unknown = language === 'toml' ? parseToml(body) : JSON.parse(body);
    const { inputs: _, ...rest } = format.parse(read) as Record<string, { batchgate: object }>;
    return Object.values(rest)[0]?.batchgate as Record<string, unknown>;
  };

  it('exists once, and no other does', () => {
    expect(blocks).toHaveLength(cases.length);
  });

  /** The number of tools by what starts their server, which is the same for most hosts. */
  const started = new Map<string, Promise<number>>();

  it.each(cases)('has the format of $host, and reaches the tools', async (one) => {
    const found = configured(one);
    const { command, args, env } = found;
    const start = command === undefined ? one.host : JSON.stringify([command, args, env]);
    const tools = started.get(start) ?? toolsOf(one.host, found);
    started.set(start, tools);
    expect(await tools).toBe(TOOLS.length);
  });

  async function toolsOf(name: string, found: Record<string, unknown>): Promise<number> {
    const client = new Client({ name, version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const transport = 'command' in found ? launched(found as never) : await reached(found as never);
    await client.connect(transport);
    const { tools } = await client.listTools();
    await client.close();
    return tools.length;
  }

  /** Starts the server in another folder, like a host; the home of the page's configurations is a folder of the test. */
  function launched({
    command,
    args,
    env,
  }: {
    command: string;
    args: string[];
    env: Record<string, string>;
  }) {
    const here = (text: string) => text.replace('/home/sam/batchgate', root);
    const kept = (text: string) => text.replace('/home/sam', home);
    expect([command, env]).toEqual([
      'node',
      { BATCHGATE_DATA_DIR: expect.stringMatching(/^\/home\/sam\//) as string },
    ]);
    return new StdioClientTransport({
      command: process.execPath,
      args: args.map(here),
      env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, kept(value)])),
      cwd: home,
    });
  }

  async function reached(found: { url: string; headers?: Record<string, string> }) {
    expect(found.url).toBe('http://127.0.0.1:8787/mcp');
    const key = await http.key('agent');
    const said = found.headers?.['Authorization'] ?? 'Bearer ${BATCHGATE_KEY}';
    const authorization = said.replace(/\$\{(env:BATCHGATE_KEY|BATCHGATE_KEY|input:batchgate-key)\}$/, key);
    const requestInit = { headers: { authorization } };
    return new StreamableHTTPClientTransport(new URL(`${http.url}/mcp`), { requestInit });
  }
});

it('has a conversation that runs as written', async () => {
  const block = blocksOf(PAGE).find(({ language }) => language === 'agent');
  const reader = await connectAgent(mcpContext(harness, [adapter]), agent('dialogue'));
  const ids: string[] = [];
  const named = (text: string) =>
    text.replace(/\b(FIRST|SECOND)\b/g, (word) => ids[word === 'FIRST' ? 0 : 1] ?? word);
  const said: string[] = [];
  const lines = (block?.body ?? '').trimEnd().split('\n');
  for (const [at, line] of lines.entries()) {
    const [, tool, args] = /^agent: (\w+) (\{.*\})$/.exec(line) ?? [];
    if (tool === undefined || args === undefined) continue;
    said.push(line);
    const waiting = gateway();
    const asked = JSON.parse(named(args)) as { operation_id?: string };
    const answer = reader.call(tool, asked, { onprogress: waiting.open });
    const decision = lines[at + 1] ?? '';
    if (decision.startsWith('person: ')) {
      await waiting.opened;
      await decide(asked.operation_id ?? '', decision);
      said.push(decision);
    }
    const { texts, data } = await answer;
    const { operation_id } = data as { operation_id?: string };
    if (operation_id !== undefined && !ids.includes(operation_id)) ids.push(operation_id);
    said.push(`batchgate: ${texts[0]}`);
  }
  await reader.close();
  expect(said.join('\n')).toBe(lines.join('\n'));
  expect(said.filter((line) => line.startsWith('person: '))).toHaveLength(3);
});

async function decide(id: string, line: string): Promise<void> {
  const [, batch = '', number] =
    /^person: confirms batch (\d+)(?:, without Letter (\d+))?, on the page of the link$/.exec(line) ?? [];
  full = id === '' || (await harness.status(id)).total > 1;
  const exclude = number === undefined ? [] : [{ id: `l-${number}` }];
  await beginBatch(harness.client, id, { batch: Number(batch), by: 'Sam', exclude });
}
