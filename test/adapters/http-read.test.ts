import { plansOf } from './http-plans';
import { call, failure, httpAdapter, prepare, SECRET } from './http-setup';
import { item, startThings } from './http-things';

let world: Awaited<ReturnType<typeof startThings>>;
beforeAll(async () => {
  world = await startThings();
});
afterAll(() => world.close());
beforeEach(() => world.reset());

const adapter = () => httpAdapter([world.server.host]);

const plans = plansOf(adapter);
const { run, undoing, previews } = plans;
const planned = (params: object, items = [item('1'), item('2')]) => plans.planned(params, items);

describe('a request whose body says what an item is to be', () => {
  test('is previewed as before and after, and needs nothing where an item is so already', async () => {
    world.things.get('2')!['status'] = 'done';
    const plan = await planned(world.patch());
    expect(previews(plan)).toEqual([
      { before: { status: 'new' }, after: { status: 'done' }, reversible: 'yes' },
      { before: { status: 'done' }, after: { status: 'done' }, already: true },
    ]);
    expect(await run(plan)).toEqual([
      { item_id: '1', success: true },
      { item_id: '2', success: true },
    ]);
    expect(world.writes().map(({ path }) => path)).toEqual(['/things/1']);
  });

  test('shows the request, too, where that says more than the state', async () => {
    const plan = await planned(world.patch({ body: { status: 'done', reason: '{{.to}}' } }));
    expect(previews(plan)[0]).toEqual({
      before: { status: 'new', method: null, url: null, body: null },
      after: {
        ...{ status: 'done', method: 'PATCH', url: `${world.server.url}/things/1` },
        body: '{"status":"done","reason":"done"}',
      },
      reversible: 'no',
    });
  });

  test('shows the request beside fields of the state that have the same names', async () => {
    world.things.get('1')!['body'] = 'old text';
    const plan = await planned(
      world.patch({
        body: { body: '{{.to}}', status: 'done' },
        read: { url: world.url, select: { body: 'body.thing.body', 'request body': "'r'", url: "'u'" } },
      }),
      [item('1', 'new text')],
    );
    const own = { 'request body': 'r', url: 'u' };
    expect(previews(plan)).toEqual([
      {
        before: {
          ...{ body: 'old text', ...own },
          ...{ method: null, 'request url': null, 'request request body': null },
        },
        after: {
          ...{ body: 'new text', ...own },
          ...{ method: 'PATCH', 'request url': `${world.server.url}/things/1` },
          'request request body': '{"body":"new text","status":"done"}',
        },
        reversible: 'no',
      },
    ]);
    await run(plan);
    expect(world.writes().map(({ body }) => body)).toEqual(['{"body":"new text","status":"done"}']);
  });

  test('does not touch an item that somebody changed since the preview', async () => {
    const plan = await planned(world.patch());
    world.things.get('1')!['status'] = 'held';
    expect(await run(plan)).toMatchObject([
      {
        changed_since_preview: true,
        error: 'Changed since the preview: status was “new”, is now “held”',
      },
      { success: true },
    ]);
    expect(world.statuses()).toEqual(['held', 'done', 'new']);
  });

  test.each([
    ['says 204 and changes nothing', 204, ''],
    ['says that it failed and did', 200, '{"ok":false}'],
    ['says 500 and changes nothing', 500, 'sorry'],
    ['says 207 and changes nothing', 207, '{}'],
    ['redirects and changes nothing', 302, ''],
  ])('fails if the service %s', async (_what, status, body) => {
    world.onWrite = () => ({ status, body });
    const results = await run(
      await planned(world.patch({ success_when: 'status != 200 || body.ok' }), [item('1')]),
    );
    expect(results).toMatchObject([{ item_id: '1', success: false }]);
    expect(results[0]?.outcome_unknown).toBeUndefined();
  });

  test.each([
    ['says that it failed', 200, '{"ok":false}'],
    ['breaks after the change', 500, 'sorry'],
    ['answers with a page', 200, '<html>'],
    ['redirects after the change', 303, ''],
    ['says 207', 207, '{}'],
  ])('succeeds if the service %s and shows the target', async (_what, status, body) => {
    world.onWrite = (_id, apply) => (apply(), { status, body });
    const results = await run(
      await planned(world.patch({ success_when: 'status != 200 || body.ok' }), [item('1')]),
    );
    expect(results).toEqual([{ item_id: '1', success: true }]);
  });

  test('is unknown if the service makes something else of it, or cannot be read after an error', async () => {
    world.onWrite = (id) => (world.things.set(id, { status: 'DONE' }), { status: 204 });
    const [other] = await run(await planned(world.patch(), [item('1')]));
    expect(other).toMatchObject({
      outcome_unknown: true,
      error: 'The item is not as the change should leave it: status was “done”, is now “DONE”',
    });
    const plan = await planned(world.patch(), [item('2')]);
    const answer = world.server.answer;
    world.onWrite = (_id, apply) => {
      apply();
      world.server.answer = (_request, response) => void response.writeHead(503).end();
      return { status: 500 };
    };
    expect(await run(plan)).toMatchObject([{ outcome_unknown: true }]);
    await expect(adapter().reconcile?.(plan.items[0]!, plan.context, call())).rejects.toMatchObject({
      code: 'ADAPTER_UNAVAILABLE',
    });
    world.server.answer = answer;
    expect(await adapter().reconcile?.(plan.items[0]!, plan.context, call())).toBe('applied');
  });

  test('is taken back by the same request with the earlier values, and so is its undo', async () => {
    const plan = await planned(world.patch(), [item('1')]);
    const undo = await undoing(plan, await run(plan));
    expect(previews(undo)).toEqual([
      { before: { status: 'done' }, after: { status: 'new' }, reversible: 'yes' },
    ]);
    const results = await run(undo);
    expect(results).toEqual([{ item_id: '1', success: true }]);
    expect(world.statuses()).toEqual(['new', 'new', 'new']);
    const redo = await undoing(undo, results);
    expect(await run(redo)).toEqual([{ item_id: '1', success: true }]);
    expect(world.statuses()).toEqual(['done', 'new', 'new']);
    world.things.get('1')!['status'] = 'held';
    expect(previews(await undoing(plan, [{ item_id: '1', success: true }]))[0]?.conflict).toBe(
      'status was “done”, is now “held”',
    );
  });

  test('makes an item with PUT that is not there, and PATCH and DELETE do not', async () => {
    const put = await planned(world.patch({ method: 'PUT' }), [item('9')]);
    expect(await run(put)).toEqual([{ item_id: '9', success: true }]);
    expect(world.things.get('9')).toEqual({ status: 'done' });
    for (const method of ['PATCH', 'DELETE']) {
      const { body: _, ...rest } = world.patch({ method });
      const plan = await planned(method === 'PATCH' ? world.patch() : rest, [item('8')]);
      expect(previews(plan)).toMatchObject([{ expected_error: 'Item not found' }]);
      expect(await run(plan)).toMatchObject([{ success: false, retryable: false }]);
    }
    expect(world.writes()).toHaveLength(1);
  });

  test('deletes, and says that this cannot be undone unless a request is declared for it', async () => {
    const remove = {
      method: 'DELETE',
      url: world.url,
      read: { url: world.url, select: { status: 'body.status' } },
    };
    const plan = await planned(remove, [item('1')]);
    expect(previews(plan)).toEqual([
      { before: { deleted: 'no' }, after: { deleted: 'yes' }, reversible: 'no' },
    ]);
    expect(await run(plan)).toEqual([{ item_id: '1', success: true }]);
    const undo = { method: 'PUT', url: world.url, body: { status: '{{before.status}}' } };
    const again = await planned({ ...remove, undo }, [item('2')]);
    expect(previews(again)[0]?.reversible).toBe('yes');
    expect(await run(await undoing(again, await run(again)))).toEqual([{ item_id: '2', success: true }]);
    expect(world.things.get('2')).toEqual({ status: 'new' });
  });
});

