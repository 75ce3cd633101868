import { z } from 'zod';
import type { Adopted, AdoptInput, Replanned, ReplanInput } from './edits';
import type { AuditedDecision, CountedTowards } from './counted-approvals';
import type { ErrorBody } from './errors';
import type { ItemProof, ItemProofRequest, QuestionTree } from './item-proof';
import type { LedgerRecord } from './ledger-record';
import type { ResolveRequest } from './messages';
import type { BulkStatus, Confirmation } from './operation';
import type { AskedItems, Outcomes } from './items';
import type {
  BeginInput,
  ComparePreviewInput,
  KeepPreviewInput,
  Plan,
  PlanInput,
  ResetResults,
} from './plans';
import type { JobKey, JobKind } from './sentinel';
import type { BulkPreview } from './preview';
import type { Revision } from './revision';
import type { FrozenWindow, Schedule } from './schedule';
import type { DeadlineLimits, Settings } from './settings';
import type { Standing, VouchedApprover } from './access';
import type { StatsFilter, StatsRow } from './stats';
import type { SuggestionRequest } from './suggestions';

export interface AdmitInput {
  operation_id: string;
  /** The first run of the chain: with the id, the key of the lease. */
  run_id: string;
  kind: JobKind;
  /** The adapter and its action, for a bulk operation. */
  domain?: string;
  action?: string;
  session_id?: string;
  /** The job that claims to have started this one. */
  parent?: JobKey;
}
/** `public_key` verifies the signatures of the HTTP API, which prove that a person signed in. */
export type Admission =
  | {
      admitted: true;
      settings: Settings;
      public_key?: string;
      deadline?: DeadlineLimits;
      windows?: FrozenWindow[];
    }
  | { admitted: false; error: ErrorBody };

/**
 * `plan` is absent if the operator's limits refuse it. The workflow checks them too. A refusal with a plan is for an
 * operation that was reset in Temporal after its end, and has no slot to run again.
 */
export type Begun = Admission & { plan?: Plan };

/** A batch of a frozen plan. */
export interface PlannedBatch {
  from: number;
  /** The place after the last item of the batch. */
  to: number;
  /** The groups of the plan that contain the batch: their places, their size, and the mark of each. */
  groups: { from: number; to: number; size: number; marks: string };
  /** Set if the workflow has the ids and names of the items. */
  named?: true;
}

