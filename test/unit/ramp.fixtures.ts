import type { LedgerItem } from '../../src/contract/ledger-record';
import { isClosed } from '../../src/core/bulk/transitions';
import { pendingPlaces, type OperationState } from '../../src/core/bulk/operation';
import { planned, ran } from './lifecycle.fixtures';

/** An operation over as many items as there are letters, after so many batches in which each item got its letter. */
export function ramped(
  batch_sizes: readonly number[],
  failure_threshold: number | undefined,
  letters: readonly string[],
  batches: number,
): OperationState {
  let state = planned(letters.length, { batch_sizes, failure_threshold });
  for (let at = 0; at < batches && !isClosed(state.state); at++) {
    const places = pendingPlaces(state, state.batch);
    if (places.length === 0) break;
    state = ran(state, places.map((place) => letters[place]).join(''));
  }
  return state;
}

const STATES: Record<string, LedgerItem['state']> = {
  p: 'planned',
  s: 'succeeded',
  f: 'failed',
  k: 'skipped',
  d: 'in_doubt',
};

/** The items of an operation as its ledger has them. */
export const confirmedItems = ({ codes }: OperationState): Pick<LedgerItem, 'state' | 'confirmed_at'>[] =>
  [...codes].map((code) => ({
    state: STATES[code] ?? 'planned',
    ...(code !== 'p' && { confirmed_at: '2026-11-21T12:00:00.000Z' }),
  }));
