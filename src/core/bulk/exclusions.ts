import type { KnownItem, Outcomes } from '../../contract/items';
import type { ContinueRequest } from '../../contract/messages';
import { gateKey, pendingOf, type OperationState } from './operation';
import { namesOf } from './preview';

/** The places and outcomes of the items that a confirmation leaves out of the open batch. */
export function excludedBy(
  state: OperationState,
  { exclude = [] }: Pick<ContinueRequest, 'exclude'>,
): { places: number[]; outcomes: Outcomes } {
  const excluded = new Map(
    exclude.map(({ id, reason = '' }) => [id, reason.trim() || 'excluded by a person']),
  );
  const reasonOf = (item: KnownItem) => namesOf(item).flatMap((name) => excluded.get(name) ?? [])[0];
  const skipped = pendingOf(state, state.batch).filter((item) => reasonOf(item) !== undefined);
  return {
    places: skipped.map(({ index }) => index),
    outcomes: {
      codes: 'k'.repeat(skipped.length),
      details: Object.fromEntries(skipped.map((item, at) => [at, { error: reasonOf(item) ?? '' }])),
    },
  };
}

/** Reverts the exclusions of the current batch's confirmation. */
export function withoutExclusions(state: OperationState): OperationState {
  const { skipped = [] } = state.accepted[gateKey(state.batch, state.attempt)] ?? {};
  return pendingAgain(state, skipped);
}

/** Reverts all exclusions of a batch that never ran. */
export const withNothingLeft = (state: OperationState): OperationState =>
  pendingAgain(withoutExclusions(state), state.approving?.left ?? []);

function pendingAgain(state: OperationState, skipped: readonly number[]): OperationState {
  if (skipped.length === 0) return state;
  const places = new Set(skipped);
  return {
    ...state,
    codes: [...state.codes].map((code, at) => (places.has(at) && code === 'k' ? 'p' : code)).join(''),
    details: Object.fromEntries(Object.entries(state.details).filter(([at]) => !places.has(Number(at)))),
  };
}
