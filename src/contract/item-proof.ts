import { z } from 'zod';
import type { FrozenItem } from './items';
import type { LedgerItem } from './ledger-record';
import { itemOutcomeSchema } from './operation';
import { questionRecordSchema, type Answer } from './record';

/** What a question was about: the leaves of the tree whose root is its digest. */
export interface QuestionTree {
  /** Everything but the items, as canonical JSON: the first leaf. */
  head: string;
  /** The place in the plan and the seal of each item. */
  leaves: [index: number, seal: string][];
  /** The places of the items that its confirmation left out. */
  left_out?: number[];
}

/** The text of an item that its seal is the hash of, by its place in the plan. */
export interface FrozenText {
  index: number;
  frozen: string;
}

/** An item in the ledger, with the confirmed questions that asked about it, in order. */
export interface ItemEvidence extends Pick<LedgerItem, 'index' | 'id' | 'state'> {
  /** The item as it is in the plan, and as earlier editions of the plan had it. */
  frozen: FrozenItem[];
  questions: { answer: Answer; tree: QuestionTree }[];
}

export interface ItemProofRequest {
  operation_id: string;
  item_id: string;
}

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const leaf = {
  /** The text of the leaf, whose UTF-8 bytes are hashed. */
  leaf: z.string(),
  /** The hashes beside the way to the root, the lowest first. */
  path: z.array(hash),
};

/** The proof of one confirmed question. docs/proofs.md says how to check it. */
const questionProofSchema = z.object({
  /** The digest that the question had: the root of its tree. */
  root: hash,
  /** The number of leaves. */
  size: z.number().int(),
  /** The leaf 0: the operation, the batch, the attempt, the change, and everything else that was asked besides the items. */
  head: z.object(leaf),
  /** The leaf of the item; `frozen` is the text that its leaf has the hash of. */
  item: z.object({ at: z.number().int(), frozen: z.string(), ...leaf }),
  /** Who decided on this root, when and where, as the ledger has it. */
  decisions: z.array(questionRecordSchema),
  /** The same in words. */
  words: z.string(),
});

export const itemProofSchema = z.object({
  format: z.literal('batchgate-item-proof-1'),
  operation_id: z.string(),
  item_id: z.string(),
  /** What became of the item. */
  outcome: itemOutcomeSchema,
  /** One for each question about the item that was confirmed, in order: a batch that failed was asked about again. */
  proofs: z.array(questionProofSchema),
});
export type ItemProof = z.infer<typeof itemProofSchema>;
