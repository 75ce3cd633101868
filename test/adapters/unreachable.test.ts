import { execFileSync } from 'node:child_process';
import dns from 'node:dns';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unlimited } from '../../activities/adapters/shared/allowance';
import { networkFailure } from '../../activities/adapters/shared/failure';
import { sendRequest } from '../../activities/adapters/shared/send';
import { call, httpAdapter, sendAll, startServer } from './http-setup';

afterEach(() => jest.restoreAllMocks());

const post = (url: string) =>
  sendRequest('The provider', { method: 'POST', url: new URL(url), headers: {} }, unlimited, call());
const notSent = {
  kind: 'not_sent',
  message: 'The provider could not be reached',
};

describe('a server with an untrusted certificate', () => {
  let server: Server;
  let url: string;
  let requests = 0;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'batchgate-tls-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const about = ['-keyout', key, '-out', cert, '-days', '1', '-subj', '/CN=localhost'];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...about], { stdio: 'ignore' });
    server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) => {
      requests += 1;
      response.end();
    });
    rmSync(folder, { recursive: true });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  test('gets no request, and nothing is in doubt', async () => {
    await expect(post(url)).rejects.toMatchObject(notSent);
    const { host } = new URL(url);
    const sent = sendAll(httpAdapter([host]), { method: 'POST', url }, [{ id: '1', display_name: '1' }]);
    expect(await sent).toEqual([
      { item_id: '1', success: false, error: `${host} could not be reached`, retryable: true },
    ]);
    expect(requests).toBe(0);
  });
});

test('a host of which no address answers gets no request, and nothing is in doubt', async () => {
  const server = await startServer();
  await server.close();
  jest.spyOn(dns, 'lookup').mockImplementation(((_name: string, _options: object, done: Done) =>
    done(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '127.0.0.2', family: 4 },
    ])) as typeof dns.lookup);
  type Done = (error: null, found: dns.LookupAddress[]) => void;
  await expect(post(`http://two.example:${server.host.split(':')[1]}`)).rejects.toMatchObject(notSent);
});

test.each([
  ['time ran out', ['ETIMEDOUT', 'ETIMEDOUT'], 'connect', 'not_sent'],
  ['one connection broke later', ['ECONNREFUSED', 'ECONNRESET'], undefined, 'no_answer'],
])('of several failed addresses, if %s, all of them decide the kind', (_what, codes, syscall, kind) => {
  const errors = codes.map((code) => Object.assign(new Error(code), { code, syscall }));
  const cause = Object.assign(new AggregateError(errors), { code: codes[0] });
  expect(networkFailure('It', new TypeError('fetch failed', { cause })).kind).toBe(kind);
});
