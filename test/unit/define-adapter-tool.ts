import { z } from 'zod';
import { defineAdapter } from '../../activities/adapters/kit/define';
import type { AdapterDefinition, Tool } from '../../activities/adapters/kit/types';
import type { BatchCall, BulkAdapter } from '../../src/contract/adapter';
import type { BulkItem, PreparedBulkContext } from '../../src/contract/items';
import { itemToRestore } from '../../src/core/bulk/undo';

const lampState = z.strictObject({
  room: z.string(),
  on: z.boolean(),
  level: z.number(),
  note: z.string(),
  /** The tool numbers the lamps of a room. */
  place: z.number(),
});
export type Lamp = z.infer<typeof lampState>;
interface Search {
  room: { id: string; name: string };
}
interface Change {
  room?: { id: string; name: string };
  by?: number;
}
type Write = NonNullable<Tool<Lamp, Search>['write']>;

const query = z.strictObject({ room: z.string() });
const none = z.strictObject({});
const ROOMS = [
  { id: 'r1', name: 'Hall' },
  { id: 'r2', name: 'Attic' },
  { id: 'r3', name: 'Shed' },
];

/** A tool in memory, and an adapter of it. Its `write` can be replaced, and its reads can fail. */
export function openLamps(
  made: Record<string, Lamp>,
  options: {
    versions?: boolean;
    together?: boolean;
    tool?: Partial<Tool<Lamp, Search>>;
    definition?: Partial<AdapterDefinition<Lamp, Search, Change>>;
  } = {},
) {
  const lamps = new Map(Object.entries(structuredClone(made)));
  const versions = new Map<string, number>();
  const world = {
    lamps,
    writes: [] as string[],
    reads: 0,
    failure: undefined as Error | undefined,
    /** What a write does; it returns what the answer shows. */
    write: ((item, target) => Promise.resolve(world.put(item.id, target))) as Write,
    put: (id: string, target: Lamp | null): undefined => {
      versions.set(id, (versions.get(id) ?? 1) + 1);
      if (target) lamps.set(id, { ...target });
      else lamps.delete(id);
    },
    versionOf: (id: string) => String(versions.get(id) ?? 1),
  };
  const itemOf = (id: string, state: Lamp) => ({
    id,
    name: `Lamp ${id}`,
    state: { ...state },
    ...(options.versions && { version: world.versionOf(id) }),
  });
  const adapter = defineAdapter<Lamp, Search, Change>({
    name: 'lamps',
    provider: 'The house',
    noun: { one: 'lamp', many: 'lamps' },
    state: lampState,
    adjusts: ['place'],
    actions: {
      switch_on: {
        description: 'Switch lamps on',
        query,
        change: none,
        sets: ['on'],
        to: (state) => ({ ...state, on: true }),
      },
      dim: {
        description: 'Dim lamps',
        query,
        change: z.strictObject({ by: z.number() }),
        sets: ['level'],
        to: (state, { by = 0 }) => ({ ...state, level: state.level - by }),
        foresee: ({ level }, { by = 0 }) => (level < by ? 'It is too dark already' : undefined),
      },
      carry: {
        description: 'Carry lamps to another room',
        query,
        change: z.strictObject({ to_room: z.string() }),
        sets: ['room'],
        to: (state, { room }) => ({ ...state, room: room?.id ?? '' }),
        summary: ({ query: found, change }) =>
          `Carry each lamp of ${found?.room.name} to ${change.room?.name}.`,
      },
      remove: { description: 'Remove lamps', query, change: none, to: () => null },
      burn: {
        description: 'Burn lamps',
        query,
        change: none,
        to: (state) => ({ ...state, note: 'ash' }),
        undo: false,
      },
    },
    resolve: ({ query: asked, change }) => {
      const room = (name: unknown) => ROOMS.find((one) => one.name === name)!;
      const { to_room, ...others } = change;
      return Promise.resolve({
        query: { room: room(asked['room']) },
        change: { ...others, ...(to_room !== undefined && { room: room(to_room) }) },
      });
    },
    connect: () => ({
      list: ({ room }, wanted) =>
        Promise.resolve(
          [...lamps]
            .filter(([, lamp]) => lamp.room === room.id)
            .slice(0, wanted)
            .map(([id, lamp]) => itemOf(id, lamp)),
        ),
      read: (alias) => {
        world.reads += 1;
        if (world.failure) return Promise.reject(world.failure);
        const id = String(Number(alias));
        const lamp = lamps.get(id);
        return Promise.resolve(lamp && itemOf(id, lamp));
      },
      names: () => Promise.resolve(Object.fromEntries(ROOMS.map(({ id, name }) => [id, name]))),
      ...(options.together
        ? {
            writeMany: async (all) => {
              world.writes.push(all.map(({ item }) => item.id).join());
              for (const { item, target } of all) await world.write(item, target);
            },
          }
        : {
            write: async (item, target) => {
              world.writes.push(item.id);
              return world.write(item, target);
            },
          }),
      ...options.tool,
    }),
    show: ({ room, on, level, note }, name) => ({
      room: room === undefined ? undefined : name(room),
      on: on === undefined ? undefined : on ? 'yes' : 'no',
      level: level === undefined ? undefined : String(level),
      note,
    }),
    ...options.definition,
  });
  return { ...world, world, adapter };
}

export const call = (more: Partial<BatchCall> = {}): BatchCall => ({
  operation_id: 'bulk-lamps',
  run_id: 'run-1',
  signal: new AbortController().signal,
  deadline: Date.now() + 30_000,
  ...more,
});

/** As everything travels through a history. */
const travelled = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

export async function planned(adapter: BulkAdapter, action: string, params: object = {}) {
  const request = { action, params: { room: 'Hall', ...params }, explicit_items: false };
  const context = travelled(await adapter.prepare(request, call()));
  const items = travelled(await adapter.getNextBatch(context, 100, 0, call()));
  return { context, items };
}

export async function undoing(adapter: BulkAdapter, items: readonly BulkItem[], of: PreparedBulkContext) {
  const context: PreparedBulkContext = { ...of, undo: true };
  const back = items.map(itemToRestore);
  return { context, items: travelled((await adapter.freezeItems?.(back, context, call())) ?? []) };
}
