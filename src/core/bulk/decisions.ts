import type { ErrorBody } from '../../contract/errors';
import type { Confirmation } from '../../contract/operation';
import type { OperationState } from './operation';
import { remember, type Remembered } from './remembered';

/** The maximum number of decisions in a status. Accepted decisions are stored separately. */
export const MAX_CONFIRMATIONS = 100;
/** The maximum number of refused decisions that are stored only by id, besides the latest hundred. */
const MAX_REFUSED_BEFORE = 1_000;

/** Records a refusal under its decision id, so that a second delivery of the message is refused too. */
export function refused(state: OperationState, id: string | undefined, error: ErrorBody): OperationState {
  if (id === undefined || state.refused.some((entry) => entry.id === id)) return state;
  const all = [...state.refused, { id, error }];
  const [latest, over] = [all.slice(-MAX_CONFIRMATIONS), all.slice(0, -MAX_CONFIRMATIONS)];
  return { ...state, refused: latest, refused_before: forgetting(state.refused_before, over) };
}

/** Reduces refused decisions to the fact that they were refused. */
export function forgetting(before: Remembered, refused: OperationState['refused']): Remembered {
  return refused.reduce((remembered, { id }) => remember(remembered, id, MAX_REFUSED_BEFORE), before);
}

/** Copies the decision record of another state, which may have refused decisions in the meantime. */
export function withRecordOf(
  state: OperationState,
  { refused, refused_before, confirmations, confirmations_cut }: OperationState,
): OperationState {
  return { ...state, refused, refused_before, confirmations, confirmations_cut };
}

/** Adds an entry to the bounded decision record of a status. The oldest entries are dropped. */
export function recorded(state: OperationState, entry: Confirmation): OperationState {
  const confirmations = [...state.confirmations, entry];
  const cut = Math.max(0, confirmations.length - MAX_CONFIRMATIONS);
  return {
    ...state,
    confirmations: confirmations.slice(cut),
    confirmations_cut: state.confirmations_cut + cut,
  };
}
