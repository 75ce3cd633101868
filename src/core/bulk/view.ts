import type {
  BulkStatus,
  BulkTurn,
  ErrorsPage,
  ItemError,
  ItemRow,
  ItemsPage,
} from '../../contract/operation';
import { fitting, fittingLast } from '../shared/bounds';
import { iso } from '../shared/moments';
import type { ItemsRequest, PageRequest } from '../../contract/messages';
import { approvalLines, approvalsIn } from './approval-words';
import { bulkGuard } from './contract-progress';
import { groupsIn, itemGroups } from './groups';
import { snapshotOf } from './lifecycle';
import {
  batchesTotal,
  codesOfBatch,
  openGate,
  pendingOf,
  rampOfState,
  type Gate,
  type OperationState,
  type Snapshot,
} from './operation';
import { codeAt, countOutcomes, OUTCOME_OF, placesOf, type OutcomeCounts } from './outcomes';
import { shown } from './preview';
import { batchAt, rampText } from './ramp';
import { visibleText } from '../shared/plain-text';
import { messageOf } from './presenter';
import { requesterOf } from './requester';
import { revisionLines } from './revisions';
import { isClosed, needsConfirmation } from './transitions';
import { scheduledIn, scheduledText } from './schedule';
import { scheduleLines, scheduleOf } from './due';
import { policySentence, policyWords } from '../policy/words';
import { asError, ENDED_LIMIT, type LeftItem, type Trouble } from './troubles';

export const DEFAULT_PAGE = 100;
/** The maximum bytes of each of the two lists in a status, and of the one list in a page. */
const MAX_LIST_BYTES = 40_000;
const MAX_PAGE_BYTES = 200_000;

/** The number of items, and the number of each outcome. */
export function countsOf(
  { total, codes }: Pick<OperationState, 'total' | 'codes'>,
  counted: Omit<OutcomeCounts, 'pending'> = countOutcomes(codes),
) {
  const { succeeded, failed, skipped, in_doubt } = counted;
  const processed = succeeded + failed;
  const remaining = total - processed - skipped - in_doubt;
  return { total, processed, succeeded, failed, skipped, in_doubt, remaining };
}

/** The short status of an operation, now or at the time of a snapshot. */
export function turnOf(state: OperationState, moment: Snapshot = snapshotOf(state)): BulkTurn {
  const { input } = state;
  // A question that was edited since then asks something else now.
  const open = moment.edition === state.edition ? moment.gate : snapshotOf(state).gate;
  const gate = moment.gate && open;
  const facts = {
    operation_id: state.operation_id,
    ...(input.session_id !== undefined && { session_id: input.session_id }),
    domain: input.domain,
    action: input.action,
    state: moment.state,
    ...(moment.error && { error: moment.error }),
    needs_confirmation: needsConfirmation(moment.state),
    ...countsOf(state, moment),
    batch_size: input.batch_size,
    batches_total: batchesTotal(state),
    ...(state.foreseen && state.foreseen.already > 0 && { already: state.foreseen.already }),
    ...(state.foreseen &&
      state.foreseen.expected_errors > 0 && { expected_errors: state.foreseen.expected_errors }),
    ...(input.undoes !== undefined && { undoes: input.undoes }),
    ...(gate && state.change && { next_batch: { ...gate, change: state.change } }),
    ...(moment.last_batch && { last_batch: moment.last_batch }),
    ...(moment.forced && { forced: moment.forced }),
    ...(moment.expires_at !== undefined && { expires_at: iso(moment.expires_at) }),
    ...(state.first_attempt !== undefined && { reset: true as const }),
    created_at: iso(state.created_at),
    updated_at: iso(moment.updated_at),
    ...requesterOf(input),
    ...(moment.sent_back && { sent_back: moment.sent_back }),
    ...(input.revises !== undefined && { revises: input.revises }),
    ...rampFacts(state, moment),
    ...scheduledIn(state, moment),
    ...(input.not_before !== undefined && { not_before: iso(Date.parse(input.not_before)) }),
    ...(moment.throttled_until !== undefined && { throttled_until: iso(moment.throttled_until) }),
    ...(state.requirement && { policy: policyWords(state.requirement) }),
    ...(state.requirement &&
      state.requirement.assurance !== 'asserted' && { assurance: state.requirement.assurance }),
    ...(state.requirement?.editable === false && { editable: false as const }),
    ...approvalsIn(state, moment),
    ...(moment.recorded && { recorded: moment.recorded }),
  };
  const context = {
    noun: state.noun,
    words: state.words,
    batch: state.batch,
    waited_ms: state.waited_ms,
    troubles: troublesAt(state, moment),
    left: leftAt(state, moment),
    revised: revisionLines({ revises: input.revises, revision: state.revision }),
    ...(input.failure_threshold !== undefined && { failure_threshold: input.failure_threshold }),
    scheduled: scheduledText(state, moment),
    waits: moment.gate ? [...conditionsOf(state, moment), ...approvalLines(facts, state.requirement)] : [],
  };
  return { ...facts, message: visibleText(messageOf(facts, context)) };
}