describe('a request that does not say what an item is to be', () => {
  test('shows the state before and the request, and succeeds if the state is another one afterwards', async () => {
    const plan = await planned(world.post());
    expect(previews(plan)[0]).toEqual({
      before: { status: 'new', method: null, url: null },
      after: { status: '(set by the service)', method: 'POST', url: `${world.server.url}/things/1/done` },
      reversible: 'no',
    });
    world.onWrite = (id, apply) => (id === '1' && apply(), { status: 200 });
    expect(await run(plan)).toEqual([
      { item_id: '1', success: true, kept: { left: { status: 'done' } } },
      {
        ...{ item_id: '2', success: false, retryable: true },
        error: 'The service accepted the change, but the item is as it was',
      },
    ]);
    const [first, second] = plan.items;
    expect(await adapter().reconcile?.(first!, plan.context, call())).toBe('applied');
    expect(await adapter().reconcile?.(second!, plan.context, call())).toBe('not_applied');
  });

  test('is taken back by a declared request with what was before, unless somebody changed it since', async () => {
    const params = world.post({ undo: { method: 'POST', url: `${world.url}/{{before.status}}` } });
    const plan = await planned(params);
    const undo = await undoing(plan, await run(plan));
    expect(previews(undo)[0]).toMatchObject({
      before: { status: 'done' },
      after: { status: 'new', method: 'POST', url: `${world.server.url}/things/1/new` },
      reversible: 'no',
    });
    world.things.get('2')!['status'] = 'held';
    expect(await run(undo)).toMatchObject([{ success: true }, { changed_since_preview: true }]);
    expect(world.statuses()).toEqual(['new', 'held', 'new']);
  });
});

