import { z } from 'zod';
import type { FrozenItem } from './items';
import type { LedgerItem } from './ledger-record';
import { itemOutcomeSchema } from './operation';
import { questionRecordSchema, type Answer } from './record';

/** The content of a question: the leaves of the tree whose root is its digest. */
export interface QuestionTree {
  /** The first leaf: everything except the items, as canonical JSON. */
  head: string;
  /** The place in the plan and the seal of each item. */
  leaves: [index: number, seal: string][];
  /** The places of the items that its confirmation left out. */
  left_out?: number[];
}

/** The text whose hash is the seal of an item, by the item's place in the plan. */
export interface FrozenText {
  index: number;
  frozen: string;
}

/** An item in the ledger, with the confirmed questions that asked about it, in order. */
export interface ItemEvidence extends Pick<LedgerItem, 'index' | 'id' | 'state'> {
  /** The item in the current plan and in earlier editions of the plan. */
  frozen: FrozenItem[];
  questions: { answer: Answer; tree: QuestionTree }[];
}

export interface ItemProofRequest {
  operation_id: string;
  item_id: string;
}

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const leaf = {
  /** The text of the leaf. Its UTF-8 bytes are hashed. */
  leaf: z.string(),
  /** The sibling hashes on the path to the root, the lowest first. */
  path: z.array(hash),
};

/** The proof of one confirmed question. docs/proofs.md describes how to verify it. */
const questionProofSchema = z.object({
  /** The digest of the question: the root of its tree. */
  root: hash,
  /** The number of leaves. */
  size: z.number().int(),
  /** Leaf 0: the operation, the batch, the attempt, the change, and the rest of the question except the items. */
  head: z.object(leaf),
  /** The leaf of the item. `frozen` is the text whose hash the leaf contains. */
  item: z.object({ at: z.number().int(), frozen: z.string(), ...leaf }),
  /** The ledger's record of who decided on this root, when and where. */
  decisions: z.array(questionRecordSchema),
  /** The same in words. */
  words: z.string(),
});

export const itemProofSchema = z.object({
  format: z.literal('batchgate-item-proof-1'),
  operation_id: z.string(),
  item_id: z.string(),
  /** The outcome of the item. */
  outcome: itemOutcomeSchema,
  /** One proof per confirmed question about the item, in order. A failed batch is asked about again. */
  proofs: z.array(questionProofSchema),
});
export type ItemProof = z.infer<typeof itemProofSchema>;
