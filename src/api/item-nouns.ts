import type { AdapterDescription } from '../contract/adapter';
import { remembered } from '../core/shared/promises';

/** What a tool calls its items: `email`, `emails`. */
export type Noun = AdapterDescription['item_noun'];

const ITEM: Noun = { one: 'item', many: 'items' };

/** The nouns of the tools. A tool that cannot be described must not make a page fail. */
export function createItemNouns(
  describeAdapters: () => Promise<AdapterDescription[]>,
): (domain: string) => Promise<Noun> {
  const known = remembered(describeAdapters);
  return async (domain) => {
    const adapters = await known().catch(() => []);
    return adapters.find(({ adapter }) => adapter === domain)?.item_noun ?? ITEM;
  };
}
