import { shortLink } from '../helpers/trello-routes';
import { BOARD } from '../helpers/trello-world';
import { adapter, failure, planned, prepare, tap, trello, useTrello, within } from './trello-setup';
import { limited, NOT_FOUND, plainText } from './trello-world';

useTrello();

const EXPLICIT = true;
const named = ({ id, name }: { id: string; name: string }) => ({ id, name });
const names = async (params: Record<string, unknown>, action = 'archive') =>
  (await planned(action, params)).items.map(({ display_name }) => display_name);

describe('prepare', () => {
  it('resolves names in any case to ids, and reads each list of names once', async () => {
    const board = named(trello.product);
    const context = await prepare('move', {
      board: ' product',
      list: 'TO DO',
      label: 'bug',
      target_list: 'doing',
    });
    expect(context).toEqual({
      tool_name: 'trello',
      action: 'move',
      query_params: { board, list: named(trello.todo), label: named(trello.bug) },
      action_params: { ...named(trello.doing), board },
    });
    expect(tap.calls).toEqual(['GET boards', 'GET lists', 'GET labels']);
    expect(adapter().describeChange?.(context)).toEqual({
      summary:
        'Move each card with the label “Bug” in the list “To do” on the board “Product” to the list “Doing”.',
      fields: [{ name: 'list', to: 'Doing' }],
      reversible: 'yes',
    });
  });

  it('suggests boards, and the labels and open lists of the named board', async () => {
    const suggest = (parameter: string, board?: string) =>
      adapter().suggest?.({ parameter, params: board === undefined ? {} : { board } }, within());
    expect(await suggest('board')).toContain(BOARD);
    expect(await suggest('label_name', BOARD)).toEqual(expect.arrayContaining(['Bug', 'blue']));
    const lists = await suggest('target_list', BOARD);
    expect(lists).toContain('Doing');
    expect(lists).not.toContain('Old');
    tap.reset();
    expect(await suggest('label_name')).toEqual([]);
    expect(await suggest('constructor', BOARD)).toEqual([]);
    expect(tap.calls).toEqual([]);
  });

  it('accepts ids, and looks up what people know them by', async () => {
    const ids = { board: trello.product.id, list: trello.todo.id, target_list: trello.twinList.id };
    const context = await prepare('move', ids);
    expect(context).toMatchObject({
      query_params: { board: named(trello.product), list: named(trello.todo) },
      action_params: { ...named(trello.twinList), board: named(trello.twin) },
    });
    expect(adapter().describeChange?.(context)).toMatchObject({
      summary:
        'Move each card in the list “To do” on the board “Product” to the list “Inbox” on the board “Twin”.',
      reversible: 'partly',
    });
    const blue = await prepare('add_label', { label_name: trello.blue.id }, EXPLICIT);
    expect(blue.query_params).toEqual({});
    expect(adapter().describeChange?.(blue).summary).toBe('Add the label “blue” to each card.');
    const error = await failure(prepare('assign', { member: 'a'.repeat(24) }, EXPLICIT));
    expect(error.message).toBe(`Member '${'a'.repeat(24)}' not found`);
  });

  it('refuses an archived list as a target, also by its id', async () => {
    const error = await failure(prepare('move', { board: BOARD, target_list: trello.old.id }));
    expect(error.body).toMatchObject({ code: 'INVALID_INPUT', message: "The list 'Old' is archived" });
  });

  it('finds a label without a name by its colour, and a member by username or full name', async () => {
    const target = async (action: string, change: object) =>
      (await prepare(action, { board: BOARD, ...change }, EXPLICIT)).action_params;
    expect(await target('add_label', { label_name: 'Blue' })).toMatchObject({
      id: trello.blue.id,
      name: 'blue',
    });
    for (const member of ['ana_d', '@ana_d', 'ana duarte'])
      expect(await target('assign', { member })).toMatchObject({ id: trello.ana.id });
  });

  it('finds cards in an archived list if no other list has the name, and moves none there', async () => {
    expect((await prepare('unarchive', { board: BOARD, list: 'old' })).query_params).toMatchObject({
      list: named(trello.old),
    });
    expect((await prepare('archive', { board: BOARD, list: 'done' })).query_params).toMatchObject({
      list: named(trello.done),
    });
    const error = await failure(prepare('move', { board: BOARD, target_list: 'Old' }));
    expect(error.message).toBe("List 'Old' not found");
  });

  it('reports names that are not found, and similar ones', async () => {
    const board = await failure(prepare('archive', { board: 'Produkt' }));
    expect(board.body).toMatchObject({ code: 'INVALID_INPUT', message: "Board 'Produkt' not found" });
    expect(board.hint).toContain(BOARD);
    const list = await failure(prepare('move', { board: BOARD, target_list: 'Do' }));
    expect(list.hint).toMatch(/nearest names: (Doing|Done|To do)/);
    const id = 'a'.repeat(24);
    const unknown = await failure(prepare('archive', { board: id, list: 'Done' }));
    expect(unknown.message).toBe(`Board '${id}' not found`);
  });

  it('refuses an ambiguous name, and names the ids', async () => {
    const board = await failure(prepare('archive', { board: 'TWIN' }));
    expect(board.message).toBe("Board 'TWIN' is ambiguous: 2 have this name");
    expect(board.hint).toContain(`Twin (${trello.twin.id}), twin (${trello.otherTwin.id})`);
    expect((await prepare('archive', { board: 'twin' })).query_params).toMatchObject({
      board: named(trello.otherTwin),
    });
    const label = await failure(prepare('add_label', { board: BOARD, label_name: 'SAME' }));
    expect(label.hint).toContain(trello.same[1].id);
  });

  it('writes a due date as Trello does, and clears one with null', async () => {
    const due = async (value: unknown) => prepare('set_due', { due: value }, EXPLICIT);
    expect((await due('2026-12-24T19:00:00+01:00')).action_params).toEqual({
      due: '2026-12-24T18:00:00.000Z',
    });
    const cleared = await due(null);
    expect(cleared.action_params).toEqual({ due: null });
    expect(adapter().describeChange?.(cleared).summary).toBe('Clear the due date of each card.');
  });

  it.each([
    ['burn', { board: 'x' }, false, /Unknown action for trello: burn/],
    ['archive', {}, false, /^Missing required parameters: board$/],
    ['move', { target_list: 'Done' }, false, /^Missing required parameters: board$/],
    ['move', { target_list: 'Done' }, true, /^Missing required parameters: board$/],
    ['move', { board: 'x' }, false, /^Missing required parameters: target_list$/],
    ['add_label', {}, true, /^Missing required parameters: label_name$/],
    ['set_due', { board: 'x' }, false, /^Missing required parameters: due$/],
    ['set_due', { board: 'x', due: 'tomorrow' }, false, /due: an RFC 3339 date/],
    ['archive', { board: 'x', due: null }, false, /due/],
    ['archive', { board: 'x' }, true, /Explicit items together with query parameters: board/],
    ['move', { board: 'x', list: 'y', target_list: 'z' }, true, /with query parameters: list/],
  ])('refuses %s with %j (explicit items: %s)', async (action, params, explicit, message) => {
    const error = await failure(prepare(action, params, explicit));
    expect(error.code).toBe('INVALID_INPUT');
    expect(error.message).toMatch(message);
    expect(error.hint).not.toBe('');
    expect(tap.calls).toEqual([]);
  });
});

