import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser, Page } from 'playwright-core';
import { TOOLS } from '../../src/mcp/tools';
import { launchChromium, newContext, shows, signInWith } from '../helpers/browser';
import { countingTool, startHarness, testServer, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { withPythonPackage } from '../helpers/python-package';

/** The official Python client is the agent, and a person in a browser knows only the links that it prints. */
let harness: Harness;
let http: HttpApi;
let browser: Browser;
let env: NodeJS.ProcessEnv;
let dataDir: string;
const agents = new Set<ChildProcess>();
const full = new Set<string>();
const mail = countingTool(8, {
  toolName: 'mail',
  apply: ({ id }) => {
    mail.touched.set(id, (mail.touched.get(id) ?? 0) + 1);
    const failed = { item_id: id, success: false, error: 'The mailbox is full', retryable: true };
    return Promise.resolve(full.has(id) ? failed : undefined);
  },
});

beforeAll(async () => {
  env = await withPythonPackage('mcp', '2.3.0');
  harness = await startHarness({ adapters: [mail.adapter] });
  http = await startHttpApi(harness);
  browser = await launchChromium();
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-agent-'));
});
afterAll(async () => {
  agents.forEach((agent) => agent.kill());
  await browser?.close();
  await http?.close();
  await harness?.close();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(() => {
  full.clear();
  mail.touched.clear();
});

const overHttp = async () => ({ url: `${http.url}/mcp`, key: await http.key('agent') });
const overStdio = () =>
  Promise.resolve({
    command: process.execPath,
    args: [join(__dirname, '../../bin/batchgate.cjs'), 'mcp'],
    env: {
      BATCHGATE_DATA_DIR: dataDir,
      BATCHGATE_HTTP_PORT: String(http.api.port),
      BATCHGATE_TASK_QUEUE: harness.taskQueue,
      TEMPORAL_ADDRESS: testServer().address,
    },
  });

it.each([
  ['HTTP', overHttp],
  ['stdio', overStdio],
])(
  "an agent over %s gets a person's confirmation in the browser in its own call, retries, and reads the report",
  async (_, server) => {
    full.add('item-005');
    const script = [join(__dirname, 'python-agent.py'), JSON.stringify(await server())];
    const agent = spawn('python3', script, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    agents.add(agent);
    const lines = createInterface({ input: agent.stdout })[Symbol.asyncIterator]();
    const heard = async () => JSON.parse((await lines.next()).value as string);
    const grace = await signedIn('Grace');

    const first = await heard();
    expect(first.while_waiting).toBe('Waiting for the decision of a person.');
    expect(mail.touched.size).toBe(0);
    await grace.goto(first.page);
    await grace.getByRole('checkbox', { name: 'Run item 3: Item 3' }).uncheck();
    await grace.getByRole('button', { name: 'Continue with 7 items' }).click();
    await shows(grace, 'confirmed batch 1');

    const second = await heard();
    expect(second.page).not.toBe(first.page);
    full.clear();
    await grace.goto(second.page);
    await grace.getByRole('button', { name: 'Continue with 1 item' }).click();
    await shows(grace, 'confirmed batch 1');

    const { tools, outcome, retried, report } = await heard();
    expect(tools).toBe(TOOLS.length);
    expect(outcome).toMatchObject({ decision: 'confirmed', state: 'completed', processed: 7 });
    expect(outcome.last_batch).toMatchObject({ number: 1, succeeded: 6, failed: 1, skipped: 1 });
    expect(outcome.errors).toMatchObject([{ item_id: 'item-005', error: 'The mailbox is full' }]);
    expect(retried).toMatchObject({ decision: 'confirmed', state: 'completed', succeeded: 1, total: 1 });
    for (const { confirmations } of [outcome, retried])
      expect(confirmations).toMatchObject([{ by: 'Grace', assurance: 'session', outcome: 'accepted' }]);
    const outcomes = report.map((row: { outcome: string }) => row.outcome);
    expect(outcomes).toEqual([
      ...['succeeded', 'succeeded', 'skipped', 'succeeded'],
      ...['failed', 'succeeded', 'succeeded', 'succeeded'],
    ]);
    expect(report[0]).toMatchObject({ confirmed_by: 'Grace', confirmed_assurance: 'session' });
    expect(mail.touched.get('item-003')).toBeUndefined();
    expect(mail.touched.get('item-005')).toBe(2);
    await grace.context().close();
  },
);

async function signedIn(name: string): Promise<Page> {
  const page = await (await newContext(browser)).newPage();
  await signInWith(page, await http.api.signInLink({ name, role: 'approver' }));
  return page;
}
