import type { AdapterDescription } from '../contract/adapter';
import { remembered } from '../core/shared/promises';

/** A tool's noun for its items: `email`, `emails`. */
export type Noun = AdapterDescription['item_noun'];

const ITEM: Noun = { one: 'item', many: 'items' };

/** Returns the nouns of the tools, or a default, so that a page does not fail if a tool cannot be described. */
export function createItemNouns(
  describeAdapters: () => Promise<AdapterDescription[]>,
): (domain: string) => Promise<Noun> {
  const describeOnce = remembered(describeAdapters);
  return async (domain) => {
    const adapters = await describeOnce().catch(() => []);
    return adapters.find(({ adapter }) => adapter === domain)?.item_noun ?? ITEM;
  };
}