/** The lines of a question about the requirement of its policy and the start of its batch. */
const conditionsOf = (state: OperationState, { updated_at }: Snapshot): string[] => [
  ...(state.requirement ? [policySentence(state.requirement)] : []),
  ...scheduleLines(state.input.domain, scheduleOf(state), updated_at),
];

function rampFacts(
  state: OperationState,
  { gate, last_batch }: Snapshot,
): Pick<BulkTurn, 'batch_sizes' | 'batches_text' | 'ramp_restart'> {
  const { batch_sizes } = state.input;
  if (!batch_sizes) return {};
  const text = rampText({ sizes: batch_sizes }, state.total, state.settings.min_batch_size);
  const facts = { batch_sizes, ...(state.total > 0 && { batches_text: text }) };
  const after = last_batch?.number ?? 0;
  const isRestart = (batch: number) => batch > after && batch <= (gate?.number ?? 0);
  if (!last_batch || !state.restarts?.some(isRestart)) return facts;
  const { succeeded, failed, in_doubt } = countOutcomes(codesOfBatch(state, after));
  return {
    ...facts,
    ramp_restart: { after_batch: after, items: succeeded + failed + in_doubt, failed, in_doubt },
  };
}

export function statusOf(state: OperationState): BulkStatus {
  const { next_batch: _, scheduled_batch, ...turn } = turnOf(state);
  const waiting = scheduled_batch && pendingOf(state, state.batch).map(shown);
  const gate = openGate(state);
  const items = gate?.items.map(shown);
  const all = troublesOf(state);
  const errors = fitting(namedErrors(all).slice(0, ENDED_LIMIT), MAX_LIST_BYTES);
  const confirmations = fittingLast(state.confirmations, MAX_LIST_BYTES);
  const recorded = state.confirmations_cut + state.confirmations.length;
  const { requested_by, by_agent } = state.input;
  return {
    ...turn,
    ...(requested_by !== undefined && { requested_by }),
    ...(by_agent && { by_agent }),
    ...(state.change && { summary: state.change.summary, reversible: state.change.reversible }),
    ...(gate && items && { next_batch: { ...gate, items, groups: itemGroups(items) } }),
    ...(scheduled_batch && waiting && { scheduled_batch: { ...scheduled_batch, items: waiting } }),
    ...(!isClosed(state.state) && groupsIn(state.foreseen)),
    ...unansweredIn(state, gate),
    errors,
    ...(errors.length < all.length && { errors_truncated: true }),
    confirmations,
    ...(confirmations.length < recorded && {
      confirmations_truncated: true,
      confirmations_total: recorded,
    }),
    guard: bulkGuard(state),
    ...(state.revision && { revision: state.revision }),
    ...(state.edits && { edits: state.edits.map(({ decision_id: _, subject: __, ...edit }) => edit) }),
  };
}

function unansweredIn(
  { state, batch, attempt, opened_at }: OperationState,
  gate: Gate | undefined,
): Pick<BulkStatus, 'unanswered'> {
  if (opened_at === undefined || !(gate || state === 'expired')) return {};
  return { unanswered: { batch, attempt, asked_at: iso(opened_at) } };
}

