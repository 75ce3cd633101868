import type { BulkItem, BulkResult } from '../contract/items';

export interface MatchedResults {
  /** One result an item, in the items' order; those that the adapter owes are not here. */
  results: BulkResult[];
  /** Items without a result, or with two that differ. */
  missing: string[];
  /** Results for items that were not given. */
  foreign: string[];
}

/** Holds an adapter's answer against the items it was given: one result each, no more, no less. */
export function matchResults(items: readonly BulkItem[], answer: readonly BulkResult[]): MatchedResults {
  const given = new Set(items.map(({ id }) => id));
  const results: BulkResult[] = [];
  const missing: string[] = [];
  for (const { id } of items) {
    const [first, ...others] = answer.filter((result) => result.item_id === id);
    if (first && others.every((other) => other.success === first.success)) results.push(first);
    else missing.push(id);
  }
  return { results, missing, foreign: answer.map(({ item_id }) => item_id).filter((id) => !given.has(id)) };
}
