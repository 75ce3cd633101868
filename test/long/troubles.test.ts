import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { OperationRow } from '../../src/client';
import { freePort } from '../../src/host/temporal/ports';
import type { BulkStatus } from '../../src/contract/operation';
import { apiError, type Rule } from '../adapters/fault-proxy';
import { sharedBackend } from '../helpers/backend';
import { runBatchgate, startBatchgate, type RunningVerb } from '../helpers/command-line';
import { startGoogle, type Google } from '../helpers/google';

/** A provider's failures as a user of the command line sees them: Gmail's emulator behind a proxy with faults. */
let google: Google;
let dataDir: string;
let up: RunningVerb;
let operations = 0;
let metricsAddress: string;

/** A codec whose key service is away for one payload, and a signal that ends the workflow thread. */
const CODEC = `
const threads = require('node:worker_threads');
const made = [];
threads.Worker = class extends threads.Worker { constructor(...args) { super(...args); made.push(this); } };
process.on('SIGUSR2', () => void made.at(-1).terminate());
const isPoison = ({ data }) => Buffer.from(data ?? []).toString() === '"poison"';
exports.payloadCodecs = [{
  encode: async (payloads) => payloads,
  decode: async (payloads) => {
    if (payloads.some(isPoison)) throw Object.assign(new Error('the key service is away'), { retryable: true });
    return payloads;
  },
}];
`;

beforeAll(async () => {
  google = await startGoogle();
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-troubles-'));
  const codec = join(dataDir, 'codec.cjs');
  await writeFile(codec, CODEC);
  metricsAddress = `127.0.0.1:${await freePort(0)}`;
  const env = { BATCHGATE_PAYLOAD_CODEC: codec, BATCHGATE_METRICS_ADDRESS: metricsAddress };
  up = startBatchgate(['up'], { dataDir, env: { ...(await sharedBackend()), ...environment(), ...env } });
  await up.says('batchgate is up');
});
beforeEach(() => google.front.reset());
afterAll(async () => {
  await up?.interrupt();
  await google.close();
  await rm(dataDir, { recursive: true, force: true });
});

const environment = () => ({
  BATCHGATE_GMAIL_BASE_URL: google.url,
  BATCHGATE_GOOGLE_ACCESS_TOKEN: 'ya29.access-by-variable',
  BATCHGATE_CALL_TIMEOUT_MS: '4000',
});
const batchgate = (...args: string[]) => runBatchgate(args, { dataDir });
const json = async (...args: string[]) =>
  JSON.parse((await batchgate(...args, '--json')).stdout) as BulkStatus;

/** An operation on these emails that waits for its first confirmation. Its label is new, so no email has it yet. */
async function waiting(...ids: string[]): Promise<string> {
  const id = `troubled-${++operations}`;
  const file = join(dataDir, `${id}.csv`);
  await writeFile(file, ['id', ...ids].join('\n'));
  const params = JSON.stringify({ label_name: id, create_label: true });
  const asked = ['--domain', 'gmail', '--action', 'label', '--params', params, '--items', file];
  const { state } = await json('start', ...asked, '--id', id);
  expect(state).toBe('awaiting_confirmation');
  google.front.reset();
  return id;
}
const five = ['message-0', 'message-1', 'message-2', 'message-3', 'message-4'];
const onChange =
  (answer: (forward: Parameters<Rule>[1]) => ReturnType<Rule>): Rule =>
  (request, forward) =>
    request.path.endsWith('/modify') ? answer(forward) : forward();
const changes = () => google.front.calls.filter((call) => call === 'POST modify').length;

it('stops at a refusal of everything, says until when, and runs the same batch after it', async () => {
  const id = await waiting(...five);
  const refused = apiError(429, 'rateLimitExceeded');
  google.front.rule = onChange(() => ({ ...refused, headers: { 'retry-after': '1' } }));
  const failed = JSON.parse((await batchgate('continue', id, '--json')).stdout) as BulkStatus;
  expect(failed).toMatchObject({ state: 'batch_failed', processed: 0, error: { code: 'RATE_LIMITED' } });
  expect(failed.error?.hint).toMatch(/accepts nothing until \d{4}-/);
  google.front.reset();
  // It begins when the tool accepts requests again, which may be by now.
  await batchgate('continue', id);
  await batchgate('watch', id);
  expect(await json('status', id)).toMatchObject({ state: 'completed', succeeded: 5, failed: 0 });
  expect(changes()).toBe(5);
});