/** Requests the items of the batch of the next question. */
export interface QuestionInput extends PlannedBatch {
  operation_id: string;
  store_id: string;
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

/** The decision under which a batch runs: its sender, channel, assurance and time. */
export type Confirmed = Pick<Confirmation, 'by' | 'via' | 'assurance' | 'at'> &
  Partial<CountedTowards> & {
    /** The question that the decision answered, for the record. The worker adds the tree, which no history contains. */
    question?: Pick<Confirmation, 'attempt' | 'digest' | 'asked_at' | 'shown_at' | 'door' | 'note'> & {
      tree?: QuestionTree;
    };
  };

/** An item that a confirmation left out, by its place in the plan. */
export interface Exclusion {
  index: number;
  reason: string;
}

export interface RunBatchInput extends BatchRef {
  /** The digest of the question that was confirmed, and the places of the items that it showed, in order. */
  digest: string;
  asked: number[];
  /** The places of the items to run. */
  indexes: number[];
  skipped: Exclusion[];
  /** The edition of the plan that was confirmed. */
  edition: number;
  /** The batch of the next question, if its items have not been read yet. */
  next?: PlannedBatch;
  call_timeout_ms: number;
  confirmed: Confirmed;
  /** The possible start of the batch, as stated in its question. */
  schedule?: Schedule;
}

/** Places in order: from the first of each pair up to the second. */
export type Ranges = [from: number, to: number][];

/** A `RunBatchInput` as the history stores it: without values that can be derived (src/core/bulk/sent-batch.ts). */
export interface SentBatch extends Omit<
  RunBatchInput,
  'asked' | 'indexes' | 'skipped' | 'edition' | 'confirmed'
> {
  /** Default: the places in `indexes`. */
  asked?: Ranges;
  indexes: Ranges;
  skipped?: Exclusion[];
  edition?: number;
  confirmed: Omit<Confirmed, 'question'> & {
    question?: Omit<NonNullable<Confirmed['question']>, 'attempt' | 'digest'>;
  };
}

/** The progress of a running batch: the details of its heartbeats. `done` counts the items with any result. */
export const batchProgressSchema = z.object({
  batch: z.number(),
  attempt: z.number(),
  done: z.number(),
  total: z.number(),
  /** The outcomes of the items with a result, by plan index. */
  outcomes: z.record(z.string(), z.enum(['p', 's', 'f', 'k', 'd'])).optional(),
});
export type BatchProgress = z.infer<typeof batchProgressSchema>;

/** Outcomes in the order of `indexes`. Items that a cancellation prevented have the code `p`. */
export interface RunBatchResult extends Outcomes {
  /** The duration on the worker. The workflow's clock would include the wait for a worker. */
  duration_ms?: number;
  /** The items of the batch `next`, if this batch has nothing left to run. */
  next?: AskedItems;
  /** Set if the worker was stopped before it claimed the batch, so that the ledger has nothing of it. */
  unbegun?: true;
}

/** The reason why a batch did not begin: this worker lacks what was confirmed, or is configured for another place. */
export interface RefusedBatch {
  refused: ErrorBody;
}

/** Plan indices whose last request may still take effect, and until when, in milliseconds since the epoch. */
export interface Unsettled {
  indices: number[];
  until: number;
}

/** The outcomes of a reconciled batch. Unsettled items have the code `p`. */
export type Reconciled = Outcomes & { unsettled?: Unsettled };

export interface ReconcileInput extends BatchRef {
  indexes: number[];
  /** Items that the confirmation excluded. The batch may have died before the ledger recorded them. */
  skipped: Exclusion[];
  call_timeout_ms: number;
  /** Wait until every request must have ended. Otherwise, items without the change stay unsettled. */
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

interface RecordDecisionsInput {
  operation_id: string;
  decisions: AuditedDecision[];
}

/** A person's resolution of an item in doubt, after the operation has ended. */
export interface LateResolution {
  operation_id: string;
  request: ResolveRequest;
}

/** Names a workflow task by the id of its started event. */
export interface ArrivalsInput {
  operation_id: string;
  run_id: string;
  task: number;
  /** The name of the signals; `continue` by default. */
  signal?: string;
}

/** The times at which the messages of a workflow task reached the server, in milliseconds since the epoch. */
export interface Arrivals {
  /** The arrival times of the signals of that name, in order. */
  signals: number[];
  /** The time at which the task was first scheduled. Its updates are not older than the previous task. */
  scheduled: number;
}

interface CloseInput {
  operation_id: string;
  run_id: string;
  status: BulkStatus;
  /** Decisions that are not in the audit record yet, with more detail than the status has. */
  decisions?: AuditedDecision[];
}

/** The effects of a bulk operation, in the order in which an operation calls them. */
export interface BulkActivities {
  admit(input: AdmitInput): Promise<Admission>;
  /** Requests a slot, and plans if it was granted. The first activity of a bulk operation. */
  begin(input: BeginInput): Promise<Begun>;
  /** The limit of active jobs in the settings of this worker. */
  slotLimit(): Promise<number>;
  readSettings(): Promise<Settings>;
  /** Prepares, counts and freezes the items. */
  plan(input: PlanInput): Promise<Plan>;
  /** Refuses a plan that differs from its preview. */
  comparePreview(input: ComparePreviewInput): Promise<void>;
  keepPreview(input: KeepPreviewInput): Promise<BulkPreview>;
  /** Returns the items of a batch for its question. */
  readQuestion(input: QuestionInput): Promise<AskedItems>;
  /** Returns the place of an item in the plan, by its id; null if the ledger has no such item. */
  findItem(input: { operation_id: string; item_id: string }): Promise<number | null>;
  /** Fences all batches of earlier runs, and returns the outcomes of the items; null if no batch has run. */
  resultsAfterReset(input: {
    operation_id: string;
    run_id: string;
    store_id: string;
  }): Promise<ResetResults | null>;
  /** Plans the places without an outcome again. The plan of the open question stays in force. */
  replan(input: ReplanInput): Promise<Replanned>;
  adoptPlan(input: AdoptInput): Promise<Adopted>;
  runBatch(input: SentBatch): Promise<RunBatchResult | RefusedBatch>;
  reconcile(input: ReconcileInput): Promise<Reconciled>;
  recordResolution(input: RecordResolutionInput): Promise<void>;
  /** Writes decisions that begin no batch into the audit record. */
  recordDecisions(input: RecordDecisionsInput): Promise<void>;
  /** Records a person's resolution of an item after the operation has ended. */
  resolveLate(input: LateResolution): Promise<void>;
  close(input: CloseInput): Promise<void>;
  readLedger(input: LedgerReadInput): Promise<LedgerRecord | null>;
  /** Returns a proof of what was confirmed about one item. */
  proveItem(request: ItemProofRequest): Promise<ItemProof>;
  /** Compares a plan with the operation that it revises. */
  compareRevised(input: { operation_id: string }): Promise<Revision>;
  stats(filter: StatsFilter): Promise<StatsRow[]>;
  suggest(request: SuggestionRequest): Promise<string[]>;
  arrivals(input: ArrivalsInput): Promise<Arrivals>;
  /** Returns the current standing of people for whom the HTTP API vouched, in the same order. */
  standingsOf(input: { people: VouchedApprover[] }): Promise<Standing[]>;
}

/** `from` is the place of the first item to read; 0 by default. */
export interface LedgerReadInput {
  operation_id: string;
  from?: number;
}
