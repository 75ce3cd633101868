import type { BulkAdapter } from '../../src/contract/adapter';
import type { BulkItem, PreparedBulkContext } from '../../src/contract/items';
import { call, openLamps, planned, undoing, type Lamp } from './define-adapter-tool';

const lamp = (more: Partial<Lamp> = {}): Lamp => ({
  ...{ room: 'r1', on: false, level: 9, note: '', place: 1 },
  ...more,
});
const TWO = { 1: lamp(), 2: lamp({ place: 2 }) };
const run = (adapter: BulkAdapter, { items, context }: { items: BulkItem[]; context: PreparedBulkContext }) =>
  adapter.executeBatch(items, context, call());

describe('an adapter from a definition', () => {
  it('shows the other names by which an item was asked for', async () => {
    const { adapter } = openLamps(TWO);
    const { context } = await planned(adapter, 'switch_on');
    const named = ['01', '2', '+1'].map((id) => ({ id, display_name: id }));
    const frozen = (await adapter.freezeItems?.(named, context, call())) ?? [];
    expect(frozen.map(({ id }) => id)).toEqual(['1', '2', '1']);
    expect(frozen.map((item) => adapter.previewItem?.(item, context).named)).toEqual([
      ['01', '+1'],
      undefined,
      ['01', '+1'],
    ]);
  });

  it('completes named items together, and puts those of a higher rank first', async () => {
    const { adapter } = openLamps(TWO, {
      tool: { complete: (all) => Promise.resolve(all.map((one) => ({ ...one, rank: Number(one.id) }))) },
    });
    const { context } = await planned(adapter, 'switch_on');
    const named = ['1', '7', '2'].map((id) => ({ id, display_name: id }));
    const frozen = await adapter.freezeItems?.(named, context, call());
    expect(frozen?.map(({ id }) => id)).toEqual(['2', '1', '7']);
  });

  it('sends what will probably fail, and says so before, of an undo too', async () => {
    const { adapter, world } = openLamps(TWO, {
      definition: {
        outlook: ({ id }, target, { undo }) =>
          id === '1'
            ? { expected_error: `It may not be ${target?.on ? 'on' : 'off'}` }
            : { reversible: undo ? 'yes' : 'partly' },
      },
    });
    const on = await planned(adapter, 'switch_on');
    const previews = (items: BulkItem[], context = on.context) =>
      items.map((item) => adapter.previewItem?.(item, context));
    expect(previews(on.items)).toMatchObject([
      { after: { on: 'yes' }, expected_error: 'It may not be on' },
      { reversible: 'partly' },
    ]);
    expect(await run(adapter, on)).toMatchObject([{ success: true }, { success: true }]);
    expect(world.writes).toEqual(['1', '2']);
    const undo = await undoing(adapter, on.items, on.context);
    expect(previews(undo.items, undo.context)).toMatchObject([
      { after: { on: 'no' }, expected_error: 'It may not be off' },
      { reversible: 'yes' },
    ]);
  });

  it('shows other things that change, and what is gone, in the words of the adapter', async () => {
    const { adapter, lamps } = openLamps(TWO, {
      definition: {
        gone: { on: null },
        beside: (state) => [{ bulbs: String(state?.level) }, { bulbs: 'gone' }],
      },
    });
    const remove = await planned(adapter, 'remove');
    expect(adapter.previewItem?.(remove.items[0]!, remove.context)).toMatchObject({
      before: { room: 'Hall', on: 'no', bulbs: '9' },
      after: { on: null, bulbs: 'gone' },
    });
    lamps.delete('1');
    lamps.set('2', lamp({ level: 3 }));
    const undo = await undoing(adapter, remove.items, remove.context);
    expect(undo.items.map((item) => adapter.previewItem?.(item, undo.context).conflict)).toEqual([
      undefined,
      expect.stringContaining('on was none, is now “no”'),
    ]);
  });

  it('says that an item of an undo was deleted meanwhile', async () => {
    const { adapter, lamps } = openLamps(TWO);
    const on = await planned(adapter, 'switch_on');
    await run(adapter, on);
    lamps.delete('2');
    const undo = await undoing(adapter, on.items, on.context);
    expect(undo.items.map((item) => adapter.previewItem?.(item, undo.context).conflict)).toEqual([
      undefined,
      'the lamp was deleted',
    ]);
  });

  it('compares a state of hashes, and neither shows nor restores it', async () => {
    const lamps = { 1: lamp({ note: 'hash' }) };
    const { adapter, world, put } = openLamps(lamps);
    const unkept = openLamps(lamps, {
      tool: {
        read: (id) =>
          Promise.resolve({ id, name: `Lamp ${id}`, state: world.lamps.get(id) ?? null, unkept: 'its note' }),
      },
    }).adapter;
    const { context } = await planned(adapter, 'switch_on');
    const items = (await unkept.freezeItems?.([{ id: '1', display_name: '1' }], context, call())) ?? [];
    expect(unkept.previewItem?.(items[0]!, context)).toEqual({ reversible: 'no', not_shown: 'its note' });
    put('1', lamp({ note: 'other' }));
    expect(await run(unkept, { items, context })).toMatchObject([{ changed_since_preview: true }]);
    const undo = await undoing(unkept, items, context);
    expect(unkept.previewItem?.(undo.items[0]!, undo.context)).toMatchObject({
      expected_error: 'How it was before the change is not recorded',
    });
  });

  it("believes the tool's own record of a write before the state of the item", async () => {
    const records = new Map([['1', 'applied' as const]]);
    const { adapter } = openLamps(TWO, { tool: { outcome: (id) => Promise.resolve(records.get(id)) } });
    const { items, context } = await planned(adapter, 'switch_on');
    const found = items.map(async (item) => adapter.reconcile?.(item, context, call()));
    expect(await Promise.all(found)).toEqual(['applied', 'not_applied']);
  });

  it('reads no item back that the tool shows to be gone', async () => {
    const { adapter, world, put } = openLamps(TWO, { versions: true });
    const { items, context } = await planned(adapter, 'remove');
    world.write = ({ id }) => {
      put(id, null);
      return Promise.resolve(id === '1' ? null : undefined);
    };
    expect(await run(adapter, { items, context })).toMatchObject([{ success: true }, { success: true }]);
    expect(world.reads).toBe(1);
  });
});
