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

  const JSON_UNDO = { id: '{{before.owner as json}}' };
  test.each([
    ['as a value of JSON', 'no', OWNER, { owner: '{{before.owner}}' }],
    ['as a value within JSON', 'no', OWNER, [{ owner: ['{{before.owner}}'] }]],
    ['as a number', 'no', OWNER, { owner: '{{before.owner as number}}' }],
    ['as JSON', 'no', OWNER, JSON_UNDO],
    ['within an object', 'no', { owner: '{"id": body.owner}' }, JSON_UNDO],
    ['within the text of an object', 'no', { owner: '{"id": body.owner}' }, '{{before.owner as text}}'],
    ['as text', 'yes', OWNER, { owner: '{{before.owner as text}}' }],
    ['within a text', 'yes', OWNER, { note: 'owner {{before.owner}}' }],
    ['in a body that is a text', 'yes', OWNER, '{"owner":{{before.owner}}}'],
    ['beside another field', 'yes', 'body', { status: '{{before.status}}' }],
  ])('a declared undo that writes it %s undoes the change: %s', async (_what, reversible, select, body) => {
    const undo = { method: 'PATCH', url: `${world.url}?was={{.to}}`, body };
    const plan = await planned(
      world.patch({ body: { owner: '{{.to}}' }, read: { url: world.url, select }, undo }),
      [item('1', 'ann')],
    );
    expect(previews(plan)).toMatchObject([{ reversible }]);
  });

  test('can be in the address of a declared undo', async () => {
    const undo = { method: 'POST', url: `${world.url}/{{before.owner}}` };
    const read = { url: world.url, select: OWNER };
    const plan = await planned(world.patch({ body: { owner: '{{.to}}' }, read, undo }), [item('1', 'ann')]);
    expect(previews(plan)).toMatchObject([{ reversible: 'yes' }]);
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

test.each([
  ['a number that was a text', { status: '{{before.status as number}}' }],
  ['a field that was not there', { status: '{{before.other}}' }],
])('the preview says that a declared undo cannot write %s', async (_what, body) => {
  const plan = await planned(world.patch({ undo: { method: 'PATCH', url: world.url, body } }), [item('1')]);
  expect(previews(plan)).toMatchObject([{ after: { status: 'done' }, reversible: 'no' }]);
});
