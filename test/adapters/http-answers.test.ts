import type { BulkItem, BulkResult } from '../../src/contract/items';
import { call, httpAdapter, prepare, sendAll, startServer } from './http-setup';

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
    [500, true],
    [503, true],
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
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const results = await sendAll(adapter(), post({ method }), [item('1')], call(500));
        expect(results).toMatchObject([{ success: false, outcome_unknown: true }]);
        const context = await prepare(adapter(), post({ method, idempotency_header: 'Idempotency-Key' }));
        expect(await adapter().reconcile?.(item('1'), context, call())).toBe('unknown');
      }
      const results = await sendAll(adapter(), post({ method: 'GET' }), [item('1')], call(500));
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