/** A page of the failed items and of those in doubt. */
export function errorsPage(state: OperationState, page: PageRequest): ErrorsPage {
  const places = troublePlaces(state);
  const pagePlaces = pageOf(places, page);
  const troubles = namedTroubles(troublesOf(state, pagePlaces));
  const errors = fitting(troubles.map(asError), MAX_PAGE_BYTES);
  return { errors, total: places.length };
}

export function itemsPage(state: OperationState, request: ItemsRequest): ItemsPage {
  const places = [...Array(state.total).keys()].filter(
    (index) => request.outcome === undefined || OUTCOME_OF[codeAt(state.codes, index)] === request.outcome,
  );
  const pagePlaces = pageOf(places, request);
  const missing = pagePlaces.findIndex((index) => !(index in state.items));
  const rows = pagePlaces
    .slice(0, missing < 0 ? pagePlaces.length : missing)
    .map((index) => rowOf(state, index));
  const items = fitting(rows, MAX_PAGE_BYTES);
  return {
    items,
    total: places.length,
    outcomes: pagePlaces.map((index) => codeAt(state.codes, index)).join(''),
  };
}

function rowOf(state: OperationState, index: number): ItemRow {
  const { id = '', display_name = '' } = state.items[index] ?? {};
  const error = state.details[index]?.error;
  return {
    id,
    display_name,
    batch: batchAt(rampOfState(state), index),
    outcome: OUTCOME_OF[codeAt(state.codes, index)],
    ...(error !== undefined && { error }),
  };
}

export { iso };

/** The items that a message names: those of the last batch or, when nothing is left to run, of all batches. */
function troublesAt(state: OperationState, moment: Snapshot): Trouble[] {
  if (isClosed(moment.state) || (needsConfirmation(moment.state) && !moment.gate)) return troublesOf(state);
  return needsConfirmation(moment.state) ? troublesOf(state, moment.last_errors) : [];
}

/**
 * The items that were skipped because they had changed, not because a person excluded them. They are from the same
 * batches as those of `troublesAt`; at the first question, they are those that an undo skips.
 */
function leftAt(state: OperationState, moment: Snapshot): LeftItem[] {
  const all = moment.last_batch === undefined || isClosed(moment.state) || !moment.gate;
  const places = all ? placesOf(state.codes, ['k']) : moment.last_errors;
  return places.flatMap((index) => {
    const { error = '', retryable } = state.details[index] ?? {};
    const item = state.items[index];
    if (codeAt(state.codes, index) !== 'k' || retryable === undefined || !item) return [];
    const reason = error.replace(/^changed_(?:since_preview|after): /, '');
    return [{ item_id: item.id, display_name: item.display_name, error: reason, again: retryable }];
  });
}

const troublePlaces = ({ codes }: OperationState): number[] => placesOf(codes, ['f', 'd']);

/** The items before the first one without a name. */
function namedTroubles(troubles: readonly Trouble[]): Trouble[] {
  const end = troubles.findIndex(({ item_id }) => item_id === '');
  return troubles.slice(0, end < 0 ? troubles.length : end);
}

function namedErrors(troubles: readonly Trouble[]): ItemError[] {
  return troubles.filter(({ item_id }) => item_id !== '').map(asError);
}

/** The items that failed or are in doubt, in the whole plan or at some places. Items not yet read have no name. */
function troublesOf(state: OperationState, indices: readonly number[] = troublePlaces(state)): Trouble[] {
  return indices.flatMap((index) => {
    const code = codeAt(state.codes, index);
    if (code !== 'f' && code !== 'd') return [];
    const { id = '', display_name = '' } = state.items[index] ?? {};
    const { error, retryable = false } = state.details[index] ?? {};
    return [
      {
        item_id: id,
        display_name,
        error: error ?? (code === 'd' ? 'nothing says whether it was changed' : 'Unknown error'),
        retryable: code === 'f' && retryable,
        in_doubt: code === 'd',
      },
    ];
  });
}

function pageOf<T>(rows: readonly T[], { offset = 0, limit = DEFAULT_PAGE }: PageRequest): T[] {
  return rows.slice(offset, offset + limit);
}
