import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../src/postgres/store/open';
import { newStoreUrl } from '../helpers/store';
import { runBatchgate, startBatchgate, type RunningVerb } from '../helpers/command-line';
import { useLink } from '../helpers/sign-in';
import { countingTool, gateway, startHarness, testServer, type Harness } from '../helpers/harness';

let harness: Harness;
let dataDir: string;
let env: Record<string, string>;
let served: RunningVerb | undefined;
const reached = gateway();
const held = gateway();
const tool = countingTool(10, {});
const { adapter } = countingTool(10, {
  apply: async ({ id }) => {
    tool.touched.set(id, (tool.touched.get(id) ?? 0) + 1);
    reached.open();
    await held.opened;
  },
});

beforeAll(async () => {
  const databaseUrl = await newStoreUrl();
  // One call is held until another server has started.
  const settings = { call_timeout_ms: 600_000 };
  const store = await openStore({ dataDir: '', databaseUrl });
  harness = await startHarness({ adapters: [adapter], store, settings });
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-serve-'));
  env = {
    TEMPORAL_ADDRESS: testServer().address,
    BATCHGATE_DATABASE_URL: databaseUrl,
    BATCHGATE_TASK_QUEUE: harness.taskQueue,
    BATCHGATE_HTTP_PORT: '0',
    BATCHGATE_CONFIG_FILE: await writeConfig(),
  };
});
afterAll(async () => {
  held.open();
  served?.kill();
  await harness?.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Writes a configuration whose identity provider is unreachable. */
async function writeConfig(): Promise<string> {
  const file = join(dataDir, 'batchgate.config.json');
  const oidc = {
    issuer: 'http://127.0.0.1:1',
    client_id: 'batchgate',
    client_secret: { file: 'client.secret' },
    roles: [{ role: 'viewer' }],
  };
  await writeFile(join(dataDir, 'client.secret'), 'secret\n');
  await writeFile(file, JSON.stringify({ oidc }));
  return file;
}

async function serve(): Promise<string> {
  served = startBatchgate(['serve'], { dataDir, env });
  await served.says('The HTTP API is up');
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(served.output) ?? [];
  return url;
}

const cli = async (...args: string[]) => {
  const { code, stdout, stderr } = await runBatchgate(args, { dataDir, env });
  return { code, stderr, lines: stdout.split('\n').filter(Boolean), stdout };
};

it('decides once even if the server is killed between the decision and its answer', async () => {
  const made = await cli('keys', 'create', '--name', 'crm', '--role', 'operator', '--json');
  const { key, key_id } = JSON.parse(made.stdout);
  const authorization = `Bearer ${key}`;
  const post = (url: string, path: string, headers: Record<string, string>, body: object = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const url = await serve();
  const input = { domain: 'fake', action: 'mark', params: { group: 'all' } };
  const start = { 'idempotency-key': 'start-1' };
  const first: any = await (await post(url, '/v1/operations', start, input)).json();
  const path = `/v1/operations/${first.operation_id}/continue`;
  const confirm = { 'idempotency-key': 'confirm-1' };
  const lost = post(url, path, confirm, { batch: 1 });
  const failed = expect(lost).rejects.toThrow();
  await reached.opened;
  served?.kill();
  await failed;
  const again = await serve();
  held.open();
  const answer = await post(again, path, confirm, { batch: 1 });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ state: 'completed', processed: 10 });
  expect([...tool.touched.values()]).toEqual(Array(10).fill(1));
  const same: any = await (await post(again, '/v1/operations', start, input)).json();
  expect(same).toEqual(first);
  await revokedIsRefused(again, authorization, key_id);
  await linkSignsIn(again);
  const away = await fetch(`${again}/sign-in/oidc`, { redirect: 'manual' });
  const problem = (await away.json()) as { code: string; message: string };
  expect([away.status, problem.code]).toEqual([502, 'ADAPTER_UNAVAILABLE']);
  expect(problem.message).toContain('http://127.0.0.1:1');
});

/** A link of the command line signs in at this server, once, in the role that it was made for. */
async function linkSignsIn(url: string): Promise<void> {
  const made = await cli('link', '--name', 'Ada', '--role', 'approver', '--json');
  const { url: link, role } = JSON.parse(made.stdout);
  expect(role).toBe('approver');
  const here = `${url}${new URL(link).pathname}${new URL(link).search}`;
  const cookie = (await useLink(here)).headers.get('set-cookie')?.split(';')[0] ?? '';
  expect(cookie).toMatch(/^batchgate_session_[0-9a-f]{8}=/);
  const me = await fetch(`${url}/v1/me`, { headers: { cookie } });
  expect(await me.json()).toMatchObject({ kind: 'person', name: 'Ada', role: 'approver' });
  expect((await useLink(here)).status).toBe(401);
}

/** The list shows neither the key nor its hash; a revoked key is refused at once. */
async function revokedIsRefused(url: string, authorization: string, keyId: string): Promise<void> {
  const me = () => fetch(`${url}/v1/me`, { headers: { authorization } });
  expect(await (await me()).json()).toEqual({ kind: 'key', name: 'crm', role: 'operator' });
  const listed = await cli('keys', 'list', '--json');
  expect(listed.stdout).toContain(keyId);
  const secret = authorization.replace('Bearer ', '');
  expect(listed.stdout).not.toContain(secret);
  expect(listed.stdout).not.toContain(createHash('sha256').update(secret).digest('hex'));
  expect((await cli('keys', 'revoke', keyId)).code).toBe(0);
  expect((await me()).status).toBe(401);
  const unknown = await cli('keys', 'revoke', `key-${randomUUID()}`, '--json');
  expect([unknown.code, JSON.parse(unknown.stdout).error.code]).toEqual([1, 'NOT_FOUND']);
}

it('says what to do without its own database, and with a port that is taken', async () => {
  const { BATCHGATE_DATABASE_URL: _, ...without } = env;
  const embedded = await startBatchgate(['serve', '--json'], { dataDir, env: without }).ended;
  expect([embedded.code, JSON.parse(embedded.stdout).error.code]).toEqual([1, 'NOT_CONFIGURED']);
  const port = /127\.0\.0\.1:(\d+)/.exec(served?.output ?? '')?.[1] ?? '';
  const busy = await startBatchgate(['serve', '--json'], {
    dataDir,
    env: { ...env, BATCHGATE_HTTP_PORT: port },
  }).ended;
  expect(JSON.parse(busy.stdout).error.message).toContain(`port ${port}`);
  const elsewhere = await startBatchgate(['serve', '--json'], {
    dataDir,
    env: { ...env, BATCHGATE_HTTP_HOST: '192.0.2.1', BATCHGATE_HTTP_PORT: '0' },
  }).ended;
  expect(JSON.parse(elsewhere.stdout).error).toMatchObject({
    ...{ code: 'NOT_CONFIGURED', message: expect.stringContaining('192.0.2.1') },
    hint: expect.stringContaining('BATCHGATE_HTTP_HOST'),
  });
  // The reader of its notes is gone, as `tee` is after the same Ctrl-C.
  served?.closeNotes();
  expect((await served?.interrupt())?.code).toBe(0);
});
