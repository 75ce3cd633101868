import { call, failure, httpAdapter, prepare, SECRET, startServer } from './http-setup';

let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(() => server.reset());

const adapter = () => httpAdapter([server.host]);
const item = (id: string) => ({ id, display_name: id });
const post = (params: Record<string, unknown> = {}) => ({ method: 'POST', url: server.url, ...params });

test.each([
  ...['Authorization', 'Cookie', 'X-API-Key', 'apikey', 'Private-Token', 'X-Vault-Token', 'X-AuthToken'],
  ...['X-Shopify-Access-Token', 'X-Auth', 'X-Client-Secret', 'X-Password', 'X-Hub-Signature-256', 'Token'],
])('a header %s is refused in plain text, and accepted as the name of a secret', async (name) => {
  const error = await failure(prepare(adapter(), post({ headers: { [name]: 'abc' } })));
  expect(error.message).toMatch(/secret in plain text/);
  await prepare(adapter(), post({ headers: { [name]: { secret: 'token' } } }));
});

test('headers whose names only resemble those of secrets are accepted unchanged', async () => {
  const names = ['Idempotency-Key', 'X-Request-Key', 'Surrogate-Key', 'X-Author', 'X-Keyboard', 'X-Monkey'];
  await prepare(adapter(), post({ headers: Object.fromEntries(names.map((name) => [name, 'abc'])) }));
});

describe('a secret', () => {
  const params = () => post({ headers: { Authorization: { secret: 'token', prefix: 'Bearer ' } } });

  test('is sent, and is in no context, no result and no error', async () => {
    server.answer = ({ headers }, response) =>
      void response.writeHead(403).end(`no: ${headers.authorization} ${'x'.repeat(5_000)}`);
    const context = await prepare(adapter(), params());
    const results = await adapter().executeBatch([item('1')], context, call());
    expect(server.received[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
    expect(results[0]?.error).toContain('answered 403: no: Bearer … x');
    expect(results[0]?.error?.length).toBeLessThan(400);
    expect(JSON.stringify([context, results, adapter().describeChange?.(context)])).not.toContain(SECRET);
  });

  test.each([
    ['absent', /'absent' is missing: the variable ABSENT is not set/, /ABSENT/],
    ['unknown', /names no secret 'unknown'/, /token, absent, torn/],
    ['torn', /cannot be sent in a header/, /Correct/],
  ])('%s is refused before anything is sent, at the start and later', async (name, message, hint) => {
    const headers = { 'X-Key': { secret: name } };
    const context = { ...(await prepare(adapter(), post())), action_params: post({ headers }) };
    for (const work of [
      prepare(adapter(), post({ headers })),
      adapter().executeBatch([item('1')], context, call()),
    ]) {
      const error = await failure(work);
      expect(error).toMatchObject({ code: 'NOT_CONFIGURED' });
      expect(error.message).toMatch(message);
      expect(error.hint).toMatch(hint);
    }
    expect(server.received).toEqual([]);
  });

  describe('is sent only to its hosts', () => {
    const withHosts = (hosts: string[] | undefined, allowed_hosts = [server.host, 'api.example.com']) =>
      httpAdapter(allowed_hosts, { token: { env: 'TOKEN', ...(hosts && { hosts }) } });
    const elsewhere = () => ({ ...params(), url: 'https://api.example.com/x' });

    test('that it names, whatever else is allowed', async () => {
      const named = withHosts([server.host]);
      await prepare(named, params());
      const error = await failure(prepare(named, elsewhere()));
      expect(error.code).toBe('NOT_CONFIGURED');
      expect(error.message).toBe("The secret 'token' may not be sent to https://api.example.com.");
      expect(error.hint).toContain(`add "api.example.com" to "hosts" of the secret 'token'`);
    });

    test('at the start and later', async () => {
      const context = await prepare(withHosts([server.host]), params());
      const work = withHosts(['api.example.com']).executeBatch([item('1')], context, call());
      expect(await failure(work)).toMatchObject({ code: 'NOT_CONFIGURED' });
      expect(server.received).toEqual([]);
    });

    test('encrypted, unless the entry allows otherwise', async () => {
      const clear = { ...params(), url: 'http://api.example.com/x' };
      const error = await failure(prepare(withHosts(['api.example.com'], ['http://api.example.com']), clear));
      expect(error.message).toContain("The secret 'token' may not be sent to http://api.example.com.");
      await prepare(withHosts(['http://api.example.com'], ['http://api.example.com']), clear);
    });

    test('or, if it names none, to the only host that is allowed', async () => {
      await prepare(withHosts(undefined, [server.host]), params());
      for (const several of [[server.host, 'api.example.com'], ['*.example.com']]) {
        const url = several.includes(server.host) ? server.url : 'https://api.example.com/x';
        const error = await failure(prepare(withHosts(undefined, several), { ...params(), url }));
        expect(error.message).toBe("The secret 'token' names no hosts, and more than one may be asked.");
      }
    });
  });
});
