import fc from '../helpers/properties';
import { ProviderFailure } from '../../activities/adapters/shared/failure';
import type { BulkAdapter } from '../../src/contract/adapter';
import type { BulkItem, BulkResult, PreparedBulkContext } from '../../src/contract/items';
import { failure } from '../helpers/failure';
import { inLongRun } from '../helpers/long-run';
import { call, openLamps, planned, undoing, type Lamp } from './define-adapter-tool';

const lamp = (more: Partial<Lamp> = {}): Lamp => ({
  room: 'r1',
  on: false,
  level: 9,
  note: '',
  place: 1,
  ...more,
});
const TWO = { 1: lamp(), 2: lamp({ place: 2 }) };
const run = (adapter: BulkAdapter, { items, context }: { items: BulkItem[]; context: PreparedBulkContext }) =>
  adapter.executeBatch(items, context, call());
const refused = (status: number) =>
  new ProviderFailure('refused', `The house answered ${status}`, { status });

describe('an adapter from a definition', () => {
  it('freezes the state of an item and its target, and computes the target once', async () => {
    const { adapter, lamps } = openLamps(TWO);
    const dim = await planned(adapter, 'dim', { by: 4 });
    expect(dim.items[0]).toEqual({
      id: '1',
      display_name: 'Lamp 1',
      raw_data: { state: TWO[1], to: { level: 5 }, names: { r1: 'Hall' } },
    });
    expect(adapter.previewItem?.(dim.items[0]!, dim.context)).toEqual({
      before: { level: '9' },
      after: { level: '5' },
      reversible: 'yes',
    });
    await run(adapter, dim);
    // The same batch again does not dim them again.
    for (const result of await run(adapter, dim))
      expect(result).toMatchObject({
        changed_since_preview: true,
        error: expect.stringContaining('it is so by now'),
      });
    expect([...lamps.values()].map(({ level }) => level)).toEqual([5, 5]);
  });

  it('describes a change in its words or by the action, with names for ids', async () => {
    const { adapter } = openLamps(TWO);
    const carry = await planned(adapter, 'carry', { to_room: 'Attic' });
    expect(adapter.describeChange?.(carry.context)).toEqual({
      summary: 'Carry each lamp of Hall to Attic.',
      fields: [{ name: 'room', to: 'Attic' }],
      reversible: 'yes',
    });
    expect(adapter.previewItem?.(carry.items[0]!, carry.context)).toMatchObject({
      before: { room: 'Hall' },
      after: { room: 'Attic' },
    });
    const burn = await planned(adapter, 'burn');
    expect(adapter.describeChange?.(burn.context)).toEqual({
      summary: 'Burn each lamp.',
      fields: [],
      reversible: 'no',
    });
    expect(adapter.previewItem?.(burn.items[0]!, burn.context)).toMatchObject({ reversible: 'no' });
    expect([adapter.actions['burn']?.undo, adapter.actions['dim']?.undo]).toEqual([undefined, true]);
  });

  it('leaves to the next confirmation what a refusal of everything kept it from sending', async () => {
    const many = Object.fromEntries(Array.from({ length: 5 }, (_, at) => [at + 1, lamp()]));
    const { adapter, world, put } = openLamps(many);
    const on = await planned(adapter, 'switch_on');
    const until = Date.UTC(2027, 0, 1);
    world.write = (item, target) => {
      if (world.writes.length > 2)
        return Promise.reject(new ProviderFailure('refused', 'Not now', { status: 429, until }));
      put(item.id, target);
      return Promise.resolve();
    };
    const reported: string[] = [];
    const limits = { ...call(), onResult: ({ item_id }: BulkResult) => void reported.push(item_id) };
    const error = await failure(adapter.executeBatch(on.items, on.context, limits));
    expect(error.body).toMatchObject({
      code: 'RATE_LIMITED',
      message: 'The rest of the batch was not sent: Not now',
    });
    expect(reported).toEqual(['1', '2']);
  });

  it('does not send what is foreseen to fail, and shows it before', async () => {
    const { adapter, world } = openLamps({ 1: lamp({ level: 1 }) });
    const dim = await planned(adapter, 'dim', { by: 4 });
    expect(adapter.previewItem?.(dim.items[0]!, dim.context)).toMatchObject({
      expected_error: 'It is too dark already',
    });
    expect(await run(adapter, dim)).toMatchObject([{ success: false, error: 'It is too dark already' }]);
    expect(await adapter.reconcile?.(dim.items[0]!, dim.context, call())).toBe('not_applied');
    expect(world.writes).toEqual([]);
  });

  it('uses the ids of the tool, whatever an item was called', async () => {
    const { adapter } = openLamps(TWO);
    const { context } = await planned(adapter, 'switch_on');
    const named = ['01', '+2', '7'].map((id) => ({ id, display_name: id }));
    const frozen = await adapter.freezeItems?.(named, context, call());
    expect(frozen?.map(({ id }) => id)).toEqual(['1', '2', '7']);
    expect(adapter.previewItem?.(frozen![2]!, context)).toEqual({ expected_error: 'Lamp not found' });
  });

  it('keeps a state that is too large by its hash, and promises no undo of it', async () => {
    const { adapter, lamps } = openLamps({
      1: lamp({ note: 'x'.repeat(5_000) }),
      2: lamp({ note: 'y'.repeat(5_000) }),
    });
    const on = await planned(adapter, 'switch_on');
    expect(adapter.previewItem?.(on.items[0]!, on.context)).toEqual({
      reversible: 'no',
      not_shown: 'its values, which are too large to be kept',
    });
    lamps.get('2')!.note += '!';
    expect(await run(adapter, on)).toMatchObject([{ success: true }, { changed_since_preview: true }]);
    expect(lamps.get('1')).toMatchObject({ on: true, note: 'x'.repeat(5_000) });
  });
});

