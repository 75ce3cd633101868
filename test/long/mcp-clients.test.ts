import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describeAdapter } from '../../src/core/bulk/registry';
import { countingTool, startHarness, testServer, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { withNpmPrograms } from '../helpers/npm-programs';
import type * as Servers from '../../src/mcp/server';
import { TOOLS } from '../../src/mcp/tools';
import { addFixtures } from './mcp-fixtures';

/** The prefix of the sessions of the suite's key. Servers for that key also have the suite's fixtures. */
const SUITE = 'suite.';
jest.mock('../../src/mcp/server', () => {
  const real = jest.requireActual<typeof Servers>('../../src/mcp/server');
  const createMcpServer: typeof real.createMcpServer = (context, caller, tells) => {
    const server = real.createMcpServer(context, caller, tells);
    if (caller.sessions.startsWith('suite.')) addFixtures(server, context, caller);
    return server;
  };
  return { ...real, createMcpServer };
});

const run = promisify(execFile);
/** Programs of the protocol's own project, which do not know batchgate. */
const PROGRAMS = [
  '@modelcontextprotocol/conformance@0.2.0-alpha.12',
  '@modelcontextprotocol/inspector@2.12.0',
  // Both need this Node, which is newer than the oldest that batchgate supports.
  'node@22.23.3',
];

let harness: Harness;
let http: HttpApi;
let signed: Server;
let origin: string;
let key: string;
let suiteKey: string;
let env: NodeJS.ProcessEnv;
const tool = countingTool(12);

beforeAll(async () => {
  harness = await startHarness({ adapters: [tool.adapter] });
  signed = withKey(() => ({ url: http.url, key: suiteKey })).listen(0, '127.0.0.1');
  await once(signed, 'listening');
  origin = `http://127.0.0.1:${(signed.address() as AddressInfo).port}`;
  const describeAdapters = () => Promise.resolve([describeAdapter(tool.adapter)]);
  http = await startHttpApi(harness, { baseUrl: origin, mcp: { confirm: 'link', describeAdapters } });
  key = await http.key('agent');
  suiteKey = await http.key('agent', SUITE);
  const commands = await withNpmPrograms('mcp-programs-1', PROGRAMS);
  env = { ...process.env, PATH: `${commands}:${process.env['PATH']}` };
});
afterAll(async () => {
  signed?.close();
  await http?.close();
  await harness?.close();
});

/** A proxy that adds a key to each request, because the suite sends none. */
function withKey(target: () => { url: string; key: string }): Server {
  return createServer((incoming, answer) => {
    const { url, key: bearer } = target();
    const headers = { ...incoming.headers, authorization: `Bearer ${bearer}` };
    const passed = request(`${url}${incoming.url}`, { method: incoming.method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(answer);
    });
    passed.once('error', () => answer.destroy());
    answer.once('close', () => passed.destroy());
    incoming.pipe(passed);
  });
}

/** The failures for a missing fixture of the suite, or for something that a stateless server does not offer. */
const ARGUED =
  /There is no tool '(test_\w+|json_schema_2020_12_tool)'|\b(test_\w+|json_schema_2020_12_tool)\b.* not found|does not list the diagnostic tool|no tool with x-mcp-header|^Failed: Method not found$/;

describe("the protocol's own suite for servers", () => {
  it.each(['2025-11-25', '2026-07-28'])(
    'passes at %s, except for the listed scenarios, each with a reason',
    async (version) => {
      const results = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
      try {
        const expected = join(__dirname, `mcp-expected-failures.${version}.yml`);
        const what = ['--requirements', version, '--expected-failures', expected, '-o', results];
        // The program fails for an unexpected failure, and for an expected failure that passes.
        const { stdout } = await run('conformance', ['server', '--url', `${origin}/mcp`, ...what], {
          env,
        }).catch((error: { stdout: string }) => Promise.reject(new Error(error.stdout)));
        expect(Number(/Total: (\d+) passed/.exec(stdout)?.[1])).toBeGreaterThan(30);
        const failures = (await checksIn(results)).filter(({ status }) => status === 'FAILURE');
        expect(failures.filter(({ errorMessage }) => !ARGUED.test(errorMessage ?? ''))).toEqual([]);
      } finally {
        await rm(results, { recursive: true });
      }
    },
  );

  interface Check {
    id: string;
    status: string;
    errorMessage?: string;
  }

  /** Leaves out the tasks extension, which batchgate does not offer and no version of the protocol requires. */
  async function checksIn(folder: string): Promise<Check[]> {
    const scenarios = (await readdir(folder)).filter((name) => !name.startsWith('server-tasks-'));
    const files = scenarios.map((name) => readFile(join(folder, name, 'checks.json'), 'utf8'));
    return (await Promise.all(files)).flatMap((text) => JSON.parse(text) as Check[]);
  }
});

describe("the Inspector's command line", () => {
  const program = join(__dirname, '../../bin/batchgate.cjs');
  interface Inspected {
    result: {
      tools: object[];
      prompts: { name: string }[];
      contents: { text: string }[];
      structuredContent: { operation_id: string };
    };
  }
  const inspect = async (...args: string[]): Promise<Inspected> => {
    const { stdout } = await run('mcp-inspector', ['--cli', '--quiet', '--format', 'json', ...args], {
      env,
      maxBuffer: 10_000_000,
    });
    return JSON.parse(stdout) as Inspected;
  };

  it.each(['legacy', 'modern'])('finds no fault in the tools, and plans an operation (%s)', async (era) => {
    const door = [`${http.url}/mcp`, '--header', `Authorization: Bearer ${key}`, '--protocol-era', era];
    const call = (name: string, args: object) =>
      inspect(
        ...door,
        '--method',
        'tools/call',
        '--tool-name',
        name,
        '--tool-args-json',
        JSON.stringify(args),
      );
    const { result } = await inspect(...door, '--method', 'tools/list', '--strict');
    expect(result.tools).toHaveLength(TOOLS.length);
    const mark = {
      domain: 'fake',
      action: 'mark',
      params: { group: 'all' },
      session_id: era,
      reason: 'They are all read.',
    };
    const { structuredContent: started } = (await call('start_bulk_operation', mark)).result;
    expect(started).toMatchObject({ state: 'awaiting_confirmation', total: 12 });
    const { operation_id } = started;
    const uri = `batchgate://operations/${operation_id}`;
    const { result: read } = await inspect(...door, '--method', 'resources/read', '--uri', uri);
    expect(JSON.parse(read.contents[0]?.text ?? '')).toMatchObject({ operation_id, processed: 0 });
    const { structuredContent: ended } = (await call('cancel_bulk_operation', { operation_id })).result;
    expect(ended).toMatchObject({ state: 'cancelled', processed: 0 });
  });

  it('starts the server over stdio', async () => {
    const variables = [
      '-e',
      `TEMPORAL_ADDRESS=${testServer().address}`,
      '-e',
      `BATCHGATE_TASK_QUEUE=${harness.taskQueue}`,
    ];
    const { result } = await inspect(
      ...variables,
      '--method',
      'prompts/list',
      process.execPath,
      program,
      'mcp',
    );
    expect(result.prompts.map(({ name }) => name)).toContain('start_bulk_operation');
  });
});
