import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { ConformanceCase, ConformanceWorld, Fault } from './subject';
import { call, eachRequest, failing, plan, prepare } from './tools';

const FAULTS: readonly Fault[] = ['refused', 'limited', 'broken', 'missing', 'malformed', 'reset'];

export const secretCases: readonly ConformanceCase[] = [
  {
    id: 'keeps-secrets',
    title: 'shows no secret in a context, an item, a result or an error, whatever the provider says',
    async run(world) {
      assert.ok(
        world.secrets.length > 0,
        'the world names the secrets that its adapter holds, or exempt this case',
      );
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
  const seen: unknown[] = [];
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

function assertNoSecret(world: ConformanceWorld, seen: readonly unknown[]): void {
  const shown = seen
    .map((it) => `${JSON.stringify(it)}${inspect(it, { depth: 10, showHidden: true })}`)
    .join('\n');
  for (const secret of world.secrets) assert.ok(!shown.includes(secret), 'a secret can be seen');
}
