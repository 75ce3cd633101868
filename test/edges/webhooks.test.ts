import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeliveryRow } from '../../src/contract/webhooks';
import { sharedBackend } from '../helpers/backend';
import { runBatchgate, startBatchgate, type RunningVerb } from '../helpers/command-line';
import { caughtUp } from '../helpers/look-again';
import { hookTo, SECRET, startSink, type WebhookSink } from '../helpers/webhook-sink';

/** Webhook deliveries of a running batchgate, and the verbs that show them. */
let folder: string;
let env: Record<string, string>;
let chat: WebhookSink;
let failing: WebhookSink;
let auditor: WebhookSink;
let up: RunningVerb;
let operation: string;
let configure: (...webhooks: object[]) => Promise<void>;

const toAuditor = () => hookTo(auditor.url, { name: 'auditor', events: ['audit_checkpoint'] });
const toFailing = () => hookTo(failing.url, { name: 'failing', events: ['awaiting_confirmation'] });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'batchgate-webhooks-'));
  [chat, failing, auditor] = [await startSink(), await startSink(), await startSink()];
  const file = join(folder, 'batchgate.config.json');
  configure = (...webhooks) =>
    writeFile(file, JSON.stringify({ http: { allowed_hosts: ['tool.example.com'] }, webhooks }));
  await configure(hookTo(chat.url), toFailing(), toAuditor());
  env = {
    ...(await sharedBackend()),
    BATCHGATE_CONFIG_FILE: file,
    HOOK_SECRET: SECRET,
    BATCHGATE_HTTP_PORT: '0',
  };
  await startUp();
});
afterAll(async () => {
  await up?.interrupt();
  await chat?.close();
  await failing?.close();
  await auditor?.close();
  await rm(folder, { recursive: true, force: true });
});

async function startUp(): Promise<void> {
  up = startBatchgate(['up'], { dataDir: folder, env });
  await up.says('batchgate is up');
}

/** A line that `--json` prints: a delivery or an error. */
type Line = Partial<Omit<DeliveryRow, 'error'>> & { error?: unknown };

async function verb(...args: string[]): Promise<{ code: number | null; lines: Line[] }> {
  const { code, stdout } = await runBatchgate([...args, '--json'], { dataDir: folder, env });
  return {
    code,
    lines: stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line),
  };
}

/** Starts an operation over one item, which waits at its first question. */
async function begin(id: string): Promise<void> {
  const items = join(folder, 'items.jsonl');
  await writeFile(items, '{"id":"one"}\n');
  const params = JSON.stringify({ method: 'POST', url: 'https://tool.example.com/{{.id}}' });
  const what = ['--domain', 'http', '--action', 'request', '--params', params, '--items', items];
  const { lines } = await verb('start', ...what, '--id', id);
  expect(lines).toMatchObject([{ state: 'awaiting_confirmation' }]);
}

const receivedOf = ({ received }: WebhookSink, id: string) =>
  received.filter(({ message }) => message.data.operation_id === id);

it('sends checkpoints of the audit record to whoever asked for them, and a later export must have them', async () => {
  await auditor.until((received) => received.length > 0);
  const [{ message }] = auditor.received as [WebhookSink['received'][number]];
  expect(message).toMatchObject({
    type: 'audit_checkpoint',
    data: { checkpoint: { seq: expect.any(Number) } },
  });
  const { hash = '', public_key = '' } = message.data.checkpoint ?? {};
  const file = join(folder, 'audit.jsonl');
  const audit = (...args: string[]) => runBatchgate(['audit', ...args], { dataDir: folder, env });
  expect(await audit('export', '--out', file)).toMatchObject({ code: 0 });
  expect(await audit('verify', file, '--key', public_key, '--has', hash)).toMatchObject({ code: 0 });
  expect(await audit('verify', file, '--has', 'f'.repeat(64))).toMatchObject({ code: 1 });
  expect([...chat.received, ...failing.received].map((one) => one.message.type)).not.toContain(
    'audit_checkpoint',
  );
});

it('repeats the delivery of a killed process under the same id, and then delivers the following messages', async () => {
  operation = 'told-across-kill';
  chat.answers.set(operation, [0]);
  failing.answers.set(operation, Array<number>(20).fill(500));
  await begin(operation);
  await chat.until(() => receivedOf(chat, operation).length >= 1);
  await failing.until(() => receivedOf(failing, operation).length >= 3);
  up.kill();
  await up.ended;
  await startUp();
  expect((await verb('cancel', operation)).code).toBe(0);
  await chat.until(() => receivedOf(chat, operation).length >= 3);
  const told = receivedOf(chat, operation).map(({ id, message: { type } }) => ({ id, type }));
  expect(told.map(({ type }) => type)).toEqual([
    'awaiting_confirmation',
    'awaiting_confirmation',
    'cancelled',
  ]);
  expect(told[1]?.id).toBe(told[0]?.id);
  const [{ message: asked } = { message: undefined }] = receivedOf(chat, operation);
  expect(asked?.data.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/operations\/told-across-kill$/);
});

it('retries a failing receiver at growing intervals', () => {
  const [first, second, third] = receivedOf(failing, operation);
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
  expect((third?.at ?? 0) - (second?.at ?? 0)).toBeGreaterThanOrEqual(2_000);
  expect([second?.id, third?.id]).toEqual([first?.id, first?.id]);
});

