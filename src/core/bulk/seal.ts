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

/** The length of a seal in characters: 192 bits, so that a collision is infeasible to find. */
const SEAL_LENGTH = 32;

/**
 * A hash of all data of an item that the adapter receives or a person sees, and of its salt. Without the salt, an item
 * with few possible contents could be guessed from its hash. Digests cover these hashes, not the items: a workflow
 * that walks the data of each batch takes several times as long.
 */
export const sealOf = (item: FrozenItem): string => item.seal ?? hashText(sealedText(item), SEAL_LENGTH);

/** The text whose hash is the seal of an item. */
export const sealedText = ({ id, display_name, raw_data, preview, salt }: FrozenItem): string =>
  canonicalJson({ id, display_name, raw_data, preview, salt });

/** The form of an item that a workflow receives: without its data, and with its seal. */
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

/** The length of a mark in characters. A workflow holds one for each group of its plan. */
export const MARK_LENGTH = 8;

/** The mark of a frozen group of items: 48 bits of a hash. Later reads of the group from the ledger must match it. */
export const markOf = (group: readonly FrozenItem[]): string =>
  fingerprintOf(group.map(sealOf).join()).slice(0, MARK_LENGTH);

/** The data to which a confirmation is bound. The head of its tree has all fields but the items, under these names. */
interface Question {
  operation_id: string;
  /** The first run of the operation, because an operation id may be used again. */
  run_id: string;
  batch: number;
  attempt: number;
  /** All data that the adapter receives besides the items. */
  context: PreparedBulkContext;
  change: Change | undefined;
  items: readonly (KnownItem & { index: number })[];
  /** The requester's words beside the question, if it has any. */
  requester?: Requester | undefined;
  /** The operation that it revises. */
  revises?: string | undefined;
  /** The limits of when the batch may begin, if there are any. */
  schedule?: Schedule;
  /** The policy's requirement, if there is one. */
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

/** The root of a question's tree. It allows a proof of one item of the question without the others. */
export const questionDigest = (question: Question): string => treeDigest(questionTree(question));
