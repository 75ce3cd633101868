import fc from '../helpers/properties';
import { collectItems } from '../../src/core/shared/paging';

const item = (id: string) => ({ id, display_name: id });
const ids = Array.from({ length: 30 }, (_, at) => `item-${String(at).padStart(2, '0')}`);

/** A search over `list`, read page by page. `between` runs after each page; `pages` lists the requested pages. */
function search(list: string[], between: (list: string[], page: number) => void = () => undefined) {
  const pages: [size: number, offset: number][] = [];
  const getPage = (size: number, offset: number) => {
    const page = list.slice(offset, offset + size).map(item);
    between(list, pages.push([size, offset]));
    return Promise.resolve(page);
  };
  return { getPage, pages };
}
const collect = async (getPage: ReturnType<typeof search>['getPage'], size: number, known = Infinity) =>
  (await collectItems(getPage, size, known, () => undefined))?.map(({ id }) => id);

test('reads everything in order, with any page size', async () => {
  for (const size of [1, 2, 7, 30, 100]) expect(await collect(search([...ids]).getPage, size)).toEqual(ids);
});

test('asks once if a short page reaches the count, and ends if nothing matches', async () => {
  const { getPage, pages } = search([...ids]);
  expect(await collect(getPage, 100, 30)).toEqual(ids);
  expect(pages).toEqual([[100, 0]]);
  expect(await collect(search([]).getPage, 100, 0)).toEqual([]);
});

test('does not take a short page for the last one while fewer items were found than were counted', async () => {
  const { getPage, pages } = search([...ids]);
  const short = async (size: number, offset: number) => (await getPage(size, offset)).slice(0, 4);
  expect(await collect(short, 10, 30)).toEqual(ids);
  expect(pages.length).toBeGreaterThan(7);
});

test('has every item that matched throughout, and each once, while others come and go between the pages', async () => {
  const change = fc.record({
    page: fc.integer({ min: 1, max: 6 }),
    remove: fc.boolean(),
    at: fc.nat({ max: 40 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 8 }),
      fc.integer({ min: 2, max: 12 }),
      async (changes, size) => {
        const list = [...ids];
        const removed = new Set<string>();
        let added = 0;
        const { getPage } = search(list, (live, page) => {
          for (const { remove, at } of changes.filter((one) => one.page === page)) {
            if (!remove) live.splice(at % (live.length + 1), 0, `new-${added++}`);
            else if (live.length > 0) live.splice(at % live.length, 1).forEach((id) => removed.add(id));
          }
        });
        const found = await collect(getPage, size);
        expect(found).toBeDefined();
        expect(new Set(found).size).toBe(found?.length);
        const stayed = ids.filter((id) => !removed.has(id));
        expect(found).toEqual(expect.arrayContaining(stayed));
      },
    ),
    { numRuns: 500 },
  );
});

test('does not take a page of known items for the last one', async () => {
  let stuttering = true;
  const { getPage } = search([...ids]);
  const stutter = async (size: number, offset: number) => {
    const page = await getPage(size, offset);
    if (offset === 0 || !stuttering) return page;
    stuttering = false;
    return page.map(() => page[0] ?? item('none'));
  };
  expect(await collect(stutter, 10)).toEqual(ids);
});

test('gives up on a search that keeps changing, and on one that repeats its first page', async () => {
  const restless = search([...ids], (live) => live.reverse());
  expect(await collect(restless.getPage, 10)).toBeUndefined();
  const deaf = search([...ids]);
  expect(await collect((size) => deaf.getPage(size, 0), 10)).toBeUndefined();
});
