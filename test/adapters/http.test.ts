import type { BulkItem } from '../../src/contract/items';
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

/** Loops within loops. */
const costly = `${'[1,2,3,4,5,6,7,8,9].all(x, '.repeat(12)}true${')'.repeat(12)}`;

describe('a request', () => {
  test('is sent once for each item, filled in, with a type for its body', async () => {
    const params = post({
      url: `${server.url}/v1/{{.kind}}/{{id}}?name={{display_name}}&again={{.id}}`,
      headers: { 'X-Source': 'batchgate' },
      body: {
        label: 'Hello {{.who}}',
        n: '{{.n}}',
        who: '{{.who}}',
        list: ['{{id}}', 1, null],
        '{{id}}': true,
      },
      idempotency_header: 'Idempotency-Key',
    });
    const items = [
      item('7', { kind: 'a b', who: 'Äda', n: 5 }),
      item('8', { kind: 'c', who: 'x', n: { deep: [1] } }),
    ];
    expect(await sendAll(adapter(), params, items)).toEqual([
      { item_id: '7', success: true },
      { item_id: '8', success: true },
    ]);
    const [first, second] = [...server.received].sort((a, b) => (a.path < b.path ? -1 : 1));
    expect(first).toMatchObject({ method: 'POST', path: '/v1/a%20b/7?name=Name%20of%207&again=7' });
    expect(first?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-source': 'batchgate',
      'idempotency-key': 'bulk-http/7',
    });
    expect(JSON.parse(first?.body ?? '')).toEqual({
      label: 'Hello Äda',
      n: 5,
      who: 'Äda',
      list: ['7', 1, null],
      '{{id}}': true,
    });
    expect(JSON.parse(second?.body ?? '')).toMatchObject({ n: { deep: [1] } });
  });

  test('has the key of the operation that tried its item first, of at most 255 characters', async () => {
    const params = post({ url: `${server.url}/`, idempotency_header: 'Idempotency-Key' });
    const keyOf = async (operation_id: string, id = '7') => {
      await sendAll(adapter(), params, [item(id)], { ...call(), operation_id });
      return String(server.received.at(-1)?.headers['idempotency-key']);
    };
    for (const retry of ['a.retry', 'a.retry-2', 'a.retry.retry', 'a.retry.rest'])
      expect(await keyOf(retry)).toBe('a/7');
    expect(await keyOf('a.undo')).toBe('a.undo/7');
    expect(await keyOf('a.undo.retry-3')).toBe('a.undo/7');
    const long = await Promise.all(['ä', 'ö'].map((last) => keyOf('a', `${'ü'.repeat(400)}${last}`)));
    expect(long.map(({ length }) => length)).toEqual([255, 255]);
    expect(new Set(long).size).toBe(2);
  });

  test('has a key that no other operation and item has, whatever their ids contain', async () => {
    const pairs = [
      ['a', 'b/c'],
      ['a/b', 'c'],
      ['a', 'b%2Fc'],
      ['a%2Fb', 'c'],
      ['ä', 'b c'],
    ] as const;
    for (const [operation_id, id] of pairs) {
      const params = post({ url: `${server.url}/`, idempotency_header: 'Idempotency-Key' });
      await sendAll(adapter(), params, [item(id)], { ...call(), operation_id });
    }
    const keys = server.received.map(({ headers }) => String(headers['idempotency-key']));
    expect(keys.map((key) => key.split('/').map(decodeURIComponent))).toEqual(pairs);
    expect(new Set(keys).size).toBe(pairs.length);
  });

  test('sends a text body unchanged, with any type that its header names', async () => {
    await sendAll(adapter(), post({ body: 'a={{id}}&b={"x":{"y":1}}' }), [item('1')]);
    await sendAll(
      adapter(),
      post({ body: '<id>{{id}}</id>', headers: { 'content-type': 'application/xml' } }),
      [item('2')],
    );
    expect(server.received.map(({ body, headers }) => [body, headers['content-type']])).toEqual([
      ['a=1&b={"x":{"y":1}}', 'text/plain; charset=utf-8'],
      ['<id>2</id>', 'application/xml'],
    ]);
  });

  test('is described, and finds no items by itself', async () => {
    const context = await prepare(adapter(), post());
    expect(adapter().describeChange?.(context)).toMatchObject({
      summary: `Send POST to “${server.url}/items/{{id}}” for each item.`,
      reversible: 'no',
    });
    const searching = adapter().prepare({ action: 'request', params: post(), explicit_items: false }, call());
    expect(await failure(searching)).toMatchObject({
      code: 'INVALID_INPUT',
      hint: expect.stringContaining('items'),
    });
    expect((await failure(adapter().getTotalCount(context, call()))).code).toBe('INVALID_INPUT');
    expect((await failure(adapter().getNextBatch(context, 1, 0, call()))).code).toBe('INVALID_INPUT');
  });

  test.each([
    ['no method', { method: undefined }, /Missing required parameters: method/],
    ['a method of its own', { method: 'FETCH' }, /method/],
    ['a body for GET', { method: 'GET', body: 'x' }, /no body/],
    ['no address', { url: '/items/{{id}}' }, /not of the form/],
    ['another scheme', { url: 'file:///etc/passwd' }, /not of the form/],
    ['a fragment', { url: 'https://api.example.com/a#b' }, /not of the form/],
    ['a space', { url: 'https://api.example.com/a b' }, /not of the form/],
    ['a user in the address', { url: 'https://me:pw@api.example.com/' }, /contains a user/],
    ['a host from the item', { url: 'https://{{.host}}/a' }, /host must not contain a placeholder/],
    [
      'part of a host from the item',
      { url: 'https://api.{{id}}.example.com/a' },
      /host must not contain a placeholder/,
    ],
    [
      'a port from the item',
      { url: 'https://api.example.com:{{.port}}/a' },
      /host must not contain a placeholder/,
    ],
    ['dots in its path', { url: 'https://api.example.com/a/../b' }, /"\."/],
    [
      'a name without its dot',
      { url: 'https://api.example.com/{{column}}' },
      /'\{\{column\}\}' is not a placeholder/,
    ],
    ['an open placeholder', { url: 'https://api.example.com/{{id' }, /begins no placeholder/],
    ['a broken placeholder in its body', { body: { a: ['{{}}'] } }, /is not a placeholder/],
    ['a placeholder in a header', { headers: { 'x-id': '{{id}}' } }, /sent unchanged/],
    ['a line break in a header', { headers: { 'x-id': 'a\r\nHost: b' } }, /printable ASCII/],
    ['no name of a header', { headers: { 'x id': 'a' } }, /is not a valid header name|headers/],
    ['a host header', { headers: { Host: 'b.example.com' } }, /headers/],
    ['a length of its own', { headers: { 'Content-Length': '1' } }, /headers/],
    ['a header twice', { headers: { 'x-a': '1', 'X-A': '2' } }, /twice/],
    ['its idempotency header twice', { headers: { 'x-a': '1' }, idempotency_header: 'X-A' }, /already/],
    ['a token in the open', { headers: { Authorization: 'Bearer abc' } }, /secret in plain text/],
    ['a broken range', { success_status: ['200'] }, /success_status/],
    ['something unknown', { retries: 3 }, /retries/],
    ['a condition that does not parse', { success_when: 'body.ok =' }, /success_when: is not valid CEL/],
    ['a condition over something else', { success_when: 'item.ok' }, /success_when: Unknown variable: item/],
    ['a condition that is no test', { success_when: '1 + 1' }, /not a boolean/],
    [
      'a regular expression',
      { success_when: 'body.matches("(a+)+$")' },
      /a regular expression may never finish/,
    ],
    ['a costly condition', { success_when: costly }, /nested long lists/],
    ['a part of its own answer', { body: '{{response.id}}' }, /for `undo` only/],
    ['an address from its own answer', { url: 'https://api.example.com/{{response.id}}' }, /for `undo` only/],
    [
      'an undo that needs a secret of the answer',
      { undo: { method: 'DELETE', url: 'https://api.example.com/{{response.access_token}}' } },
      /secrets are not kept/,
    ],
    [
      'an undo that needs a state that is not read',
      { undo: { method: 'PUT', url: 'https://api.example.com/', body: '{{before.state}}' } },
      /needs `read`/,
    ],
  ])('with %s is refused', async (_what, params, message) => {
    const hosts = ['*.example.com', 'api.example.com', server.host];
    const error = await failure(prepare(httpAdapter(hosts), post(params)));
    expect(error.code).toBe('INVALID_INPUT');
    expect(error.message).toMatch(message);
    expect(server.received).toEqual([]);
  });
});

