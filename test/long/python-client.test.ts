import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { createTargets } from '../../activities/webhooks/targets';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { withPythonPackage } from '../helpers/python-package';
import { hookTo, SECRET } from '../helpers/webhook-sink';

const run = promisify(execFile);

let harness: Harness;
let http: HttpApi;
let folder: string;
const tool = countingTool(25);

beforeAll(async () => {
  harness = await startHarness({ adapters: [tool.adapter] });
  http = await startHttpApi(harness);
  folder = await mkdtemp(join(tmpdir(), 'batchgate-python-'));
});
afterAll(async () => {
  await http?.close();
  await harness?.close();
  await rm(folder, { recursive: true, force: true });
});

async function nextOf(lines: AsyncIterator<string>): Promise<string> {
  const { value, done } = await lines.next();
  if (done) throw new Error('The backend ended early; its errors are above.');
  return value;
}

it('lets a Python backend, triggered only by webhooks, run an operation from its start to its report with a client from a public generator', async () => {
  const { body: document } = await http.ask('GET', '/openapi.json');
  const [api, settings] = [join(folder, 'openapi.json'), join(folder, 'generator.json')];
  await writeFile(api, JSON.stringify(document));
  await writeFile(settings, JSON.stringify({ post_hooks: [] }));
  const env = await withPythonPackage('openapi-python-client', '0.29.1');
  const generator = ['-m', 'openapi_python_client', 'generate', '--path', api, '--config', settings];
  const client = ['--meta', 'none', '--output-path', join(folder, 'batchgate_client')];
  await run('python3', [...generator, ...client], { env });
  const { PYTHONPATH: signatures } = await withPythonPackage('standardwebhooks', '1.1.0');
  const script = [join(__dirname, 'python-backend.py'), http.url, await http.key('operator', 'python:')];
  const backend = spawn('python3', script, {
    env: { ...env, HOOK_SECRET: SECRET, PYTHONPATH: [env['PYTHONPATH'], signatures, folder].join(':') },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: backend.stdout })[Symbol.asyncIterator]();
  const port = await nextOf(lines);
  const webhooks = [hookTo(`http://127.0.0.1:${port}/`)];
  const targets = await createTargets({ webhooks, folder: '.' }, { HOOK_SECRET: SECRET });
  await harness.restartWorker(undefined, { targets });
  backend.stdin.write('configured\n');
  const { rows, ...told } = JSON.parse(await nextOf(lines));
  expect(told).toEqual({
    questions: [
      expect.stringContaining('Ready to mark 25 items'),
      expect.stringContaining('Processed 10 items (10/25 total)'),
      expect.stringContaining('Processed 10 items (20/25 total)'),
    ],
    end: 'completed',
    late: 'OPERATION_CLOSED',
  });
  expect(rows).toHaveLength(25);
  expect(rows[24]).toMatchObject({
    outcome: 'succeeded',
    confirmed_by: 'Grace',
    confirmed_assurance: 'asserted',
  });
  expect([...tool.touched.values()]).toEqual(Array(25).fill(1));
});
