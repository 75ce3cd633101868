import type { BulkStatus, BulkTurn, ItemError, ItemRow } from '../../contract/operation';
import type { ItemsRequest, PageRequest } from '../../contract/messages';
import { bulkGuard } from './contract-progress';
import { snapshotOf } from './lifecycle';
import { batchesTotal, openGate, type OperationState, type Snapshot } from './operation';
import { codeAt, OUTCOME_OF } from './outcomes';
import { visibleText } from '../shared/plain-text';
import { messageOf } from './presenter';
import { isClosed, needsConfirmation } from './transitions';
import { asError, ENDED_LIMIT, type Trouble } from './troubles';

const DEFAULT_PAGE = 100;

/** The slim status, of now or of an earlier moment of the same operation. */
export function turnOf(state: OperationState, moment: Snapshot = snapshotOf(state)): BulkTurn {
  const { input } = state;
  const processed = moment.succeeded + moment.failed;
  const facts = {
    operation_id: state.operation_id,
    ...(input.session_id !== undefined && { session_id: input.session_id }),
    domain: input.domain,
    action: input.action,
    state: moment.state,
    ...(moment.error && { error: moment.error }),
    needs_confirmation: needsConfirmation(moment.state),
    total: state.items.length,
    processed,
    succeeded: moment.succeeded,
    failed: moment.failed,
    skipped: moment.skipped,
    in_doubt: moment.in_doubt,
    remaining: state.items.length - processed - moment.skipped - moment.in_doubt,
    batch_size: input.batch_size,
    batches_total: batchesTotal(state),
    ...(moment.gate && state.change && { next_batch: { ...moment.gate, change: state.change } }),
    ...(moment.last_batch && { last_batch: moment.last_batch }),
    ...(moment.forced && { forced: moment.forced }),
    ...(moment.expires_at !== undefined && { expires_at: iso(moment.expires_at) }),
    created_at: iso(state.created_at),
    updated_at: iso(moment.updated_at),
  };
  const context = {
    noun: state.noun,
    words: state.words,
    batch: state.batch,
    waited_ms: state.waited_ms,
    troubles: troublesAt(state, moment),
    ...(input.failure_threshold !== undefined && { failure_threshold: input.failure_threshold }),
  };
  return { ...facts, message: visibleText(messageOf(facts, context)) };
}

export function statusOf(state: OperationState): BulkStatus {
  const { next_batch: _, ...turn } = turnOf(state);
  const gate = openGate(state);
  const errors = errorsOf(state);
  return {
    ...turn,
    ...(gate && {
      next_batch: { ...gate, items: gate.items.map(({ id, display_name }) => ({ id, display_name })) },
    }),
    errors: errors.slice(0, ENDED_LIMIT),
    ...(errors.length > ENDED_LIMIT && { errors_truncated: true }),
    confirmations: state.confirmations,
    ...(state.confirmations_truncated && { confirmations_truncated: true }),
    guard: bulkGuard(state),
  };
}

export function errorsPage(state: OperationState, page: PageRequest): { errors: ItemError[]; total: number } {
  const errors = errorsOf(state);
  return { errors: pageOf(errors, page), total: errors.length };
}

export function itemsPage(state: OperationState, request: ItemsRequest): { items: ItemRow[]; total: number } {
  const rows = state.items.map((item, index): ItemRow => {
    const error = state.details[index]?.error;
    return {
      id: item.id,
      display_name: item.display_name,
      batch: Math.floor(index / state.input.batch_size) + 1,
      outcome: OUTCOME_OF[codeAt(state.codes, index)],
      ...(error !== undefined && { error }),
    };
  });
  const wanted = rows.filter(({ outcome }) => request.outcome === undefined || outcome === request.outcome);
  return { items: pageOf(wanted, request), total: wanted.length };
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** What the message of a moment names: after a batch its own items, once nothing is left to run those of all batches. */
function troublesAt(state: OperationState, moment: Snapshot): Trouble[] {
  if (isClosed(moment.state) || (needsConfirmation(moment.state) && !moment.gate)) return troublesOf(state);
  return needsConfirmation(moment.state) ? troublesOf(state, moment.last_errors) : [];
}

function errorsOf(state: OperationState): ItemError[] {
  return troublesOf(state).map(asError);
}

/** The items that failed or are in doubt, of the whole plan or of some places in it. */
function troublesOf(state: OperationState, indices: Iterable<number> = state.items.keys()): Trouble[] {
  return [...indices].flatMap((index) => {
    const item = state.items[index];
    const code = codeAt(state.codes, index);
    if (!item || (code !== 'f' && code !== 'd')) return [];
    const { error, retryable = false } = state.details[index] ?? {};
    return [
      {
        item_id: item.id,
        display_name: item.display_name,
        error: error ?? (code === 'd' ? 'nothing says whether it was changed' : 'Unknown error'),
        retryable: code === 'f' && retryable,
        in_doubt: code === 'd',
      },
    ];
  });
}

function pageOf<T>(rows: T[], { offset = 0, limit = DEFAULT_PAGE }: PageRequest): T[] {
  return rows.slice(offset, offset + limit);
}
