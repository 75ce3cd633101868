import { z } from 'zod';
import type { ActionWords, Change } from './change';
import type { DeadlineLimits } from './deadlines';
import type { ErrorBody } from './errors';
import type { BulkItem, FrozenItem, PreparedBulkContext } from './items';
import type { LedgerRecord, OperationTerms } from './ledger-record';
import type { ResolveRequest } from './messages';
import type { BulkStatus, Confirmation } from './operation';
import type { ItemColumns, OutcomeDetail, Outcomes, PlannedItem } from './planned-items';
import type { JobKey, JobKind } from './sentinel';
import type { BulkPreview } from './preview';
import type { Settings } from './settings';
import type { SuggestionRequest } from './suggestions';

export interface AdmitInput {
  operation_id: string;
  /** The first run of the chain: with the id, the key of the lease. */
  run_id: string;
  kind: JobKind;
  /** Of a bulk operation. */
  domain?: string;
  action?: string;
  session_id?: string;
  /** The job that says to have started it. */
  parent?: JobKey;
}
/** `public_key`: of the HTTP API, whose word proves that a person signed in. */
export type Admission =
  | { admitted: true; settings: Settings; public_key?: string; deadline?: DeadlineLimits }
  | { admitted: false; error: ErrorBody };

/** Of the whole plan, or of a part of it. */
export interface PlanInput {
  operation_id: string;
  /** The first run of the chain: an id may be used again, and then the old evidence is not the new one's. */
  run_id: string;
  session_id?: string;
  requested_by?: string;
  domain: string;
  action: string;
  params: Record<string, unknown>;
  metadata?: Record<string, unknown>;
  batch_size: number;
  /** The rest of what it was started with: a follow-up is started with the same. */
  terms: OperationTerms;
  max_total_items: number;
  /** Present when the caller named the items. A long list comes in parts, one after another. */
  items?: BulkItem[];
  /** How many items the caller named, in all parts. */
  named?: number;
  /** Of a later part: the place of its first item in the plan, and what the first part was prepared to. */
  later?: { offset: number; prepared: Prepared };
  /** The operation to take back: what is to be done is taken from the ledger. */
  undoes?: string;
  /** Which of its items are taken back although they were changed after it. */
  overwrite?: 'all' | string[];
}

/**
 * The plan that is to follow the admission, without what only the worker's settings say. `items`: the first part of
 * those that the caller named; where `named` is given and no part is, a batch of them is too large, and none is planned.
 */
export interface BeginInput extends Omit<PlanInput, 'max_total_items' | 'later'> {
  /** The job that says to have started it. */
  parent?: JobKey;
  /** The deadline that the start asked for. */
  asked_seconds?: number;
}
/** `plan`: absent where the limits of the operator refuse one, which the workflow finds as well. */
export type Begun = Admission & { plan?: Plan };

/** What the heartbeats of `begin` carry, from the admission on: which try of the plan it is. */
export const planTrySchema = z.object({ plan_try: z.number() });
export type PlanTry = z.infer<typeof planTrySchema>;

export interface Prepared {
  context: PreparedBulkContext;
  /** The half of the parameters that says what to do, as it was given: what a retry over named items needs. */
  change_params: Record<string, unknown>;
  noun: { one: string; many: string };
  words: ActionWords;
  change: Change;
}

/** What the ledger keeps of a plan besides its items. */
export interface PlanRecord
  extends
    Pick<PlanInput, 'operation_id' | 'run_id' | 'session_id' | 'requested_by' | 'metadata' | 'batch_size'>,
    Pick<PlanInput, 'terms' | 'undoes' | 'overwrite'>,
    Pick<Prepared, 'context' | 'change_params' | 'noun' | 'change'> {
  /** The place of the first of these items in the plan; 0 by default. */
  offset?: number;
}

/** What the plan knows of its items: those that are as wished, and those that will probably fail. */
export interface Foreseen {
  already: number;
  expected_errors: number;
}

export interface Plan {
  /** The first page, whole batches; a plan that is small has no other one. Empty where it is a later part. */
  items: FrozenItem[];
  /** How many items were frozen, as JSON so many bytes. */
  total: number;
  bytes: number;
  /** The digest of each page, by the place of its first item. */
  pages: Record<string, string>;
  foreseen: Foreseen;
  /** The outcomes that items have from the start, where some are skipped: `k` for an item in conflict. */
  codes?: string;
  /** The ledger that holds the evidence of this operation; another one holds none. */
  store_id: string;
  /** Absent where it is a later part. */
  prepared?: Prepared;
  /** The run was reset in Temporal: the plan and what became of its items are those that the ledger has. */
  reset?: ResetPlan;
}

/** `attempt`: the first attempt of each batch that no earlier run has used. */
export interface ResetResults extends ResetPlan {
  /** Of the whole plan. */
  codes: string;
}
interface ResetPlan {
  attempt: number;
  details: Record<string, OutcomeDetail>;
}

export interface ComparePreviewInput {
  operation_id: string;
  expect_digest: string;
}

/** The id under which the plan of the preview is in the ledger. */
export interface KeepPreviewInput {
  preview_id: string;
}

