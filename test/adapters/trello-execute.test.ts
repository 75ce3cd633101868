import { BatchgateError } from '../../src/contract/errors';
import type { BulkItem } from '../../src/contract/items';
import { BOARD, KEY, TOKEN } from '../helpers/trello-world';
import { adapter, execute, failure, planned, prepare, tap, trello, useTrello, within } from './trello-setup';
import { limited, plainText } from './trello-world';

useTrello();

const DOING = { board: BOARD, list: 'Doing' };
const isWrite = ({ method }: { method: string }) => method !== 'GET';
const writes = () => tap.requests.filter(isWrite).length;
const outcome = (items: BulkItem[], success = true) => items.map(({ id }) => ({ item_id: id, success }));

const BY_OTHERS = { changed_since_preview: true, error: 'Changed since the preview: it is so by now' };

describe('a change', () => {
  it.each([
    ['archive', {}, ['GET', 'PUT'], () => ({ closed: true })],
    ['move', { target_list: 'Done' }, ['GET', 'PUT'], () => ({ idList: trello.done.id })],
    ['set_due', { due: '2026-12-24T18:00:00Z' }, ['GET', 'PUT'], () => ({ due: '2026-12-24T18:00:00.000Z' })],
    ['add_label', { label_name: 'Feature' }, ['GET', 'POST'], () => ({ idLabels: [trello.feature.id] })],
    ['remove_label', { label: 'Bug', label_name: 'Bug' }, ['GET', 'DELETE', 'GET'], () => ({ idLabels: [] })],
    ['assign', { member: 'sam' }, ['GET', 'POST'], () => ({ idMembers: [trello.sam.id] })],
  ])('%s reads the card, writes once, and is visible in Trello', async (action, params, methods, shown) => {
    const { context, items } = await planned(action, { ...DOING, ...params });
    const [item] = items.filter(({ display_name }) => action === 'remove_label' || display_name === 'Fix 1');
    expect(await execute([item!], context)).toEqual(outcome([item!]));
    expect(tap.requests.map(({ method }) => method)).toEqual(methods);
    expect(trello.cardOf(item!.id)).toMatchObject(shown());
    expect(await adapter().reconcile?.(item!, context, within())).toBe('applied');
  });

  it('clears a due date', async () => {
    const [card] = trello.world.cards;
    card!.due = '2026-12-01T00:00:00.000Z';
    const { context, items } = await planned('set_due', { board: BOARD, text: 'Task 1', due: null });
    await execute(items, context);
    expect(card!.due).toBeNull();
  });

  it('needs no write if somebody else has made it meanwhile, and an undo leaves it', async () => {
    const { context, items } = await planned('move', { ...DOING, target_list: 'Done' });
    for (const { id } of items) trello.cardOf(id).idList = trello.done.id;
    for (const result of await execute(items, context)) expect(result).toMatchObject(BY_OTHERS);
    expect(writes()).toBe(0);
  });

  it('leaves a card that the plan could not read, even if it can be read by then', async () => {
    const { context, items } = await planned('archive', DOING);
    const item = { ...items[0]!, raw_data: { missing: 'Card not found' } };
    expect(await execute([item], context)).toMatchObject([
      { changed_since_preview: true, error: 'Changed since the preview: it could not be read before' },
    ]);
    expect(writes()).toBe(0);
  });

  it('sends key and token in a header, and in no address', async () => {
    const { context, items } = await planned('archive', DOING);
    await execute(items, context);
    for (const { path, query, body, authorization } of tap.requests) {
      expect(authorization).toBe(`OAuth oauth_consumer_key="${KEY}", oauth_token="${TOKEN}"`);
      for (const secret of [KEY, TOKEN]) expect(`${path}?${query.toString()} ${body}`).not.toContain(secret);
    }
  });
});

