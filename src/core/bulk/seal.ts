import type { Change } from '../../contract/change';
import type {
  FrozenItem,
  KnownItem,
  NamedItem,
  OutcomeDetail,
  PlannedItem,
  PreparedBulkContext,
} from '../../contract/items';
import type { Requester } from '../../contract/requester';
import type { Schedule } from '../../contract/schedule';
import { fingerprintOf } from '../progress/fingerprints';
import { digestOf } from '../shared/canonical';

/**
 * A hash of everything that the adapter gets of an item and a person sees of it. Digests cover these hashes instead of
 * the items: a workflow that walks the data of each batch takes several times as long.
 */
export function sealOf({ id, display_name, raw_data, preview, seal }: FrozenItem): string {
  return seal ?? digestOf({ id, display_name, raw_data, preview }).slice(0, 32);
}

/** An item as a workflow gets to know it: without its data, and with the hash of all of it. */
export function named(item: PlannedItem, detail?: OutcomeDetail): NamedItem {
  const { index, id, display_name, preview } = item;
  return {
    index,
    id,
    display_name,
    ...(preview && { preview }),
    seal: sealOf(item),
    ...(detail && { detail }),
  };
}

/** The characters of a mark. A workflow holds one for each group of its plan. */
export const MARK_LENGTH = 8;

/** A mark of a group of items as it was frozen: 48 bits of a hash. What the ledger gives for it later must match it. */
export const markOf = (group: readonly FrozenItem[]): string =>
  fingerprintOf(group.map(sealOf).join()).slice(0, MARK_LENGTH);

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
  items: readonly (KnownItem & { index: number })[];
  /** The requester's words beside the question, if it has any. */
  requester?: Requester | undefined;
  /** The operation that it revises. */
  revises?: string | undefined;
  /** When the batch may begin, if not at any time. */
  schedule?: Schedule;
}

/** SHA-256 over the canonical JSON of a question, with the place and the seal of each item. */
export function questionDigest({ items, ...question }: Question): string {
  return digestOf({ ...question, items: items.map((item) => [item.index, sealOf(item)]) });
}
