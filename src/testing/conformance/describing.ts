import assert from 'node:assert/strict';
import { changeSchema } from '../../contract/change';
import { changeOfAdapter } from '../../core/bulk/change';
import type { ConformanceCase } from './subject';
import { named, prepare, travelled } from './tools';

export const describingCases: readonly ConformanceCase[] = [
  {
    id: 'describes-its-change',
    title: 'describes each change in one sentence, always the same, without a call and without a secret',
    async run(world) {
      for (const request of world.requests) {
        const adapter = world.adapter();
        const { params: change } = named(adapter, request);
        const context = await prepare(adapter, request);
        world.forgetCalls();
        const description = travelled(changeOfAdapter(adapter, context, change));
        changeSchema.parse(description);
        assert.match(
          description.summary,
          /^\p{Lu}.*\.$/su,
          `${request.action}: its summary is not a complete sentence`,
        );
        assert.deepEqual(
          travelled(changeOfAdapter(world.adapter(), travelled(context), change)),
          description,
          `${request.action}: two descriptions of the same change differ`,
        );
        assert.deepEqual(world.calls(), [], `${request.action}: describing the change calls the provider`);
        const text = JSON.stringify(description);
        for (const secret of world.secrets) assert.ok(!text.includes(secret), 'the change shows a secret');
      }
    },
  },
  {
    id: 'names-its-actions',
    title: 'names each action in words that fit a question',
    run(world) {
      for (const [name, { phrase, shortName }] of Object.entries(world.adapter().actions)) {
        const holders = phrase?.split('{items}').length ?? 2;
        assert.equal(holders, 2, `${name}: its phrase must contain {items} once`);
        assert.ok(shortName !== '', `${name}: its shortName is empty`);
      }
      return Promise.resolve();
    },
  },
];
