import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { BulkAdapter } from '../../contract/adapter';
import type { ConformanceCase, ConformanceWorld, Fault } from './subject';
import { assertApplies, call, eachRequest, failing, plan, prepare } from './tools';

const FAULTS: readonly Fault[] = ['refused', 'limited', 'broken', 'missing', 'malformed', 'reset'];

export const secretCases: readonly ConformanceCase[] = [
  {
    id: 'keeps-secrets',
    title: 'shows no secret in a context, an item, a result or an error, whatever the provider answers',
    async run(world) {
      assertApplies(world.secrets.length > 0, 'the world names no secrets');
      for (const request of world.requests) {
        for (const fault of FAULTS) {
          for (const on of ['lookup', 'list'] as const) {
            const seen = await failing(world, { fault, on }, () => everything(world, request));
            assertNoSecret(world, seen);
          }
        }
        assertNoSecret(world, await everything(world, request));
      }
      await eachRequest(world, 1, async (adapter, { context, items }) => {
        for (const fault of FAULTS) {
          const seen = await failing(world, { fault, on: 'write' }, () =>
            adapter.executeBatch(items, context, call()).catch((error: unknown) => error),
          );
          assertNoSecret(world, [seen]);
        }
      });
    },
  },
];

async function everything(
  world: ConformanceWorld,
  request: ConformanceWorld['requests'][number],
): Promise<unknown[]> {
  const adapter = world.adapter();
  const seen = await suggestions(adapter, request);
  try {
    const context = await prepare(adapter, request);
    seen.push(context, adapter.describeChange?.(context));
    if (request.items === undefined) seen.push(await adapter.getTotalCount(context, call()));
    seen.push(await plan(adapter, request, context));
  } catch (error) {
    seen.push(error);
  }
  return seen;
}

/** Returns the adapter's suggestions for each parameter, or their failures. */
async function suggestions(
  adapter: BulkAdapter,
  { action, params }: ConformanceWorld['requests'][number],
): Promise<unknown[]> {
  const { query, change } = adapter.actions[action] ?? {};
  const given = Object.entries(params).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  if (!adapter.suggest) return [];
  const seen: unknown[] = [];
  for (const parameter of Object.keys({ ...query?.shape, ...change?.shape })) {
    const asked = adapter.suggest({ parameter, params: Object.fromEntries(given) }, call());
    seen.push(await asked.catch((error: unknown) => error));
  }
  return seen;
}

function assertNoSecret(world: ConformanceWorld, seen: readonly unknown[]): void {
  const shown = seen
    .map((it) => `${JSON.stringify(it)}${inspect(it, { depth: 10, showHidden: true })}`)
    .join('\n');
  for (const secret of world.secrets) assert.ok(!shown.includes(secret), 'a secret is visible');
}
