import type { BulkItem } from '../../contract/items';

/** Requests at most `size` items after the first `offset`. */
export type GetPage = (size: number, offset: number) => Promise<readonly BulkItem[]>;

/** The page, the requested size, and the number of distinct items so far. Throws to stop the reading. */
export type CheckPage = (page: readonly BulkItem[], requested: number, count: number) => void;

/** The number of attempts to read a search that changes in the meantime. */
const MAX_WALKS = 5;

/**
 * Reads a search result that may change in the meantime, each item once. Every page begins with the last item of the
 * previous one. If it does not, items were added or removed before it, others may have been missed, and the walk starts
 * over. `expected`: the number of items when they were counted; a short page that reaches it is the last one.
 * @returns the items, or undefined if the result kept changing.
 */
export async function collectItems(
  getPage: GetPage,
  size: number,
  expected: number,
  check: CheckPage,
): Promise<BulkItem[] | undefined> {
  for (let walk = 1; walk <= MAX_WALKS; walk++) {
    const items = await walkOnce(getPage, size, expected, check);
    if (items) return items;
  }
  return undefined;
}

async function walkOnce(
  getPage: GetPage,
  size: number,
  expected: number,
  check: CheckPage,
): Promise<BulkItem[] | undefined> {
  const byId = new Map<string, BulkItem>();
  // A page of one would contain only the item that it shares with the previous page.
  const pageSize = Math.max(2, size);
  let last: string | undefined;
  for (let offset = 0; ;) {
    const page = await getPage(pageSize, offset);
    if (last !== undefined && page[0]?.id !== last) return undefined;
    const before = byId.size;
    for (const item of page) if (!byId.has(item.id)) byId.set(item.id, item);
    check(page, pageSize, byId.size);
    const short = page.length < pageSize;
    if (short && (byId.size === before || byId.size >= expected)) return [...byId.values()];
    // A full page without new items does not show whether more follow.
    if (byId.size === before) return undefined;
    last = page.at(-1)?.id;
    offset += page.length - 1;
  }
}
