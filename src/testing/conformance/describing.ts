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
        const described = travelled(changeOfAdapter(adapter, context, change));
        changeSchema.parse(described);
        assert.match(
          described.summary,
          /^\p{Lu}.*\.$/su,
          `${request.action}: its summary is not a complete sentence`,
        );
        assert.deepEqual(
          travelled(changeOfAdapter(world.adapter(), travelled(context), change)),
          described,
          `${request.action}: two descriptions of the same change differ`,
        );
        assert.deepEqual(world.calls(), [], `${request.action}: describing the change calls the provider`);
        const shown = JSON.stringify(described);
        for (const secret of world.secrets) assert.ok(!shown.includes(secret), 'the change shows a secret');
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