const KINDS: [string, Parameters<typeof openLamps>[1]][] = [
  ['reads an item before its write', {}],
  ['writes on condition of a version', { versions: true }],
  ['writes all items in one call', { together: true }],
];

describe.each(KINDS)('an adapter that %s', (_how, options) => {
  it('leaves an item that somebody changed, and names the difference', async () => {
    const { adapter, world, put, lamps } = openLamps(TWO, options);
    world.write = (item, target) => {
      if (options?.versions && item.version !== world.versionOf(item.id)) return Promise.reject(refused(412));
      return Promise.resolve(put(item.id, target));
    };
    const on = await planned(adapter, 'switch_on');
    put('1', { ...lamp(), level: 3 });
    expect(await run(adapter, on)).toEqual([
      {
        ...{ item_id: '1', success: false, changed_since_preview: true, retryable: true },
        error: 'Changed since the preview: level was “9”, is now “3”',
      },
      { item_id: '2', success: true },
    ]);
    expect(lamps.get('1')).toEqual(lamp({ level: 3 }));
  });

  it('believes the state that the tool shows, whatever the tool said', async () => {
    const { adapter, world, put, lamps } = openLamps({ ...TWO, 3: lamp(), 4: lamp() }, options);
    world.write = (item, target) => {
      // It keeps one, makes something else of another, and loses a third.
      if (item.id === '1') return Promise.resolve(undefined);
      if (item.id === '2') return Promise.resolve(put(item.id, { ...target!, room: 'r3' }));
      if (item.id === '3') return Promise.resolve(put(item.id, null));
      return Promise.resolve(put(item.id, target));
    };
    const carry = await planned(adapter, 'carry', { to_room: 'Attic' });
    expect(await run(adapter, carry)).toEqual([
      {
        ...{ item_id: '1', success: false, retryable: true },
        error: 'The house accepted the change, but the lamp is as it was',
      },
      {
        ...{ item_id: '2', success: false, outcome_unknown: true },
        error: expect.stringMatching(
          /is not as the change should leave it: room was “Attic”, is now “(r3|Shed)”/,
        ),
      },
      { item_id: '3', success: false, error: 'Lamp not found', retryable: false },
      { item_id: '4', success: true },
    ]);
    const found = await Promise.all(
      carry.items.map(async (item) => adapter.reconcile?.(item, carry.context, call())),
    );
    expect(found).toEqual(['not_applied', 'unknown', 'not_applied', 'applied']);
    expect(lamps.get('4')?.room).toBe('r2');
  });

  it('reads back after an error of the server, and says when it cannot', async () => {
    const { adapter, world, put } = openLamps(TWO, options);
    const on = await planned(adapter, 'switch_on');
    world.write = (item, target) => {
      put(item.id, target);
      return Promise.reject(refused(500));
    };
    const [first, second] = on.items;
    const one = { context: on.context, items: [first!] };
    expect(await run(adapter, one)).toEqual([{ item_id: '1', success: true }]);
    world.write = () => Promise.reject(refused(503));
    const other = { context: on.context, items: [second!] };
    expect(await run(adapter, other)).toMatchObject([{ success: false, retryable: true }]);
    world.write = () => {
      world.failure = refused(503);
      return Promise.reject(refused(503));
    };
    expect(await run(adapter, other)).toMatchObject([{ success: false, outcome_unknown: true }]);
  });

  it('stops at the first refusal of everything, and says until when', async () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [at + 1, lamp()]));
    const { adapter, world } = openLamps(many, options);
    const on = await planned(adapter, 'switch_on');
    const until = Date.UTC(2027, 0, 1);
    world.write = () => Promise.reject(new ProviderFailure('refused', 'Not now', { status: 429, until }));
    const error = await failure(run(adapter, on));
    expect(error.body).toMatchObject({ code: 'RATE_LIMITED', message: 'Nothing more was changed: Not now' });
    expect(error.hint).toContain('2027-01-01T00:00:00.000Z');
    expect(world.writes.length).toBeLessThanOrEqual(5);
  });

  it('does not say that a batch changed nothing, which earlier calls of the batch have changed', async () => {
    const many = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [at + 1, lamp()]));
    const { adapter, world, put, lamps } = openLamps(many, options);
    const on = await planned(adapter, 'switch_on');
    const isOn = () => [...lamps.values()].filter((one) => one.on).length;
    world.write = (item, target) =>
      isOn() >= 5
        ? Promise.reject(new ProviderFailure('credentials', 'Who is there?'))
        : Promise.resolve(put(item.id, target));
    const size = adapter.sliceSize!;
    const slice = (at: number) => ({ ...on, items: on.items.slice(at, at + size) });
    expect((await run(adapter, slice(0))).map(({ success }) => success)).toEqual(Array(size).fill(true));
    const error = await failure(run(adapter, slice(size)));
    expect(error.body).toMatchObject({
      code: 'CREDENTIALS_INVALID',
      message: 'Nothing more was changed: Who is there?',
    });
    expect(isOn()).toBe(5);
  });

  it('deletes, and creates again in an undo', async () => {
    const { adapter, lamps } = openLamps(TWO, options);
    const remove = await planned(adapter, 'remove');
    expect(adapter.previewItem?.(remove.items[0]!, remove.context)).toMatchObject({
      before: { deleted: 'no' },
      after: { deleted: 'yes' },
    });
    expect(await run(adapter, remove)).toMatchObject([{ success: true }, { success: true }]);
    expect(lamps.size).toBe(0);
    const undo = await undoing(adapter, remove.items, remove.context);
    expect(adapter.previewItem?.(undo.items[0]!, undo.context)).toMatchObject({ after: { deleted: 'no' } });
    expect(await run(adapter, undo)).toMatchObject([{ success: true }, { success: true }]);
    expect(Object.fromEntries(lamps)).toEqual(TWO);
    const redo = await undoing(adapter, undo.items, undo.context);
    expect(await run(adapter, redo)).toMatchObject([{ success: true }, { success: true }]);
    expect(lamps.size).toBe(0);
  });
});