describe('counting and listing', () => {
  it('finds open cards for every action but unarchive, newest first', async () => {
    expect(await names({ board: BOARD, list: 'Doing' })).toEqual(
      [8, 7, 6, 5, 4, 3, 2, 1].map((at) => `Fix ${at}`),
    );
    expect(await names({ board: BOARD }, 'unarchive')).toEqual([4, 3, 2, 1].map((at) => `Archived ${at}`));
    expect(await names({ board: BOARD })).toHaveLength(26);
  });

  it('matches text in name and description, in any case, and reads descriptions only for that', async () => {
    const read = async (params: object) => {
      const context = await prepare('archive', { board: BOARD, ...params });
      tap.reset();
      const found = await adapter().getTotalCount(context, within());
      const [request] = tap.requests;
      return { found, fields: request!.query.get('fields'), limit: request!.query.get('limit') };
    };
    expect(await read({ text: 'legal' })).toMatchObject({
      found: 3,
      fields: expect.stringMatching(/,desc$/),
    });
    expect((await read({ text: 'TASK 1' })).found).toBe(4);
    expect(await read({ text: 'legal', label: 'Bug' })).toMatchObject({ found: 0, limit: '200' });
    const labelled = await read({ label: 'Bug' });
    expect(labelled).toMatchObject({ found: 4, limit: '1000' });
    expect(labelled.fields).not.toContain('desc');
  });

  it('counts and pages beyond the 1,000 cards of one answer', async () => {
    const list = trello.list(trello.product.id, 'Many');
    for (let at = 0; at < 2_100; at += 1) trello.card(list, `Many ${at}`);
    const context = await prepare('archive', { board: BOARD, list: 'Many' });
    tap.reset();
    expect(await adapter().getTotalCount(context, within())).toBe(2_100);
    expect(tap.requests.map(({ query }) => query.has('before'))).toEqual([false, true, true]);
    tap.reset();
    const page = await adapter().getNextBatch(context, 3, 1_099, within());
    expect(page.map(({ display_name }) => display_name)).toEqual(['Many 1000', 'Many 999', 'Many 998']);
    expect(tap.requests).toHaveLength(2);
  });

  it('ends if a server does not support pages', async () => {
    for (let at = 0; at < 1_000; at += 1) trello.card(trello.todo, `More ${at}`);
    const context = await prepare('archive', { board: BOARD, list: 'To do', label: 'Feature' });
    tap.rule = async (request, forward) => {
      request.query.delete('before');
      const answer = await forward();
      return request.path.includes('/cards/')
        ? { ...answer, body: JSON.stringify((JSON.parse(answer.body) as object[]).slice(0, 1_000)) }
        : answer;
    };
    expect(await adapter().getTotalCount(context, within())).toBe(0);
  });

  it('gives each card a name of one line', async () => {
    trello.card(trello.old, ' \n ');
    trello.card(trello.old, `two\nlines`);
    expect(await names({ board: BOARD, list: 'Old' })).toEqual(['two lines', '(no name)']);
  });

  it('freezes named cards in their current state, and keeps a missing one for execution', async () => {
    const [card] = trello.world.cards;
    const context = await prepare('archive', {}, EXPLICIT);
    const missing = { id: 'f'.repeat(24), display_name: 'Gone' };
    const given = [{ id: card!.id, display_name: 'x' }, missing, { id: trello.hidden.id, display_name: 'y' }];
    expect(await adapter().freezeItems?.(given, context, within())).toEqual([
      {
        id: card!.id,
        display_name: 'Task 1',
        raw_data: { state: { closed: false }, to: { closed: true } },
      },
      { ...given[1], raw_data: { missing: 'Card not found' } },
      {
        ...given[2],
        raw_data: { missing: expect.stringContaining('unauthorized card permission') as string },
      },
    ]);
  });

  it('knows a card by the id of Trello, also if it is named by its address', async () => {
    const [card] = trello.world.cards;
    const context = await prepare('archive', {}, EXPLICIT);
    const given = [{ id: shortLink(card!.id), display_name: 'x' }];
    expect(await adapter().freezeItems?.(given, context, within())).toMatchObject([
      { id: card!.id, display_name: 'Task 1' },
    ]);
  });

  it('marks templates, and names the archived list of a card that it would bring back', async () => {
    trello.card(trello.old, 'Blueprint', { closed: true, isTemplate: true });
    const { context, items } = await planned('unarchive', { board: BOARD, list: 'Old' });
    expect(items.map(({ display_name }) => display_name)).toEqual(['Blueprint (template)']);
    expect(adapter().previewItem?.(items[0]!, context)).toMatchObject({
      before: { list: 'Old (archived)', archived: 'yes' },
      after: { list: 'Old (archived)', archived: 'no' },
    });
  });

  it('foresees that a label of another board cannot be added', async () => {
    const other = trello.label(trello.twin.id, 'Urgent', 'red');
    const { context, items } = await planned('add_label', {
      board: BOARD,
      text: 'Task 1',
      label_name: other.id,
    });
    for (const item of items)
      expect(adapter().previewItem?.(item, context).expected_error).toBe(
        'The label “Urgent” belongs to the board “Twin”',
      );
  });

  it.each([
    ['429 for the token', limited(), 'ADAPTER_UNAVAILABLE'],
    ['429 for the database', limited('API_TOKEN_DB_LIMIT_EXCEEDED'), 'ADAPTER_UNAVAILABLE'],
    ['401', plainText(401, 'invalid token'), 'CREDENTIALS_INVALID'],
    ['400 for the key', plainText(400, 'invalid key'), 'CREDENTIALS_INVALID'],
    ['401 for the board', plainText(401, 'unauthorized permission requested'), 'CREDENTIALS_INVALID'],
    ['404', plainText(404, NOT_FOUND), 'INVALID_INPUT'],
    ["a gateway's page", plainText(502, '<html>bad gateway'), 'ADAPTER_UNAVAILABLE'],
    ['a redirect', { status: 302, body: '', headers: { location: 'http://127.0.0.1:1/' } }, 'INVALID_INPUT'],
    ['a page instead of JSON', plainText(200, '<html>hello'), 'ADAPTER_UNAVAILABLE'],
    ['cards without ids', { status: 200, body: '[{"name":"x"}]' }, 'ADAPTER_UNAVAILABLE'],
  ])('fails without a retry when Trello answers %s', async (_name, answer, code) => {
    const context = await prepare('archive', { board: BOARD });
    tap.reset();
    tap.rule = () => answer;
    const error = await failure(adapter().getTotalCount(context, within()));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/^Failed to count cards: Trello/);
    expect(error.message).not.toContain('<');
    expect(error.hint).not.toBe('');
    expect(tap.requests).toHaveLength(1);
    const listing = await failure(adapter().getNextBatch(context, 5, 0, within()));
    expect(listing.message).toMatch(/^Failed to fetch cards: /);
  });

  it('refuses a context without a board', async () => {
    const context = { tool_name: 'trello', action: 'archive', query_params: {}, action_params: {} };
    expect((await failure(adapter().getTotalCount(context, within()))).code).toBe('INVALID_INPUT');
    expect(tap.calls).toEqual([]);
  });
});
