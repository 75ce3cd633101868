import type { Exclusion, PlannedBatch } from '../../contract/activities';
import type { RecordedAs } from '../../contract/approvals';
import type { CountedApproval, Delegator, Vouched } from '../../contract/counted-approvals';
import type { Plan } from '../../contract/plans';
import type { Foreseen } from '../../contract/prepared';
import type { KnownItem, NamedItem, OutcomeCode, OutcomeDetail } from '../../contract/items';
import type { ActionWords, Change } from '../../contract/change';
import type { Editor, LedgerEdit } from '../../contract/edits';
import type { ErrorBody } from '../../contract/errors';
import type { PreparedBulkContext } from '../../contract/items';
import type { Approver, Requirement } from '../../contract/policy';
import type { BulkState, BulkTurn, Confirmation, LastBatch, SentBack } from '../../contract/operation';
import type { Revision } from '../../contract/revision';
import type { FrozenWindow } from '../../contract/schedule';
import type { Settings } from '../../contract/settings';
import { scheduleOf } from './due';
import type { OperationInput } from './input';
import { codeAt } from './outcomes';
import {
  batchAt,
  batchesIn,
  batchWithWork,
  fromOf,
  largestOf,
  rampOf,
  restartedAfter,
  sliceOf,
  startsAgain,
  type Ramp,
} from './ramp';
import type { Remembered } from './remembered';
import { requesterOf } from './requester';
import { MARK_LENGTH, questionDigest } from './seal';
import { needsConfirmation } from './transitions';

/** The counts and the gate at one time, which are sufficient to repeat the answer to an earlier update. */
export interface Snapshot {
  state: BulkState;
  error?: ErrorBody;
  succeeded: number;
  failed: number;
  skipped: number;
  in_doubt: number;
  gate?: { number: number; attempt: number; digest: string };
  last_batch?: LastBatch;
  last_errors: number[];
  forced?: BulkTurn['forced'];
  sent_back?: SentBack;
  expires_at?: number;
  updated_at: number;
  /** The confirmed batch that begins later. */
  scheduled?: { number: number; attempt: number; at: number; missed?: number };
  throttled_until?: number;
  /** The edition of the plan at that time. */
  edition?: number;
  /** The number of approvals of the gate. */
  approvals?: number;
  /** The effect of the decision that this answers. */
  recorded?: RecordedAs;
}

/** A confirmation that a gate accepted, and its outcome once the batch has ended. */
export interface AcceptedDecision extends Vouched, Pick<CountedApproval, 'door' | 'signature'> {
  decision_id?: string;
  /** Its sender gave it no id, so the same sender's next confirmation of this gate repeats it. */
  unnamed?: true;
  /** The digest of its gate. */
  digest?: string;
  /** A hash of the ids of the excluded items. */
  excluded?: string;
  by?: string;
  via: Confirmation['via'];
  assurance: Confirmation['assurance'];
  at: number;
  /** The plan indices that this confirmation excluded. */
  skipped?: number[];
  /** The plan indices of its question, if some are settled before the batch runs, and so are no longer open then. */
  asked?: number[];
  outcome?: Snapshot;
  /** The requested start time, as the sender wrote it. */
  not_before?: string;
  /** The person in whose place it was made, under a policy. */
  for?: Delegator;
  /** The approvals before it, under a policy. */
  approvals?: GivenApproval[];
}

/** An approval that was not sufficient on its own. `gate`: the key of its question. */
export interface GivenApproval extends Omit<AcceptedDecision, 'approvals'> {
  gate: string;
}

/** A person as named by an approval, with the assurance of that name. */
export type Named = Pick<Approver, 'subject' | 'by'> & Partial<Pick<Approver, 'assurance' | 'key'>>;

/** The permission for another person to approve in an approver's place. */
interface Delegation {
  from: Delegator;
  to: string;
  until: number;
  decision_id?: string;
}

