import assert from 'node:assert/strict';
import { z } from 'zod';
import { BatchgateError } from '../../contract/errors';
import { bulkItemSchema } from '../../contract/items';
import { DEFAULT_SETTINGS } from '../../contract/settings';
import { tooMany } from '../../core/bulk/input';
import { collectItems } from '../../core/shared/paging';
import type { ConformanceCase, ConformanceRequest, ConformanceWorld } from './subject';
import { assertApplies, call, idsOf, named, plan, prepare, refusal, searching } from './tools';

/** Runs every step of an operation that precedes its first question. */
async function planned(world: ConformanceWorld, request: ConformanceRequest): Promise<void> {
  const adapter = world.adapter();
  const context = await prepare(adapter, request);
  adapter.describeChange?.(context);
  if (request.items) await adapter.freezeItems?.(request.items, context, call());
  else {
    await adapter.getTotalCount(context, call());
    await adapter.getNextBatch(context, 50, 0, call());
  }
}

const TOO_LARGE = 'a request that finds too many items';

/** Asserts that a search with too many items is refused without a write, when counted and when read for a plan. */
async function refuseTooLarge(
  world: ConformanceWorld,
  request: ConformanceRequest,
  add: () => Promise<void>,
): Promise<void> {
  const missing = DEFAULT_SETTINGS.max_total_items + 1 - (await world.matching(request)).length;
  for (let added = 0; added < missing; added++) await add();
  const adapter = world.adapter();
  const context = await prepare(adapter, request);
  const excess = (count: number) => tooMany(count, DEFAULT_SETTINGS.max_total_items);
  const total = await adapter.getTotalCount(context, call());
  assertUnwritten(world, TOO_LARGE);
  assert.ok(excess(total), 'the count of too many items is accepted');
  const reading = () =>
    collectItems(
      (size, offset) => adapter.getNextBatch(context, size, offset, call()),
      adapter.planPageSize ?? 100,
      Infinity,
      (_page, _size, count) => {
        const error = excess(count);
        if (error) throw BatchgateError.from(error);
      },
    );
  assert.equal((await refusal(reading, 'a search for too many items')).code, 'TOO_MANY_ITEMS');
  assertUnwritten(world, TOO_LARGE);
}

function assertUnwritten(world: ConformanceWorld, what: string): void {
  const writes = world.calls().filter(({ kind }) => kind === 'write');
  assert.deepEqual(writes, [], `${what} changes something before its first batch`);
}

const positive = (value: number | undefined) => value === undefined || (Number.isInteger(value) && value > 0);