describe('a value of an item', () => {
  const BUILTIN = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];

  test('stays one part of the path and of the query, whatever it contains', async () => {
    const value = `a/b?c=d&e#f%2e%2f@evil.example:80\\..//{{.other}} ü`;
    const params = post({ url: `${server.url}/items/{{.v}}/x?q={{.v}}&r=1`, body: '{{.v}}' });
    expect(await sendAll(adapter(), params, [item('1', { v: value, other: 'rendered' })])).toMatchObject([
      { success: true },
    ]);
    const url = new URL(server.received[0]?.path ?? '', server.url);
    const segments = url.pathname.split('/').map(decodeURIComponent);
    expect(segments).toEqual(['', 'items', value, 'x']);
    expect([...url.searchParams]).toEqual([
      ['q', value],
      ['r', '1'],
    ]);
    expect(server.received[0]?.body).toBe(value);
  });

  test('cannot break out of a JSON body, and is filled in once', async () => {
    const value = `", "admin": true, "x": "{{.other}}\\ \u0007\n`;
    const params = post({ body: { note: 'Note: {{.v}}', whole: '{{.v}}' } });
    await sendAll(adapter(), params, [item('1', { v: value, other: 'rendered' })]);
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({ note: `Note: ${value}`, whole: value });
  });

  test.each([
    ['is not there', '{{.absent}}', {}, /no absent/],
    ...BUILTIN.map((name) => [
      `is one of every object, ${name}`,
      `{{.${name}}}`,
      {},
      new RegExp(`no ${name}`),
    ]),
    ['is empty', '{{.v}}', { v: '' }, /empty/],
    ['is a dot', '{{.v}}', { v: '.' }, /"\."/],
    ['is two dots', '{{.v}}', { v: '..' }, /"\.\."/],
    ['makes two dots', '.{{.v}}', { v: '.' }, /"\.\."/],
    ['is two dots, encoded', '%2e{{.v}}', { v: '.' }, /"\.\."/],
    ['is null', '{{.v}}', { v: null }, /neither a text nor a number/],
    ['is an object', '{{.v}}', { v: { a: 1 } }, /neither a text nor a number/],
    ['is half a character', '{{.v}}', { v: '\ud83d' }, /incomplete character/],
  ] as [string, string, Record<string, unknown>, RegExp][])(
    'that %s is that item’s error, and nothing is sent for it',
    async (_what, segment, raw, message) => {
      const params = post({ method: 'DELETE', url: `${server.url}/items/${segment}` });
      const results = await sendAll(adapter(), params, [
        item('1', raw),
        item('2', { v: 'fine', absent: 'x', ...ownBuiltins }),
      ]);
      expect(results[0]).toEqual({
        item_id: '1',
        success: false,
        error: expect.stringMatching(message),
        retryable: false,
      });
      expect(results[1]).toEqual({ item_id: '2', success: true });
      expect(server.received).toHaveLength(1);
    },
  );
  const ownBuiltins = JSON.parse(`{${BUILTIN.map((name) => `"${name}":"own"`).join(',')}}`) as object;
});
