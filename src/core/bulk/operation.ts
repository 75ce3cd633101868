import type { Exclusion, PlannedBatch } from '../../contract/activities';
import type { RecordedAs } from '../../contract/approvals';
import type { CountedApproval, Delegator, Vouched } from '../../contract/counted-approvals';
import type { Plan } from '../../contract/plans';
import type { Foreseen } from '../../contract/prepared';
import type { KnownItem, NamedItem, OutcomeCode, OutcomeDetail } from '../../contract/items';
import type { ActionWords, Change } from '../../contract/change';
import type { Edit } from '../../contract/edits';
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

/** The counts and the gate at one time: enough to repeat the answer of an update from then. */
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
  /** The edition of the plan then. */
  edition?: number;
  /** How many approvals the gate had, and what the decision did that this is the answer of. */
  approvals?: number;
  recorded?: RecordedAs;
}

/** The confirmation that a gate accepted, and its outcome once the batch was over. */
export interface AcceptedDecision extends Vouched, Pick<CountedApproval, 'door' | 'signature'> {
  decision_id?: string;
  /** Its sender gave it no id: the same sender's next confirmation of this gate repeats it. */
  unnamed?: true;
  /** The digest of its gate. */
  digest?: string;
  /** The exclusions that it asked for, in short. */
  excluded?: string;
  by?: string;
  via: Confirmation['via'];
  assurance: Confirmation['assurance'];
  at: number;
  /** The plan indices that this confirmation excluded. */
  skipped?: number[];
  outcome?: Snapshot;
  /** The time that it asked for, as it wrote it. */
  not_before?: string;
  /** Under a policy, besides whose decision it is: in whose place, and the approvals before it. */
  for?: Delegator;
  approvals?: GivenApproval[];
}

/** An approval that alone did not suffice. `gate`: the key of its question. */
export interface GivenApproval extends Omit<AcceptedDecision, 'approvals'> {
  gate: string;
}

/** A person as an approval names them, with how surely that is known. */
export type Named = Pick<Approver, 'subject' | 'by'> & Partial<Pick<Approver, 'assurance' | 'key'>>;

/** An approver lets another person approve in their place. */
interface Delegation {
  from: Delegator;
  to: string;
  until: number;
  decision_id?: string;
}

/** The approvals of the question that is open, or was open last. */
export interface Approving {
  batch: number;
  /** The edition of the plan that they are for. */
  edition?: number;
  given: GivenApproval[];
  /** Why approvals that were given before no longer count. */
  again?: string;
  /** When the batch was asked about first, and how many steps of the escalation were taken since. */
  since: number;
  escalated: number;
  /** Who said no. */
  held?: { subject: string; by?: string; at: number; note?: string };
  /** The places of the batch that were left out since it ran last: the ledger does not know yet. */
  left?: number[];
  /** The ids of all decisions that alone did not suffice. */
  decided?: Remembered;
  /** Who approved, and no longer may. */
  lost?: string[];
}

/** The decision that sent an operation back, with what tells a repetition from another decision. */
export interface Returned extends SentBack {
  decision_id?: string;
  /** Its sender gave it no id. */
  unnamed?: true;
  batch: number;
  attempt: number;
  digest?: string;
}

/** The signatures that were used, each by a mark of its decision id, with the times at which they were made. */
export interface UsedSignatures {
  latest: { mark: string; at: string }[];
  /** Signatures until then count as used, because some of them are no longer stored. */
  until?: string;
}

/**
 * The whole state of an operation, as plain JSON: the workflow's memory, and the payload of continue-as-new. Times are
 * milliseconds since the epoch. Recorded histories make this shape permanent.
 */
