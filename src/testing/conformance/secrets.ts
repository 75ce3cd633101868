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
            const values = await failing(world, { fault, on }, () => everything(world, request));
            assertNoSecret(world, values);
          }
        }
        assertNoSecret(world, await everything(world, request));
      }
      await eachRequest(world, 1, async (adapter, { context, items }) => {
        for (const fault of FAULTS) {
          const values = await failing(world, { fault, on: 'write' }, () =>
            adapter.executeBatch(items, context, call()).catch((error: unknown) => error),
          );
          assertNoSecret(world, [values]);
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
  const values = await suggestions(adapter, request);
  try {
    const context = await prepare(adapter, request);
    values.push(context, adapter.describeChange?.(context));
    if (request.items === undefined) values.push(await adapter.getTotalCount(context, call()));
    values.push(await plan(adapter, request, context));
  } catch (error) {
    values.push(error);
  }
  return values;
}

/** Returns the adapter's suggestions for each parameter, or the error of each failed call. */
async function suggestions(
  adapter: BulkAdapter,
  { action, params }: ConformanceWorld['requests'][number],
): Promise<unknown[]> {
  const { query, change } = adapter.actions[action] ?? {};
  const strings = Object.entries(params).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  if (!adapter.suggest) return [];
  const values: unknown[] = [];
  for (const parameter of Object.keys({ ...query?.shape, ...change?.shape })) {
    const answer = adapter.suggest({ parameter, params: Object.fromEntries(strings) }, call());
    values.push(await answer.catch((error: unknown) => error));
  }
  return values;
}

function assertNoSecret(world: ConformanceWorld, values: readonly unknown[]): void {
  const text = values
    .map((it) => `${JSON.stringify(it)}${inspect(it, { depth: 10, showHidden: true })}`)
    .join('\n');
  for (const secret of world.secrets) assert.ok(!text.includes(secret), 'a secret is visible');
}