describe('a declared read', () => {
  test('has the values of its item, and the headers of the request for the same server', async () => {
    const plan = await planned(
      world.patch({
        headers: {
          Authorization: { secret: 'token', prefix: 'Bearer ' },
          'Content-Type': 'application/json',
        },
        read: {
          url: `${world.url}?list={{.list}}`,
          select: { state: 'body.status', words: 'size(body.thing.note)' },
        },
      }),
      [item('1', 'done', { list: 'a b' })],
    );
    expect(world.server.received).toMatchObject([
      { method: 'GET', path: '/things/1?list=a%20b', headers: { authorization: `Bearer ${SECRET}` } },
    ]);
    expect(world.server.received[0]?.headers['content-type']).toBeUndefined();
    expect(previews(plan)[0]?.before).toMatchObject({ state: 'new', words: '4' });
    expect(JSON.stringify(plan)).not.toContain(SECRET);
  });

  test('marks an item that it cannot select, and fails as a whole for what is not JSON', async () => {
    world.things.set('2', { id: '2' });
    const plan = await planned(world.patch({ read: { url: world.url, select: 'body.thing.status' } }));
    expect(previews(plan)[1]?.expected_error).toMatch(/shows no such item: .*status/);
    expect(await run(plan)).toMatchObject([{ success: true }, { success: false, retryable: false }]);
    world.server.answer = (_request, response) => void response.end('<html>Sign in</html>');
    expect((await failure(planned(world.patch()))).code).toBe('ADAPTER_UNAVAILABLE');
    world.server.answer = (_request, response) => void response.writeHead(401).end();
    expect((await failure(planned(world.patch()))).code).toBe('CREDENTIALS_INVALID');
  });

  test.each([
    ['of a request that changes nothing', { method: 'GET', body: undefined }, /changes nothing to read back/],
    ['of an expression that does not parse', { read: { url: 'U', select: 'body.' } }, /not valid CEL/],
    ['of another variable', { read: { url: 'U', select: 'status' } }, /Unknown variable: status/],
    ['with a regular expression', { read: { url: 'U', select: 'body.a.matches("a+")' } }, /may never finish/],
    ['of no field', { read: { url: 'U', select: {} } }, /names no field/],
    ['without what it selects', { read: { url: 'U' } }, /select/],
    ['with an unknown part', { read: { url: 'U', select: 'body', every: 5 } }, /every/],
    ['of another host', { read: { url: 'https://elsewhere.example/', select: 'body' } }, /not allowed/],
  ])('%s is refused', async (_what, params, message) => {
    const text = JSON.stringify(world.patch(params)).replace('"U"', JSON.stringify(world.url));
    const error = await failure(prepare(adapter(), JSON.parse(text) as Record<string, unknown>));
    expect(error.code).toBe('INVALID_INPUT');
    expect(error.message).toMatch(message);
    expect(world.server.received).toEqual([]);
  });
});
