import type { KnownItem, Outcomes } from '../../contract/items';
import type { ContinueRequest } from '../../contract/messages';
import { gateKey, pendingOf, type OperationState } from './operation';
import { codeAt } from './outcomes';
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

/** Notes places that were left out. The ledger gets them when their batch begins. */
export const leavingOut = (
  { left_out = [] }: OperationState,
  places: readonly number[],
): Pick<OperationState, 'left_out'> => (places.length > 0 ? { left_out: [...left_out, ...places] } : {});

/** Reverts the exclusions of the current batch's confirmation, unless the ledger has them. */
export function withoutExclusions(state: OperationState): OperationState {
  const { skipped = [] } = state.accepted[gateKey(state.batch, state.attempt)] ?? {};
  return pendingAgain(state, (index) => skipped.includes(index));
}

/** Reverts all exclusions that the ledger does not have. */
export const withNothingLeft = (state: OperationState): OperationState => pendingAgain(state, () => true);

function pendingAgain(state: OperationState, isReverted: (index: number) => boolean): OperationState {
  const { left_out, ...rest } = state;
  if (!left_out) return state;
  const others = left_out.filter((index) => !isReverted(index));
  // One that may have been changed is in doubt by now.
  const places = new Set(left_out.filter((index) => isReverted(index) && codeAt(state.codes, index) === 'k'));
  return {
    ...rest,
    ...(others.length > 0 && { left_out: others }),
    codes: [...state.codes].map((code, at) => (places.has(at) ? 'p' : code)).join(''),
    details: Object.fromEntries(Object.entries(state.details).filter(([at]) => !places.has(Number(at)))),
  };
}