/** The approvals of the question that is open, or was open last. */
export interface Approving {
  batch: number;
  /** The edition of the plan to which they apply. */
  edition?: number;
  given: GivenApproval[];
  /** The reason why earlier approvals no longer count. */
  again?: string;
  /** The time of the first question about the batch. */
  since: number;
  /** The number of escalation steps taken since. */
  escalated: number;
  /** The refusal that holds the question. */
  held?: { subject: string; by?: string; at: number; note?: string };
  /** The ids of all decisions that were not sufficient on their own. */
  decided?: Remembered;
  /** The people who approved and may no longer do so. */
  lost?: string[];
}

/** The decision that sent an operation back, with the fields that identify a repetition. */
export interface Returned extends SentBack {
  decision_id?: string;
  /** Its sender gave it no id. */
  unnamed?: true;
  batch: number;
  attempt: number;
  digest?: string;
}

/** The used signatures, each with a mark of its decision id and the time of signing. */
export interface UsedSignatures {
  latest: { mark: string; at: string }[];
  /** Signatures made until this time count as used, because some of them are no longer stored. */
  until?: string;
}

/**
 * The complete state of an operation as plain JSON, held by the workflow and passed on at continue-as-new. Times are in
 * milliseconds since the epoch. Recorded histories make this shape permanent.
 */
export interface OperationState {
  operation_id: string;
  /** The id of the first run of the chain, which is the key of the lease. */
  first_run_id: string;
  input: OperationInput;
  settings: Settings;
  /** The key with which the HTTP API vouches for signed-in people. Without it, every decision is asserted. */
  public_key?: string;
  /** The signatures of that key that this operation has used. */
  signatures?: UsedSignatures;
  state: BulkState;
  error?: ErrorBody;
  context?: PreparedBulkContext;
  noun: { one: string; many: string };
  words: ActionWords;
  /** Prepared with the context. */
  change?: Change;
  /** The ledger that holds the plan and the evidence. */
  store_id: string;
  /** The number of items in the plan. `codes`, `details` and `items` refer to them by their place in it. */
  total: number;
  /** The items that questions have shown, and the names of other items as far as they fit. */
  items: Record<string, KnownItem>;
  /** The concatenated marks of the groups of items. A group has the size of the largest batch. */
  marks: string;
  codes: string;
  /** The predictions of the plan about its items. */
  foreseen?: Foreseen;
  details: Record<string, OutcomeDetail>;
  /** The batch that is running or whose gate is open, from 1; one past the last when every batch has run. */
  batch: number;
  attempt: number;
  /** The first attempt of each batch, if an earlier run that was reset has used others. */
  first_attempt?: number;
  /** The digest of the open gate, computed once when it opens. */
  digest?: string;
  /** The time at which the open or expired gate was opened. */
  opened_at?: number;
  /** The time at which the open question expires. */
  deadline?: number;
  /** The total waiting time of the question at its deadline. */
  waited_ms: number;
  /** The extensions of the open question. */
  extensions?: { seconds: number; by?: string }[];
  /** The decision ids of the extensions of all questions. */
  extended_before?: Remembered;
  /** The key of the last gate for which a reminder was sent. */
  reminded?: string;
  /** The operator's limit: a question waits at most this long from the current time. */
  max_wait_seconds?: number;
  /** Accepted decisions by gate key. Each entry is one batch that ran. */
  accepted: Record<string, AcceptedDecision>;
  /** The places that people left out of the batch and that the ledger does not have as skipped yet. */
  left_out?: number[];
  /** The decisions that were dropped from `accepted`, and their number. */
  accepted_before: Remembered;
  /** The latest refused decisions. A repetition of one of them is refused again. */
  refused: { id: string; error: ErrorBody }[];
  /** The refused decisions before these, and their number. */
  refused_before: Remembered;
  confirmations: Confirmation[];
  /** The number of older entries that were dropped from `confirmations`. */
  confirmations_cut: number;
  last_batch?: LastBatch;
  /** The plan indices in the current batch whose last request, from the previous attempt, may still be executed. */
  unsettled?: number[];
  /** The decision that sent the operation back. Nothing runs after it. */
  sent_back?: Returned;
  /** The differences from the operation that it revises. */
  revision?: Revision;
  /** The plan indices of the items that this attempt of the batch left failed, in doubt or skipped as changed. */
  last_errors: number[];
  forced?: { by?: string; reason: string; at: string };
  /** The edition of the plan, once its change was edited. */
  edition?: number;
  /** The latest edits. */
  edits?: AcceptedEdit[];
  /** The number of all edits. */
  edits_total?: number;
  /** The people who made any of the edits, and the decision ids of all of them. They are never cut. */
  editors?: Editor[];
  edited_before?: Remembered;
  /** The question that an edit closed while the new plan is made. */
  editing?: Editing;
  stop_condition_satisfied: boolean;
  progressed_at: number;
  created_at: number;
  updated_at: number;
  /** The batches at which the sizes in `batch_sizes` started again. */
  restarts?: readonly number[];
  /** The windows in which batches of this domain may begin; any time by default. */
  windows?: FrozenWindow[];
  /** The time until which the tool refuses the open batch. */
  throttled_until?: number;
  /**
   * The start time of the confirmed batch, and the question to which a withdrawal returns. `missed`: its earlier start
   * time, in a window that passed without it.
   */
  scheduled?: {
    at: number;
    missed?: number;
    asked: 'awaiting_confirmation' | 'batch_failed';
    error?: ErrorBody;
  };
  /** The decision ids of withdrawals. */
  withdrawn_before?: Remembered;
  /** The policy's requirement for each batch. */
  requirement?: Requirement;
  /** The state of the approvals; present only with a requirement. */
  approving?: Approving;
  delegations?: Delegation[];
}

