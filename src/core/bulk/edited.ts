import type { Edit } from '../../contract/edits';
import type { ResetResults } from '../../contract/plans';
import type { OperationState } from './operation';

/** The maximum number of edits in a status. */
const SHOWN_EDITS = 10;

export const latestEdits = <E extends Edit>(edits: readonly E[]): E[] => edits.slice(-SHOWN_EDITS);

/** Restores the edited plan of a reset run from its ledger. */
export function withEdited(state: OperationState, plan: NonNullable<ResetResults['edited']>): OperationState {
  const { edition, edits, marks, foreseen, prepared } = plan;
  const { context, change, noun, words } = prepared;
  const { editing: _, ...rest } = state;
  const history = { edits: latestEdits(edits), edits_total: edits.length };
  // The new plan may give its items other names.
  return { ...rest, edition, marks, foreseen, context, change, noun, words, ...history, items: {} };
}

/** Whether this decision id belongs to an edit: the one being planned or one of the latest. */
export const isOfEdit = ({ editing, edits = [] }: OperationState, id: string): boolean =>
  editing?.decision_id === id || edits.some(({ decision_id }) => decision_id === id);
