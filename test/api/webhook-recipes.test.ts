import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { SMTPServer } from 'smtp-server';
import { Webhook } from 'standardwebhooks';
import { createTargets } from '../../activities/webhooks/targets';
import { continueBulkOperation } from '../../src/client';
import { countingTool, startHarness, type Harness } from '../helpers/harness';
import { startHttpApi, type HttpApi } from '../helpers/http-api';
import { hookTo, SECRET } from '../helpers/webhook-sink';

/** The receivers in examples/webhooks, each with its peer: a chat, Slack's incoming webhook, a mail server. */
const CHAT_SECRET = 'the secret of the chat';
const children: ChildProcess[] = [];
const recipes: { [name: string]: string } = {};
let harness: Harness;
let http: HttpApi;
let chat: Peer;
let slack: Peer;
let mail: Peer & { smtp: SMTPServer };

interface Peer {
  url: string;
  got: string[];
  /** Resolves with the first matching text, received before or after the call. */
  next: (pattern: RegExp) => Promise<string>;
  close: () => void;
}

function collector(): Pick<Peer, 'got' | 'next'> & { take: (text: string) => void } {
  const got: string[] = [];
  const wake = new Set<() => void>();
  return {
    got,
    take: (text) => {
      got.push(text);
      wake.forEach((look) => look());
    },
    next: (pattern) =>
      new Promise((resolve) => {
        const look = () => {
          const found = got.find((text) => pattern.test(text));
          if (found === undefined) return;
          wake.delete(look);
          resolve(found);
        };
        wake.add(look);
        look();
      }),
  };
}

/** A peer over HTTP. It refuses a body if `judge` returns a reason, and answers with that reason. */
async function startPeer(judge: (body: string) => string | undefined): Promise<Peer> {
  const { take, ...peer } = collector();
  const textOf = async (request: IncomingMessage) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk as string;
    return text;
  };
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const refusal = judge(body);
      response.writeHead(refusal === undefined ? 200 : 400).end(refusal ?? 'ok');
      if (refusal === undefined) take(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { ...peer, url, close: () => (server.closeAllConnections(), server.close()) };
}

/** Why Slack refuses a body: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
function slackRefusal(body: string): string | undefined {
  const { text, blocks } = JSON.parse(body) as { text?: unknown; blocks?: Record<string, any>[] };
  if (typeof text !== 'string' || text === '') return 'no_text';
  if (/[<>]|&(?!amp;|lt;|gt;)/.test(text)) return 'invalid_payload';
  const fits = (blocks ?? []).every(({ type, text: part, elements }) =>
    type === 'section'
      ? part?.type === 'mrkdwn' && part.text.length > 0 && part.text.length <= 3_000
      : type === 'actions' && elements?.every((one: any) => one.type === 'button' && URL.canParse(one.url)),
  );
  return fits ? undefined : 'invalid_blocks';
}

async function startMailServer(): Promise<Peer & { smtp: SMTPServer }> {
  const { take, ...peer } = collector();
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      let text = session.envelope.rcptTo.map(({ address }) => `RCPT ${address}\n`).join('');
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      stream.on('end', () => {
        take(text);
        done();
      });
    },
  });
  const server = smtp.listen(0, '127.0.0.1');
  await new Promise<void>((resolve) => server.once('listening', resolve));
  const url = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { ...peer, url, smtp, close: () => smtp.close() };
}

/** Starts a recipe on a free port, and returns its URL. */
async function startRecipe(name: string, env: Record<string, string>): Promise<string> {
  const script = join(__dirname, `../../examples/webhooks/${name}-server.mjs`);
  const child = spawn(process.execPath, [script, '0'], {
    env: { ...process.env, HOOK_SECRET: SECRET, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const [, port] = /serves port (\d+)/.exec(line) ?? [];
    if (port !== undefined) return `http://127.0.0.1:${port}`;
  }
  throw new Error(`${name} ended`);
}

beforeAll(async () => {
  const { adapter } = countingTool(7);
  const bare = await startHarness({ adapters: [adapter] });
  http = await startHttpApi(bare);
  chat = await startPeer(() => undefined);
  slack = await startPeer(slackRefusal);
  mail = await startMailServer();
  const key = await http.key('approver');
  recipes['bot'] = await startRecipe('chat-bot', {
    CHAT_SECRET,
    CHAT_URL: chat.url,
    BATCHGATE_URL: http.url,
    BATCHGATE_KEY: key,
  });
  recipes['slack'] = await startRecipe('slack', { SLACK_URL: slack.url });
  recipes['email'] = await startRecipe('email', {
    SMTP_URL: mail.url,
    MAIL_FROM: 'batchgate@example.com',
    MAIL_TO: 'ana@example.com',
  });
  const hooks = Object.entries(recipes).map(([name, url]) => hookTo(url, { name }));
  const targets = await createTargets({ webhooks: hooks, folder: '.' }, { HOOK_SECRET: SECRET });
  await bare.restartWorker(undefined, {
    targets,
    baseUrl: () => Promise.resolve('https://gate.example.com'),
  });
  harness = bare;
});
afterAll(async () => {
  children.forEach((child) => child.kill());
  [chat, slack, mail].forEach((peer) => peer?.close());
  await http?.close();
  await harness?.close();
});

/** Posts to the chat bot as its chat does. */
const toBot = (message: object, headers: Record<string, string> = {}) =>
  fetch(`${recipes['bot']}/chat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${CHAT_SECRET}`, ...headers },
    body: JSON.stringify(message),
  });