export const readingCases: readonly ConformanceCase[] = [
  {
    id: 'describes-itself',
    title: 'describes its actions and their parameters as JSON Schema',
    run(world) {
      const adapter = world.adapter();
      assert.match(adapter.toolName, /^[a-z][a-z0-9_-]*$/, 'toolName must be one lower-case word');
      assert.ok(positive(adapter.planPageSize), 'planPageSize must be a positive integer');
      assert.ok(positive(adapter.sliceSize), 'sliceSize is a positive integer');
      const actions = new Set(world.requests.map(({ action }) => action));
      assert.deepEqual(
        [...actions].sort(),
        Object.keys(adapter.actions).sort(),
        'the world tries every action',
      );
      for (const [name, action] of Object.entries(adapter.actions)) {
        assert.ok(action.description.length > 0, `action ${name} has no description`);
        for (const half of [action.query, action.change]) z.toJSONSchema(half, { io: 'input' });
      }
      return Promise.resolve();
    },
  },
  {
    id: 'refuses-bad-parameters',
    title: 'refuses missing, unknown and misplaced parameters before anything is read',
    async run(world) {
      const adapter = world.adapter();
      const before = await world.state();
      world.forgetCalls();
      for (const [what, request] of badRequests(world)) {
        const error = await refusal(() => prepare(adapter, request), what);
        assert.equal(error.code, 'INVALID_INPUT', what);
      }
      assert.deepEqual(
        world.calls().filter(({ kind }) => kind !== 'lookup'),
        [],
        'bad parameters must be refused before any item is read or changed',
      );
      assert.deepEqual(await world.state(), before);
    },
  },
  {
    id: 'resolves-names',
    title: 'resolves names to ids in prepare, and refuses names that do not exist',
    async run(world) {
      const { names } = world;
      assertApplies(names, 'the world has no `names`');
      for (const request of names.unknown) {
        const error = await refusal(() => prepare(world.adapter(), request), 'a name that does not exist');
        assert.equal(error.code, 'INVALID_INPUT');
        assert.match(error.message, /not found/i, 'the error must say what was not found');
      }
      for (const { request, id } of names.resolved) {
        const { query_params, action_params } = await prepare(world.adapter(), request);
        const text = JSON.stringify([query_params, action_params]);
        assert.ok(text.includes(id), `${request.action}: the prepared context does not contain the id ${id}`);
      }
    },
  },
  {
    id: 'prepares-without-touching',
    title: 'reads no item and changes nothing in prepare',
    async run(world) {
      const before = await world.state();
      world.forgetCalls();
      for (const request of world.requests) await prepare(world.adapter(), request);
      const others = world.calls().filter(({ kind }) => kind !== 'lookup');
      assert.deepEqual(others, [], 'prepare may look up names only');
      assert.deepEqual(await world.state(), before);
    },
  },
  {
    id: 'writes-nothing-before-a-batch',
    title: 'writes nothing before a batch runs: when refused, empty, too large, or waiting for a person',
    async run(world) {
      world.forgetCalls();
      const refused = [...badRequests(world).map(([, request]) => request), ...(world.names?.unknown ?? [])];
      for (const request of refused) await refusal(() => prepare(world.adapter(), request), request.action);
      assertUnwritten(world, 'a refused request');
      for (const request of [...world.requests, ...(world.making ?? [])]) await planned(world, request);
      assertUnwritten(world, 'a request that waits for a person');
      const search = world.requests.find(({ items }) => items === undefined);
      if (!search) return;
      if (world.add) await refuseTooLarge(world, search, world.add);
      for (const id of await world.matching(search)) await world.remove(id);
      await planned(world, search);
      assertUnwritten(world, 'a request that finds nothing');
    },
  },
  {
    id: 'counts-exactly',
    title: 'counts exactly what matches',
    async run(world) {
      for (const request of searching(world)) {
        const adapter = world.adapter();
        const context = await prepare(adapter, request);
        const matching = await world.matching(request);
        assert.equal(await adapter.getTotalCount(context, call()), matching.length, request.action);
        assert.ok(matching.length >= 12, 'the world needs at least 12 items');
        await world.remove(matching[0] ?? '');
        assert.equal(
          await adapter.getTotalCount(context, call()),
          matching.length - 1,
          'after one was removed',
        );
      }
    },
  },
  {
    id: 'pages-by-size-and-offset',
    title: 'returns at most the requested size from the offset on, each item once, and then nothing',
    async run(world) {
      for (const request of searching(world)) {
        const adapter = world.adapter();
        const context = await prepare(adapter, request);
        const expected = [...(await world.matching(request))].sort();
        const whole = idsOf(await adapter.getNextBatch(context, expected.length + 50, 0, call()));
        assert.deepEqual([...whole].sort(), expected, 'one large page contains everything');
        for (const size of [1, 5, 7]) {
          const pages: string[] = [];
          for (let offset = 0; offset < expected.length; offset += size) {
            const page = idsOf(await adapter.getNextBatch(context, size, offset, call()));
            const due = whole.slice(offset, offset + size);
            assert.deepEqual(page, due, `${size} items after ${offset}, in the order of the whole`);
            pages.push(...page);
          }
          assert.deepEqual(pages, whole);
        }
        for (const beyond of [expected.length, expected.length + 5])
          assert.deepEqual(await adapter.getNextBatch(context, 5, beyond, call()), [], 'past the end: empty');
      }
    },
  },
  {
    id: 'freezes-items-that-fit',
    title: 'returns items that fit into a plan, with a display name',
    async run(world) {
      for (const request of world.requests) {
        const adapter = world.adapter();
        const items = await plan(adapter, request, await prepare(adapter, request));
        for (const item of items) {
          const parsed = bulkItemSchema.safeParse(item);
          assert.ok(parsed.success, `an item does not fit: ${parsed.error?.message}`);
          assert.ok(item.display_name.trim().length > 0, `item ${item.id} has no name`);
        }
      }
    },
  },
  {
    id: 'plans-a-changing-search',
    title: 'returns each item that always matched exactly once while others come and go',
    async run(world) {
      for (const request of searching(world).slice(0, 1)) {
        const adapter = world.adapter();
        const context = await prepare(adapter, request);
        const before = new Set(await world.matching(request));
        let pages = 0;
        const getPage = async (size: number, offset: number) => {
          const page = await adapter.getNextBatch(context, size, offset, call());
          pages += 1;
          if (pages === 1) await world.remove(page[0]?.id ?? '');
          if (pages === 2) await world.add?.();
          return page;
        };
        const ids = idsOf((await collectItems(getPage, 5, Infinity, () => undefined)) ?? []);
        assert.equal(new Set(ids).size, ids.length, 'an item came twice');
        const after = new Set(await world.matching(request));
        const missed = [...before].filter((id) => after.has(id) && !ids.includes(id));
        assert.deepEqual(missed, [], 'items that always matched are missing');
      }
    },
  },
];

function badRequests(world: ConformanceWorld): [string, ConformanceRequest][] {
  const adapter = world.adapter();
  return world.requests.flatMap((request) => {
    const { action, params } = request;
    const schemas = adapter.actions[action];
    const shape = { ...schemas?.query.shape, ...schemas?.change.shape };
    const required = Object.keys(params).filter((name) => !isOptional(shape[name]));
    const queried = Object.keys(params).filter((name) => !Object.hasOwn(schemas?.change.shape ?? {}, name));
    const bad: [string, ConformanceRequest][] = [
      ['an unknown action', { ...request, action: 'no-such-action' }],
      ['an unknown parameter', { ...request, params: { ...params, no_such_parameter: 1 } }],
      ...required.map((name): [string, ConformanceRequest] => [
        `${action} without ${name}`,
        { ...request, params: Object.fromEntries(Object.entries(params).filter(([key]) => key !== name)) },
      ]),
    ];
    if (request.items === undefined) bad.push(['no parameters at all', { ...request, params: {} }]);
    if (request.items === undefined && queried.length > 0)
      bad.push(['named items together with query parameters', { ...named(adapter, request), params }]);
    return bad;
  });
}

function isOptional(schema: unknown): boolean {
  return schema instanceof z.ZodType && schema.safeParse(undefined).success;
}
