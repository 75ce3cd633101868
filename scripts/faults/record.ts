import type { BulkState, Confirmation } from '../../src/contract/operation';
import type { ReportRow } from '../../src/client';

/** One request that reached the target, in the order of arrival. Times are milliseconds since the epoch. */
export interface Touch {
  operation: string;
  item: string;
  at: number;
  /** True if the target executed it. */
  applied: boolean;
  /** The edit of its address; unset for the change with which the operation started. */
  edit?: string;
}

/** One confirmation by the runner, in the form in which its sender would record it. */
export interface Sent {
  /** Unique for this confirmation, so that it can be found in the product's record. */
  by: string;
  sent_at: number;
  /** The gate that it names; a bare confirmation names none. */
  gate?: { batch: number; attempt: number; digest: string };
  /** The items that the gate showed; for a bare confirmation those of the last gate that was read. */
  shown: readonly string[];
  /** The edit whose address the gate showed, if any. */
  edit?: string;
  excluded: readonly string[];
  /** The earliest time at which it permits a change. */
  earliest: number;
  /** True if the product answered that it was accepted. */
  acknowledged: boolean;
}

/** The product's final report on an operation. */
export interface Account {
  state: BulkState;
  error?: string;
  confirmations: readonly Pick<
    Confirmation,
    'batch' | 'attempt' | 'decision' | 'outcome' | 'by' | 'digest' | 'withdrawn'
  >[];
  confirmations_truncated: boolean;
  rows: readonly Pick<ReportRow, 'id' | 'outcome' | 'error' | 'confirmed_by'>[];
  /** Items on which ledger and history disagree. */
  differences: readonly string[];
}

/** All data about one operation. */
export interface OperationRecord {
  id: string;
  /** The items in the order of the plan. */
  planned: readonly string[];
  /** The number of approvals that each batch needs. */
  needed: number;
  sent: Sent[];
  /** Items that a third party changed: the time, and the edit whose address their question showed then. */
  changed: Map<string, Pick<Touch, 'at' | 'edit'>>;
  /** Items that were ever in doubt, however briefly. */
  doubted: Set<string>;
  /** The step at which it got stuck. */
  stuck?: string;
  /** Unset if it never ended. */
  account?: Account;
}

/** Violations, one line each. */
export interface Findings {
  unconfirmed: string[];
  twice: string[];
  lost: string[];
  stuck: string[];
  unreplayable: string[];
}
