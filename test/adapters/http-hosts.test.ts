import dns from 'node:dns';
import { isPrivate } from '../../activities/adapters/http/reach';
import { call, failure, httpAdapter, prepare, sendAll, startServer } from './http-setup';

let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const get = (url: string) => ({ method: 'GET', url });
const item = { id: '1', display_name: '1' };

test.each([
  ['https://other.example.com/x', ['api.example.com']],
  ['http://api.example.com/x', ['api.example.com']],
  ['http://127.0.0.1:9/x', ['*.example.com']],
  ['http://169.254.169.254/latest/meta-data', ['*.example.com', 'api.example.com']],
  ['http://0x7f000001:9/x', []],
])('%s is refused if only %j is allowed', async (url, hosts) => {
  const error = await failure(prepare(httpAdapter(hosts), get(url)));
  expect(error.code).toBe('INVALID_INPUT');
  expect(error.hint).toContain(`"${url.startsWith('http:') && !/127|7f/.test(url) ? 'http://' : ''}`);
  expect(error.hint).toContain('http.allowed_hosts');
});

test('a host that was removed from the list gets no more requests', async () => {
  const context = await prepare(httpAdapter([server.host]), get(`${server.url}/{{id}}`));
  const call = {
    operation_id: 'o',
    run_id: 'r',
    signal: new AbortController().signal,
    deadline: Date.now() + 5_000,
  };
  expect((await failure(httpAdapter([]).executeBatch([item], context, call))).code).toBe('INVALID_INPUT');
  expect(server.received).toEqual([]);
});

test('a name under a wildcard that resolves to this machine gets no request', async () => {
  const port = server.host.split(':')[1];
  const url = `http://batchgate.localhost:${port}/x`;
  const [result] = await sendAll(httpAdapter([`http://*.localhost:${port}`]), get(url), [item]);
  expect(result).toMatchObject({ success: false });
  expect(result?.error).toMatch(/private address|could not be reached/);
  expect(server.received).toEqual([]);
});

describe('the look-up of a name under a wildcard', () => {
  afterEach(() => jest.restoreAllMocks());
  const sendTo = (limits = call()) => {
    const port = server.host.split(':')[1];
    const params = { method: 'POST', url: `http://a.example.test:${port}/` };
    return sendAll(httpAdapter([`http://*.example.test:${port}`]), params, [item], limits);
  };
  type Done = (error: null, found: dns.LookupAddress[]) => void;
  const answering = (answer: (done: Done) => void) =>
    jest
      .spyOn(dns, 'lookup')
      .mockImplementation(((_name: string, _options: object, done: Done) =>
        answer(done)) as typeof dns.lookup);

  test('is the connection’s own: there is no second look-up that could resolve differently', async () => {
    const looked = answering((done) => done(null, [{ address: '127.0.0.1', family: 4 }]));
    jest
      .spyOn(dns.promises, 'lookup')
      .mockResolvedValue([{ address: '192.0.2.1', family: 4 }] as unknown as dns.LookupAddress);
    expect(await sendTo()).toMatchObject([
      { success: false, retryable: false, error: expect.stringContaining('private address') },
    ]);
    expect(server.received).toEqual([]);
    expect(looked).toHaveBeenCalledTimes(1);
  });

  test('ends when the call is aborted, with nothing sent', async () => {
    const controller = new AbortController();
    answering(() => controller.abort());
    const [result] = await sendTo(call(30_000, controller.signal));
    expect(result).toMatchObject({ success: false, retryable: true });
  });
});

test.each([
  ...[
    '10.1.2.3',
    '127.0.0.1',
    '169.254.169.254',
    '::',
    '::1',
    '::10.0.0.1',
    '::ffff:10.0.0.1',
    'fe80::1%eth0',
  ],
  ...[
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::192.168.0.1',
    '64:ff9b:1::1',
    '2002:a00:1::1',
    '2002:c0a8:101::',
    'fd00::1',
  ],
  ...[
    '198.18.0.1',
    '198.19.255.254',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    'ff02::1',
  ],
  ...['::ffff:224.0.0.1', '::ffff:198.18.0.1', '64:ff9b::f000:1', '2002:e000:1::', '2002:c612:1::'],
])('%s is a private address', (address) => expect(isPrivate(address)).toBe(true));

test.each([
  '93.184.216.34',
  '2606:4700::1',
  '64:ff9b::5db8:d822',
  '2002:5db8:d822::1',
  '::ffff:93.184.216.34',
  ...['198.17.255.255', '198.20.0.1', '223.255.255.255', '64:ff9b::c614:1'],
])('%s is a public address', (address) => expect(isPrivate(address)).toBe(false));
