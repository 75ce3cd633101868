import type { ErrorBody } from '../../contract/errors';
import type { LedgerItem, LedgerRecord } from '../../contract/ledger-record';
import type { BulkStatus, Confirmation } from '../../contract/operation';
import { shortened } from '../../contract/text';
import { idText } from '../shared/plain-text';
import { stateFromLedger } from './ledger-status';
import type { OperationState } from './operation';
import { statusOf } from './view';

export const noSuchItem = (itemId: string): ErrorBody => ({
  code: 'NOT_FOUND',
  message: `No item ${shortened(itemId)} in this operation.`,
  hint: 'Take the id from the query items.',
});

export const notInDoubt = (itemId: string): ErrorBody => ({
  code: 'INVALID_INPUT',
  message: `Item ${shortened(itemId)} is not in doubt.`,
  hint: 'Only items in doubt can be resolved.',
});

/**
 * Adds to the status of an ended operation the resolutions of in-doubt items since its end. It already contains earlier
 * ones.
 */
export function withResolutions(status: BulkStatus, record: LedgerRecord): BulkStatus {
  const state = stateOfEnd(status, record);
  const now = statusOf(state);
  if (now.in_doubt === status.in_doubt) return status;
  const late = record.items.flatMap((item) => lateResolution(status, item));
  const [, ...rest] = now.message.split('\n');
  return {
    ...status,
    ...{ processed: now.processed, succeeded: now.succeeded, failed: now.failed, in_doubt: now.in_doubt },
    message: [sentenceNow(status, now), ...rest].join('\n'),
    errors: now.errors,
    ...(now.errors_truncated && { errors_truncated: true }),
    confirmations: [...status.confirmations, ...late],
    guard: now.guard,
    updated_at: late.map(({ at }) => at).reduce((last, at) => (at > last ? at : last), status.updated_at),
  };
}

/** The state of an operation at its end, with the outcomes that the ledger has now. */
export function stateOfEnd(status: BulkStatus, record: LedgerRecord): OperationState {
  const state = stateFromLedger(record, '');
  const { error: _, ...rest } = state;
  return {
    ...rest,
    state: status.state,
    ...(status.error && { error: status.error }),
    ...(status.forced && { forced: status.forced }),
    input: { ...state.input, ...(record.terms?.contract && { contract: record.terms.contract }) },
  };
}

/** Updates the counts in the first sentence. The ledger lacks its other words: those of the adapter and the wait. */
function sentenceNow(before: BulkStatus, now: BulkStatus): string {
  const [first = ''] = before.message.split('\n');
  if (before.forced) return now.message.split('\n')[0] ?? '';
  return first.replace(
    `${before.processed}/${before.total} items were processed`,
    `${now.processed}/${now.total} items were processed`,
  );
}

function lateResolution({ updated_at }: BulkStatus, { id, batch, resolution }: LedgerItem): Confirmation[] {
  if (resolution === undefined || resolution.at <= updated_at) return [];
  const { outcome, reason, by, at, assurance = 'asserted' } = resolution;
  const note = `${id}: ${outcome}, ${reason}`;
  const who = by !== undefined && { by };
  return [
    {
      batch,
      attempt: 1,
      decision: 'resolve',
      outcome: 'accepted',
      via: 'update',
      at,
      note,
      ...who,
      assurance,
    },
  ];
}

const NAMED = 5;

/** The items in doubt of an ended operation, and what a person can do about them; empty if there are none. */
export function doubtNote(operationId: string, items: readonly Pick<LedgerItem, 'id' | 'state'>[]): string {
  const doubtful = items
    .filter(({ state }) => state === 'in_doubt' || state === 'intended')
    .map(({ id }) => idText(shortened(id)));
  if (doubtful.length === 0) return '';
  const more = doubtful.length > NAMED ? ` and ${doubtful.length - NAMED} more` : '';
  const isSingle = doubtful.length === 1;
  return (
    `${doubtful.length} item(s) of ${operationId} ${isSingle ? 'is' : 'are'} in doubt: ` +
    `${doubtful.slice(0, NAMED).join(', ')}${more}. Say what became of ${isSingle ? 'it' : 'each'}: ` +
    `npx batchgate resolve ${operationId} --item ID --outcome succeeded --reason "…"`
  );
}
