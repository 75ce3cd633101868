import type { OutcomeCode } from '../../contract/items';
import type { LedgerItem, LedgerRecord } from '../../contract/ledger-record';
import { beginOperation } from './lifecycle';
import type { OperationState } from './operation';

const CODES: Record<LedgerItem['state'], OutcomeCode> = {
  planned: 'p',
  intended: 'd',
  succeeded: 's',
  failed: 'f',
  skipped: 'k',
  in_doubt: 'd',
};

export const codeOfItem = ({ state }: Pick<LedgerItem, 'state'>): OutcomeCode => CODES[state];

/** The state of an operation whose workflow was ended from outside, from its record in the ledger. */
export function stateFromLedger(record: LedgerRecord, how: string): OperationState {
  const { operation_id, domain, action, session_id, requested_by, batch_size } = record;
  const input = { domain, action, session_id, requested_by, batch_size, idle_timeout_seconds: 0 };
  const begun = beginOperation({ operation_id, first_run_id: '' }, input, Date.parse(record.created_at));
  const updated_at = Date.parse(record.updated_at);
  return {
    ...begun,
    state: 'cancelled',
    error: {
      code: 'OPERATION_CLOSED',
      message: `The operation was ended from outside: ${how}.`,
      hint: 'The counts are those of the ledger; items that were being touched are in doubt.',
    },
    noun: record.noun ?? begun.noun,
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
  };
}
