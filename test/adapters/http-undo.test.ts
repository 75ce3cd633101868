import { call, failure, httpAdapter, prepare, SECRET, startServer } from './http-setup';

let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(() => server.reset());

const adapter = () => httpAdapter([server.host]);
const subscribe = () => ({
  method: 'POST',
  url: `${server.url}/subscribers`,
  body: { id: '{{id}}', list: '{{.list}}' },
  undo: {
    method: 'DELETE',
    url: `${server.url}/lists/{{.list}}/subscribers/{{id}}`,
    headers: { Authorization: { secret: 'token', prefix: 'Bearer ' } },
    success_status: [204, 404],
  },
  idempotency_header: 'Idempotency-Key',
});

describe('a declared request that undoes another one', () => {
  test('is shown in advance, and sent with the columns of its item and its own key', async () => {
    const context = await prepare(adapter(), subscribe());
    expect(adapter().describeChange?.(context)).toMatchObject({
      reversible: 'yes',
      fields: expect.arrayContaining([
        { name: 'undo', to: `DELETE ${server.url}/lists/{{.list}}/subscribers/{{id}}` },
      ]) as unknown,
    });
    const undo = { ...context, undo: true as const };
    const items = [{ id: '7', display_name: 'Ada', raw_data: { undo: { to: { list: 'news' } } } }];
    expect(adapter().previewItem?.(items[0]!, undo)).toEqual({
      after: { method: 'DELETE', url: `${server.url}/lists/news/subscribers/7` },
      reversible: 'no',
    });
    const own = { ...call(), operation_id: 'bulk-http.undo' };
    expect(await adapter().executeBatch(items, undo, own)).toEqual([{ item_id: '7', success: true }]);
    expect(server.received).toMatchObject([
      {
        ...{ method: 'DELETE', path: '/lists/news/subscribers/7', body: '' },
        headers: { authorization: `Bearer ${SECRET}`, 'idempotency-key': 'bulk-http.undo/7' },
      },
    ]);
  });

  test('is the only way to undo', async () => {
    const { undo: _, ...plain } = subscribe();
    const context = await prepare(adapter(), plain);
    expect(adapter().describeChange?.(context)).toMatchObject({ reversible: 'no' });
    const undoing = adapter().executeBatch([], { ...context, undo: true }, call());
    expect((await failure(undoing)).message).toContain('no request takes it back');
  });

  test.each([
    ['another host', { url: 'https://elsewhere.example/{{id}}' }, 'INVALID_INPUT'],
    ['an unknown secret', { headers: { Authorization: { secret: 'absent' } } }, 'NOT_CONFIGURED'],
    ['a body for GET', { method: 'GET', body: 'x' }, 'INVALID_INPUT'],
  ])('is refused before anything runs if it has %s', async (_, wrong, code) => {
    const asked = subscribe();
    const error = await failure(prepare(adapter(), { ...asked, undo: { ...asked.undo, ...wrong } }));
    expect(error.code).toBe(code);
    expect(server.received).toEqual([]);
  });
});