describe('a card that changed since the preview', () => {
  const cases: [string, string, object, (id: string) => void, RegExp][] = [
    [
      'was moved elsewhere',
      'move',
      { target_list: 'Done' },
      (id) => move(id),
      /list was “Doing”, is now “To do”/,
    ],
    ['left the list that was searched', 'archive', {}, (id) => move(id), /is now “To do”/],
    [
      'lost the label that was searched',
      'archive',
      { label: 'Bug' },
      unlabel,
      /fits the search was “yes”, is now “no”/,
    ],
    [
      'lost the text that was searched',
      'archive',
      { text: 'fix' },
      rename,
      /fits the search was “yes”, is now “no”/,
    ],
    ['got another due date', 'set_due', { due: null }, setDue, /due was none, is now 2027-01-01/],
    ['was archived', 'add_label', { label_name: 'Feature' }, close, /archived was “no”, is now “yes”/],
  ];
  const move = (id: string) => (trello.cardOf(id).idList = trello.todo.id);
  function unlabel(id: string) {
    trello.cardOf(id).idLabels = [];
  }
  function rename(id: string) {
    trello.cardOf(id).name = 'Keep this';
  }
  function setDue(id: string) {
    trello.cardOf(id).due = '2027-01-01T00:00:00.000Z';
  }
  function close(id: string) {
    trello.cardOf(id).closed = true;
  }

  it.each(cases)('and %s is not changed', async (_what, action, params, happen, error) => {
    const { context, items } = await planned(action, { ...DOING, ...params });
    const [changed, other] = items;
    happen(changed!.id);
    const before = structuredClone(trello.cardOf(changed!.id));
    expect(await execute([changed!, other!], context)).toEqual([
      {
        item_id: changed!.id,
        success: false,
        retryable: true,
        changed_since_preview: true,
        error: expect.stringMatching(error) as string,
      },
      { item_id: other!.id, success: true },
    ]);
    expect(trello.cardOf(changed!.id)).toEqual(before);
  });

  it('is changed if the difference does not matter: other labels, members, places', async () => {
    const { context, items } = await planned('add_label', {
      board: BOARD,
      text: 'Fix',
      label_name: 'Feature',
    });
    for (const { id } of items) {
      Object.assign(trello.cardOf(id), { idLabels: [trello.blue.id], idMembers: [trello.ana.id] });
      move(id);
    }
    expect(await execute(items, context)).toEqual(outcome(items));
    expect(trello.cardOf(items[0]!.id).idLabels).toEqual([trello.blue.id, trello.feature.id]);
  });

  it('is changed under another name if it still contains the searched text', async () => {
    const { context, items } = await planned('archive', { ...DOING, text: 'fix' });
    const [inName, inDescription] = items;
    trello.cardOf(inName!.id).name = 'Prefixed';
    Object.assign(trello.cardOf(inDescription!.id), { name: 'Repair it', desc: 'A fix for it' });
    expect(await execute([inName!, inDescription!], context)).toEqual(outcome([inName!, inDescription!]));
  });
});

