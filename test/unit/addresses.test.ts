import dns from 'node:dns';
import { checkHost, fillAddress, readAddress } from '../../activities/adapters/http/address';
import { headersSchema } from '../../activities/adapters/http/parameters';
import { isPrivate, publicLookup } from '../../activities/adapters/http/reach';
import { ProviderFailure } from '../../activities/adapters/shared/failure';
import { hostAllowed, hostsOfSecret } from '../../src/core/shared/allowed-hosts';
import { createSecrets } from '../../src/host/secrets';

afterEach(() => jest.restoreAllMocks());

it.each([
  ...[
    '0.0.0.0',
    '0.1.2.3',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
  ],
  ...[
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.255.255',
    '198.19.0.1',
    '239.1.2.3',
    '255.255.255.255',
  ],
  ...[
    '::',
    '::1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '::192.168.0.1',
    '64:ff9b::a00:1',
    '64:ff9b:1::8.8.8.8',
    '192.0.0.192',
    '::ffff:0:127.0.0.1',
    '::ffff:0:a00:1',
  ],
  ...[
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff05::2',
  ],
  // Teredo: the hidden address is inverted in the last 32 bits, and the server's address is in the second 32.
  ...['2001::1', '2001:0:a00:1::', '2001:0:5db8:d822:8000:63bf:f5ff:fffe', '2001:0:ffff:ffff::'],
])('reaches no private or reserved address: %s', (address) => expect(isPrivate(address)).toBe(true));

it.each([
  ...['9.255.255.255', '11.0.0.1', '100.63.255.255', '100.128.0.1', '126.1.1.1', '169.253.1.1', '172.15.0.1'],
  ...['172.32.0.1', '192.167.1.1', '223.255.255.254', '2001:1::1', '2001:4860:4860::8888', '2606:4700::1111'],
  ...['64:ff9b::808:808', '2002:808:808::1', '::ffff:8.8.8.8', 'fbff::1'],
])('reaches public addresses: %s', (address) => expect(isPrivate(address)).toBe(false));

it('fails the look-up of a name that has one private address among others', async () => {
  type Done = (error: null, found: dns.LookupAddress[]) => void;
  const found = ['93.184.216.34', '10.0.0.7'].map((address) => ({ address, family: 4 }));
  jest
    .spyOn(dns, 'lookup')
    .mockImplementation(((_: string, __: object, done: Done) => done(null, found)) as typeof dns.lookup);
  const refusal = new ProviderFailure('refused', 'private');
  const answer = await new Promise((resolve) =>
    publicLookup(() => refusal)('any.example', { all: true }, (error, list) => resolve([error, list])),
  );
  expect(answer).toEqual([refusal, '']);
});

describe('an address', () => {
  const filled = (template: string, values: Record<string, unknown>) =>
    fillAddress(readAddress(template), values).href;

  it('goes to listed hosts only', () => {
    expect(() => checkHost('https://api.example.com', ['api.example.com'])).not.toThrow();
    for (const origin of ['https://evil.example', 'http://api.example.com', 'https://api.example.com:8443'])
      expect(() => checkHost(origin, ['api.example.com'])).toThrow(/are not allowed/);
  });

  it.each([
    ['a placeholder as its host', 'https://{{.host}}/x'],
    ['a placeholder within its host', 'https://api.{{.host}}/x'],
    ['a user', 'https://api.example.com@evil.example/x'],
    ['a user and a password', 'https://ana:word@api.example.com/x'],
    ['a path that climbs', 'https://api.example.com/a/../b'],
    ['an encoded path that climbs', 'https://api.example.com/a/%2e%2E/b'],
    ['a backslash', 'https://api.example.com\\@evil.example/'],
    ['another scheme', 'file:///etc/passwd'],
  ])('is refused with %s', (_, url) => {
    expect(() => readAddress(url)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }) as Error);
  });

  it('keeps the value of an item within one part of the path or the query', () => {
    const template = 'https://api.example.com/users/{{.name}}/posts?of={{.name}}';
    expect(filled(template, { name: 'a/b?c=d&e#f' })).toBe(
      'https://api.example.com/users/a%2Fb%3Fc%3Dd%26e%23f/posts?of=a%2Fb%3Fc%3Dd%26e%23f',
    );
    for (const name of ['', '.', '..']) expect(() => filled(template, { name })).toThrow(/path/);
  });
});

describe('a secret', () => {
  const env = { TOKEN: 'word-of-a-secret' };
  const secrets = createSecrets(
    { secrets: { bound: { env: 'TOKEN', hosts: ['api.example.com'] }, free: { env: 'TOKEN' } }, folder: '/' },
    env,
  );
  const refusal = expect.objectContaining({ code: 'NOT_CONFIGURED' }) as Error;

  it('is sent to the hosts that it names, and to no other that requests may go to', async () => {
    const all = ['api.example.com', 'other.example.com'];
    expect(await secrets.readFor('bound', 'https://api.example.com', all)).toBe(env.TOKEN);
    for (const origin of ['https://other.example.com', 'http://api.example.com', 'https://evil.example'])
      await expect(secrets.readFor('bound', origin, all)).rejects.toEqual(refusal);
  });

  it('that names none is sent only if a single host is allowed, by its name', async () => {
    const origin = 'https://api.example.com';
    expect(await secrets.readFor('free', origin, ['api.example.com'])).toBe(env.TOKEN);
    for (const allowed of [['api.example.com', 'b.example.com'], ['*.example.com'], []])
      await expect(secrets.readFor('free', origin, allowed)).rejects.toEqual(refusal);
    expect(hostsOfSecret(undefined, ['a.example', 'b.example'])).toEqual([]);
  });
});

it('lets no wildcard match an IP address', () => {
  for (const url of ['https://10.0.0.5/', 'https://[::1]/'])
    for (const entry of ['*.0.0.5', '*.5', '*.1'])
      expect([url, entry, hostAllowed(new URL(url), [entry])]).toEqual([url, entry, undefined]);
});

it('lets no caller set what the connection sets itself, or send a secret in the open', () => {
  for (const name of [
    'Host',
    'content-length',
    'Transfer-Encoding',
    'Connection',
    'Proxy-Authorization',
    'TE',
  ])
    expect([name, headersSchema.safeParse({ [name]: 'x' }).success]).toEqual([name, false]);
  for (const name of ['Authorization', 'Cookie', 'X-Api-Key'])
    expect([name, headersSchema.safeParse({ [name]: 'x' }).success]).toEqual([name, false]);
  expect(headersSchema.safeParse({ 'X-One': 'x' }).success).toBe(true);
  expect(headersSchema.safeParse({ 'X-One': 'a\r\nHost: evil.example' }).success).toBe(false);
});
