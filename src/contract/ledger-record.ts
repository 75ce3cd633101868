import type { Change } from './change';
import type { PreparedBulkContext } from './items';
import type { BulkOperationInput, BulkStatus, Confirmation } from './operation';
import type { ItemPreview } from './preview';

/** The input of an operation besides the change and its items. */
export type OperationTerms = Pick<
  BulkOperationInput,
  'idle_timeout_seconds' | 'contract' | 'failure_threshold' | 'overwrite'
>;

/** The ledger's record of one operation: enough to answer for it when its workflow cannot. */
export interface LedgerRecord {
  operation_id: string;
  /** The first run of its chain. */
  run_id?: string;
  domain: string;
  action: string;
  session_id?: string;
  requested_by?: string;
  metadata?: Record<string, unknown>;
  change_params?: Record<string, unknown>;
  batch_size: number;
  terms?: OperationTerms;
  noun?: { one: string; many: string };
  change?: Change;
  context?: PreparedBulkContext;
  undoes?: string;
  created_at: string;
  updated_at: string;
  /** The last status, once the operation has ended in the ordinary way. */
  status?: BulkStatus;
  /** Whether the state before and after the change is known for any item, and whether a person resolved any. */
  shows: { before: boolean; after: boolean; resolutions: boolean };
  items: LedgerItem[];
  /** The place to ask for next; absent where these are the last items. */
  next?: number;
}
export interface LedgerItem {
  index: number;
  id: string;
  display_name: string;
  raw_data?: Record<string, unknown>;
  preview?: ItemPreview;
  batch: number;
  /** `intended`: its request may have been sent, and no result was recorded. */
  state: 'planned' | 'intended' | 'succeeded' | 'failed' | 'skipped' | 'in_doubt';
  error?: string;
  retryable?: boolean;
  /** What an undo needs besides the plan; only the worker reads it. */
  kept?: Record<string, unknown>;
  confirmed_by?: string;
  confirmed_via?: Confirmation['via'];
  confirmed_assurance?: Confirmation['assurance'];
  confirmed_at?: string;
  finished_at?: string;
  /** What a person found out about it, where it was in doubt. */
  resolution?: Resolution;
}

export interface Resolution {
  outcome: 'succeeded' | 'failed';
  reason: string;
  by?: string;
  at: string;
  assurance?: Confirmation['assurance'];
}