/** An edit that was accepted, with the id of its decision. */
export type AcceptedEdit = LedgerEdit & { decision_id?: string };

/** The question that was open before an edit, while the new plan is made. */
export interface Editing extends Pick<
  OperationState,
  'state' | 'error' | 'digest' | 'opened_at' | 'deadline' | 'extensions'
> {
  decision_id?: string;
  begun_at: number;
}

export interface Gate {
  number: number;
  attempt: number;
  digest: string;
  change: Change;
  items: (KnownItem & { index: number })[];
}

/** The initial outcomes of a plan: pending, unless the plan contains others. */
export const codesOf = ({ codes, total }: Pick<Plan, 'codes' | 'total'>): string =>
  codes ?? 'p'.repeat(total);

export function gateKey(batch: number, attempt: number): string {
  return `${batch}.${attempt}`;
}

/** The division of the plan into batches. A restart changes only batches that have had no question yet. */
export const rampOfState = ({ input, restarts }: Pick<OperationState, 'input' | 'restarts'>): Ramp =>
  rampOf(input, restarts);

export const batchesTotal = (state: OperationState): number => batchesIn(rampOfState(state), state.total);

/** The places of a batch in the plan. */
function placesOf(state: OperationState, batch: number): number[] {
  const { from, to } = sliceOf(rampOfState(state), state.total, batch);
  return Array.from({ length: to - from }, (_, offset) => from + offset);
}

/** The outcomes of a batch, in order. */
export function codesOfBatch(state: OperationState, batch: number): string {
  const { from, to } = sliceOf(rampOfState(state), state.total, batch);
  return state.codes.slice(from, to);
}

/** The places of a batch that have this outcome. */
const placesWith = (state: OperationState, batch: number, code: OutcomeCode): number[] =>
  placesOf(state, batch).filter((index) => codeAt(state.codes, index) === code);

/** The places of a batch that have no outcome yet. */
export const pendingPlaces = (state: OperationState, batch: number): number[] =>
  placesWith(state, batch, 'p');

/** The items of a batch that have no outcome yet, as far as they are known. */
export function pendingOf(state: OperationState, batch: number): Gate['items'] {
  return pendingPlaces(state, batch).flatMap((index) => {
    const item = state.items[index];
    return item ? [{ ...item, index }] : [];
  });
}

/** The first place from this one on without an outcome. */
function nextPending({ codes, total }: OperationState, from: number): number | undefined {
  const place = codes.indexOf('p', from);
  return place < 0 || place >= total ? undefined : place;
}

/** The first batch from this one on that has an item without an outcome; one past the last if there is none. */
export function firstWithWork(state: OperationState, from: number): number {
  const ramp = rampOfState(state);
  const place = nextPending(state, fromOf(ramp, from));
  return place === undefined ? Math.max(from, batchesTotal(state) + 1) : batchAt(ramp, place);
}

