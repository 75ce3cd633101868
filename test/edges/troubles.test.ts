import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BulkStatus } from '../../src/contract/operation';
import { apiError, type Rule } from '../adapters/fault-proxy';
import { sharedBackend } from '../helpers/backend';
import { runBatchgate, startBatchgate, type RunningVerb } from '../helpers/command-line';
import { startGoogle, type Google } from '../helpers/google';

/** A provider's troubles as a user of the command line meets them: Gmail's emulator behind a front that breaks. */
jest.setTimeout(240_000);

let google: Google;
let dataDir: string;
let up: RunningVerb;
let operations = 0;

beforeAll(async () => {
  google = await startGoogle();
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-troubles-'));
  up = startBatchgate(['up'], { dataDir, env: { ...(await sharedBackend()), ...environment() } });
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
  BATCHGATE_CALL_TIMEOUT_MS: '2000',
});
const batchgate = (...args: string[]) => runBatchgate(args, { dataDir });
const json = async (...args: string[]) =>
  JSON.parse((await batchgate(...args, '--json')).stdout) as BulkStatus;

/** An operation over five emails that waits for its first confirmation. */
async function waiting(...ids: string[]): Promise<string> {
  const id = `troubled-${++operations}`;
  const file = join(dataDir, `${id}.csv`);
  await writeFile(file, ['id', ...ids].join('\n'));
  const { state } = await json('start', '--domain', 'gmail', '--action', 'star', '--items', file, '--id', id);
  expect(state).toBe('awaiting_confirmation');
  google.front.reset();
  return id;
}
const five = ['message-0', 'message-1', 'message-2', 'message-3', 'message-4'];
const onChange =
  (answer: (forward: Parameters<Rule>[1]) => ReturnType<Rule>): Rule =>
  (request, forward) =>
    request.path.endsWith('/batchModify') ? answer(forward) : forward();
const changes = () => google.front.calls.filter((call) => call === 'POST batchModify').length;

it.each([
  [429, 'rateLimitExceeded'],
  [503, 'backendError'],
])('reports %s %s as an error of each item, and tries again only when told to', async (status, reason) => {
  const id = await waiting(...five);
  google.front.rule = onChange(() => ({ ...apiError(status, reason), headers: { 'retry-after': '1' } }));
  const answer = await batchgate('continue', id);
  expect(answer.stdout).toContain('✅ Completed! Processed 5/5 items. 5 item(s) had errors.');
  expect(changes()).toBe(1);
  const { stdout } = await batchgate('errors', id);
  expect(stdout.trim().split('\n')).toHaveLength(5);
  expect(stdout).toContain(`- message-0 (message-0): Gmail answered ${status}: ${reason}`);

  google.front.reset();
  const again = await json('retry-failed', id);
  expect(again).toMatchObject({ state: 'awaiting_confirmation', total: 5 });
  expect(await json('continue', again.operation_id)).toMatchObject({
    state: 'completed',
    succeeded: 5,
    failed: 0,
  });
});

it('counts a change whose answer was lost, once it is seen in the mailbox', async () => {
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
  expect(changes()).toBe(1);
});

it('gives a silent provider up, and reports items that are as they were', async () => {
  const id = await waiting('message-5', 'message-6', 'message-7', 'message-8', 'message-9');
  google.front.rule = onChange(() => 'silence');
  expect(await json('continue', id)).toMatchObject({ state: 'completed', succeeded: 0, failed: 5 });
  const { stdout } = await batchgate('errors', id);
  expect(stdout).toContain('- message-5 (message-5): Gmail did not answer');
});

it('names the item that does not exist, and changes the others', async () => {
  const id = await waiting(...five.slice(1), '19affffffffffffff');
  expect(await json('continue', id)).toMatchObject({ succeeded: 4, failed: 1 });
  const { stdout } = await batchgate('errors', id);
  expect(stdout.trim()).toBe('- 19affffffffffffff (19affffffffffffff): Email not found');
});

it('asks about the same batch again when the credentials are refused, and shows no token', async () => {
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
