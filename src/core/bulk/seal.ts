import type { PlannedItem } from '../../contract/items';
import type { Change } from '../../contract/change';
import type { FrozenItem, PreparedBulkContext } from '../../contract/items';
import { digestOf } from '../shared/canonical';

/**
 * A hash of everything that the adapter gets of an item and a person sees of it. Digests cover these hashes instead of
 * the items: a workflow that walks the data of each batch takes several times as long.
 */
export function sealOf({ id, display_name, raw_data, preview, seal }: FrozenItem): string {
  return seal ?? digestOf({ id, display_name, raw_data, preview }).slice(0, 32);
}

/** An item with its seal, for a workflow. */
export const sealed = <I extends FrozenItem>(item: I): I => ({ ...item, seal: sealOf(item) });

/** One hash of items that run together: what the ledger then gives an adapter must match it. */
export const sealOfAll = (items: readonly FrozenItem[]): string => digestOf(items.map(sealOf)).slice(0, 32);

/** The data that a confirmation is bound to. */
interface Question {
  operation_id: string;
  /** The first run of the operation: an id may be used again. */
  run_id: string;
  batch: number;
  attempt: number;
  /** Everything that the adapter gets besides the items. */
  context: PreparedBulkContext;
  change: Change | undefined;
  items: readonly PlannedItem[];
}

/** SHA-256 over the canonical JSON of a question, with the place and the seal of each item. */
export function questionDigest({ items, ...question }: Question): string {
  return digestOf({ ...question, items: items.map((item) => [item.index, sealOf(item)]) });
}