/** Asks for a page of a plan that was frozen. */
export interface PlanPageInput {
  operation_id: string;
  store_id: string;
  from: number;
  /** Where the next page begins, or the plan ends. */
  to: number;
  digest: string;
}

/** One batch under one confirmation. */
interface BatchRef {
  operation_id: string;
  /** The first run of the chain. */
  run_id: string;
  batch: number;
  attempt: number;
  store_id: string;
}

/** Whose decision a batch runs on. */
export type Confirmed = Pick<Confirmation, 'by' | 'via' | 'assurance' | 'at'>;

export interface RunBatchInput extends BatchRef {
  context: PreparedBulkContext;
  items: ItemColumns;
  /** The hash of these items, as they were frozen and shown. */
  seal: string;
  skipped: { item: PlannedItem; reason: string }[];
  call_timeout_ms: number;
  confirmed: Confirmed;
}
/** How far a running batch is: what its heartbeats carry. `done`: items with a result, whichever. */
export const batchProgressSchema = z.object({
  batch: z.number(),
  attempt: z.number(),
  done: z.number(),
  total: z.number(),
});
export type BatchProgress = z.infer<typeof batchProgressSchema>;

/** In the order of `items`; `p` where a cancellation came first. */
export interface RunBatchResult extends Outcomes {
  /** How long the worker took; the workflow's clock would count the wait for a worker too. */
  duration_ms?: number;
}

/** Plan indices whose last request may still be carried out, and until when, in milliseconds since the epoch. */
export interface Unsettled {
  indices: number[];
  until: number;
}

/**
 * What became of a batch, and the ledger that says so: evidence of this operation is sought there from then on. The
 * codes of unsettled items are `p`.
 */
export type Reconciled = Outcomes & { store_id: string; unsettled?: Unsettled };

/** The `details` of the refusal to run a batch over another ledger than the one that holds the evidence so far. */
export interface OtherStore {
  store_id: string;
}

export interface ReconcileInput extends BatchRef {
  context: PreparedBulkContext;
  items: PlannedItem[];
  /** Items that the confirmation left out; its batch may have died before the ledger knew. */
  skipped: { item: PlannedItem; reason: string }[];
  call_timeout_ms: number;
  /** Waits until every request must be over. Without it, items that show no change before then stay unsettled. */
  wait?: true;
}

export interface RecordResolutionInput {
  operation_id: string;
  index: number;
  outcome: 'succeeded' | 'failed';
  reason: string;
  by?: string;
  at: string;
  assurance?: Confirmation['assurance'];
}

/** A person's word about an item in doubt of an operation that has ended. */
export interface LateResolution {
  operation_id: string;
  request: ResolveRequest;
}

/** Names the workflow task whose messages are asked for, by the id of its started event. */
export interface ArrivalsInput {
  operation_id: string;
  run_id: string;
  task: number;
}

/** When the messages of a workflow task arrived at the server, in milliseconds since the epoch. */
export interface Arrivals {
  /** The signals `continue`, in their order. */
  signals: number[];
  /** When the task was first scheduled: no update that it brought is older than the task before it. */
  scheduled: number;
}

interface CloseInput {
  operation_id: string;
  run_id: string;
  status: BulkStatus;
}

/** The effects of a bulk operation, in the order in which an operation calls them. */
export interface BulkActivities {
  admit(input: AdmitInput): Promise<Admission>;
  /** Asks for a slot, and plans where it was given: the first of a bulk operation. */
  begin(input: BeginInput): Promise<Begun>;
  /** How many jobs may be active, by the settings of the worker that is asked. */
  slotLimit(): Promise<number>;
  readSettings(): Promise<Settings>;
  /** Prepares, counts and freezes the items. */
  plan(input: PlanInput): Promise<Plan>;
  /** Refuses a plan that differs from its preview. */
  comparePreview(input: ComparePreviewInput): Promise<void>;
  keepPreview(input: KeepPreviewInput): Promise<BulkPreview>;
  planPage(input: PlanPageInput): Promise<FrozenItem[]>;
  /** The place of an item in the plan, by its id; null where the ledger has no such item. */
  findItem(input: { operation_id: string; item_id: string }): Promise<number | null>;
  /** Fences all batches of earlier runs, and returns what became of the items; null if no batch has run. */
  resultsAfterReset(input: {
    operation_id: string;
    run_id: string;
    store_id: string;
  }): Promise<ResetResults | null>;
  runBatch(input: RunBatchInput): Promise<RunBatchResult>;
  reconcile(input: ReconcileInput): Promise<Reconciled>;
  recordResolution(input: RecordResolutionInput): Promise<void>;
  /** Records what became of an item of an operation that has ended. */
  resolveLate(input: LateResolution): Promise<void>;
  close(input: CloseInput): Promise<void>;
  readLedger(input: LedgerReadInput): Promise<LedgerRecord | null>;
  suggest(request: SuggestionRequest): Promise<string[]>;
  arrivals(input: ArrivalsInput): Promise<Arrivals>;
}

/** `from`: the place of the first item that is asked for; 0 by default. */
export interface LedgerReadInput {
  operation_id: string;
  from?: number;
}
