import type { BulkItem, BulkResult } from '../../src/contract/items';
import { call, failure, httpAdapter, prepare, sendAll, startServer } from './http-setup';

let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(() => server.reset());

const adapter = () => httpAdapter([server.host]);
const item = (id: string, raw_data?: BulkItem['raw_data']): BulkItem => ({
  id,
  display_name: `Name of ${id}`,
  ...(raw_data && { raw_data }),
});
const post = (params: Record<string, unknown> = {}) => ({
  method: 'POST',
  url: `${server.url}/items/{{id}}`,
  ...params,
});

describe('an answer', () => {
  const answering = (status: number, body = '', headers = {}) =>
    (server.answer = (_request, response) => void response.writeHead(status, headers).end(body));
  /** Bytes as they are, once or every few milliseconds, and more of them as often. */
  const raw = (first: string, everyMs = 0, more = everyMs > 0 ? first : '') =>
    (server.answer = (_request, { socket }) => {
      socket?.write(first);
      if (more === '') return;
      const timer = setInterval(() => socket?.write(more), everyMs || 5);
      socket?.on('close', () => clearInterval(timer)).on('error', () => undefined);
    });

  test.each([
    [400, false],
    [401, false],
    [403, false],
    [404, false],
    [409, false],
    [302, false],
    [408, true],
    [425, true],
    [429, true],
  ])('of %s is the item’s error, retryable: %s, with what the server said', async (status, retryable) => {
    answering(status, `{"error":\n "nope"}`, { location: `${server.url}/elsewhere` });
    expect(await sendAll(adapter(), post(), [item('1')])).toEqual([
      {
        item_id: '1',
        success: false,
        error: `POST ${server.host} answered ${status}: {"error": "nope"}`,
        retryable,
      },
    ]);
    expect(server.received).toHaveLength(1);
  });

  test.each([500, 501, 503, 507])(
    'of %s leaves the outcome of a write unknown: the service may have made it before it failed',
    async (status) => {
      answering(status, 'sorry');
      const error = `POST ${server.host} answered ${status}: sorry`;
      expect(await sendAll(adapter(), post(), [item('1')])).toEqual([
        { item_id: '1', success: false, error, outcome_unknown: true },
      ]);
      const reading = post({ method: 'GET' });
      expect(await sendAll(adapter(), reading, [item('1')])).toMatchObject([
        { success: false, retryable: true },
      ]);
    },
  );

  test('of 207 is no success unless its status or its body is declared to be one', async () => {
    answering(207, '{"failed":0}');
    const outcomes = async (params: object) =>
      (await sendAll(adapter(), post({ ...params }), [item('1')]))[0];
    expect(await outcomes({})).toMatchObject({ success: false, outcome_unknown: true });
    expect(await outcomes({ success_when: 'body.failed == 0' })).toMatchObject({ success: false });
    expect(await outcomes({ success_status: [207] })).toMatchObject({ success: true });
    expect(await outcomes({ success_when: 'status == 207 && body.failed == 0' })).toMatchObject({
      success: true,
    });
    expect(await outcomes({ success_when: 'status == 207 && body.failed == 1' })).toMatchObject({
      success: false,
    });
  });

  test.each([
    [
      'says that it failed',
      200,
      '{"ok":false,"error":"ratelimited"}',
      'body.ok == true',
      { retryable: false },
    ],
    ['says that it worked', 200, '{"ok":true}', 'body.ok == true', { success: true }],
    [
      'names errors of GraphQL',
      200,
      '{"data":null,"errors":[{}]}',
      '!has(body.errors)',
      { retryable: false },
    ],
    ['has none of them', 200, '{"data":{}}', '!has(body.errors)', { success: true }],
    ['is a refusal without them', 401, '{"message":"no"}', '!has(body.errors)', { retryable: false }],
    ['changed no row', 204, '', 'status != 204', { retryable: false }],
    ['is a page instead of JSON', 200, '<html>Sign in</html>', 'body.ok == true', { outcome_unknown: true }],
    ['lacks what is tested', 200, '{"id":1}', 'body.ok == true', { outcome_unknown: true }],
    ['is a text that is tested', 200, 'OK 7', 'body.startsWith("OK")', { success: true }],
    ['keeps a long number', 200, '{"n":9007199254740993}', 'body.n == "9007199254740993"', { success: true }],
  ])('that %s is judged by the declared test', async (_what, status, body, success_when, expected) => {
    answering(status, body);
    const [result] = await sendAll(adapter(), post({ success_when }), [item('1')]);
    expect(result).toMatchObject({ success: false, ...expected });
  });

  test('whose body breaks off before the declared test leaves the outcome unknown', async () => {
    server.answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"ok":true', () => response.destroy());
    };
    const results = await sendAll(adapter(), post({ success_when: 'body.ok' }), [item('1')]);
    expect(results).toMatchObject([{ success: false, outcome_unknown: true }]);
  });

  test.each([429, 503])(
    'of %s with a time stops the batch, which waits for the next confirmation',
    async (status) => {
      const until = new Date(Date.now() + 600_000);
      server.answer = (_request, response) =>
        void (server.received.length <= 2
          ? response.writeHead(204).end()
          : response.writeHead(status, { 'retry-after': until.toUTCString() }).end('slow down'));
      const many = Array.from({ length: 30 }, (_, at) => item(String(at)));
      const reported: BulkResult[] = [];
      const limits = { ...call(), onResult: (result: BulkResult) => void reported.push(result) };
      const error = await failure(sendAll(adapter(), post(), many, limits));
      expect(error.code).toBe('RATE_LIMITED');
      expect(error.message).toContain(`answered ${status}: slow down`);
      expect(error.hint).toContain(until.toISOString().slice(0, 19));
      expect(reported.map(({ success }) => success)).toEqual([true, true]);
      expect(server.received.length).toBeLessThanOrEqual(7);
    },
  );

  test('means success by the statuses and ranges that are given', async () => {
    for (const [status, success_status, success] of [
      [404, [404, '200-204'], true],
      [203, [404, '200-204'], true],
      [205, [404, '200-204'], false],
      [299, undefined, true],
    ] as const) {
      answering(status);
      const [result] = await sendAll(adapter(), post({ success_status }), [item('1')]);
      expect(result?.success).toBe(success);
    }
  });

  test('of success counts, however long its text is and wherever it is cut off', async () => {
    server.answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '1000000' });
      response.write('x'.repeat(10_000), () => response.destroy());
    };
    expect(await sendAll(adapter(), post(), [item('1')])).toEqual([{ item_id: '1', success: true }]);
    answering(200, 'y'.repeat(8_000_000));
    expect(await sendAll(adapter(), post(), [item('1')])).toEqual([{ item_id: '1', success: true }]);
  });

  test.each([
    ['a broken connection', () => (server.answer = (_request, response) => void response.destroy())],
    ['a gateway that was broken off', () => answering(502, 'bad gateway')],
    ['a gateway that gave up', () => answering(504, 'too slow')],
    ['silence', () => (server.answer = () => undefined)],
    [
      'a switch of protocols',
      () => raw('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ],
    ['a bare switch of protocols', () => raw('HTTP/1.1 101 Switching Protocols\r\n\r\n')],
    ['a flood of informational answers', () => raw('HTTP/1.1 103 Early Hints\r\n\r\n', 5)],
    ['headers without an end', () => raw('HTTP/1.1 200 OK\r\n', 0, 'x-a: b\r\n')],
  ])(
    'that is %s leaves the outcome of a write unknown, and a GET can be retried',
    async (_what, misbehave) => {
      misbehave();
      const sendOne = (method: string) => sendAll(adapter(), post({ method }), [item('1')], call(2_500));
      const writes = ['POST', 'PUT', 'PATCH', 'DELETE'];
      const [results, ...written] = await Promise.all(['GET', ...writes].map(sendOne));
      for (const outcome of written)
        expect(outcome).toMatchObject([{ success: false, outcome_unknown: true }]);
      for (const method of writes) {
        const context = await prepare(adapter(), post({ method, idempotency_header: 'Idempotency-Key' }));
        expect(await adapter().reconcile?.(item('1'), context, call())).toBe('unknown');
      }
      expect(results).toEqual([{ item_id: '1', success: false, error: expect.any(String), retryable: true }]);
      const context = await prepare(adapter(), post({ method: 'GET' }));
      expect(await adapter().reconcile?.(item('1'), context, call())).toBe('not_applied');
    },
  );

  test('of 101 ends the request at once, and its neighbours are reported before it', async () => {
    server.answer = ({ path }, response) => {
      if (path !== '/items/2') return void response.writeHead(204).end();
      response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n');
    };
    const reports: BulkResult[] = [];
    const limits = { ...call(60_000), onResult: (result: BulkResult) => void reports.push(result) };
    const results = await sendAll(adapter(), post(), [item('1'), item('2'), item('3')], limits);
    expect(results).toEqual([
      { item_id: '1', success: true },
      {
        ...{ item_id: '2', success: false, outcome_unknown: true },
        error: `${server.host} answered 101, so the outcome is unknown`,
      },
      { item_id: '3', success: true },
    ]);
    expect(reports).toEqual(expect.arrayContaining(results));
  });

  test('whose status decides is not waited for, however slowly its text comes', async () => {
    server.answer = (_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(timer));
    };
    expect(await sendAll(adapter(), post(), [item('1')], call(600_000))).toEqual([
      { item_id: '1', success: true },
    ]);
  });

  test('that cannot come because nothing listens is known to change nothing', async () => {
    const gone = await startServer();
    await gone.close();
    const results = await sendAll(httpAdapter([gone.host]), post({ url: `${gone.url}/` }), [item('1')]);
    expect(results).toEqual([
      { item_id: '1', success: false, error: `${gone.host} could not be reached`, retryable: true },
    ]);
  });
});