it('lists each message with its tries, and sends one again on request', async () => {
  const ofFailing = ['--target', 'failing'];
  let waiting: Line | undefined;
  // The last try may have ended with the kill, so this waits for a try that was answered.
  do [waiting] = (await verb('webhooks', 'list', operation, ...ofFailing)).lines;
  while (!/answered/.test(String(waiting?.error)));
  expect(waiting).toMatchObject({
    ...{ target: 'failing', operation_id: operation, type: 'awaiting_confirmation', state: 'waiting' },
    error: `${new URL(failing.url).host} answered 500`,
  });
  expect(waiting?.attempts).toBeGreaterThanOrEqual(3);
  const before = receivedOf(failing, operation).length;
  expect(await verb('webhooks', 'retry', operation, ...ofFailing)).toEqual({
    code: 0,
    lines: [{ retried: 1 }],
  });
  await failing.until(() => receivedOf(failing, operation).length > before);
  // Only now, so that no try of the worker's own delivers it before the request.
  failing.answers.delete(operation);
  await verb('webhooks', 'retry', operation, ...ofFailing);
  let row: Line | undefined;
  do [row] = (await verb('webhooks', 'list', operation, ...ofFailing)).lines;
  while (row?.state === 'waiting');
  const { attempts: _, error: __, ...told } = waiting ?? {};
  expect(row).toEqual({ ...told, state: 'delivered' });
  expect(await verb('webhooks', 'retry', operation, ...ofFailing)).toEqual({
    code: 0,
    lines: [{ retried: 0 }],
  });
  const { stdout } = await runBatchgate(['webhooks', 'list', operation], { dataDir: folder, env });
  expect(stdout.split('\n')[0]).toMatch(/^TARGET +OPERATION +EVENT +AT +STATE +TRIES +ERROR/);
  expect(stdout.match(/ delivered/g)).toHaveLength(3);
});

it('sends a test to one receiver or to all, and names those that did not accept it', async () => {
  expect(await verb('webhooks', 'test', 'chat')).toEqual({
    code: 0,
    lines: [{ target: 'chat', delivered: true }],
  });
  expect(chat.received.at(-1)?.message.type).toBe('test');
  failing.answers.set('', [503]);
  const { code, lines } = await verb('webhooks', 'test');
  expect([code, lines[0]]).toEqual([1, { target: 'chat', delivered: true }]);
  expect(lines[1]?.error).toMatchObject({
    code: 'TOOL_FAILED',
    message: expect.stringContaining("The test did not reach 'failing'"),
  });
  // A message that was given up is sent again on request.
  await caughtUp(async () =>
    expect((await verb('webhooks', 'retry', '--target', 'failing')).lines).toEqual([{ retried: 1 }]),
  );
  await failing.until((received) => received.filter(({ message }) => message.type === 'test').length >= 2);
  const tests = failing.received.filter(({ message }) => message.type === 'test');
  expect(tests[1]?.id).toBe(tests[0]?.id);
  expect((await verb('webhooks', 'test', 'nobody')).code).toBe(1);
});

it('names a receiver that the settings lost, moves what waits for it, and gives up the rest', async () => {
  const ids = ['moved', 'given-up'];
  ids.forEach((id) => failing.answers.set(id, Array<number>(1_000).fill(500)));
  for (const id of ids) await begin(id);
  await failing.until(() => ids.every((id) => receivedOf(failing, id).length > 0));
  await up.interrupt();
  await configure(hookTo(chat.url), hookTo(failing.url, { name: 'renamed' }), toAuditor());
  await startUp();
  const asPeopleReadIt = (...args: string[]) => runBatchgate(args, { dataDir: folder, env });
  const listed = await asPeopleReadIt('webhooks', 'list');
  expect(listed.stderr).toContain("has no webhook 'failing', and 2 operation(s) are followed for it");
  const diagnosis = await asPeopleReadIt('doctor');
  expect(diagnosis.stdout).toContain("that batchgate.config.json does not name: 'failing' (2 operations)");
  expect(diagnosis.stdout).toContain('webhooks move --target NAME --to OTHER');

  const from = ['--target', 'failing'];
  const refused = await verb('webhooks', 'move', 'moved', ...from, '--to', 'nobody');
  expect([refused.code, refused.lines[0]?.error]).toMatchObject([
    1,
    { code: 'NOT_CONFIGURED', message: "batchgate.config.json has no webhook 'nobody'." },
  ]);
  ids.forEach((id) => failing.answers.delete(id));
  const before = receivedOf(failing, 'moved').length;
  expect(await verb('webhooks', 'move', 'moved', ...from, '--to', 'renamed')).toEqual({
    code: 0,
    lines: [{ moved: 1 }],
  });
  await failing.until(() => receivedOf(failing, 'moved').length > before);
  expect(await verb('webhooks', 'cancel', ...from)).toEqual({ code: 0, lines: [{ cancelled: 1 }] });
  await caughtUp(async () =>
    expect((await asPeopleReadIt('webhooks', 'list')).stderr).not.toContain('has no webhook'),
  );
  expect(await verb('webhooks', 'move', ...from, '--to', 'renamed')).toEqual({
    code: 0,
    lines: [{ moved: 0 }],
  });
});
