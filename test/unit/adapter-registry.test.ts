import { createRegistry } from '../../src/core/bulk/registry';
import { createFakeAdapter } from '../../src/testing/fake-adapter';

const marking = () =>
  createFakeAdapter({ items: () => [], apply: () => Promise.resolve(), marks: new Map<string, string>() });

it('refuses an adapter that can undo an action and cannot preview its items', () => {
  const blind = { ...marking(), previewItem: undefined };
  expect(() => createRegistry([blind])).toThrow('The adapter fake can undo mark, and has no preview');
  expect(createRegistry([marking()]).list()).toHaveLength(1);
});

it('accepts an adapter that has neither undo nor preview', () => {
  const plain = createFakeAdapter({ items: () => [], apply: () => Promise.resolve() });
  expect(createRegistry([plain]).get('fake')).toBe(plain);
});