test('what is previewed is what is done, and an undo restores exactly what was changed', async () => {
  const state = fc.record({
    room: fc.constantFrom('r1'),
    on: fc.boolean(),
    level: fc.integer({ min: 0, max: 9 }),
    note: fc.string({ maxLength: 5 }),
    place: fc.integer({ min: 1, max: 9 }),
  });
  const actions = fc.constantFrom(
    ['switch_on', {}] as const,
    ['dim', { by: 3 }] as const,
    ['carry', { to_room: 'Attic' }] as const,
  );
  const property = fc.asyncProperty(
    state,
    state,
    actions,
    fc.boolean(),
    async (was, theirs, [action, params], versions) => {
      const { adapter, lamps, put } = openLamps({ 1: was }, { versions });
      const plan = await planned(adapter, action, params);
      const { after, already, expected_error } = adapter.previewItem!(plan.items[0]!, plan.context);
      const [result] = await run(adapter, plan);
      expect(result?.success).toBe(expected_error === undefined);
      if (already || expected_error !== undefined) return expect(lamps.get('1')).toEqual(was);
      const done = await undoing(adapter, plan.items, plan.context);
      expect(adapter.previewItem!(done.items[0]!, done.context)).toMatchObject({ before: after! });
      expect(adapter.previewItem!(done.items[0]!, done.context)).not.toHaveProperty('conflict');
      // Somebody else changes other fields meanwhile: the undo leaves these alone.
      const own = Object.keys((plan.items[0]!.raw_data as { to: object }).to) as (keyof Lamp)[];
      const meanwhile = {
        ...theirs,
        ...Object.fromEntries(own.map((name) => [name, lamps.get('1')![name]])),
      };
      put('1', meanwhile);
      const undo = await undoing(adapter, plan.items, plan.context);
      expect(await run(adapter, undo)).toEqual([{ item_id: '1', success: true }]);
      const restored = Object.fromEntries(own.map((name) => [name, was[name]]));
      expect(lamps.get('1')).toEqual({ ...meanwhile, ...restored, place: was.place });
      // A third value is a conflict, and a value that is back already needs nothing.
      put('1', theirs);
      const { conflict, already: back } = adapter.previewItem!(
        ...(await undoing(adapter, plan.items, plan.context).then(
          ({ items, context }) => [items[0]!, context] as const,
        )),
      );
      const isBack = own.every((name) => theirs[name] === was[name]);
      const isLeft = own.every((name) => theirs[name] === (plan.items[0]!.raw_data as { to: Lamp }).to[name]);
      expect([back === true, conflict !== undefined]).toEqual([isBack, !isBack && !isLeft]);
    },
  );
  await fc.assert(property, { numRuns: inLongRun(10_000, 100) });
});