describe('a refusal', () => {
  it('of one card, which this member may not see, is that card’s error and does not mention credentials', async () => {
    const context = await prepare('archive', {}, true);
    const [card] = trello.world.cards;
    const items = [trello.hidden, card!].map(({ id, name }) => ({ id, display_name: name }));
    expect(await execute(items, context)).toEqual([
      {
        item_id: trello.hidden.id,
        success: false,
        error: 'Trello answered 401: unauthorized card permission requested',
        retryable: false,
      },
      { item_id: card!.id, success: true },
    ]);
  });

  it.each(['f'.repeat(24), 'abc', '..', '../boards/x', 'a b?c'])(
    'of the id %s is "Card not found", and reaches no other path',
    async (id) => {
      const context = await prepare('archive', {}, true);
      const [result] = await execute([{ id, display_name: id }], context);
      expect(result).toEqual({ item_id: id, success: false, error: 'Card not found', retryable: false });
      for (const { path } of tap.requests) expect(path).toBe(`/1/cards/${id}`);
      expect(await adapter().reconcile?.({ id, display_name: id }, context, within())).toBe('not_applied');
    },
  );

  it('because of a rate limit is an error of each affected card, and can be retried', async () => {
    const { context, items } = await planned('archive', DOING);
    trello.allowed = 0;
    const results = await execute(items.slice(0, 4), context);
    expect(results).toHaveLength(4);
    for (const { error, retryable } of results) {
      expect(error).toBe('Trello answered 429: Rate limit exceeded (API_TOKEN_LIMIT_EXCEEDED)');
      expect(retryable).toBe(true);
    }
  });

  it.each([502, 504])('by a gateway, with %s, leaves the outcome of the card unknown', async (status) => {
    const { context, items } = await planned('archive', DOING);
    tap.rule = (request, forward) => (isWrite(request) ? plainText(status, '<html>') : forward());
    const error = `Trello answered ${status}, so the outcome is unknown`;
    expect(await execute(items.slice(0, 1), context)).toEqual([
      { item_id: items[0]!.id, success: false, error, outcome_unknown: true },
    ]);
  });

  it('of the token ends the batch if nothing was changed, in a read or in a write', async () => {
    const { context, items } = await planned('archive', DOING);
    for (const refuses of [() => true, isWrite]) {
      tap.rule = (request, forward) => (refuses(request) ? plainText(401, 'invalid token') : forward());
      const error = await failure(execute(items.slice(0, 3), context));
      expect(error.body).toMatchObject({
        code: 'CREDENTIALS_INVALID',
        message: 'Nothing more was changed: Trello answered 401: invalid token',
      });
      expect(error.hint).toContain('npx batchgate login trello');
    }
    expect(items.every(({ id }) => !trello.cardOf(id).closed)).toBe(true);
  });

  it('of the token in the middle of a batch is an error of the affected cards', async () => {
    const { context, items } = await planned('archive', DOING);
    const first = items[0]!.id;
    tap.rule = (request, forward) =>
      isWrite(request) && !request.path.endsWith(first) ? plainText(401, 'expired token') : forward();
    const results = await execute(items.slice(0, 3), context);
    expect(results.map(({ success }) => success)).toEqual([true, false, false]);
    expect(results[1]).toMatchObject({ error: 'Trello answered 401: expired token' });
  });

  it('to read a card leaves it unchanged, and is never in doubt', async () => {
    const { context, items } = await planned('archive', DOING);
    for (const answer of ['reset' as const, plainText(200, 'what?'), limited('API_KEY_LIMIT_EXCEEDED')]) {
      tap.rule = () => answer;
      const [result] = await execute(items.slice(0, 1), context);
      expect(result).toMatchObject({ success: false, retryable: true });
      expect(result?.outcome_unknown).toBeUndefined();
    }
    expect(writes()).toBe(0);
  });

  it('for missing credentials is reported as such before anything is sent', async () => {
    const { context, items } = await planned('archive', DOING);
    const none = adapter(() => Promise.reject(new BatchgateError('NOT_CONFIGURED', 'none', 'log in')));
    expect((await failure(none.executeBatch(items, context, within()))).code).toBe('NOT_CONFIGURED');
    const request = { action: 'archive', params: { board: BOARD }, explicit_items: false };
    expect((await failure(none.prepare(request, within()))).code).toBe('NOT_CONFIGURED');
    expect(tap.calls).toEqual([]);
  });
});

describe('an answer of success', () => {
  it('that shows another state is read back', async () => {
    const { context, items } = await planned('archive', DOING);
    tap.rule = async (request, forward) => {
      if (!isWrite(request)) return forward();
      return { status: 200, body: JSON.stringify({ id: items[0]!.id, closed: false }) };
    };
    const [result] = await execute(items.slice(0, 1), context);
    expect(result).toMatchObject({
      success: false,
      retryable: true,
      error: 'Trello accepted the change, but the card is as it was',
    });
  });

  it('that cannot be read, with a read-back that fails too, leaves the outcome unknown', async () => {
    const { context, items } = await planned('assign', { ...DOING, member: 'sam' });
    let looks = 0;
    tap.rule = async (request, forward) => {
      if (isWrite(request)) return forward().then(() => plainText(200, '[]'));
      return (looks += 1) > 1 ? 'reset' : forward();
    };
    const [result] = await execute(items.slice(0, 1), context);
    expect(result).toMatchObject({ success: false, outcome_unknown: true });
    expect(trello.cardOf(items[0]!.id).idMembers).toEqual([trello.sam.id]);
  });
});

describe('reconcile', () => {
  it('reports unknown if Trello does not show the card, and throws if another try may tell', async () => {
    const { context, items } = await planned('archive', DOING);
    const look = () => adapter().reconcile!(items[0]!, context, within());
    tap.rule = () => plainText(401, 'unauthorized card permission requested');
    expect(await look()).toBe('unknown');
    for (const answer of ['reset' as const, limited(), plainText(401, 'invalid token')]) {
      tap.rule = () => answer;
      expect((await failure(look())).message).toMatch(/^Failed to read the card back: /);
    }
  });
});
