import type { BulkItem, PreparedBulkContext } from '../../src/contract/items';
import { itemToRestore } from '../../src/core/bulk/undo';
import { BOARD } from '../helpers/trello-world';
import { adapter, execute, failure, planned, tap, trello, useTrello, within } from './trello-setup';
import { limited, plainText } from './trello-world';

useTrello();

const DOING = { board: BOARD, list: 'Doing' };
const isWrite = ({ method }: { method: string }) => method !== 'GET';
const writes = () => tap.requests.filter(isWrite).length;
const outcome = (items: BulkItem[]) => items.map(({ id }) => ({ item_id: id, success: true }));

/** The same items as an undo plans them, with its context. */
async function undoing(items: BulkItem[], context: PreparedBulkContext) {
  const undo = { ...context, undo: true as const };
  return { undo, back: (await adapter().freezeItems?.(items.map(itemToRestore), undo, within())) ?? [] };
}

describe('what a person sees of cards', () => {
  const order = ({ id }: { id: string }) =>
    trello.world.cards
      .filter(({ idList }) => idList === id)
      .sort((one, other) => one.pos - other.pos)
      .map(({ name }) => name);

  it('keeps the order of the cards that a move takes to another list, and an undo brings back', async () => {
    const [before, there] = [order(trello.doing), order(trello.done)];
    const { context, items } = await planned('move', { ...DOING, target_list: 'Done' });
    // Requests arrive in any order.
    const [first, ...others] = items;
    await execute([...others, first!], context);
    expect(order(trello.doing)).toEqual([]);
    expect(order(trello.done).filter((name) => before.includes(name))).toEqual(before);
    const { undo, back } = await undoing(items, context);
    await execute([...back].reverse(), undo);
    expect([order(trello.doing), order(trello.done)]).toEqual([before, there]);
  });

  it('keeps whether a card is done when its due date changes, and an undo restores its reminder', async () => {
    const [card] = trello.world.cards;
    Object.assign(card!, { due: '2026-12-01T00:00:00.000Z', dueComplete: true, dueReminder: 60 });
    const before = structuredClone(card);
    for (const due of ['2026-12-24T18:00:00.000Z', null]) {
      const { context, items } = await planned('set_due', { board: BOARD, text: 'Task 1', due });
      const own = items.filter(({ id }) => id === card!.id);
      expect(await execute(own, context)).toEqual(outcome(own));
      if (due !== null) expect(card).toMatchObject({ due, dueComplete: true, dueReminder: 60 });
      const { undo, back } = await undoing(own, context);
      expect(await execute(back, undo)).toEqual(outcome(own));
      expect(card).toEqual(before);
    }
  });

  it('promises the labels of a card that leaves its board in part only', async () => {
    const { context, items } = await planned('move', { ...DOING, target_list: trello.twinList.id });
    expect(adapter().previewItem?.(items[0]!, context)).toMatchObject({
      before: { list: 'Doing' },
      after: { list: 'Inbox' },
      reversible: 'partly',
    });
  });
});

describe('an error of the server after the change was made', () => {
  it.each([500, 503])('with %s is read back, and is the success that it was', async (status) => {
    const { context, items } = await planned('archive', DOING);
    tap.rule = async (request, forward) => {
      const answer = await forward();
      return isWrite(request) ? plainText(status, 'try again') : answer;
    };
    expect(await execute(items.slice(0, 1), context)).toEqual(outcome(items.slice(0, 1)));
    tap.rule = (request, forward) => (isWrite(request) ? plainText(status, 'try again') : forward());
    expect(await execute(items.slice(1, 2), context)).toMatchObject([{ success: false, retryable: true }]);
  });

  it('leaves the outcome unknown if the card cannot be read then', async () => {
    const { context, items } = await planned('archive', DOING);
    let written = false;
    tap.rule = async (request, forward) => {
      written ||= isWrite(request);
      return written ? plainText(503, 'try again') : forward();
    };
    const [result] = await execute(items.slice(0, 1), context);
    expect(result).toMatchObject({ success: false, outcome_unknown: true });
  });

  it('that refuses everything for a time ends the batch at its first card, and says until when', async () => {
    const { context, items } = await planned('archive', DOING);
    tap.rule = (request, forward) =>
      isWrite(request) ? { ...limited(), headers: { 'retry-after': '120' } } : forward();
    const error = await failure(execute(items, context));
    expect(error.code).toBe('RATE_LIMITED');
    expect(error.hint).toMatch(/until 20\d\d-.*Z/);
    expect(writes()).toBeLessThanOrEqual(5);
  });
});
