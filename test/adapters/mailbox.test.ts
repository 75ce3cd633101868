import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { ensureMailboxProcess, type MailboxProcess } from '../../src/host/local-google/process';
import { DEMO_LABEL, NEWSLETTER_SENDER } from '../../src/host/local-google/record';
import { NEWSLETTER_COUNT } from '../../dev/google/seed';
import { RUN_TYPESCRIPT } from '../helpers/run-typescript';

const source = { entry: join(__dirname, '../../dev/google/main.ts'), execArgv: RUN_TYPESCRIPT };
let dataDir: string;
let started: MailboxProcess[];
async function ensure(): Promise<MailboxProcess> {
  const mailbox = await ensureMailboxProcess({ dataDir, ...source });
  started.push(mailbox);
  return mailbox;
}

async function ask(url: string, method: string, path: string, body?: unknown) {
  const answer = await fetch(`${url}/gmail/v1/users/me/${path}`, {
    method,
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}
const idsOf = async (url: string, query: string): Promise<string[]> =>
  ((await ask(url, 'GET', `messages?maxResults=500&${query}`)).body.messages as { id: string }[]).map(
    ({ id }) => id,
  );
const newsletters = (url: string) =>
  idsOf(url, `q=${encodeURIComponent(`from:${NEWSLETTER_SENDER} in:inbox`)}`);

async function kill(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  for (let there = true; there; await turn()) {
    try {
      process.kill(pid, 0);
    } catch {
      there = false;
    }
  }
}

beforeEach(async () => {
  started = [];
  dataDir = await mkdtemp(join(tmpdir(), 'batchgate-mailbox-'));
});
afterEach(async () => {
  await Promise.all(started.map((mailbox) => mailbox.stop()));
  await rm(dataDir, { recursive: true, force: true });
});

test('contains exactly 50 newsletters, all in the inbox, among a few hundred emails', async () => {
  const { url } = await ensure();
  expect(await newsletters(url)).toHaveLength(NEWSLETTER_COUNT);
  expect(await idsOf(url, `q=from:${NEWSLETTER_SENDER}&includeSpamTrash=true`)).toHaveLength(50);
  expect((await idsOf(url, 'includeSpamTrash=true')).length).toBeGreaterThan(250);
  const { body } = await ask(url, 'GET', 'labels');
  expect(body.labels).toContainEqual(expect.objectContaining({ name: DEMO_LABEL, messagesTotal: 0 }));
});

test('answers on the loopback interface, and only with a token', async () => {
  const { url } = await ensure();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect((await fetch(`${url}/gmail/v1/users/me/labels`)).status).toBe(401);
});

test('has every change again after kill -9, under the same url and ids', async () => {
  const first = await ensure();
  const before = await newsletters(first.url);
  const made = (await ask(first.url, 'POST', 'labels', { name: 'Made here' })).body;
  const changed = before.slice(0, 5);
  const change = { ids: changed, addLabelIds: [made.id], removeLabelIds: ['INBOX'] };
  expect((await ask(first.url, 'POST', 'messages/batchModify', change)).status).toBe(204);
  expect((await ask(first.url, 'POST', `messages/${before[6]}/trash`)).status).toBe(200);
  await kill(first.pid);

  const second = await ensure();
  expect(second).toMatchObject({ url: first.url, reused: false });
  expect(second.pid).not.toBe(first.pid);
  expect(await idsOf(second.url, `labelIds=${made.id}`)).toEqual(changed);
  expect(await newsletters(second.url)).toEqual(
    before.filter((id) => !changed.includes(id) && id !== before[6]),
  );
  expect((await ask(second.url, 'GET', `labels/${made.id}`)).body).toMatchObject({ name: 'Made here' });
});

test('serves calendars too, and has their changes again after kill -9', async () => {
  const first = await ensure();
  const event = (url: string) => `${url}/calendar/v3/calendars/team@calendars.example/events/team0011`;
  const headers = { authorization: 'Bearer any' };
  const patched = await fetch(event(first.url), { method: 'PATCH', headers, body: '{"colorId":"11"}' });
  expect(patched.status).toBe(200);
  const stale = { ...headers, 'if-match': '"1"' };
  expect((await fetch(event(first.url), { method: 'DELETE', headers: stale })).status).toBe(412);
  expect((await fetch(event(first.url))).status).toBe(401);
  await kill(first.pid);

  const second = await ensure();
  const answer = await fetch(event(second.url), { headers });
  expect(await answer.json()).toEqual(await patched.json());
});

test('keeps renamed labels, and removes deleted ones from emails', async () => {
  const first = await ensure();
  const [id] = await newsletters(first.url);
  const old = (await ask(first.url, 'POST', 'labels', { name: 'One' })).body.id;
  await ask(first.url, 'POST', `messages/${id}/modify`, { addLabelIds: [old, 'STARRED'] });
  await ask(first.url, 'PATCH', `labels/${old}`, { name: 'Two' });
  const again = (await ask(first.url, 'POST', 'labels', { name: 'One' })).body.id;
  await ask(first.url, 'DELETE', `labels/${old}`);
  await ask(first.url, 'DELETE', 'labels/Label_2');
  const labels = (await ask(first.url, 'GET', 'labels')).body.labels;
  const email = (await ask(first.url, 'GET', `messages/${id}?format=minimal`)).body.labelIds;
  await first.stop();

  const second = await ensure();
  expect((await ask(second.url, 'GET', 'labels')).body.labels).toEqual(labels);
  expect((await ask(second.url, 'GET', `messages/${id}?format=minimal`)).body.labelIds).toEqual(email);
  expect(email).toContain('STARRED');
  expect(labels).toContainEqual(expect.objectContaining({ id: again, name: 'One' }));
});

test('removes an incomplete last line of its log, and continues from there', async () => {
  const first = await ensure();
  const [one, two] = await newsletters(first.url);
  await ask(first.url, 'POST', `messages/${one}/modify`, { addLabelIds: ['STARRED'] });
  await first.stop();
  await appendFile(join(dataDir, 'mailbox.jsonl'), '{"method":"POST","path":"/gmail/v1/users/me/mess');

  const second = await ensure();
  await ask(second.url, 'POST', `messages/${two}/modify`, { addLabelIds: ['STARRED'] });
  await second.stop();
  const third = await ensure();
  expect(await idsOf(third.url, 'labelIds=STARRED')).toEqual([one, two]);
});

test('refuses to serve from a log whose middle cannot be read', async () => {
  await writeFile(join(dataDir, 'mailbox.jsonl'), 'not a request\n{"method":"GET","path":"/","body":{}}\n');
  await expect(ensure()).rejects.toMatchObject({ code: 'ADAPTER_UNAVAILABLE' });
  expect(await readFile(join(dataDir, 'mailbox.log'), 'utf8')).toContain("Line 1 of the local mailbox's log");
});

test('refuses writes that it could not store', async () => {
  const { url } = await ensure();
  const sent = await ask(url, 'POST', 'messages/send', { to: 'a@b.example', from: 'c@d.example' });
  expect(sent.status).toBe(501);
  expect((await ask(url, 'POST', 'messages/batchModify', [])).status).toBe(400);
  expect(await readFile(join(dataDir, 'mailbox.jsonl'), 'utf8')).toBe('');
});

test('is one process, however many callers start it at once, and a later caller finds it', async () => {
  const [one, two, three] = await Promise.all([ensure(), ensure(), ensure()]);
  expect(new Set([one.pid, two.pid, three.pid]).size).toBe(1);
  expect([one.reused, two.reused, three.reused].filter((reused) => !reused)).toHaveLength(1);
  expect(await ensure()).toMatchObject({ pid: one.pid, url: one.url, reused: true });
});

test('has ended once stopped, by any caller that found it, and stopping twice does nothing', async () => {
  const first = await ensure();
  const found = await ensure();
  await found.stop();
  await expect(fetch(first.url)).rejects.toThrow();
  await first.stop();
  expect(await ensure()).toMatchObject({ reused: false });
});

test('is not misled by files of a dead mailbox, nor by another program on its port', async () => {
  const stranger = createServer((_request, response) => response.end('hello'));
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', () => resolve()));
  const { port } = stranger.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  await writeFile(join(dataDir, 'mailbox.json'), JSON.stringify({ url, pid: process.pid }));
  await writeFile(join(dataDir, 'mailbox.port'), String(port));
  const mailbox = await ensure();
  expect(mailbox).toMatchObject({ reused: false });
  expect(mailbox.url).not.toBe(url);
  expect(await newsletters(mailbox.url)).toHaveLength(NEWSLETTER_COUNT);
  stranger.closeAllConnections();
  await new Promise((resolve) => stranger.close(resolve));
});