export interface OperationState {
  operation_id: string;
  /** The first run of the chain, the lease's key. */
  first_run_id: string;
  input: OperationInput;
  settings: Settings;
  /** The key of the HTTP API that vouches for signed-in persons; without it every decision is asserted. */
  public_key?: string;
  /** The signatures of that key that decided something here. */
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
  /** The items that questions have shown, and the names of others as far as they fit. */
  items: Record<string, KnownItem>;
  /** The mark of each group of as many items as the largest batch has, one after the other. */
  marks: string;
  codes: string;
  /** The predictions of the plan about its items. */
  foreseen?: Foreseen;
  details: Record<string, OutcomeDetail>;
  /** The batch whose gate is open or which is running. From 1; one past the last when every batch has run. */
  batch: number;
  attempt: number;
  /** The first attempt of each batch, where an earlier run that was reset has used others. */
  first_attempt?: number;
  /** The digest of the open gate, computed once when it opens. */
  digest?: string;
  /** When the open gate was opened, or the one that expired. */
  opened_at?: number;
  /** When the open question expires, and how long it will have waited then. */
  deadline?: number;
  waited_ms: number;
  /** Who extended the open question, and by how much. */
  extensions?: { seconds: number; by?: string }[];
  /** The extensions that came with a decision id, of any question. */
  extended_before?: Remembered;
  /** The key of the last gate that people were reminded of. */
  reminded?: string;
  /** From now on, a question waits no longer than this (the operator's limit). */
  max_wait_seconds?: number;
  /** Accepted decisions by gate key. One entry is one batch that ran. */
  accepted: Record<string, AcceptedDecision>;
  /** The decisions that were dropped from `accepted`, and their number. */
  accepted_before: Remembered;
  /** The latest refused decisions: the same decision again is refused again. */
  refused: { id: string; error: ErrorBody }[];
  /** The refused decisions before these, and their number. */
  refused_before: Remembered;
  confirmations: Confirmation[];
  /** The number of entries of the record that were dropped for later ones. */
  confirmations_cut: number;
  last_batch?: LastBatch;
  /** The plan indices in the current batch whose last request, from the previous attempt, may still be executed. */
  unsettled?: number[];
  /** The decision that sent it back: nothing runs after it. */
  sent_back?: Returned;
  /** How it differs from the operation that it revises. */
  revision?: Revision;
  /** The plan indices that this attempt of the batch left failed or in doubt. */
  last_errors: number[];
  forced?: { by?: string; reason: string; at: string };
  /** The edition of the plan, once its change was edited; the latest edits, and the number of all. */
  edition?: number;
  edits?: AcceptedEdit[];
  edits_total?: number;
  /** The question that an edit has closed, while the new plan is made. */
  editing?: Editing;
  stop_condition_satisfied: boolean;
  progressed_at: number;
  created_at: number;
  updated_at: number;
  /** The batches at which the sizes of `batch_sizes` began again. */
  restarts?: readonly number[];
  /** When batches of this domain may begin; at any time by default. */
  windows?: FrozenWindow[];
  /** The time until which the tool refuses the open batch. */
  throttled_until?: number;
  /** When the confirmed batch begins, and the question that it is put back to if it is taken back. */
  /** `missed`: when it was to begin in a window that passed without it. */
  scheduled?: {
    at: number;
    missed?: number;
    asked: 'awaiting_confirmation' | 'batch_failed';
    error?: ErrorBody;
  };
  /** The withdrawals that came with a decision id. */
  withdrawn_before?: Remembered;
  /** What a policy requires of each batch. */
  requirement?: Requirement;
  /** Present only with a requirement. */
  approving?: Approving;
  delegations?: Delegation[];
}

/** An edit that was accepted, with the id of its decision. */
export type AcceptedEdit = Edit & Pick<Vouched, 'subject'> & { decision_id?: string };

/** The question that was open before an edit, while the new plan is made. */
export interface Editing extends Pick<
  OperationState,
  'state' | 'error' | 'digest' | 'opened_at' | 'deadline' | 'extensions'
> {
  decision_id?: string;
}

export interface Gate {
  number: number;
  attempt: number;
  digest: string;
  change: Change;
  items: (KnownItem & { index: number })[];
}

/** The outcomes of a plan at its start: pending, unless it tells otherwise. */
export const codesOf = ({ codes, total }: Pick<Plan, 'codes' | 'total'>): string =>
  codes ?? 'p'.repeat(total);

export function gateKey(batch: number, attempt: number): string {
  return `${batch}.${attempt}`;
}

/** How the plan is cut into batches. A restart changes only batches that were not asked about yet. */
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

/** The places of a batch with an outcome. */
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

/** The operation at that batch, where a ramp whose first step was skipped takes it. */
export function atNextWork(state: OperationState): OperationState {
  const found = batchWithWork(rampOfState(state), state.batch, (place) => nextPending(state, place));
  if (!found) return { ...state, batch: firstWithWork(state, state.batch) };
  const { batch, ramp } = found;
  return { ...state, batch, ...(ramp.restarts.length > 0 && { restarts: ramp.restarts }) };
}

/** The operation after a batch, which starts its ramp again if it went badly. */
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

/** The batch as a question for it is to show it; undefined if all that it would show is known, or it does not exist. */
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

/** What the ledger has of some items, such as those of the next question. */
export function withKnown(state: OperationState, named: readonly NamedItem[]): OperationState {
  const items = { ...state.items };
  const details = { ...state.details };
  for (const { index, detail, ...item } of named) {
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

/** The open gate: what `continue` would run now; undefined if none is open. */
export function openGate(state: OperationState): Gate | undefined {
  const { batch: number, attempt, digest, change } = state;
  if (!needsConfirmation(state.state) || digest === undefined || !change) return undefined;
  return {
    ...{ number, attempt, digest, change },
    // Most readers need only the gate's name, several times per batch.
    get items() {
      return pendingOf(state, number);
    },
  };
}

/**
 * The digest that binds a confirmation to exactly this run, batch, attempt, context, change and these items with all
 * their frozen data. Undefined if the batch has nothing left to run, or not all of it is known.
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
