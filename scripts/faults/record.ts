import type { BulkState, Confirmation } from '../../src/contract/operation';
import type { ReportRow } from '../../src/client';

/** One request that reached the target, in the order of arrival. Times are milliseconds since the epoch. */
export interface Touch {
  operation: string;
  item: string;
  at: number;
  /** Whether the target executed it. */
  applied: boolean;
  /** The edit by which its address was made; none for the change that the operation started with. */
  edit?: string;
}

/** One confirmation that the runner sent, as its sender would record it. */
export interface Sent {
  /** Unique for this confirmation, so that the product's record of it can be found. */
  by: string;
  sent_at: number;
  /** The gate that it names; a bare confirmation names none. */
  gate?: { batch: number; attempt: number; digest: string };
  /** The items that the gate showed; for a bare confirmation those of the last gate that was seen. */
  shown: readonly string[];
  /** The edit whose address the gate showed, if any. */
  edit?: string;
  excluded: readonly string[];
  /** It permits nothing before this time. */
  earliest: number;
  /** The product answered that it was accepted. */
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

/** Everything that is known about one operation. */
export interface OperationRecord {
  id: string;
  /** The items in the order of the plan. */
  planned: readonly string[];
  /** How many people each batch needs. */
  needed: number;
  sent: Sent[];
  /** Items that somebody else changed: when, and the edit whose address the question about them showed then. */
  changed: Map<string, Pick<Touch, 'at' | 'edit'>>;
  /** Items that were ever in doubt, however briefly. */
  doubted: Set<string>;
  /** Where it got stuck. */
  stuck?: string;
  /** Missing if it never ended. */
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
