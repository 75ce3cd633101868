import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, type Config } from '../../src/host/config';
import { createAdapters } from '../../src/worker/adapters';
import { configuredTools } from '../../src/worker/tools';
import { call, sendAll, startServer } from './http-setup';

/** The worker's own adapter and tool share an allowance of one request, which this rate never refills in a test. */
const ONCE = 1e-9;
let folder: string;
let server: Awaited<ReturnType<typeof startServer>>;
let config: Config;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-allowance-'));
  server = await startServer();
  const file = join(folder, 'batchgate.config.json');
  await writeFile(
    file,
    JSON.stringify({ http: { allowed_hosts: [server.host], requests_per_second: ONCE } }),
  );
  config = loadConfig({ BATCHGATE_CONFIG_FILE: file, BATCHGATE_DATA_DIR: folder });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => server.reset());

async function parts() {
  const adapters = await createAdapters(config);
  const tools = await configuredTools(config, adapters.httpAllowance);
  const tool = tools.find(({ name }) => name === 'http_request');
  if (!tool) throw new Error('there is no http_request');
  const context = { idempotency_key: 'k', deadline: Date.now() + 30_000 };
  return {
    operation: (limits = call()) =>
      sendAll(
        adapters.get('http'),
        { method: 'POST', url: `${server.url}/operation` },
        [{ id: '1', display_name: 'One' }],
        limits,
      ),
    tool: (signal = new AbortController().signal) =>
      tool.handler({ method: 'POST', url: `${server.url}/tool` }, { ...context, signal }),
  };
}

const paths = () => server.received.map(({ path }) => path);
/** Aborts a request while it waits for the allowance, so that it is not sent. */
const soon = () => AbortSignal.timeout(200);

test('requests of an operation count against the limit of the tool http_request', async () => {
  const { operation, tool } = await parts();
  expect(await operation()).toEqual([{ item_id: '1', success: true }]);
  await expect(tool(soon())).rejects.toMatchObject({ kind: 'not_sent' });
  expect(paths()).toEqual(['/operation']);
});

test('requests of the tool http_request count against the limit of an operation', async () => {
  const { operation, tool } = await parts();
  expect(await tool()).toMatchObject({ status: 204 });
  expect(await operation(call(30_000, soon()))).toEqual([
    expect.objectContaining({ item_id: '1', success: false, retryable: true }),
  ]);
  expect(paths()).toEqual(['/tool']);
});
