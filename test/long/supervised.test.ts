import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NEWSLETTER_SENDER } from '../../src/host/local-google/record';
import { runBatchgate, startBatchgate, type RunningVerb } from '../helpers/command-line';
import { seedStore } from '../helpers/embedded';

let dataDir: string;
let up: RunningVerb;
const secret = 'a-secret-of-this-process';

const startUp = async () => {
  up = startBatchgate(['up'], { dataDir, env: { BATCHGATE_TRELLO_TOKEN: secret } });
  await up.says('batchgate is up');
};
const record = async (name: string) =>
  JSON.parse(await readFile(join(dataDir, name), 'utf8')) as { pid: number; address: string; url: string };
const verb = async (...args: string[]) => {
  const { code, stdout, stderr } = await runBatchgate([...args, '--json'], { dataDir });
  return { code, stderr, answer: JSON.parse(stdout) as Record<string, unknown> };
};
const restarts = async () => {
  const { answer } = await verb('doctor');
  const checks = answer['checks'] as { name: string; status: string; detail: string }[];
  return checks.find(({ name }) => name === 'restarts');
};

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-up-'));
  await seedStore(dataDir);
});
afterAll(async () => {
  await up.interrupt();
  await rm(dataDir, { recursive: true, force: true });
});

it('replaces the record of a dead `up` whose process id is in use, also after its own kill -9', async () => {
  // The id of a living process. In a container it may even be the id of the new `up`.
  await writeFile(
    join(dataDir, 'runtime.json'),
    JSON.stringify({ pid: process.pid, temporal_address: '127.0.0.1:1', namespace: 'default' }),
  );
  await startUp();
  up.kill();
  await up.ended;
  await startUp();
  const second = await runBatchgate(['up'], { dataDir });
  expect(second).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/is already running .*\(pid \d+\)/),
  });
});

it('lets no other user read its files, and gives its servers no secret', async () => {
  const files = (await readdir(dataDir, { withFileTypes: true })).filter((entry) => entry.isFile());
  const modes = await Promise.all(
    files.map(async ({ name }) => [name, (await stat(join(dataDir, name))).mode & 0o077]),
  );
  expect(modes).toEqual(files.map(({ name }) => [name, 0]));
  for (const name of ['temporal.json', 'mailbox.json']) {
    const { pid } = await record(name);
    expect(await readFile(`/proc/${String(pid)}/environ`, 'utf8')).not.toContain(secret);
  }
});

it('restarts its server and its mailbox at the same addresses, and an operation continues', async () => {
  const params = JSON.stringify({ sender: NEWSLETTER_SENDER, label_name: 'Later', create_label: true });
  const input = ['--domain', 'gmail', '--action', 'label', '--params', params, '--id', 'goes-on'];
  expect((await verb('start', ...input)).answer).toMatchObject({ state: 'awaiting_confirmation' });
  const server = await record('temporal.json');
  const mailbox = await record('mailbox.json');
  process.kill(server.pid, 'SIGKILL');
  process.kill(mailbox.pid, 'SIGKILL');
  await up.says('The Temporal server runs again.');
  await up.says('The local mailbox runs again.');
  expect((await record('temporal.json')).address).toBe(server.address);
  expect((await record('mailbox.json')).url).toBe(mailbox.url);
  expect((await verb('continue', 'goes-on')).answer).toMatchObject({ processed: 10, failed: 0 });
  expect(await restarts()).toMatchObject({
    status: 'warning',
    detail: expect.stringContaining('the Temporal server 1 time(s)'),
  });
});

it('reports an unavailable server, and ends with an error if it cannot be restarted', async () => {
  const database = join(dataDir, 'temporal.db');
  await rename(database, `${database}.away`);
  await mkdir(database);
  process.kill((await record('temporal.json')).pid, 'SIGKILL');
  await up.says('The Temporal server does not start');
  expect(await restarts()).toMatchObject({ status: 'problem', detail: expect.stringContaining('ended') });
  expect(await up.ended).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('The Temporal server ended and could not be started again'),
  });
});
