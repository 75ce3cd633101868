import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { connected } from '../helpers/mcp';
import { countingTool, startHarness, testServer, type Harness } from '../helpers/harness';
import { confirmOpen } from '../helpers/confirm';

const program = join(__dirname, '../../bin/batchgate.cjs');
let harness: Harness;
const tool = countingTool(5);

beforeAll(async () => (harness = await startHarness({ adapters: [tool.adapter] })));
afterAll(() => harness?.close());

const environment = (more: Record<string, string> = {}) => ({
  PATH: process.env['PATH'] ?? '',
  BATCHGATE_DATA_DIR: mkdtempSync(join(tmpdir(), 'mcp-')),
  ...more,
});
const overHarness = () =>
  environment({ TEMPORAL_ADDRESS: testServer().address, BATCHGATE_TASK_QUEUE: harness.taskQueue });

it('serves a host over its pipes, from the first question to the outcome', async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp'],
    env: overHarness(),
  });
  const client = new Client({ name: 'host', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(transport);
  const host = connected(client);
  const mark = { domain: 'fake', action: 'mark', params: { group: 'all' }, reason: 'They are all read.' };
  const { data } = await host.call('start_bulk_operation', mark);
  const { operation_id } = data;
  expect(operation_id).toMatch(/^bulk-/);
  const asked = host.call(
    'continue_bulk_operation',
    { operation_id, batch: 1 },
    { onprogress: () => undefined },
  );
  await confirmOpen(harness.client, operation_id, { by: 'Grace' });
  expect((await asked).data).toMatchObject({ decision: 'confirmed', state: 'completed', succeeded: 5 });
  await host.close();
});

it('prints nothing but the protocol, reports what is missing without a server, and ends with its input', async () => {
  const child = spawn(process.execPath, [program, 'mcp'], { env: environment() });
  const lines: any[] = [];
  const read = createInterface({ input: child.stdout });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answers = new Map<number, (message: any) => void>();
  read.on('line', (line) => {
    const message = JSON.parse(line);
    lines.push(message);
    answers.get(message.id)?.(message);
  });
  const ask = (id: number, method: string, params: object) =>
    new Promise<any>((resolve) => {
      answers.set(id, resolve);
      send({ id, method, params });
    });
  const clientInfo = { name: 'host', version: '1' };
  await ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  send({ method: 'notifications/initialized' });
  child.stdin.write('this is no JSON\n');
  const { result } = await ask(2, 'tools/call', { name: 'list_bulk_operations', arguments: {} });
  expect(result.structuredContent.error).toMatchObject({
    code: 'TEMPORAL_UNAVAILABLE',
    hint: expect.stringContaining('batchgate up'),
  });
  child.stdin.end();
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  expect(lines.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
});

it('ends with its parent, even one that is killed while a person is asked', async () => {
  const host = `
    const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, [${JSON.stringify(program)}, 'mcp'], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdout.once('data', () => console.log('ready'));
    const clientInfo = { name: 'host', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    child.stdin.write(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }) + '\\n');
  `;
  const parent = spawn(process.execPath, ['-e', host], { env: overHarness() });
  await once(parent.stdout, 'data');
  // The child inherits this pipe, so the pipe closes only when the child has ended, too.
  const closed = once(parent.stderr.resume(), 'close');
  parent.kill('SIGKILL');
  await closed;
});
