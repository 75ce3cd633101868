import type { LedgerItem, LedgerRecord, OutcomeCode } from '../../contract/activities';
import { DEFAULT_SETTINGS } from '../../contract/settings';
import { wordsOfAction } from './change';
import type { OperationState } from './operation';

const CODES: Record<LedgerItem['state'], OutcomeCode> = {
  planned: 'p',
  intended: 'd',
  succeeded: 's',
  failed: 'f',
  skipped: 'k',
  in_doubt: 'd',
};

/** An operation whose workflow was ended from outside, from what the ledger holds of it. */
export function stateFromLedger(record: LedgerRecord, how: string): OperationState {
  return {
    operation_id: record.operation_id,
    first_run_id: '',
    input: {
      domain: record.domain,
      action: record.action,
      session_id: record.session_id,
      batch_size: record.batch_size,
      idle_timeout_seconds: 0,
    },
    settings: DEFAULT_SETTINGS,
    state: 'cancelled',
    error: {
      code: 'OPERATION_CLOSED',
      message: `The operation ended from outside: ${how}.`,
      hint: 'The counts are those of the ledger; items that were being touched are in doubt.',
    },
    noun: record.noun ?? { one: 'item', many: 'items' },
    words: wordsOfAction(record.action),
    store_id: '',
    items: record.items.map(({ id, display_name }) => ({ id, display_name })),
    codes: record.items.map((item) => CODES[item.state]).join(''),
    details: Object.fromEntries(
      record.items.flatMap(({ index, error, retryable }) =>
        error === undefined ? [] : [[index, { error, retryable }]],
      ),
    ),
    batch: 1,
    attempt: 1,
    waited_ms: 0,
    accepted: {},
    refused: [],
    confirmations: [],
    confirmations_truncated: false,
    last_errors: [],
    stop_condition_satisfied: false,
    progressed_at: Date.parse(record.updated_at),
    created_at: Date.parse(record.created_at),
    updated_at: Date.parse(record.updated_at),
  };
}