/** Moves the operation to the next batch with work. A ramp whose first step was skipped starts again there. */
export function atNextWork(state: OperationState): OperationState {
  const next = batchWithWork(rampOfState(state), state.batch, (place) => nextPending(state, place));
  if (!next) return { ...state, batch: firstWithWork(state, state.batch) };
  const { batch, ramp } = next;
  return { ...state, batch, ...(ramp.restarts.length > 0 && { restarts: ramp.restarts }) };
}

/** Starts the ramp again after a batch whose outcomes require it. */
export function withRestart(state: OperationState): OperationState {
  const { batch, input } = state;
  const ramp = rampOfState(state);
  const outcomes = { batch, codes: codesOfBatch(state, batch), threshold: input.failure_threshold };
  if (batch >= batchesTotal(state) || !startsAgain(ramp, outcomes)) return state;
  return { ...state, restarts: restartedAfter(ramp, batch).restarts };
}

/** The place of an item whose name is known. */
export function placeOf(state: OperationState, itemId: string): number | undefined {
  const entry = Object.entries(state.items).find(([, { id }]) => id === itemId);
  return entry && Number(entry[0]);
}

/** The batch to read for its question; undefined if the state has all of its items or it does not exist. */
export function unknownBatch(state: OperationState, batch: number): PlannedBatch | undefined {
  if (pendingPlaces(state, batch).every((index) => state.items[index]?.seal !== undefined)) return undefined;
  const ramp = rampOfState(state);
  const { from, to } = sliceOf(ramp, state.total, batch);
  const size = largestOf(ramp);
  const [first, end] = [Math.floor(from / size), Math.ceil(to / size)];
  const marks = state.marks.slice(first * MARK_LENGTH, end * MARK_LENGTH);
  const isNamed = placesOf(state, batch).every((index) => index in state.items);
  return {
    ...{ from, to, groups: { from: first * size, to: Math.min(end * size, state.total), size, marks } },
    ...(isNamed && { named: true as const }),
  };
}

/** Adds items as read from the ledger, such as those of the next question. */
export function withKnown(state: OperationState, rows: readonly NamedItem[]): OperationState {
  const items = { ...state.items };
  const details = { ...state.details };
  for (const { index, detail, ...item } of rows) {
    items[index] = item;
    if (detail) details[index] ??= detail;
  }
  return { ...state, items, details };
}

/** The items of a batch that people excluded, in this confirmation of it or an earlier one. */
export function skippedOf(state: OperationState, batch: number): Exclusion[] {
  return placesWith(state, batch, 'k').flatMap((index) => {
    const detail = state.details[index];
    return detail && detail.retryable === undefined ? [{ index, reason: detail.error ?? '' }] : [];
  });
}

/** The open gate, with the items that `continue` would run now; undefined if none is open. */
export function openGate(state: OperationState): Gate | undefined {
  const { batch: number, attempt, digest, change } = state;
  if (!needsConfirmation(state.state) || digest === undefined || !change) return undefined;
  return {
    ...{ number, attempt, digest, change },
    // Computed on access: most callers read only the other fields, several times per batch.
    get items() {
      return pendingOf(state, number);
    },
  };
}

/**
 * The digest that binds a confirmation to exactly this run, batch, attempt, context, change and these items with all
 * their frozen data. Undefined if the batch has nothing left to run, or some of its items have not been read.
 */
export function gateDigest(state: OperationState): string | undefined {
  const items = pendingOf(state, state.batch);
  if (items.length === 0 || !state.context || unknownBatch(state, state.batch)) return undefined;
  const { operation_id, first_run_id: run_id, batch, attempt, context, change } = state;
  const schedule = scheduleOf(state);
  const question = { operation_id, run_id, batch, attempt, context, change, items };
  return questionDigest({
    ...question,
    requester: requesterOf(state.input),
    revises: state.input.revises,
    ...(schedule && { schedule }),
    requirement: state.requirement,
  });
}

export const START_TOOL = 'start_bulk_operation';
