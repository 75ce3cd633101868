import type { BulkItem } from '../../contract/items';

/** Asks for at most `size` items after the first `offset`. */
export type GetPage = (size: number, offset: number) => Promise<readonly BulkItem[]>;

/** What came, how many were asked for, and how many different ones there are by now. Throws to end it all. */
export type CheckPage = (page: readonly BulkItem[], asked: number, found: number) => void;

/** More changes than that while a search is read, and it is given up. */
const MAX_WALKS = 5;

/**
 * Reads a search result that may change meanwhile, each item once. Every page begins with the last item of the one
 * before: where that is not so, items came or went in front of it and others may have slipped by, so that the walk
 * begins anew. `known`: how many there were when they were counted; a short page that reaches it is the last one.
 * @returns the items, or undefined when the result never held still.
 */
export async function collectItems(
  getPage: GetPage,
  size: number,
  known: number,
  check: CheckPage,
): Promise<BulkItem[] | undefined> {
  for (let walk = 1; walk <= MAX_WALKS; walk++) {
    const found = await walkOnce(getPage, size, known, check);
    if (found) return found;
  }
  return undefined;
}

async function walkOnce(
  getPage: GetPage,
  size: number,
  known: number,
  check: CheckPage,
): Promise<BulkItem[] | undefined> {
  const found = new Map<string, BulkItem>();
  // A page of one would hold nothing but the item that it shares with the page before.
  const pageSize = Math.max(2, size);
  let last: string | undefined;
  for (let offset = 0; ;) {
    const page = await getPage(pageSize, offset);
    if (last !== undefined && page[0]?.id !== last) return undefined;
    const before = found.size;
    for (const item of page) if (!found.has(item.id)) found.set(item.id, item);
    check(page, pageSize, found.size);
    const short = page.length < pageSize;
    if (short && (found.size === before || found.size >= known)) return [...found.values()];
    // A full page of what is known already says nothing of what follows.
    if (found.size === before) return undefined;
    last = page.at(-1)?.id;
    offset += page.length - 1;
  }
}
