import dns from 'node:dns';
import { Webhook } from 'standardwebhooks';
import { createTargets } from '../../activities/webhooks/targets';
import { BatchgateError } from '../../src/contract/errors';
import type { WebhookConfig } from '../../src/host/config-file';
import { hookTo, SECRET, startSink, type WebhookSink } from '../helpers/webhook-sink';

let sink: WebhookSink;
beforeAll(async () => {
  sink = await startSink();
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => sink.close());

const never = new AbortController().signal;
const env = { HOOK_SECRET: SECRET };
async function post(hook: WebhookConfig): Promise<string> {
  const [target] = await createTargets({ webhooks: [hook], folder: '.' }, env);
  const body = JSON.stringify({ type: 'test', timestamp: new Date().toISOString(), data: {} });
  return target!.post('msg_1', body, new AbortController().signal).then(
    () => 'delivered',
    (error: Error) => error.message,
  );
}
const port = () => new URL(sink.url).port;

it('signs its messages, so that the receiver can verify them', async () => {
  expect(await post(hookTo(sink.url))).toBe('delivered');
  expect(sink.received.at(-1)).toMatchObject({ id: 'msg_1' });
});

it('signs with two secrets while one is replaced, so that a receiver verifies with either', async () => {
  const next = `whsec_${Buffer.from('the next secret of the receiver!').toString('base64')}`;
  const hook = hookTo(sink.url, { secret: [{ env: 'NEXT_SECRET' }, { env: 'HOOK_SECRET' }] });
  const targets = await createTargets({ webhooks: [hook], folder: '.' }, { ...env, NEXT_SECRET: next });
  await targets[0]?.post('msg_2', '{"type":"test","timestamp":"2026-01-01T00:00:00Z","data":{}}', never);
  const { signature, body, timestamp } = sink.received.at(-1) ?? {};
  expect(signature?.split(' ')).toHaveLength(2);
  const headers = {
    'webhook-id': 'msg_2',
    'webhook-timestamp': timestamp ?? '',
    'webhook-signature': signature ?? '',
  };
  for (const secret of [SECRET, next])
    expect(new Webhook(secret).verify(body ?? '', headers)).toMatchObject({ type: 'test' });
});

it.each([
  ['the loopback address', () => `http://127.0.0.1:${port()}/hook`],
  ['a name that leads to this machine', () => `http://localhost:${port()}/hook`],
  ['the loopback address of IPv6', () => `http://[::1]:${port()}/hook`],
  ['an address in a private network', () => 'https://10.0.0.1/hook'],
  ['the address of cloud metadata within IPv6', () => 'https://[::ffff:169.254.169.254]/hook'],
])('refuses %s unless it is allowed', async (_, url) => {
  const before = sink.received.length;
  expect(await post(hookTo(url(), { allow_private: false }))).toMatch(
    /leads to a private address.*allow_private/,
  );
  expect(sink.received.length).toBe(before);
});

it('connects to the address that it checked, and resolves a name once', async () => {
  type Done = (error: null, found: dns.LookupAddress[]) => void;
  const answers = ['203.0.113.9', '127.0.0.1'];
  const lookup = jest
    .spyOn(dns, 'lookup')
    .mockImplementation(((_: string, __: object, done: Done) =>
      done(null, [{ address: answers.shift() ?? '', family: 4 }])) as typeof dns.lookup);
  const refused = post(hookTo('https://rebinding.example.test/hook', { allow_private: false }));
  await new Promise((resolve) => setImmediate(resolve));
  expect(lookup).toHaveBeenCalledTimes(1);
  expect(answers).toEqual(['127.0.0.1']);
  jest.restoreAllMocks();
  expect(await refused).not.toBe('delivered');
});

it('does not follow redirects, and reports that without the path of the address', async () => {
  sink.answers.set('', [302]);
  const said = await post(hookTo(`${sink.url}/a-secret-path`));
  expect(said).toBe(`127.0.0.1:${port()} answered 302; redirects are not followed`);
  expect(sink.received.at(-1)?.path).toBe('/hook/a-secret-path');
});

it.each([
  ['a secret that is missing', {}, {}],
  ['a secret of another kind', {}, { HOOK_SECRET: 'plain-words-of-a-secret' }],
  [
    'an address in the clear',
    { url: { env: 'HOOK_URL' } },
    { HOOK_SECRET: SECRET, HOOK_URL: 'http://x.org/s3cret' },
  ],
])('refuses %s without showing it', async (_, more, given) => {
  const hook = hookTo(sink.url, more);
  const error: unknown = await createTargets({ webhooks: [hook], folder: '.' }, given).catch(
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(BatchgateError);
  expect((error as BatchgateError).code).toBe('NOT_CONFIGURED');
  const shown = JSON.stringify((error as BatchgateError).body);
  expect(shown).toContain("'chat'");
  expect(shown).not.toMatch(/s3cret|plain-words/);
});