/** Posts a signed message about a question with these items to a recipe. */
async function askRecipe(name: string, question: { id: string; message?: string; items: string[] }) {
  const { id, message = 'Continue?', items } = question;
  const next_batch = {
    ...{ number: 1, attempt: 1, digest: 'd', change: { summary: 'Add a label.' } },
    items: items.map((display_name, at) => ({ id: `${at}`, display_name })),
  };
  const data = { operation_id: id, message, next_batch };
  const body = JSON.stringify({ type: 'awaiting_confirmation', timestamp: new Date().toISOString(), data });
  const now = new Date();
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': `${Math.floor(now.getTime() / 1_000)}`,
    'webhook-signature': new Webhook(SECRET).sign(id, now, body),
  };
  expect((await fetch(`${recipes[name]}/`, { method: 'POST', headers, body })).status).toBe(204);
}

it("a chat bot asks, sends a person's answer back, and reports how it ended", async () => {
  await harness.start({ session_id: 'thread-7', batch_size: 7 });
  const question = JSON.parse(await chat.next(/Say 'continue' to start/)) as { thread: string; text: string };
  expect(question.thread).toBe('thread-7');
  const write = (message_id: string, text: string) => toBot({ thread: question.thread, message_id, text });
  expect((await write('m1', 'what is the weather?')).status).toBe(204);
  expect((await write('m2', 'continue')).status).toBe(204);
  expect(await chat.next(/Completed! Processed 7\/7/)).toContain('thread-7');
  expect(chat.got.filter((text) => text.includes('weather'))).toEqual([]);
});

it('a chat bot takes an answer only from its chat', async () => {
  const { operation_id } = await harness.start({ session_id: 'thread-8', batch_size: 7 });
  await chat.next(/thread-8.*Say 'continue' to start/);
  const yes = { thread: 'thread-8', message_id: 'm1', text: 'continue' };
  const statuses = [
    await toBot(yes, { authorization: '' }),
    await toBot(yes, { authorization: 'Bearer another secret' }),
    await toBot(yes, { origin: recipes['bot']! }),
    await toBot({ ...yes, text: 'x'.repeat(200_000) }),
  ].map(({ status }) => status);
  expect(statuses).toEqual([401, 401, 401, 413]);
  expect(await harness.status(operation_id)).toMatchObject({ state: 'awaiting_confirmation', processed: 0 });
});

it('a name with line breaks and terminal codes forges no line', async () => {
  const items = ['A\n• Another\u2028one\u001b[2J\u202e'];
  await askRecipe('slack', { id: 'forged-slack', message: 'Forged?', items });
  const { blocks } = JSON.parse(await slack.next(/Forged\?/)) as { blocks: any[] };
  expect(blocks[1].text.text).toBe('• A\ufffd• Another\ufffdone\ufffd[2J\ufffd');
  await askRecipe('email', { id: 'forged-email', items: items.map((name) => name.replace('•', '-')) });
  expect((await mail.next(/forged-email/)).replace(/=\r\n/g, '')).toContain(
    '- A=EF=BF=BD- Another=EF=BF=BDone',
  );
});

it('Slack gets a long question cut to its limit, between two escapes', async () => {
  for (const [at, size] of [600, 601, 602, 1_500].entries()) {
    const message = `${'x'.repeat(at)}${'&'.repeat(size)}<long-${at}>`;
    await askRecipe('slack', { id: `long-${at}`, message, items: [`${'é'.repeat(at)}${'😀&'.repeat(900)}`] });
  }
  const long = slack.got.map((body) => JSON.parse(body) as { text: string; blocks: any[] });
  const texts = long
    .filter(({ text }) => text.includes('&amp;&amp;'))
    .flatMap(({ text, blocks }) => [text, ...blocks.map((block) => block.text.text as string)]);
  expect(texts).toHaveLength(12);
  expect(texts.filter((text) => /&(?!amp;|lt;|gt;)|\p{Cs}/u.test(text))).toEqual([]);
  expect(texts.filter((text) => text.length > 3_000)).toEqual([]);
  expect(texts.filter((text) => text.length > 2_900)).toHaveLength(12);
});

it('Slack shows the question, its items and a link to the page for the decision', async () => {
  const { operation_id } = await harness.start({ params: { group: 'a <b> & c' }, batch_size: 7 });
  const said = await slack.next(new RegExp(operation_id));
  const { text, blocks } = JSON.parse(said) as { text: string; blocks: any[] };
  expect(text).toContain('a &lt;b&gt; &amp; c');
  expect(blocks[1].text.text).toContain('• Item 7');
  expect(blocks.at(-1).elements[0].url).toBe(`https://gate.example.com/operations/${operation_id}`);
});

it('an email has the question, its items and the link', async () => {
  const { operation_id } = await harness.start({ batch_size: 7 });
  const text = await mail.next(new RegExp(operation_id));
  expect(text).toContain('RCPT ana@example.com');
  expect(text.replace(/=\r\n/g, '')).toMatch(/Subject: .*awaiting[ _]confirmation/);
  expect(text.replace(/=\r\n/g, '')).toContain('- Item 7');
  await continueBulkOperation(harness.client, operation_id, { batch: 1 });
  await mail.next(new RegExp(`completed.*${operation_id}|${operation_id}[^]*Completed`));
});

it('a receiver refuses a message that is not signed with its secret', async () => {
  const forged = await fetch(`${recipes['slack']}/`, {
    method: 'POST',
    headers: { 'webhook-id': 'x', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' },
    body: '{}',
  });
  expect(forged.status).toBe(401);
});