it('reports 503 as an error of each item, and retries only on request', async () => {
  const [status, reason] = [503, 'backendError'];
  const id = await waiting(...five);
  google.front.rule = onChange(() => apiError(status, reason));
  const answer = await batchgate('continue', id);
  expect(answer.stdout).toContain('✅ Completed! Processed 5/5 items. 5 item(s) had errors.');
  expect(changes()).toBe(5);
  const { stdout } = await batchgate('errors', id);
  expect(stdout.trim().split('\n')).toHaveLength(5);
  expect(stdout).toMatch(/^- Issue 0 – .*, 2023-11-14 \(message-0\): Gmail answered 503: backendError$/m);

  google.front.reset();
  const again = await json('retry-failed', id);
  expect(again).toMatchObject({ state: 'awaiting_confirmation', total: 5 });
  expect(await json('continue', again.operation_id)).toMatchObject({
    state: 'completed',
    succeeded: 5,
    failed: 0,
  });
});

it('counts a change whose answer was lost, once it is visible in the mailbox', async () => {
  const id = await waiting(...five);
  google.front.rule = onChange(async (forward): Promise<'reset'> => {
    await forward();
    return 'reset';
  });
  expect(await json('continue', id)).toMatchObject({
    state: 'completed',
    succeeded: 5,
    failed: 0,
    in_doubt: 0,
  });
  expect(changes()).toBe(5);
});

it('gives up a silent provider, and reports unchanged items', async () => {
  const id = await waiting('message-5', 'message-6', 'message-7', 'message-8', 'message-9');
  google.front.rule = onChange(() => 'silence');
  expect(await json('continue', id)).toMatchObject({ state: 'completed', succeeded: 0, failed: 5 });
  const { stdout } = await batchgate('errors', id);
  expect(stdout).toMatch(/^- Issue 5 – .* \(message-5\): Gmail did not answer/m);
});

it('names the missing item, and changes the others', async () => {
  const id = await waiting(...five.slice(1), '19affffffffffffff');
  expect(await json('continue', id)).toMatchObject({ succeeded: 4, failed: 1 });
  const { stdout } = await batchgate('errors', id);
  expect(stdout.trim()).toBe('- 19affffffffffffff (19affffffffffffff): Email not found');
});

it('asks about the same batch again if the credentials are refused, and shows no token', async () => {
  const id = await waiting(...five);
  google.front.rule = ({ authorization }) => apiError(401, 'authError', `No access by ${authorization}`);
  const failed = await batchgate('continue', id, '--json');
  const status = JSON.parse(failed.stdout);
  expect(status).toMatchObject({ state: 'batch_failed', needs_confirmation: true, processed: 0 });
  expect(status.error).toMatchObject({ code: 'CREDENTIALS_INVALID' });
  expect(status.message).toBe('An error occurred while processing this batch. Please try again or cancel.');
  google.front.reset();
  const done = await batchgate('continue', id, '--json');
  expect(JSON.parse(done.stdout)).toMatchObject({ state: 'completed', succeeded: 5 });
  for (const text of [failed.stdout, failed.stderr, done.stdout, up.output])
    expect(text).not.toContain('ya29.access-by-variable');
});

it('refuses to plan from a search that it cannot read', async () => {
  google.front.rule = (request, forward) =>
    request.query.has('q') ? { status: 200, body: '{"messages":"all of them"}' } : forward();
  const params = '{"sender":"news@northwind-weekly.example"}';
  const refused = await batchgate(
    'start',
    '--domain',
    'gmail',
    '--action',
    'star',
    '--params',
    params,
    '--json',
  );
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stdout).error).toMatchObject({
    code: 'ADAPTER_UNAVAILABLE',
    message: "Failed to count emails: Gmail's answer could not be read",
  });
});

