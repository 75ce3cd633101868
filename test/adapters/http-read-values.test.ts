import { plansOf } from './http-plans';
import { httpAdapter } from './http-setup';
import { item, startThings } from './http-things';

let world: Awaited<ReturnType<typeof startThings>>;
beforeAll(async () => {
  world = await startThings();
});
afterAll(() => world.close());
beforeEach(() => world.reset());

const { freeze, planned, previews, run, undoing } = plansOf(() => httpAdapter([world.server.host]));

describe('the name of an item', () => {
  const LONG = 'n'.repeat(490);
  const bodies = () => world.writes().map(({ body }) => JSON.parse(body) as object);

  test.each([
    ['with blanks in a row', 'Unit  7  (north)', 'Unit 7 (north)'],
    ['with a line break and a blank at its end', 'Unit 7\nnorth ', 'Unit 7 north'],
    ['of more than 500 UTF-16 units', `${LONG}${'😀'.repeat(10)}`, `${LONG}${'😀'.repeat(4)}…`],
    ['that is empty', '', '(no name)'],
  ])('%s is sent as it is, as the preview shows it', async (_what, name, displayed) => {
    const undo = {
      method: 'PATCH',
      url: world.url,
      body: { status: '{{before.status}}', was: '{{display_name}}' },
    };
    const plan = await planned(world.patch({ body: { status: '{{display_name}}' }, undo }), [
      { ...item('1'), display_name: name },
    ]);
    expect(plan.items).toMatchObject([{ display_name: displayed }]);
    expect(previews(plan)).toMatchObject([{ before: { status: 'new' }, after: { status: name } }]);
    expect(previews({ ...plan, items: await freeze(plan.context, plan.items) })).toEqual(previews(plan));
    const results = await run(plan);
    expect(results).toEqual([{ item_id: '1', success: true }]);
    const back = await undoing(plan, results);
    expect(previews(back)).toMatchObject([{ after: { body: JSON.stringify({ status: 'new', was: name }) } }]);
    expect(await run(back)).toEqual([{ item_id: '1', success: true }]);
    expect(bodies()).toEqual([{ status: name }, { status: 'new', was: name }]);
  });
});

describe('a number that a double cannot hold', () => {
  const raw = (owner: unknown) => `{"status":"new","owner":${String(owner)}}`;
  const OWNER = 'body.owner';
  const STATUS = { status: 'body.status' };

  beforeEach(() => {
    const answer = world.server.answer;
    world.server.answer = (request, response) =>
      request.method === 'GET'
        ? void response.end(raw(request.path === '/things/1' ? '12345678901234567' : 5))
        : answer(request, response);
  });

  test.each([
    ['of a field', 'no', { owner: OWNER }, { owner: '{{.to}}' }],
    ['of a single expression', 'no', OWNER, { owner: '{{.to}}' }],
    ['within the whole body', 'no', 'body', { owner: '{{.to}}', status: 'done' }],
    ['within a field', 'no', { owner: '{"id": body.owner}' }, { owner: { id: '{{.to}}' } }],
    ['of a field that the request does not set', 'yes', 'body', { status: 'done' }],
    [
      'of an expression that needs its text',
      'yes',
      { ...STATUS, digits: `size(${OWNER})` },
      { status: 'done' },
    ],
    ['that is not selected', 'yes', STATUS, { status: 'done' }],
  ])('%s: the same request undoes the change: %s', async (_what, reversible, select, body) => {
    const plan = await planned(world.patch({ body, read: { url: world.url, select } }), [item('1', 'ann')]);
    expect(previews(plan)).toMatchObject([{ reversible }]);
  });

  test('is not written back as text, and other items can be undone', async () => {
    const params = world.patch({ body: { owner: '{{.to}}' }, read: { url: world.url, select: OWNER } });
    const plan = await planned(params, [item('1', 'ann'), item('2', 'ann')]);
    expect(previews(plan)).toEqual([
      { before: { owner: '12345678901234567' }, after: { owner: 'ann' }, reversible: 'no' },
      { before: { owner: '5' }, after: { owner: 'ann' }, reversible: 'yes' },
    ]);
  });
});
