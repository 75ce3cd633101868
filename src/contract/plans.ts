import type { Edit } from './edits';
import type { NamedItem } from './items';
import type { Requirement } from './policy';
import type { Foreseen, Prepared } from './prepared';
import type { FrozenWindow } from './schedule';

/** What a workflow learns of a plan. The plan itself is in the ledger. */
export interface Plan {
  /** The items of the first question, and the names of others. Empty for a later part. */
  items: NamedItem[];
  /** The number of frozen items, and their size as JSON in bytes. */
  total: number;
  bytes: number;
  /** A mark of each group of the items, as many as the largest batch has: see src/core/bulk/seal.ts. */
  marks: string;
  foreseen: Foreseen;
  /** The outcomes of the items at the start, if some are skipped: `k` for an item in conflict. */
  codes?: string;
  /** The id of the ledger that holds the plan and the evidence of this operation. No other ledger does. */
  store_id: string;
  /** Absent for a later part. */
  prepared?: Prepared;
  /** Present if the run was reset in Temporal. Then the plan and the outcomes come from the ledger. */
  attempt?: number;
  /** With `attempt`: the batches at which the sizes began again. */
  restarts?: readonly number[];
  /** The edition of a plan whose change was edited before the reset, and its edits. */
  edition?: number;
  edits?: Edit[];
  /** What a policy requires of each batch, and the windows of it. */
  requirement?: Requirement;
  windows?: FrozenWindow[];
}

/** What the ledger has of an operation whose run was reset after its plan. */
export interface ResetResults {
  /** The outcome codes of the whole plan. */
  codes: string;
  /** The items of the next question, and the names of others. */
  items: NamedItem[];
  /** The first attempt number that no earlier run has used for any batch. */
  attempt: number;
  /** The batches at which the sizes began again. */
  restarts?: readonly number[];
  /** The plan as the ledger has it, if its change was edited. */
  edited?: Pick<Plan, 'marks' | 'foreseen'> & {
    edition: number;
    edits: Edit[];
    prepared: Omit<Prepared, 'change_params'>;
  };
}
