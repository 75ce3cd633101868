import type { BulkState, Confirmation } from '../../src/contract/operation';
import type { ReportRow } from '../../src/client';

/** One request that reached the target, in the order of arrival. Times are milliseconds since the epoch. */
export interface Touch {
  operation: string;
  item: string;
  at: number;
  /** Whether the target carried it out. */
  applied: boolean;
}

/** One confirmation that the runner sent, as the person who sends it would write it down. */
export interface Sent {
  /** Of this confirmation alone, so that the product's record of it can be found. */
  by: string;
  sent_at: number;
  /** The gate that it names; a bare confirmation names none. */
  gate?: { batch: number; attempt: number; digest: string };
  /** The items that the gate showed; of a bare confirmation those of the gate that was seen before. */
  shown: readonly string[];
  excluded: readonly string[];
  /** The product answered that it was accepted. */
  acknowledged: boolean;
}

/** What the product says of an operation in the end. */
export interface Account {
  state: BulkState;
  error?: string;
  confirmations: readonly Pick<
    Confirmation,
    'batch' | 'attempt' | 'decision' | 'outcome' | 'by' | 'digest'
  >[];
  confirmations_truncated: boolean;
  rows: readonly Pick<ReportRow, 'id' | 'outcome' | 'confirmed_by'>[];
  /** Items of which ledger and history say different things. */
  differences: readonly string[];
}

/** All that is known of one operation. */
export interface OperationRecord {
  id: string;
  /** The items in the order of the plan. */
  planned: readonly string[];
  sent: Sent[];
  /** Items that were named in doubt, for however short. */
  doubted: Set<string>;
  /** Where it stood still. */
  stuck?: string;
  /** Missing where it never came to its end. */
  account?: Account;
}

/** What must not be, one line each. */
export interface Findings {
  unconfirmed: string[];
  twice: string[];
  lost: string[];
  stuck: string[];
  unreplayable: string[];
}