const runtime = async () =>
  JSON.parse(await readFile(join(dataDir, 'runtime.json'), 'utf8')) as {
    pid: number;
    temporal_address: string;
    namespace: string;
  };
const untilTrue = async (look: () => Promise<boolean>) => {
  while (!(await look())) await pause(200);
};

it('names a quarantined run in the list, the log and the metrics, ends it, and reports what it did', async () => {
  const id = await waiting(...five);
  const { temporal_address: address, namespace } = await runtime();
  const connection = await Connection.connect({ address });
  await new Client({ connection, namespace }).workflow.getHandle(id).signal('unknown', 'poison');
  await connection.close();
  const row = async () => {
    const { stdout } = await batchgate('list', '--json');
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as OperationRow);
    return rows.find(({ operation_id }) => operation_id === id);
  };
  await untilTrue(async () => (await row())?.quarantined?.includes('the key service is away') === true);
  expect((await batchgate('list')).stdout).toContain(`Quarantined: ${id}`);
  const quarantined = /^batchgate_quarantined_runs\{.*workflow_type="bulkOperation".*\} (\d+)/m;
  const counted = async () =>
    quarantined.exec(await (await fetch(`http://${metricsAddress}/metrics`)).text())?.[1];
  await untilTrue(async () => (await counted()) === '1');
  await up.says('a run is quarantined');

  const refused = await batchgate('continue', id, '--json');
  expect(refused.code).toBe(3);
  expect(JSON.parse(refused.stdout)).toMatchObject({
    error: { code: 'TEMPORAL_UNAVAILABLE', hint: expect.stringContaining(`batchgate end ${id}`) as string },
  });
  expect((await batchgate('end', id)).code).toBe(2);
  const ended = await batchgate('end', id, '--reason', 'the key is lost', '--json');
  expect(ended.code).toBe(0);
  expect(JSON.parse(ended.stdout)).toMatchObject({ workflow_id: id, reason: 'the key is lost' });
  expect(await json('status', id)).toMatchObject({ state: 'cancelled', total: 5, remaining: 5 });
  expect((await row())?.quarantined).toBeUndefined();
  expect((await batchgate('end', id, '--reason', 'again', '--json')).stdout).toContain('OPERATION_CLOSED');
  await untilTrue(async () => (await counted()) === '0');
});

it('restarts its worker when the workflow thread dies, and an operation continues', async () => {
  const id = await waiting(...five);
  process.kill((await runtime()).pid, 'SIGUSR2');
  // The worker notices the end of the thread only when it next needs the thread.
  const turn = json('continue', id);
  await up.says('the workflow thread of the worker died');
  expect(await turn).toMatchObject({ state: 'completed', succeeded: 5 });
});

it('continues a batch and a question after it was suspended longer than the timeout for a silent worker', async () => {
  const id = await waiting(...five);
  const beside = await waiting(...five);
  const { pid } = await runtime();
  const held = new Promise<void>((arrived) => {
    google.front.rule = onChange(async (forward) => {
      arrived();
      return forward();
    });
  });
  const turn = json('continue', id);
  await held;
  process.kill(pid, 'SIGSTOP');
  await pause(8_000);
  process.kill(pid, 'SIGCONT');
  const { state } = await turn;
  if (state !== 'completed') expect(await json('continue', id)).toMatchObject({ state: 'completed' });
  const after = await json('status', id);
  expect(after).toMatchObject({ state: 'completed', processed: 5, in_doubt: 0 });
  // What no time was left for was not sent, and a retry sends it.
  if (after.failed > 0) {
    const again = await json('retry-failed', id);
    expect(await json('continue', again.operation_id)).toMatchObject({ succeeded: after.failed });
  }
  expect(await json('continue', beside)).toMatchObject({ state: 'completed', succeeded: 5 });
  expect(changes()).toBe(10);
});
