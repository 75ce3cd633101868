import type { OutcomeCode } from '../../contract/items';
import type { LedgerItem, LedgerRecord } from '../../contract/ledger-record';
import { beginOperation } from './lifecycle';
import type { OperationState } from './operation';
import { batchAt, rampFrom, type Ramp } from './ramp';

const CODES: Record<LedgerItem['state'], OutcomeCode> = {
  planned: 'p',
  intended: 'd',
  succeeded: 's',
  failed: 'f',
  skipped: 'k',
  in_doubt: 'd',
};

export const codeOfItem = ({ state }: Pick<LedgerItem, 'state'>): OutcomeCode => CODES[state];

/** The ramp of the plan in a record, with the restarts that follow from the outcomes. */
export const rampOfRecord = ({ batch_size, terms, items }: LedgerRecord): Ramp =>
  rampFrom(terms?.batch_sizes ?? [batch_size], items, terms?.failure_threshold);

/** The items of a record. Planned items have the batches that the current ramp assigns to them. */
export function itemsInBatches(record: LedgerRecord): LedgerItem[] {
  if (!record.terms?.batch_sizes) return record.items;
  const ramp = rampOfRecord(record);
  return record.items.map((item) =>
    item.state === 'planned' ? { ...item, batch: batchAt(ramp, item.index) } : item,
  );
}

/** Builds the state of an operation whose workflow was ended from outside from its ledger record. */
export function stateFromLedger(record: LedgerRecord, how: string): OperationState {
  const { operation_id, domain, action, session_id, requested_by, batch_size, terms } = record;
  const { batch_sizes } = terms ?? {};
  const input = {
    ...{ domain, action, session_id, requested_by, batch_size, idle_timeout_seconds: 0 },
    ...(batch_sizes && { batch_sizes }),
  };
  const initial = beginOperation({ operation_id, first_run_id: '' }, input, Date.parse(record.created_at));
  const updated_at = Date.parse(record.updated_at);
  return {
    ...initial,
    state: 'cancelled',
    error: {
      code: 'OPERATION_CLOSED',
      message: `The operation was ended from outside: ${how}.`,
      hint: 'The counts are those of the ledger; items that were being touched are in doubt.',
    },
    noun: record.noun ?? initial.noun,
    total: record.items.length,
    items: Object.fromEntries(
      record.items.map(({ id, display_name }, place) => [place, { id, display_name }]),
    ),
    codes: record.items.map((item) => CODES[item.state]).join(''),
    details: Object.fromEntries(
      record.items.flatMap(({ index, error, retryable }) =>
        error === undefined ? [] : [[index, { error, retryable }]],
      ),
    ),
    progressed_at: updated_at,
    updated_at,
    ...(batch_sizes && { restarts: rampOfRecord(record).restarts }),
    ...(terms?.policy?.requirement && { requirement: terms.policy.requirement }),
  };
}
