import type { Change } from '../../contract/change';
import type {
  FrozenItem,
  KnownItem,
  NamedItem,
  OutcomeDetail,
  PlannedItem,
  PreparedBulkContext,
} from '../../contract/items';
import type { QuestionTree } from '../../contract/item-proof';
import type { Requirement } from '../../contract/policy';
import type { Requester } from '../../contract/requester';
import type { Schedule } from '../../contract/schedule';
import { fingerprintOf, hashText } from '../progress/fingerprints';
import { canonicalJson } from '../shared/canonical';
import { merkleRoot } from '../shared/merkle';

/** The characters of a seal: 192 bits, so that nobody finds two items that have the same one. */
const SEAL_LENGTH = 32;

/**
 * A hash of everything that the adapter gets of an item and a person sees of it, and of its salt, without which the hash
 * of an item with few possible contents would show them. Digests cover these hashes instead of the items: a workflow
 * that walks the data of each batch takes several times as long.
 */
export const sealOf = (item: FrozenItem): string => item.seal ?? hashText(sealedText(item), SEAL_LENGTH);

/** The text whose hash is the seal of an item. */
export const sealedText = ({ id, display_name, raw_data, preview, salt }: FrozenItem): string =>
  canonicalJson({ id, display_name, raw_data, preview, salt });

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

/** The data that a confirmation is bound to. All of it but the items is the head of its tree, by these names. */
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
  /** What a policy requires of it. */
  requirement?: Requirement | undefined;
}

/** The tree of a question: its head with the number of items, and the place and the seal of each item. */
export const questionTree = ({ items, ...head }: Question): QuestionTree => ({
  head: canonicalJson({ ...head, items: items.length }),
  leaves: items.map((item) => [item.index, sealOf(item)]),
});

/** The leaves of a tree as they are hashed. */
export const leafTexts = ({ head, leaves }: QuestionTree): string[] => [
  head,
  ...leaves.map((leaf) => JSON.stringify(leaf)),
];

export const treeDigest = (tree: QuestionTree): string => merkleRoot(leafTexts(tree));

/** The root of a question's tree. Whoever has it can be shown one item of the question without the others. */
export const questionDigest = (question: Question): string => treeDigest(questionTree(question));
