import {
  describeConformance,
  conformanceCases,
  runConformanceCase,
  type ConformanceWorld,
} from '../../src/testing/conformance';
import { BROKEN } from '../adapters/broken-adapters';

/** The library of docs/write-an-adapter.md. */
const EXAMPLE: string = '../../examples/adapters/shelf-world.mjs';
const example = async () => (await import(EXAMPLE)) as { openShelf: () => Promise<ConformanceWorld> };
const open = async () => (await example()).openShelf();

describeConformance('shelf', { open });

test('every case of the kit has an adapter that violates it', () => {
  const broken = new Set(BROKEN.map(([id]) => id));
  expect([...broken].sort()).toEqual(conformanceCases.map(({ id }) => id).sort());
});

test.each(BROKEN)('the case %s reports %s for an adapter that violates it', async (id, words, breakIt) => {
  const one = conformanceCases.find((known) => known.id === id)!;
  const broken = async (): Promise<ConformanceWorld> => {
    const world = await open();
    const adapter = () => {
      const good = world.adapter();
      return { ...good, ...breakIt(good, world) };
    };
    return { ...world, adapter };
  };
  await expect(runConformanceCase({ open: broken }, one)).rejects.toThrow(words);
});
